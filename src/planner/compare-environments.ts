import { catalog } from '../catalog/catalog.js'
import { hasSecretName, metadataWord, referredKind } from '../catalog/queries.js'
import { append } from '../json/groups.js'
import { isObject, type Json, sameJson } from '../json/json.js'
import { by } from '../json/order.js'
import { isWithin, keysOf, pointerTo } from '../json/pointer.js'
import { valueOrigin } from '../manifest/compose/given-values.js'
import type { WrittenLayers } from '../manifest/compose/layers.js'
import { environmentDefaults } from '../manifest/compose/read-layers.js'
import { type Node, plain } from '../manifest/node.js'
import { type WrittenLayer, writtenMetadata } from '../manifest/ranges.js'
import { rangeOfName } from '../manifest/reference-use.js'
import type { Manifests, PatchEffect, Resource } from '../manifest/resource.js'
import { type SourceRange, startKey, textOfRange } from '../manifest/source.js'
import { valueNames } from '../manifest/values.js'
import {
  type Difference,
  declaredIn,
  type FieldDifference,
  sameReferences,
  writtenDifferences,
} from './compare-areas.js'

/**
 * Compares two environments of one project. Two objects are the same if they come from the same position in the manifests, even
 * if their names differ.
 */

/** The desired objects of one environment, and its layers. */
export interface EnvironmentSide {
  readonly manifests: Manifests
  readonly layers: WrittenLayers
}

export type SideName = 'a' | 'b'
export type EnvironmentSides = Readonly<Record<SideName, EnvironmentSide>>

/** The reason why a field differs, or why an object is on one side only. */
export type Cause =
  | { readonly is: 'value'; readonly name: string }
  | { readonly is: 'patch'; readonly in: SideName; readonly effect: PatchEffect }
  | { readonly is: 'default'; readonly in: SideName; readonly name: string; readonly written: WrittenLayer }

/** The same key for causes of the same layer. */
export const causeKey = (cause: Cause): string =>
  cause.is === 'patch' ? `patch ${cause.in} ${cause.effect.layer}` : `${cause.is} ${cause.name}`

export interface CausedField extends FieldDifference {
  readonly causes: readonly Cause[]
}

/** An object that differs between the two, with the layers that cause this. */
export interface CausedDifference extends Difference {
  readonly fields: readonly CausedField[]
  /** For an object that one side does not have. */
  readonly causes: readonly Cause[]
}

/** The objects of two environments. A pair is one object of the manifests. */
export interface Joined {
  readonly pairs: readonly ComparedPair[]
  readonly onlyInA: readonly Resource[]
  readonly onlyInB: readonly Resource[]
}

interface ComparedPair {
  readonly a: Resource
  readonly b: Resource
}

/** Joins objects by their position in the manifests. An object without a unique position is joined by its address. */
export function joinEnvironments(a: Manifests, b: Manifests): Joined {
  const [first, second] = [declaredIn(a), declaredIn(b)]
  const [left, right] = [placesIn(first), placesIn(second)]
  const partners = new Map<Resource, Resource>()
  const taken = new Set<Resource>()
  const pair = (one: Resource, other: Resource | undefined): void => {
    if (!other || taken.has(other) || one.kind !== other.kind) return
    partners.set(one, other)
    taken.add(other)
  }
  for (const [place, [one, another]] of left) {
    const [other, more] = right.get(place) ?? []
    if (one && !another && !more) pair(one, other)
  }
  for (const one of first.values()) if (!partners.has(one)) pair(one, second.get(one.address))
  return {
    pairs: [...partners].map(([one, other]) => ({ a: one, b: other })),
    onlyInA: [...first.values()].filter((each) => !partners.has(each)),
    onlyInB: [...second.values()].filter((each) => !taken.has(each)),
  }
}

