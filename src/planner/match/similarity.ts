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
 * The features of an object, without its name. A field that differs from the platform's default has a text (under "/field"); a
 * child has one too (under "Kind name").
 */
export type Features = ReadonlyMap<string, string>

/** The features of a declared object. A field that is written as empty, or with the default, has the text ''. */
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

/** Compares a declared object with a live one. `isCommon`: whether many siblings have the same feature. */
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
      // If the path differs, common settings and hosts do not count: an object at any path may have them.
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

/** What two endpoints with the same verbs have in common, without the values that follow from their paths. */
interface MovedSimilarity {
  readonly similarity: Similarity
  /** The number of segments that their paths share. */
  readonly near: number
}

/**
 * Compares an endpoint from an OpenAPI file with a live one at another path. The name, the path of the back end and the methods
 * follow from the path, so these differences count once, together. Undefined if the verbs differ (A295).
 */
export function similarityOfMoved(
  kind: Kind,
  declared: Features,
  live: Features,
  isCommon: (name: string, text: string) => boolean,
): MovedSimilarity | undefined {
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
    return value === undefined ? [] : [[`/${field.name}`, comparableText(field, value)] as const]
  })
}

/** The fields that are compared: not those that cannot be read back, and not those that refer to another object. */
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

/** The text of a value, '' if it is empty, false, or the default. */
function comparableText(field: Field, value: Json): string {
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

/** The feature of a child, '' if the platform adds the child to every such object. */
const childFeature = ({ name: kind }: Kind, key: string): readonly [string, string] => [
  `${kind} ${key}`,
  isAddedByPlatform({ kind, key }) ? '' : 'there',
]
