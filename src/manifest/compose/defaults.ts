import { childField, findKind, isWritable, kindNames } from '../../catalog/queries.js'
import type { Kind, KindName } from '../../catalog/types.js'
import { defaultsOutside, layerHoldsChildren, layerNamesObject } from '../../problems/compose.js'
import { unknownField, unknownManifestKind, wrongType } from '../../problems/manifests.js'
import type { Place, Problem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import { type Entry, formWords, isNull, keyWords, type Node } from '../node.js'
import { placeOf } from '../source.js'
import type { Defaults } from './layers.js'

type Report = (problem: Problem) => void

/**
 * Reads defaults by kind; what no object of a kind could have is reported where it is written. `inside`: the kinds that lie
 * in whoever has them; default: all.
 */
export function readDefaults(node: Node, layer: string, report: Report, inside = kindNames): Defaults {
  const fields = new Map<KindName, readonly Entry[]>()
  if (node.is !== 'map') {
    if (!isNull(node)) report(wrongType(placeOf(node.mark), layer, 'a mapping of kinds', formWords(node)))
    return { layer, fields }
  }
  for (const { key, mark, value } of node.entries) {
    const kind = findKind(key)
    if (!kind) report(unknownManifestKind(placeOf(mark), keyWords(key), nearest(key, kindNames), kindNames))
    else if (!inside.includes(kind.name)) report(defaultsOutside(placeOf(mark), layer, kind.name, inside))
    else fields.set(kind.name, readLayerFields(value, kind, `${layer}: ${key}`, layer, report))
  }
  return { layer, fields }
}

/** The fields that a layer gives to objects of a kind; a kind that is not told takes any. */
export function readLayerFields(
  node: Node,
  kind: Kind | undefined,
  at: string,
  layer: string,
  report: Report,
): readonly Entry[] {
  if (node.is !== 'map') {
    if (!isNull(node)) report(wrongType(placeOf(node.mark), at, 'a mapping of fields', formWords(node)))
    return []
  }
  return labelled(
    node.entries.filter((entry) => !kind || isField(entry, kind, report)),
    layer,
  )
}

/** Fields with the name of their layer. Members too: those of object fields may end up between members of other layers. */
export const labelled = (entries: readonly Entry[], layer: string): readonly Entry[] =>
  entries.map((entry) => {
    const { value } = entry
    return {
      ...entry,
      layer,
      value: value.is === 'map' ? { ...value, entries: labelled(value.entries, layer) } : value,
    }
  })

function isField(entry: Entry, kind: Kind, report: Report): boolean {
  const place = placeOf(entry.mark)
  const field = Object.hasOwn(kind.fields, entry.key) ? kind.fields[entry.key] : undefined
  if (!field || !isWritable(field)) {
    const known = Object.values(kind.fields)
      .filter(isWritable)
      .map(({ name }) => name)
    report(unknownField(place, kind.name, keyWords(entry.key), nearest(entry.key, known), known))
    return false
  }
  return (childField(kind, entry.key)?.single && isNull(entry.value)) || mayWrite(kind, entry.key, place, report)
}

/** Whether a layer may touch a field; names, and what lies in an object, are the manifest's: that is reported. */
export function mayWrite(kind: Kind, name: string, place: Place, report: Report): boolean {
  const child = childField(kind, name)
  if (child) report(layerHoldsChildren(place, `${kind.name}.${name}`, child.kind.name))
  else if (name === kind.naming) report(layerNamesObject(place, `${kind.name}.${name}`))
  else return true
  return false
}