/** An alias repeats one position in several parents, so the position of the parents is part of the key. */
function placesIn(declared: ReadonlyMap<string, Resource>): ReadonlyMap<string, readonly Resource[]> {
  const known = new Map<Resource, string>()
  const placeOf = (resource: Resource): string => {
    const holder = resource.isInside ? declared.get(resource.parent ?? '') : undefined
    // Several documents may read the same OpenAPI file.
    const outer = [
      ...(holder ? [placeOf(holder)] : []),
      ...(resource.generatedBy ? [startKey(resource.generatedBy)] : []),
    ]
    const place = known.get(resource) ?? [...outer, startKey(resource.range)].join(' ')
    known.set(resource, place)
    return place
  }
  const places = new Map<string, Resource[]>()
  for (const resource of declared.values()) append(places, placeOf(resource), resource)
  return places
}

/** The differences between the desired states of two environments, each with its causes. */
export function compareEnvironments(sides: EnvironmentSides, joined: Joined): readonly CausedDifference[] {
  const context = contextOf(sides)
  const named = joined.pairs.map((pair) => ({ pair, naming: namingDifferences(pair, context) }))
  const renames = renamesIn(named)
  const both = named.flatMap(({ pair, naming }): readonly CausedDifference[] => {
    const { address, kind } = pair.a
    const fields = [...naming, ...fieldDifferences(pair, renames, context)]
    if (fields.length === 0) return []
    const other = pair.b.address === address ? {} : { addressInB: pair.b.address }
    return [{ address, ...other, kind, in: 'both', fields, causes: [] }]
  })
  const only = (resources: readonly Resource[], where: SideName) =>
    resources.map((resource) => onlyThere(resource, where, context))
  return [...both, ...only(joined.onlyInA, 'a'), ...only(joined.onlyInB, 'b')].sort(by(({ address }) => address))
}

/** A secret that is unavailable in one of the two environments. */
interface Unset {
  readonly address: string
  readonly addressInB: string
}

/** The secrets that are not compared, because one of the two is unavailable. If both come from the same text, they are equal. */
export function notCompared(sides: EnvironmentSides, { pairs }: Joined): readonly Unset[] {
  const context = contextOf(sides)
  return pairs.flatMap((pair) => {
    const { a, b } = pair
    const paths = [...new Set([...a.unavailable, ...b.unavailable])]
    const unreported = paths.filter((path) => !isOfOneText(path, pair) || causesOf(path, pair, context).length > 0)
    return unreported.map(() => ({ address: a.address, addressInB: b.address }))
  })
}

function isOfOneText(path: string, { a, b }: ComparedPair): boolean {
  const [first, second] = [a, b].map(({ ranges }) => ranges.layersAt(path)[0]?.value.range)
  return first !== undefined && second !== undefined && textOfRange(first) === textOfRange(second)
}

interface Context {
  readonly sides: EnvironmentSides
  /** The patches that match the object at a position. */
  readonly effects: Readonly<Record<SideName, ReadonlyMap<string, readonly PatchEffect[]>>>
  readonly declared: Readonly<Record<SideName, ReadonlyMap<string, Resource>>>
}

function contextOf(sides: EnvironmentSides): Context {
  const { a, b } = { a: sides.a.manifests, b: sides.b.manifests }
  const effects = { a: effectsOf(a), b: effectsOf(b) }
  return { sides, effects, declared: { a: declaredIn(a), b: declaredIn(b) } }
}

function effectsOf({ patches = [] }: Manifests): ReadonlyMap<string, readonly PatchEffect[]> {
  const found = new Map<string, PatchEffect[]>()
  for (const effect of patches) for (const range of effect.matched) append(found, startKey(range), effect)
  return found
}

