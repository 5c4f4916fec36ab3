import type { Json } from '../json/json.js'
import { isList, isObject } from '../json/json.js'
import { memberName, memberOf, shapes } from './shapes.js'
import type { FieldType } from './types.js'

/**
 * The words of a platform: those of the document, or those of the vendor's own platforms, as its public clients send them. The
 * program uses the document's words. Only requests, answers and files for users contain those of the platform (A208).
 */
export const vocabularies = ['document', 'mashery'] as const

export type Vocabulary = (typeof vocabularies)[number]

export const findVocabulary = (name: unknown): Vocabulary | undefined => vocabularies.find((each) => each === name)

/** Words that are in no object: in the answer to a request for a token, and in headers of the gateway. */
export const wireWords: Readonly<
  Record<Vocabulary, { readonly apiKey: string; readonly errorCode: string; readonly responder: string }>
> = {
  document: { apiKey: 'svcapi', errorCode: 'x-svc-error-code', responder: 'x-svc-responder' },
  mashery: { apiKey: 'mapi', errorCode: 'x-mashery-error-code', responder: 'x-mashery-responder' },
}

type Enum = Extract<FieldType, { is: 'enum' }>

/** The words of an enum in a vocabulary, in the order of the document. */
const wordsIn = ({ values, mashery }: Enum, vocabulary: Vocabulary): readonly (string | number)[] =>
  vocabulary === 'mashery' && mashery ? values.map((each) => mashery[each] ?? each) : values

/** The words of an enum in all vocabularies, and those that only the field notes have. */
export const wordsInAny = (type: Enum): readonly (string | number)[] => [
  ...new Set([...vocabularies.flatMap((each) => wordsIn(type, each)), ...(type.noted ?? [])]),
]

/** The document's form of a word in any vocabulary. A word that the enum does not have is returned unchanged. */
export function documentWord({ values, mashery }: Enum, word: string | number): string | number {
  return mashery === undefined || values.includes(word) ? word : (values.find((each) => mashery[each] === word) ?? word)
}

/** Converts a value in any vocabulary to the words of one vocabulary. */
export function spelled(type: FieldType, value: Json, vocabulary: Vocabulary): Json {
  switch (type.is) {
    case 'enum':
      return typeof value === 'string' ? spelledWord(type, value, vocabulary) : value
    case 'list':
      return isList(value)
        ? value.map((each) => spelled(type.of, each, vocabulary))
        : spelled(type.of, value, vocabulary)
    case 'shape':
      return isObject(value)
        ? Object.fromEntries(
            Object.entries(value).map(([name, inner]) => {
              const member = shapes[type.shape][memberName(type.shape, name, 'document')]
              const own = memberName(type.shape, name, vocabulary)
              return [own, member ? spelled(member.type, inner, vocabulary) : inner]
            }),
          )
        : value
    default:
      return value
  }
}

/** Converts the path of a member in any vocabulary to the words of one vocabulary. */
export function spelledPath(
  type: FieldType | undefined,
  [name, ...rest]: readonly string[],
  vocabulary: Vocabulary,
): readonly string[] {
  if (name === undefined) return []
  if (type?.is !== 'shape') return [name, ...rest]
  return [memberName(type.shape, name, vocabulary), ...spelledPath(memberOf(type.shape, name)?.type, rest, vocabulary)]
}

function spelledWord(type: Enum, value: string, vocabulary: Vocabulary): string {
  const word = documentWord(type, value)
  return (vocabulary === 'mashery' && type.mashery?.[word]) || String(word)
}

/** Whether values with that type contain words that differ between the vocabularies. */
export function hasWords(type: FieldType): boolean {
  switch (type.is) {
    case 'enum':
      return type.mashery !== undefined
    case 'list':
      return hasWords(type.of)
    case 'shape':
      // An object inside an object of the same type has the same words.
      return Object.values(shapes[type.shape]).some(
        ({ type: inner, mashery }) => mashery !== undefined || (!isOfShape(inner, type.shape) && hasWords(inner)),
      )
    default:
      return false
  }
}

const isOfShape = (type: FieldType, shape: string): boolean =>
  type.is === 'list' ? isOfShape(type.of, shape) : type.is === 'shape' && type.shape === shape

/** The words of a value that only one vocabulary has, each with its vocabulary. */
export function distinctiveWords(type: FieldType, value: Json): readonly DistinctiveWord[] {
  switch (type.is) {
    case 'enum':
      return typeof value === 'string' ? distinctiveWord(type, value) : []
    case 'list':
      return (isList(value) ? value : [value]).flatMap((each) => distinctiveWords(type.of, each))
    case 'shape':
      return isObject(value)
        ? Object.entries(value).flatMap(([name, inner]) => {
            const member = shapes[type.shape][memberName(type.shape, name, 'document')]
            if (!member) return []
            const own: readonly DistinctiveWord[] =
              member.mashery === undefined
                ? []
                : [{ word: name, vocabulary: name === member.mashery ? 'mashery' : 'document' }]
            return [...own, ...distinctiveWords(member.type, inner)]
          })
        : []
    default:
      return []
  }
}

/** All words in values of a type that only one vocabulary has. */
export function allDistinctiveWords(type: FieldType): readonly DistinctiveWord[] {
  switch (type.is) {
    case 'enum':
      return Object.entries(type.mashery ?? {}).flatMap(([document, mashery]) => inBoth(document, mashery))
    case 'list':
      return allDistinctiveWords(type.of)
    case 'shape':
      return Object.entries(shapes[type.shape]).flatMap(([name, member]) => [
        ...(member.mashery === undefined ? [] : inBoth(name, member.mashery)),
        ...(isOfShape(member.type, type.shape) ? [] : allDistinctiveWords(member.type)),
      ])
    default:
      return []
  }
}

const inBoth = (document: string, mashery: string): readonly DistinctiveWord[] => [
  { word: document, vocabulary: 'document' },
  { word: mashery, vocabulary: 'mashery' },
]

/** A word that only one vocabulary has, so that it shows the vocabulary of a platform. */
export interface DistinctiveWord {
  readonly word: string
  readonly vocabulary: Vocabulary
}

function distinctiveWord({ mashery }: Enum, word: string): readonly DistinctiveWord[] {
  if (mashery === undefined) return []
  if (Object.hasOwn(mashery, word)) return [{ word, vocabulary: 'document' }]
  return Object.values(mashery).includes(word) ? [{ word, vocabulary: 'mashery' }] : []
}
