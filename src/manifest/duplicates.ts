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
    if (dropped.get(other.parent ?? '')?.some((outer) => isIn(other, outer))) continue
    const by = distinguishedBy(kept, other)
    const placeIn = (each: Resource) => placeOf((by === 'by document' && each.generatedBy) || each.range)
    report(duplicateObject(placeIn(other), resource.address, placeIn(kept), by))
  }
  return first.size === resources.length ? resources : [...first.values()]
}

/** Whether an object is written in another one. What is generated with an object is in the same file, not in its range. */
const isIn = (inner: Resource, { range, generatedBy }: Resource): boolean =>
  holds(range, inner.range) || (generatedBy !== undefined && inner.range.source === range.source)

function distinguishedBy(one: Resource, other: Resource): 'by id' | 'by name' | 'by document' | 'by nothing' {
  if (one.range.source === other.range.source && one.range.start === other.range.start) {
    return one.generatedBy && other.generatedBy !== one.generatedBy ? 'by document' : 'by name'
  }
  return hasOwnId(one.kind) ? 'by id' : 'by nothing'
}

function isBefore(left: SourceRange, right: SourceRange): boolean {
  if (left.source.file === right.source.file) return left.start <= right.start
  return left.source.file < right.source.file
}