/** The difference in the name, or in the name of a parent that no manifest declares. */
function namingDifferences({ a, b }: ComparedPair, { sides, declared }: Context): readonly CausedField[] {
  const kind = catalog[a.kind]
  const own: readonly CausedField[] =
    a.key === b.key || kind.naming === undefined
      ? []
      : [
          {
            ...{ path: pointerTo(kind.naming), a: a.key, b: b.key, sensitive: hasSecretName(kind) },
            causes: valueCauses(nameNodes(a, b), sides),
          },
        ]
  const isReported = (resource: Resource, side: SideName) => declared[side].has(resource.parent ?? '')
  if (isReported(a, 'a') && isReported(b, 'b')) return own
  const parents = a.ancestors.flatMap((ancestor, index): readonly CausedField[] => {
    const other = b.ancestors[index]?.name
    if (other === undefined || other === ancestor.name) return []
    const word = metadataWord(catalog[ancestor.kind])
    const ranges = [a, b].map(({ range, generatedBy }) => writtenMetadata(generatedBy ?? range, word))
    const path = pointerTo('metadata', word)
    return [{ path, a: ancestor.name, b: other, sensitive: false, causes: valueCauses(samePlace(ranges), sides) }]
  })
  return [...own, ...parents]
}

/** The positions of the names, if both have the same position. */
const nameNodes = (a: Resource, b: Resource): readonly SourceRange[] => samePlace([rangeOfName(a), rangeOfName(b)])

const samePlace = ([first, second]: readonly (SourceRange | undefined)[]): readonly SourceRange[] =>
  first && second && startKey(first) === startKey(second) ? [first] : []

/** The objects of b that have another address in a. */
type CausedRenames = ReadonlyMap<string, { readonly to: string; readonly causes: readonly Cause[] }>

const renamesIn = (
  named: readonly { readonly pair: ComparedPair; readonly naming: readonly CausedField[] }[],
): CausedRenames =>
  new Map(
    named.flatMap(({ pair: { a, b }, naming }) => {
      const causes = naming.flatMap((field) => field.causes)
      return a.key === b.key || causes.length === 0 ? [] : [[b.key, { to: a.key, causes }] as const]
    }),
  )

function fieldDifferences(pair: ComparedPair, renames: CausedRenames, context: Context): readonly CausedField[] {
  const { kind } = pair.a
  const { naming } = catalog[kind]
  return writtenDifferences(pair.a, pair.b)
    .filter(({ path }) => naming === undefined || path !== pointerTo(naming))
    .flatMap((field) => memberDifferences(field, pair))
    .map((field) => {
      const causes = causesOf(field.path, pair, context)
      return { ...field, causes: causes.length > 0 ? causes : renamed(field, pair, renames) }
    })
}

/** If the members of a field are managed one by one, each is a separate difference. */
function memberDifferences(field: FieldDifference, { a: { kind } }: ComparedPair): readonly FieldDifference[] {
  const [name = ''] = keysOf(field.path)
  const { a, b, sensitive } = field
  if (catalog[kind].fields[name]?.type.is !== 'shape' || !isObject(a) || !isObject(b)) return [field]
  const members = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  const differing = members.filter((member) => !sameJson(a[member], b[member]))
  if (differing.length === 0) return [field]
  return differing.map((member) => ({
    path: pointerTo(name, member),
    ...(a[member] !== undefined && { a: a[member] }),
    ...(b[member] !== undefined && { b: b[member] }),
    sensitive,
  }))
}

function causesOf(path: string, pair: ComparedPair, context: Context): readonly Cause[] {
  const [first, second] = [pair.a.ranges.layersAt(path)[0], pair.b.ranges.layersAt(path)[0]]
  const own = [...layerCauses('a', first, path, pair.a, context), ...layerCauses('b', second, path, pair.b, context)]
  // If the text in both layers is the same, the difference comes from the values that it uses.
  const alike = own.length > 1 && first && second && textOfRange(first.value.range) === textOfRange(second.value.range)
  const taken = alike ? valueCauses(rangesIn(first.value), context.sides) : []
  if (taken.length > 0) return taken
  if (own.length > 0 || !first || !second) return own
  return valueCauses(
    samePlace([first.value.range, second.value.range]).length > 0 ? rangesIn(first.value) : [],
    context.sides,
  )
}

