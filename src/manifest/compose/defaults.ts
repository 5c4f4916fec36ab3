import { childField, findKind, isWritable, kindNames } from '../../catalog/queries.js'
import { ownValue } from '../../catalog/record.js'
import type { Kind, KindName } from '../../catalog/types.js'
import { defaultsOutside, layerHoldsChildren, layerNamesObject } from '../../problems/compose.js'
import { unknownField, unknownManifestKind, wrongType } from '../../problems/manifests.js'
import type { Place, ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import { type Entry, formWords, isNull, keyWords, type Node } from '../node.js'
import { placeOf } from '../source.js'
import { unwritableField } from '../unwritable-field.js'
import type { Defaults } from './layers.js'

/**
 * Reads defaults by kind. Fields that no object of the kind can have are reported where they are written. `inside`: the kinds
 * inside the object that has the defaults; default: all.
 */
export function readDefaults(node: Node, layer: string, report: ReportProblem, inside = kindNames): Defaults {
  const fields = new Map<KindName, readonly Entry[]>()
  if (node.is !== 'map') {
    if (!isNull(node)) report(wrongType(placeOf(node.range), layer, 'a mapping of kinds', formWords(node)))
    return { layer, fields }
  }
  for (const { key, range, value } of node.entries) {
    const kind = findKind(key)
    if (!kind) report(unknownManifestKind(placeOf(range), keyWords(key), nearest(key, kindNames), kindNames))
    else if (!inside.includes(kind.name)) report(defaultsOutside(placeOf(range), layer, kind.name, inside))
    else {
      const written = readLayerFields(value, kind, `${layer}: ${key}`, layer, report)
      fields.set(
        kind.name,
        written.filter((entry) => isField(entry, kind, report)),
      )
    }
  }
  return { layer, fields }
}

/** Reads the fields that a layer gives to objects of a kind; unknown fields too, because an object may allow them. */
export function readLayerFields(
  node: Node,
  kind: Kind | undefined,
  at: string,
  layer: string,
  report: ReportProblem,
): readonly Entry[] {
  if (node.is !== 'map') {
    if (!isNull(node)) report(wrongType(placeOf(node.range), at, 'a mapping of fields', formWords(node)))
    return []
  }
  return labelled(
    node.entries.filter((entry) => !kind || mayWriteEntry(entry, kind, report)),
    layer,
  )
}

/**
 * Adds the name of the layer to fields and to their members: members of object fields may be merged with members of other layers.
 */
export const labelled = (entries: readonly Entry[], layer: string): readonly Entry[] =>
  entries.map((entry) => {
    const { value } = entry
    return {
      ...entry,
      layer,
      value: value.is === 'map' ? { ...value, entries: labelled(value.entries, layer) } : value,
    }
  })

function isField({ key, range }: Entry, kind: Kind, report: ReportProblem): boolean {
  const field = ownValue(kind.fields, key)
  if (field && isWritable(field)) return true
  if (field) {
    report(unwritableField(placeOf(range), kind.name, field))
    return false
  }
  const known = Object.values(kind.fields)
    .filter(isWritable)
    .map(({ name }) => name)
  report(unknownField(placeOf(range), kind.name, keyWords(key), nearest(key, known), known))
  return false
}

const mayWriteEntry = ({ key, range, value }: Entry, kind: Kind, report: ReportProblem): boolean =>
  (childField(kind, key)?.single && isNull(value)) || mayWrite(kind, key, placeOf(range), report)

/** Whether a layer may write a field. Names and owned children belong to the manifest: a layer that writes them is reported. */
export function mayWrite(kind: Kind, name: string, place: Place, report: ReportProblem): boolean {
  const child = childField(kind, name)
  if (child) report(layerHoldsChildren(place, `${kind.name}.${name}`, child.kind.name))
  else if (name === kind.naming) report(layerNamesObject(place, `${kind.name}.${name}`))
  else return true
  return false
}
