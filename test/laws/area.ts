import fc from 'fast-check'
import { catalog } from '../../src/catalog/catalog.js'
import {
  childFields,
  elementOf,
  hasSecretName,
  isWritable,
  linkFields,
  metadataWord,
  pickedFields,
  referredKind,
  targetOf,
} from '../../src/catalog/queries.js'
import { referenceParent } from '../../src/catalog/reference-form.js'
import type { Field, Kind, KindName } from '../../src/catalog/types.js'
import type { Json, JsonObject } from '../../src/json/json.js'
import { type DocumentText, document, manifestText } from '../kit/manifests.js'
import { type Drawn, domains, hasTheRulesPrinted, type Origin, objectsOf, rootKinds } from './drawn.js'

/** An object as its manifest describes it: references filled in, secrets in the environment. */
export interface Desired {
  readonly kind: Kind
  readonly name: string
  readonly parent: Desired | undefined
  readonly fields: Record<string, Json>
  readonly children: Desired[]
  readonly picks: readonly number[]
}

/** A random area: its objects, and the values that its manifests take from the environment. */
export interface DrawnArea {
  readonly objects: readonly Desired[]
  readonly env: Readonly<Record<string, string>>
}

/** Areas of all writable kinds. */
export function areas(origin: Origin): fc.Arbitrary<DrawnArea> {
  return drawnRoots(origin).map((groups) => wired(groups.flat(), origin))
}

/** Areas whose objects have few different names, so that two areas often have the same objects. */
export function similarAreas(origin: Origin): fc.Arbitrary<DrawnArea> {
  return drawnRoots(origin).map((groups) => wired(groups.flatMap(withFewNames), origin))
}

/** Areas in which many objects exist once for each stage, with the word of the stage in their names, and differ a little. */
export function stagedAreas(origin: Origin, stages: readonly string[]): fc.Arbitrary<DrawnArea> {
  return drawnRoots(origin).map((groups) => {
    const crew = stages.map((stage) => ({
      kind: catalog.Role,
      name: `${stage} crew`,
      values: {},
      children: [],
      picks: [],
    }))
    return wired(
      [...crew, ...groups.flatMap((group) => group.flatMap((each) => inStages(roomy(each), stages)))],
      origin,
    )
  })
}

const keyLimit = 'maxNumKeysAllowed'

/** A member has keys of the same plan in each stage: more than the platform allows by default. */
const roomy = (drawn: Drawn): Drawn => ({
  ...drawn,
  values: drawn.kind.fields[keyLimit] ? { ...drawn.values, [keyLimit]: 100 } : drawn.values,
  children: drawn.children.map(({ child, objects }) => ({ child, objects: objects.map(roomy) })),
})

/** An object as it is, or one for each of some stages: sometimes with one field or child less, and with other words. */
function inStages(drawn: Drawn, stages: readonly string[]): readonly Drawn[] {
  const [often = 0, which = 0] = drawn.picks
  const children = (each: (object: Drawn) => readonly Drawn[]) =>
    drawn.children.map(({ child, objects }) => ({ child, objects: objects.flatMap(each) }))
  if (isSingle(drawn) || often % 3 === 0) {
    return [
      {
        ...drawn,
        children: children((object) => (object.kind.naming === undefined ? [object] : inStages(object, stages))),
      },
    ]
  }
  return stages.flatMap((stage, index): readonly Drawn[] => {
    if (which % 5 === index) return []
    const fields = Object.entries(drawn.values).map(([name, value], place): [string, Json] => {
      if (typeof value !== 'string' || drawn.kind.fields[name]?.type.is !== 'string') return [name, value]
      const words = [value, `${value} ${stage}`, `${stage.toLowerCase()}.${value}`, `${value}${index}`]
      return [name, words[(which + place) % 4] ?? value]
    })
    const kept = fields.filter(([name], place) => {
      const isNeeded = drawn.kind.fields[name]?.create === 'Req' || drawn.kind.fields[name]?.update === 'Req'
      return isNeeded || name === keyLimit || (which + place) % 7 !== index
    })
    const name = which % 2 === 0 ? `${stage} ${drawn.name}` : `${drawn.name}-${stage}`
    const inside = children((object) => ((object.picks[1] ?? 0) % 6 === index ? [] : [object]))
    return [{ ...drawn, name, values: Object.fromEntries(kept), children: inside }]
  })
}

