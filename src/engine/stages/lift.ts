import { documentName, shapes } from '../../catalog/shapes.js'
import type { FieldType, KindName } from '../../catalog/types.js'
import { countsOf, groupBy } from '../../json/groups.js'
import { isObject, type Json, type JsonObject, objectOf } from '../../json/json.js'
import { canonicalText, compareText } from '../../json/order.js'
import { overlaps, pointerTo, withMember } from '../../json/pointer.js'
import type { ManifestForm } from './forms.js'

/** Moves values that most objects of a kind have into the defaults of their root object, or of the project. */

interface Lifted {
  readonly roots: readonly ManifestForm[]
  /** The defaults of the project, by kind. */
  readonly defaults: JsonObject
}

/** A value becomes a default if at least so many objects have it, and more than half of their kind. */
const fewest = 3

/**
 * Whether these environments (undefined: all) have all values in a default. A default is resolved in every environment of its
 * document, even if no object there uses it.
 */
type IsGiven = (environments: readonly string[] | undefined, value: Json) => boolean

export function lifted(roots: readonly ManifestForm[], isGiven: IsGiven): Lifted {
  const ofProject = defaultsOf(kindsInSeveral(roots), new Map(), (value) => isGiven(undefined, value))
  return {
    roots: roots.map((root) => {
      const own = defaultsOf(byKind(formsBelow(root)), ofProject, (value) => isGiven(root.environments, value))
      const all = new Map([...ofProject, ...own])
      const reduced = withoutDefaults(root, all)
      const written = jsonOf(own, ofProject)
      return Object.keys(written).length === 0 ? reduced : { ...reduced, defaults: written }
    }),
    defaults: jsonOf(ofProject, new Map()),
  }
}

/** Default values of a kind, by the path of the member: the field, then members of value objects. */
type Leaves = ReadonlyMap<string, Leaf>
interface Leaf {
  readonly path: readonly string[]
  readonly value: Json
}
type DefaultsByKind = ReadonlyMap<KindName, Leaves>
type FormsByKind = ReadonlyMap<KindName, readonly ManifestForm[]>

/**
 * The kinds that are inside more than one root object, or are roots themselves. For other kinds, the only root object gets the
 * defaults.
 */
function kindsInSeveral(roots: readonly ManifestForm[]): FormsByKind {
  const all = byKind(roots.flatMap((root) => [root, ...formsBelow(root)]))
  const holders = countsOf(
    roots.flatMap((root) => [...new Set([root, ...formsBelow(root)].map(({ kind }) => kind.name))]),
  )
  return new Map([...all].filter(([kind]) => (holders.get(kind) ?? 0) > 1))
}

const byKind = (forms: readonly ManifestForm[]): FormsByKind => groupBy(forms, ({ kind }) => kind.name)

const formsBelow = ({ children }: ManifestForm): readonly ManifestForm[] =>
  children.flatMap(({ forms }) => forms.flatMap((form) => [form, ...formsBelow(form)]))

/** The defaults for these objects. Those of the project are included if no other value is more frequent. */
function defaultsOf(forms: FormsByKind, above: DefaultsByKind, mayBe: (value: Json) => boolean): DefaultsByKind {
  const found = new Map<KindName, Leaves>()
  for (const [kind, all] of forms) {
    const inherited = above.get(kind) ?? new Map<string, Leaf>()
    const most = mostFrequent(all, mayBe)
    const kept = [...inherited].filter(([pointer]) => ![...most.keys()].some((own) => overlaps(own, pointer)))
    if (most.size > 0) found.set(kind, new Map([...kept, ...most]))
  }
  return found
}

function mostFrequent(forms: readonly ManifestForm[], mayBe: (value: Json) => boolean): Leaves {
  const counts = new Map<string, Map<string, { leaf: Leaf; count: number }>>()
  for (const form of forms) {
    for (const [pointer, leaf] of leavesOf(form)) {
      // An empty object would not override the members of another default.
      if (isObject(leaf.value) && Object.keys(leaf.value).length === 0) continue
      const values = counts.get(pointer) ?? new Map<string, { leaf: Leaf; count: number }>()
      counts.set(pointer, values)
      const text = canonicalText(leaf.value, 'sets')
      const known = values.get(text) ?? { leaf, count: 0 }
      known.count += 1
      values.set(text, known)
    }
  }
  const order = fieldOrder(forms)
  return new Map(
    [...counts]
      .flatMap(([pointer, values]): [string, Leaf][] => {
        const best = [...values.values()].reduce((most, each) => (each.count > most.count ? each : most))
        const isWorth = best.count >= fewest && best.count * 2 > forms.length
        return isWorth && mayBe(best.leaf.value) ? [[pointer, best.leaf]] : []
      })
      .sort(([left], [right]) => (order.get(left) ?? 0) - (order.get(right) ?? 0) || compareText(left, right)),
  )
}

