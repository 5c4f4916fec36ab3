import { catalog } from '../../catalog/catalog.js'
import { childFields, elementOf, hasSecretName, perKind, referredKind } from '../../catalog/queries.js'
import type { Field, Kind } from '../../catalog/types.js'
import { canonical } from '../../catalog/value.js'
import type { Json, JsonObject } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Similarity } from '../plan.js'
import { isAddedByPlatform } from '../prune/ownership.js'
import type { Matches } from './match.js'

/**
 * What an object is like, its name apart: a text for each field that says more than the platform's default (by "/field"),
 * and one for each child (by "Kind name").
 */
export type Features = ReadonlyMap<string, string>

/** The features of a declared object; those that it writes as empty, or as the default, have the text ''. */
export function declaredFeatures(resource: Resource, world: Matches): Features {
  const kind = catalog[resource.kind]
  return new Map([
    ...fieldFeatures(kind, resource.fields),
    ...listedChildren(kind).flatMap((child) =>
      world.declaredUnder(resource.address, child.name).map(({ key }) => childFeature(child, key)),
    ),
  ])
}

/** The features of a live object. */
export function liveFeatures(object: LiveObject, world: Matches): Features {
  const kind = catalog[object.kind]
  return new Map([
    ...fieldFeatures(kind, object.fields),
    ...listedChildren(kind).flatMap((child) =>
      world.live.among(child.name, object).map(({ key }) => childFeature(child, key)),
    ),
  ])
}

/** Compares what is declared with what is live; `isCommon` says of what kind of features many siblings have as well. */
export function similarity(
  kind: Kind,
  declared: Features,
  live: Features,
  isCommon: (name: string, text: string) => boolean,
): Similarity {
  const fields = { same: 0, rare: 0, different: 0 }
  const children = { same: 0, rare: 0 }
  const childKinds = new Set<string>()
  let declaredChildren = 0
  const isElsewhere = isAtAnotherPath(kind, declared, live)
  for (const [name, text] of declared) {
    const isChild = !isField(name)
    if (isChild) {
      if (text === '') continue
      declaredChildren += 1
      childKinds.add(childKindOf(name))
    }
    const shared = isChild ? children : fields
    if (text !== (live.get(name) ?? '')) {
      if (!isChild) fields.different += 1
    } else if (text !== '') {
      const isRare = !isCommon(name, text)
      // What answers at another path has more in common with it than settings and hosts that all may have.
      if (isElsewhere && !isChild && (!isRare || holdsDomains(kind, name))) continue
      shared.same += 1
      if (isRare) shared.rare += 1
    }
  }
  if (isElsewhere) fields.different += 1
  const liveChildren = [...live].filter(
    ([name, text]) => text !== '' && !isField(name) && childKinds.has(childKindOf(name)),
  ).length
  return {
    fields,
    children: { ...children, different: Math.max(declaredChildren, liveChildren) - children.same },
  }
}

/** How much two endpoints of the same verbs have in common beside what follows from their paths. */
interface Moved {
  readonly similarity: Similarity
  /** How many segments their paths share. */
  readonly near: number
}

/**
 * Compares what an OpenAPI file gives at one path with what is live at another: its name, the path of its back end and its
 * methods follow from the path, so that they count once, together. undefined where they answer other verbs (A295).
 */
export function similarityOfMoved(
  kind: Kind,
  declared: Features,
  live: Features,
  isCommon: (name: string, text: string) => boolean,
): Moved | undefined {
  const { route, openApi } = kind
  if (!route || !openApi || !isAtAnotherPath(kind, declared, live)) return undefined
  const verbs = `/${route.verbs}`
  if (!declared.has(verbs) || declared.get(verbs) !== live.get(verbs)) return undefined
  const following = [route.path, openApi.target, openApi.detection].map((name) => `/${name}`)
  const others = [...declared].filter(([name]) => isField(name) && !following.includes(name))
  const same = others.filter(([name, text]) => text !== '' && text === live.get(name))
  const different = others.filter(([name, text]) => text !== (live.get(name) ?? ''))
  const rare = same.filter(([name, text]) => !isCommon(name, text))
  const path = `/${route.path}`
  return {
    similarity: {
      fields: { same: same.length, rare: rare.length, different: different.length + 1 },
      children: { same: 0, rare: 0, different: 0 },
    },
    near: sharedSegments(declared.get(path) ?? '', live.get(path) ?? ''),
  }
}

function sharedSegments(one: string, other: string): number {
  const rest = new Set(other.split('/'))
  return one.split('/').filter((segment) => rest.has(segment)).length
}

function isAtAnotherPath({ route }: Kind, declared: Features, live: Features): boolean {
  const path = `/${route?.path}`
  return declared.has(path) && declared.get(path) !== (live.get(path) ?? '')
}

const holdsDomains = (kind: Kind, name: string): boolean => {
  const field = kind.fields[name.slice(1)]
  return field !== undefined && elementOf(field.type).is === 'domain'
}

const isField = (name: string): boolean => name.startsWith('/')

const childKindOf = (name: string): string => name.slice(0, name.indexOf(' '))

function fieldFeatures(kind: Kind, values: JsonObject): readonly (readonly [string, string])[] {
  return comparedFields(kind).flatMap((field) => {
    const value = values[field.name]
    return value === undefined ? [] : [[`/${field.name}`, textOf(field, value)] as const]
  })
}

/** Neither what cannot be read back nor what stands for another object. */
const comparedFields = perKind((kind) =>
  Object.values(kind.fields).filter(
    (field) =>
      field.name !== kind.naming &&
      !field.writeOnly &&
      !field.secret &&
      field.readOnly === undefined &&
      field.create !== 'Ign' &&
      referredKind(field) === undefined,
  ),
)

/** '' for what says nothing: empty, the default, or a plain no. */
function textOf(field: Field, value: Json): string {
  const own = canonical(field.type, value)
  if (own === undefined || own === false) return ''
  const text = JSON.stringify(own)
  return text === JSON.stringify(canonical(field.type, field.default)) ? '' : text
}

/** The kinds of children that have names of their own. */
const listedChildren = perKind((kind) =>
  childFields(kind).flatMap((child) =>
    child.single || child.kind.fixedSet || hasSecretName(child.kind) ? [] : [child.kind],
  ),
)

/** '' for what the platform puts into every such object. */
const childFeature = ({ name: kind }: Kind, key: string): readonly [string, string] => [
  `${kind} ${key}`,
  isAddedByPlatform({ kind, key }) ? '' : 'there',
]