/** The layer of the environment that writes or removes the field. */
function layerCauses(
  side: SideName,
  written: WrittenLayer | undefined,
  path: string,
  { kind, range }: Resource,
  { sides, effects }: Context,
): readonly Cause[] {
  const { environment = '' } = sides[side].layers
  const found = effects[side].get(startKey(range)) ?? []
  if (!written) {
    const isTaken = ({ removes }: PatchEffect) => removes.some((each) => isWithin(path, each))
    return found.filter(isTaken).map((effect) => ({ is: 'patch', in: side, effect }))
  }
  if (written.layer === environmentDefaults(environment)) {
    return [{ is: 'default', in: side, name: `${kind}.${keysOf(path).join('.')}`, written }]
  }
  return found.filter(({ layer }) => layer === written.layer).map((effect) => ({ is: 'patch', in: side, effect }))
}

/** The positions of a value and of everything in it. The target of an alias has another position than the alias. */
function rangesIn(node: Node): readonly SourceRange[] {
  switch (node.is) {
    case 'scalar':
      return [node.range]
    case 'list':
      return [node.range, ...node.items.flatMap(rangesIn)]
    case 'map':
      return [node.range, ...node.entries.flatMap(({ value }) => rangesIn(value))]
  }
}

/**
 * The values in these texts that differ between the environments. If a value has the same text in both, the values that it uses
 * are examined.
 */
function valueCauses(ranges: readonly SourceRange[], sides: EnvironmentSides): readonly Cause[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const look = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    const [first, second] = [valueOrigin(sides.a.layers, name), valueOrigin(sides.b.layers, name)]
    if (!first || !second || !sameJson(plain(first.node), plain(second.node))) found.add(name)
    else for (const range of rangesIn(first.node)) for (const inner of valueNames(range)) look(inner)
  }
  for (const range of ranges) for (const name of valueNames(range)) look(name)
  return [...found].map((name) => ({ is: 'value', name }))
}

/** A reference is the same if it names the same object, even if that has another name in the other environment. */
function renamed(
  { path, a, b }: FieldDifference,
  { a: { kind } }: ComparedPair,
  renames: CausedRenames,
): readonly Cause[] {
  const [name = ''] = keysOf(path)
  const field = catalog[kind].fields[name]
  if (renames.size === 0 || !field || referredKind(field) === undefined) return []
  const causes = new Map<string, Cause>()
  const inA = (value: Json): Json => {
    if (typeof value === 'string') {
      const other = renames.get(value)
      for (const cause of other?.causes ?? []) causes.set(causeKey(cause), cause)
      return other?.to ?? value
    }
    if (Array.isArray(value)) return value.map((each: Json) => inA(each))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inA(inner)]))
  }
  return sameReferences(a ?? null, inA(b ?? null)) ? [...causes.values()] : []
}

/** An object that the other side does not have, with the causes: layers that omit the object or one of its ancestors. */
function onlyThere(resource: Resource, where: SideName, { effects, declared }: Context): CausedDifference {
  const { address, kind } = resource
  const other = where === 'a' ? 'b' : 'a'
  const found = { address, kind, in: where, fields: [] }
  for (let each: Resource | undefined = resource; each; each = declared[where].get(each.parent ?? '')) {
    const limited = writtenMetadata(each.generatedBy ?? each.range, 'environments')
    if (limited) return { ...found, limited, causes: [] }
    const field = catalog[each.kind].parent?.field
    const holder = declared[where].get(each.parent ?? '')
    const patches = [
      ...(effects[other].get(startKey(each.range)) ?? []).filter(({ omit }) => omit),
      ...((holder && effects[other].get(startKey(holder.range))) ?? []).filter(
        ({ removes }) => field !== undefined && removes.includes(pointerTo(field)),
      ),
    ]
    if (patches.length > 0) {
      return { ...found, causes: patches.map((effect) => ({ is: 'patch', in: other, effect })) }
    }
  }
  return { ...found, causes: [] }
}
