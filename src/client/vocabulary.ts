import { catalog } from '../catalog/catalog.js'
import { kinds, ownFields, perKind } from '../catalog/queries.js'
import type { Field, Kind, KindName, Operation } from '../catalog/types.js'
import {
  allDistinctiveWords,
  type DistinctiveWord,
  distinctiveWords,
  hasWords,
  spelled,
  type Vocabulary,
} from '../catalog/vocabulary.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject, objectsIn } from '../json/json.js'
import { once } from '../json/once.js'
import { type Nested, nestedIn } from './nesting.js'

/** The body of a request in the vocabulary of the platform. */
export function spelledBody(operation: Operation, body: JsonObject, vocabulary: Vocabulary): JsonObject {
  const kind = kindOf.get(operation)
  return kind === undefined ? body : spelledObject(catalog[kind], body, vocabulary)
}

const kindOf: ReadonlyMap<Operation, KindName> = new Map(
  kinds.flatMap(({ name, operations }) => Object.values(operations).map((operation) => [operation, name] as const)),
)

function spelledObject(kind: Kind, object: JsonObject, vocabulary: Vocabulary): JsonObject {
  const places = placesOfWords(kind)
  const changed: [string, Json][] = [
    ...places.fields.flatMap(({ name, type }): [string, Json][] => {
      const value = object[name]
      return value === undefined ? [] : [[name, spelled(type, value, vocabulary)]]
    }),
    ...places.inner.flatMap(({ field, kind: inner }): [string, Json][] => {
      const held = object[field]
      return held === undefined ? [] : [[field, eachObject(held, (each) => spelledObject(inner, each, vocabulary))]]
    }),
  ]
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) }
}

function eachObject(held: Json, change: (object: JsonObject) => JsonObject): Json {
  if (isList(held)) return held.map((each) => (isObject(each) ? change(each) : each))
  return isObject(held) ? change(held) : held
}

/** Where objects of a kind have words of a vocabulary: in their own fields, and in the objects inside them. */
const placesOfWords = perKind((kind): { readonly fields: readonly Field[]; readonly inner: readonly Nested[] } => ({
  fields: ownFields(kind).filter(({ type }) => hasWords(type)),
  inner: nestedIn(kind).filter((nested) => holdsWords(nested.kind)),
}))

function holdsWords(kind: Kind): boolean {
  const { fields, inner } = placesOfWords(kind)
  return fields.length > 0 || inner.length > 0
}

/**
 * A word of the other vocabulary in the platform's answers (A207). undefined if there is none, or if there are words of the
 * platform's own vocabulary as well: then it is not clear which one the platform uses.
 */
export function wordOfOther(
  answered: readonly { readonly kind: Kind; readonly objects: readonly JsonObject[] }[],
  own: Vocabulary,
): DistinctiveWord | undefined {
  let found: DistinctiveWord | undefined
  for (const telling of wordsOfAll(answered)) {
    if (telling.vocabulary === own) return undefined
    found ??= telling
  }
  return found
}

function* wordsOfAll(
  answered: readonly { readonly kind: Kind; readonly objects: readonly JsonObject[] }[],
): Generator<DistinctiveWord> {
  for (const { kind, objects } of answered) {
    const { fields, inner } = placesOfWords(kind)
    if (fields.length === 0 && inner.length === 0) continue
    for (const object of objects) {
      for (const { name, type } of fields) {
        const value = object[name]
        if (value !== undefined) yield* distinctiveWords(type, value)
      }
      yield* wordsOfAll(inner.map((nested) => ({ kind: nested.kind, objects: objectsIn(object[nested.field]) })))
    }
  }
}

/** The first word of the other vocabulary in a text, such as the reason of a refusal. */
export const otherWordIn = (text: string, own: Vocabulary): DistinctiveWord | undefined =>
  [...text.matchAll(/[\w-]+/g)].flatMap(([word]) => everyWord().get(word) ?? []).find((each) => each.vocabulary !== own)

const everyWord = once(
  (): ReadonlyMap<string, DistinctiveWord> =>
    new Map(
      kinds
        .flatMap((kind) => ownFields(kind).flatMap(({ type }) => allDistinctiveWords(type)))
        .map((telling) => [telling.word, telling]),
    ),
)
