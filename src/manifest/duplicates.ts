import { hasOwnId } from '../catalog/queries.js'
import { append } from '../json/groups.js'
import { duplicateObject } from '../problems/manifests.js'
import type { ReportProblem } from '../problems/problem.js'
import type { Resource } from './resource.js'
import { holds, placeOf, type SourceRange } from './source.js'

/**
 * Keeps one resource of each address. The others, which come later by file and position, are reported with the place of the
 * first.
 */
export function withoutDuplicates(resources: readonly Resource[], report: ReportProblem): readonly Resource[] {
  const first = new Map<string, Resource>()
  const dropped = new Map<string, Resource[]>()
  for (const resource of resources) {
    const known = first.get(resource.address)
    if (!known) {
      first.set(resource.address, resource)
      continue
    }
    const [kept, other] = isBefore(known.range, resource.range) ? [known, resource] : [resource, known]
    first.set(resource.address, kept)
    append(dropped, other.address, other)
    // An object inside one that is already reported is not reported again.
    if (dropped.get(other.parent ?? '')?.some((outer) => holds(outer.range, other.range))) continue
    report(duplicateObject(placeOf(other.range), resource.address, placeOf(kept.range), distinguishedBy(kept, other)))
  }
  return first.size === resources.length ? resources : [...first.values()]
}

function distinguishedBy(one: Resource, other: Resource): 'by id' | 'by name' | 'by nothing' {
  if (one.range.source === other.range.source && one.range.start === other.range.start) return 'by name'
  return hasOwnId(one.kind) ? 'by id' : 'by nothing'
}

function isBefore(left: SourceRange, right: SourceRange): boolean {
  if (left.source.file === right.source.file) return left.start <= right.start
  return left.source.file < right.source.file
}