/** The sign in random names and texts for a word that an environment gives. */
export const stageMark = '§'

/** Areas in which some names and texts have the mark of the stage. */
export function markedAreas(origin: Origin): fc.Arbitrary<DrawnArea> {
  return drawnRoots(origin).map((groups) => wired(groups.flat().map(marked), origin))
}

function marked(drawn: Drawn): Drawn {
  const [name = 0, which = 0] = drawn.picks
  const values = Object.entries(drawn.values).map(([field, value], place): [string, Json] =>
    typeof value === 'string' && drawn.kind.fields[field]?.type.is === 'string' && (which + place) % 4 === 0
      ? [field, `${value} ${stageMark}`]
      : [field, value],
  )
  return {
    ...drawn,
    name: isSingle(drawn) || name % 2 === 0 ? drawn.name : `${stageMark} ${drawn.name}`,
    values: Object.fromEntries(values),
    children: drawn.children.map(({ child, objects }) => ({ child, objects: objects.map(marked) })),
  }
}

/** Whether the name of an object can be chosen freely. */
const isSingle = ({ kind }: Drawn): boolean =>
  kind.naming === undefined || kind.fixedSet || kind.association !== undefined

const drawnRoots = (origin: Origin): fc.Arbitrary<readonly (readonly Drawn[])[]> =>
  fc.tuple(...rootKinds.map((name) => objectsOf(catalog[name], origin, 2)))

const fewNames = ['a', 'b/c', '100%']

function withFewNames(siblings: readonly Drawn[]): readonly Drawn[] {
  const shift = siblings[0]?.picks[4] ?? 0
  return siblings.map((each, index) => ({
    ...each,
    name: each.kind.fixedSet ? each.name : (fewNames[(index + shift) % fewNames.length] ?? each.name),
    children: each.children.map(({ child, objects }) => ({ child, objects: withFewNames(objects) })),
  }))
}

/** Fills in references to other objects and values that must be unique in the area. */
function wired(drawn: readonly Drawn[], origin: Origin): DrawnArea {
  const env: Record<string, string> = {}
  const objects = drawn.map((each) => plain(each, undefined))
  const all: Desired[] = []
  const collect = (object: Desired): void => {
    all.push(object)
    object.children.forEach(collect)
  }
  objects.forEach(collect)
  all.forEach((object, index) => {
    hideSecrets(object, index, env)
    if (object.kind.route) object.fields[object.kind.route.path] = `/p${index}`
  })
  for (const object of all) refer(object, all, origin)
  const kept = objects.map(withoutBroken)
  const named = domains.map((name) => plainObject('Domain', name))
  const area: DrawnArea = { objects: [...named, ...kept], env }
  // The output of a failed law: the manifests, without the catalogue.
  return Object.assign(area, {
    [fc.toStringMethod]: () => `\n${manifestText(manifestsOf(area))}\n${JSON.stringify(env)}`,
  })
}

const plainObject = (kind: KindName, name: string): Desired => ({
  kind: catalog[kind],
  name,
  parent: undefined,
  fields: {},
  children: [],
  picks: [],
})

function plain(drawn: Drawn, parent: Desired | undefined): Desired {
  const { kind, name, values, picks } = drawn
  const desired: Desired = { kind, name, parent, fields: { ...values }, children: [], picks }
  for (const { objects } of drawn.children) desired.children.push(...objects.map((each) => plain(each, desired)))
  return desired
}

