import { type Json, sameJson } from '../../json/json.js'
import { keysOf, pointerTo } from '../../json/pointer.js'
import type { Resource } from '../../manifest/resource.js'

/** A field of an object that has another value with another text. */
export interface ChangedField {
  readonly resource: Resource
  readonly address: string
  readonly path: string
}

export const fieldWords = ({ address, path }: ChangedField): string => `${address} ${keysOf(path).join('.')}`

/** The fields with other values. `objects` if other things than fields have changed. */
export function changedFields(
  before: readonly Resource[],
  after: readonly Resource[],
): readonly ChangedField[] | 'objects' {
  const known = new Map(before.map((resource) => [resource.address, resource]))
  if (before.length !== after.length || after.some(({ address }) => !known.has(address))) return 'objects'
  const changed: ChangedField[] = []
  for (const resource of after) {
    const { address, fields } = resource
    const old = known.get(address)
    if (!old || !sameJson(restOf(old), restOf(resource))) return 'objects'
    for (const name of new Set([...Object.keys(fields), ...Object.keys(old.fields)])) {
      if (!sameJson(fields[name] ?? null, old.fields[name] ?? null))
        changed.push({ resource, address, path: pointerTo(name) })
    }
  }
  return changed
}

const restOf = ({ additions, inverseReferences, wholeLists, removedChildren, labels }: Resource): Json => [
  additions,
  inverseReferences,
  [...wholeLists],
  [...removedChildren],
  labels,
]
