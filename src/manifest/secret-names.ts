import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { append } from '../json/groups.js'
import { isObject } from '../json/json.js'
import { by } from '../json/order.js'
import { duplicateObject, unidentifiedKey } from '../problems/manifests.js'
import type { ReportProblem } from '../problems/problem.js'
import { nameOfKey } from '../secrets/key-name.js'
import type { Resource } from './resource.js'
import { placeOf } from './source.js'

/**
 * Gives objects that are identified by a secret (package keys) addresses that hide it. Objects with the same address get numbers
 * in the order of their secrets, so that the order of documents does not matter.
 */
export function nameBySecret(
  resources: readonly Resource[],
  fingerprintKey: string | undefined,
  report: ReportProblem,
): readonly Resource[] {
  const named: Resource[] = []
  const groups = new Map<string, Resource[]>()
  for (const resource of resources) {
    const kind = catalog[resource.kind]
    if (!hasSecretName(kind)) named.push(resource)
    else if (isIdentified(resource, kind, report)) append(groups, nameKey(resource, kind, fingerprintKey), resource)
  }
  for (const [name, group] of groups) named.push(...numbered(name.slice(name.indexOf('\n') + 1), group, report))
  return named
}

/** Whether an object is identified by a secret that is written but not set here. */
export const isNameUnavailable = ({ kind, id, unavailable }: Resource): boolean =>
  unavailable.length > 0 && id === undefined && unavailable.includes(`/${catalog[kind].naming}`)

/** The start of the name: the object that this object always refers to, such as the package of a key. */
function anchorOf(resource: Resource, kind: Kind): { readonly field: string; readonly name: string } {
  const { namedBy = '' } = kind
  const value = resource.fields[namedBy]
  const name = isObject(value) && typeof value.name === 'string' ? value.name : ''
  return { field: namedBy, name }
}

function isIdentified(resource: Resource, kind: Kind, report: ReportProblem): boolean {
  const anchor = anchorOf(resource, kind)
  if (resource.key !== '' || anchor.name !== '' || resource.id !== undefined) return true
  // A wrong reference is already reported.
  if (!resource.ranges.at(`/${anchor.field}`)) {
    report(unidentifiedKey(placeOf(resource.range), kind.name, kind.naming ?? '', anchor.field))
  }
  return false
}

const nameKey = (resource: Resource, kind: Kind, fingerprintKey: string | undefined): string =>
  `${resource.parent ?? ''}\n${nameOfKey(anchorOf(resource, kind).name, resource.key || undefined, fingerprintKey)}`

function numbered(name: string, group: readonly Resource[], report: ReportProblem): readonly Resource[] {
  const byKey = new Map<string, Resource>()
  for (const resource of group) {
    // Names that are not set here may be different.
    const unknown = isNameUnavailable(resource) ? `${resource.range.source.file}\n${resource.range.start}` : ''
    const identity = `${resource.key}\n${resource.id ?? ''}\n${unknown}`
    const first = byKey.get(identity)
    if (!first) byKey.set(identity, resource)
    else {
      const by = resource.key === '' ? 'by key' : 'by id'
      report(duplicateObject(placeOf(resource.range), `${resource.kind} ${name}`, placeOf(first.range), by))
    }
  }
  const sorted = [...byKey].sort(by(([key]) => key))
  return sorted.map(([, resource], index) => {
    const own = index === 0 ? name : `${name} (${index + 1})`
    return { ...resource, address: addressOf(catalog[resource.kind], own, resource.parent, resource.id) }
  })
}