/** Secrets come from the environment, each with a mark by which it can be found anywhere. */
function hideSecrets({ kind, fields, picks }: Desired, index: number, env: Record<string, string>): void {
  for (const field of Object.values(kind.fields)) {
    const isNamed = field.name === kind.naming && field.secret
    if (!(field.secret || field.writeOnly) || (!isNamed && fields[field.name] === undefined)) continue
    const variable = `SECRET_${index}_${field.name.toUpperCase()}`
    const ugly = (picks[5] ?? 0) % 2 === 0 ? '"\\/%é' : ''
    env[variable] = `canary-${index}-${field.name}-${ugly}end${index}`
    fields[field.name] = `\${env:${variable}}`
  }
}

const pick = <Item>(items: readonly Item[], number: number | undefined): Item | undefined =>
  items[(number ?? 0) % Math.max(items.length, 1)]

/** The roles of services are in its prose. */
const isShownByDocument = (kind: Kind, field: Field): boolean =>
  field.origin === 'document' || linkFields(kind).some((links) => links.field === field.name)

/** Fills the reference fields of an object with objects of the area. */
function refer(object: Desired, all: readonly Desired[], origin: Origin): void {
  const { kind, picks } = object
  const references = Object.values(kind.fields).filter(
    (field) =>
      referredKind(field) !== undefined &&
      isWritable(field) &&
      hasTheRulesPrinted(field) &&
      (origin !== 'documented' || isShownByDocument(kind, field)),
  )
  if (kind.association) object.fields[linkedName] = linkOf(object, all)
  references.forEach((field, index) => {
    const isNeeded = field.create === 'Req'
    if (!isNeeded && (picks[index] ?? 0) % 3 === 0) return
    const value = referenceValue(object, field, all)
    if (value !== undefined) object.fields[field.name] = value
  })
}

/** The key for the name of a link's target until the link is written. */
const linkedName = ' linked'

function linkOf(object: Desired, all: readonly Desired[]): Json {
  const taken = new Set(
    object.parent?.children.filter((each) => each !== object && each.kind === object.kind).map(linkName),
  )
  const targets = all.filter((each) => each.kind.name === object.kind.association && !taken.has(each.name))
  return pick(targets, object.picks[0])?.name ?? null
}

const linkName = (object: Desired): string | undefined => {
  const name = object.fields[linkedName]
  return typeof name === 'string' ? name : undefined
}

function referenceValue(object: Desired, field: Field, all: readonly Desired[]): Json | undefined {
  const referred = referredKind(field)
  if (referred === undefined) return undefined
  const target = targetOf(catalog[referred])
  const candidates = candidatesFor(object, target, all)
  const chosen = candidates.filter((_, index) => (object.picks[index % object.picks.length] ?? 0) % 2 === 0)
  if (elementOf(field.type) === field.type) {
    const one = pick(candidates, object.picks[1])
    return one?.name
  }
  return chosen.map((each) => entry(object, each, catalog[referred]))
}

/** The possible targets of a field; the catalogue says where the parent of a target comes from. */
function candidatesFor(object: Desired, target: Kind, all: readonly Desired[]): readonly Desired[] {
  const of = (parent: Desired | undefined) => parent?.children.filter((each) => each.kind === target) ?? []
  const from = referenceParent(object.kind, target)
  switch (from.by) {
    case 'root':
    case 'entry':
      return all.filter((each) => each.kind === target)
    case 'link':
      return of(all.find((each) => each.kind.name === object.kind.association && each.name === linkName(object)))
    case 'ancestor':
      return of(object.parent)
    case 'sibling': {
      const name = object.fields[from.field]
      return of(all.find((each) => each.kind.name === target.parent?.kind && each.name === name))
    }
  }
}

function entry(object: Desired, target: Desired, referred: Kind): Json {
  const words = referenceParent(object.kind, target.kind).by === 'entry' && target.parent ? parentsOf(target) : {}
  const action = referred.fields.action && { action: 'read' }
  const nested = childFields(target.kind).find((child) => !child.single)
  const within = nested && object.kind.association ? inner(object, target, nested.kind, nested.field) : {}
  return { ...words, name: target.name, ...action, ...within }
}

