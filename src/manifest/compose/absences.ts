import { ownValue } from '../../catalog/record.js'
import { documentName, memberOf } from '../../catalog/shapes.js'
import type { FieldType, Kind } from '../../catalog/types.js'
import { keysOf, pointerTo } from '../../json/pointer.js'
import type { Metadata } from '../metadata.js'
import type { Entry } from '../node.js'
import { composedRanges } from '../ranges.js'
import type { Absence } from '../resource.js'
import type { Patch } from './layers.js'

/** Fields that an object would have if no layer took them out. */

/** The fields that a patch takes out of an object, and where the patch says so. */
export const takenFrom = ({ unset, json }: Pick<Patch, 'unset' | 'json'>): Patch['unset'] => [
  ...unset,
  ...json.flatMap(({ operation: { op, path, from }, node }) => {
    if (op === 'remove') return [{ pointer: path, node }]
    return op === 'move' && from !== undefined ? [{ pointer: from, node }] : []
  }),
]

/** The defaults that an object opts out of. */
export function absencesByWithout({ without }: Metadata, defaults: readonly Entry[]): readonly Absence[] {
  const ranges = composedRanges(defaults)
  return without.flatMap(({ pointer, range }): readonly Absence[] => {
    const path = pointerTo(...keysOf(pointer).map(documentName))
    const layers = ranges.layersAt(path)
    const absence = {
      layer: 'metadata.without',
      range,
      value: { is: 'scalar', value: pointer, from: 'text', range },
    } as const
    return layers.length === 0 ? [] : [{ path, layers: [absence, ...layers] }]
  })
}

/** The fields that a patch takes out, also members that are managed one by one. `before`: the fields before the patch. */
export function absencesBy(
  patch: Patch,
  kind: Kind,
  before: readonly Entry[],
  known: readonly Absence[],
): readonly Absence[] {
  const taken = takenFrom(patch).filter(({ pointer }) => isManaged(kind, keysOf(pointer)))
  if (taken.length === 0) return known
  const ranges = composedRanges(before)
  const all = new Map(known.map((each) => [each.path, each]))
  for (const { pointer, node } of taken) {
    const path = pointerTo(...keysOf(pointer).map(documentName))
    const below = ranges.layersAt(path)
    const layers = below.length > 0 ? below : (all.get(path)?.layers ?? [])
    all.set(path, { path, layers: [{ layer: patch.layer, range: node.range, value: node }, ...layers] })
  }
  return [...all.values()]
}

function isManaged(kind: Kind, [field = '', ...members]: readonly string[]): boolean {
  const type = ownValue(kind.fields, field)?.type
  const inner = members.reduce<FieldType | undefined>(
    (above, member) => (above?.is === 'shape' ? memberOf(above.shape, member)?.type : undefined),
    type,
  )
  return inner !== undefined
}