/** The position of each member in the first object that has it. */
function fieldOrder(forms: readonly ManifestForm[]): ReadonlyMap<string, number> {
  const order = new Map<string, number>()
  for (const form of forms) {
    for (const pointer of leavesOf(form).keys()) if (!order.has(pointer)) order.set(pointer, order.size)
  }
  return order
}

/** The written values of an object, one for each member that is managed separately. Secrets never become defaults. */
function leavesOf({ kind, fields }: ManifestForm): Leaves {
  const leaves = new Map<string, Leaf>()
  const add = (path: readonly string[], value: Json, type: FieldType | undefined): void => {
    const members = shapeMembers(type)
    const isOpen = members && isObject(value) && Object.keys(value).length > 0
    if (!isOpen) leaves.set(pointerTo(...path), { path, value })
    else for (const [key, inner] of Object.entries(value)) add([...path, key], inner, members[documentName(key)]?.type)
  }
  for (const [name, value] of Object.entries(fields)) {
    if (!kind.fields[name]?.secret) add([name], value, kind.fields[name]?.type)
  }
  return leaves
}

const shapeMembers = (type: FieldType | undefined) => (type?.is === 'shape' ? shapes[type.shape] : undefined)

function jsonOf(defaults: DefaultsByKind, above: DefaultsByKind): JsonObject {
  return Object.fromEntries(
    [...defaults].flatMap(([kind, leaves]): [string, Json][] => {
      const inherited = above.get(kind)
      const own = [...leaves].filter(([pointer, { value }]) => {
        const other = inherited?.get(pointer)?.value
        return other === undefined || !same(other, value)
      })
      return own.length === 0 ? [] : [[kind, nestedLeaves(own.map(([, leaf]) => leaf))]]
    }),
  )
}

const same = (left: Json, right: Json): boolean => canonicalText(left, 'sets') === canonicalText(right, 'sets')

/** The leaves as one object. None of them is inside another one. */
const nestedLeaves = (leaves: readonly Leaf[]): JsonObject =>
  objectOf(leaves.reduce<Json>((object, { path, value }) => withMember(object, path, value), {}))

/** The object without the values of its defaults. `metadata.without` has the defaults that do not apply to it. */
function withoutDefaults(form: ManifestForm, defaults: DefaultsByKind): ManifestForm {
  const leaves = defaults.get(form.kind.name)
  const children = form.children.map((each) => ({
    ...each,
    forms: each.forms.map((child) => withoutDefaults(child, defaults)),
  }))
  if (!leaves) return { ...form, children }
  const given = nestedLeaves([...leaves.values()])
  const fields: [string, Json][] = []
  const without: string[] = []
  for (const name of new Set([...Object.keys(form.fields), ...Object.keys(given)])) {
    const own = rest(form.fields[name], given[name], form.kind.fields[name]?.type)
    if (own.is === 'not that default') without.push(pointerTo(name))
    if (own.value !== undefined) fields.push([name, own.value])
  }
  return { ...form, children, fields: Object.fromEntries(fields), ...(without.length > 0 && { without }) }
}

interface Rest {
  readonly is: 'above the default' | 'not that default'
  readonly value: Json | undefined
}

/** The value that must be written in addition to a default, so that the field has its value. */
function rest(value: Json | undefined, given: Json | undefined, type: FieldType | undefined): Rest {
  if (given === undefined) return { is: 'above the default', value }
  if (value === undefined) return { is: 'not that default', value }
  if (same(value, given)) return { is: 'above the default', value: undefined }
  if (!shapeMembers(type) || !isObject(given)) return { is: 'above the default', value }
  // The value is a placeholder, and in some stage it is an object. That object would get the members of the default that it does
  // not have.
  if (typeof value === 'string') return { is: 'not that default', value }
  if (!isObject(value)) return { is: 'above the default', value }
  const members = restOfMembers(value, given, type)
  return members ? { is: 'above the default', value: members } : { is: 'not that default', value }
}

function restOfMembers(value: JsonObject, given: JsonObject, type: FieldType | undefined): JsonObject | undefined {
  if (Object.keys(given).some((key) => value[key] === undefined)) return undefined
  const members: [string, Json][] = []
  for (const [key, inner] of Object.entries(value)) {
    const own = rest(inner, given[key], shapeMembers(type)?.[key]?.type)
    if (own.is === 'not that default') return undefined
    if (own.value !== undefined) members.push([key, own.value])
  }
  return Object.fromEntries(members)
}