/** The selected child of the named object, if it has any: the filter of a plan's method, or none. */
function picking(object: Desired, target: Desired, entry: JsonObject): JsonObject | string {
  const choice = (object.picks[4] ?? 0) % 3
  const [picked] = pickedFields(target.kind).filter(({ picks }) => picks === 'one')
  const candidates = target.children.filter((each) => each.kind === picked?.kind)
  const one = pick(candidates, object.picks[5])
  if (!picked || !one || choice === 0) return target.name
  return { ...entry, [picked.field]: choice === 1 ? one.name : null }
}

function inner(object: Desired, target: Desired, kind: Kind, field: string): JsonObject {
  const names = target.children
    .filter((each) => each.kind === kind)
    .map((each) => picking(object, each, { name: each.name }))
  const choice = (object.picks[3] ?? 0) % 4
  if (choice === 0) return {}
  if (choice === 1) return { [field]: '*' }
  return { [field]: choice === 2 ? names : names.slice(1) }
}

const parentsOf = (target: Desired): JsonObject =>
  target.parent ? { ...parentsOf(target.parent), [metadataWord(target.parent.kind)]: target.parent.name } : {}

/** Removes links without a target and objects without a required reference. */
function withoutBroken(object: Desired): Desired {
  const kept = object.children.filter((child) => {
    if (child.kind.association && linkName(child) === undefined) return false
    return Object.values(child.kind.fields).every(
      (field) => field.create !== 'Req' || referredKind(field) === undefined || child.fields[field.name] !== undefined,
    )
  })
  object.children.splice(0, object.children.length, ...kept.map(withoutBroken))
  return object
}

/** The manifests of an area; random picks decide which children are written in their parent and which are separate. */
export const manifestsOf = ({ objects }: DrawnArea): readonly DocumentText[] => objects.flatMap(documentsOf)

function documentsOf(object: Desired): readonly DocumentText[] {
  const { inline, apart } = divided(object)
  const own = document(object.kind.name, escaped(metadataOf(object)), escaped({ ...writtenFields(object), ...inline }))
  return [own, ...apart.flatMap(documentsOf)]
}

/** Lists of children that are written in their parent, and separate children. */
function divided(object: Desired): { readonly inline: Record<string, Json>; readonly apart: readonly Desired[] } {
  const inline: Record<string, Json> = {}
  const apart: Desired[] = []
  childFields(object.kind).forEach((child, index) => {
    const members = object.children.filter((each) => each.kind === child.kind)
    if (members.length === 0) return
    if ((object.picks[index % object.picks.length] ?? 0) % 4 === 0) apart.push(...members)
    else inline[child.field] = child.single ? (members.map(inlined)[0] ?? null) : members.map(inlined)
  })
  return { inline, apart }
}

function inlined(object: Desired): JsonObject {
  const inner = childFields(object.kind).flatMap((child): [string, Json][] => {
    const members = object.children.filter((each) => each.kind === child.kind).map(inlined)
    if (members.length === 0) return []
    return [[child.field, child.single ? (members[0] ?? null) : members]]
  })
  return { ...naming(object), ...writtenFields(object), ...Object.fromEntries(inner) }
}

function metadataOf(object: Desired): JsonObject {
  const own = hasSecretName(object.kind) || object.kind.naming === undefined ? {} : { name: nameIn(object) }
  return { ...parentsOf(object), ...own }
}

function naming(object: Desired): JsonObject {
  const { naming: field } = object.kind
  return field === undefined || hasSecretName(object.kind) ? {} : { [field]: nameIn(object) }
}

const nameIn = (object: Desired): string => linkName(object) ?? object.name

const writtenFields = ({ fields }: Desired): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== linkedName))

/** A literal "${" is written "$${", but the placeholder of a secret is not. */
function escaped(value: JsonObject): JsonObject
function escaped(value: Json): Json
function escaped(value: Json): Json {
  if (typeof value === 'string') return value.startsWith('${env:SECRET_') ? value : value.replaceAll('${', () => '$${')
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => escaped(each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each as Json)]))
}

/** Every object of an area, parents before their children. */
export function allObjects({ objects }: DrawnArea): readonly Desired[] {
  const below = (object: Desired): readonly Desired[] => [object, ...object.children.flatMap(below)]
  return objects.flatMap(below)
}
