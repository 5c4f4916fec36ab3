import type { Json } from '../json/json.js'
import { isList, isObject } from '../json/json.js'
import { memberName, memberOf, shapes } from './shapes.js'
import type { FieldType } from './types.js'

/**
 * The words in which a platform speaks: those of the document, or those of the vendor's own platforms, as its public
 * clients send them. Everything in the program is in the document's words; only what goes over the wire, and what is written
 * for people to keep, is in those of the platform (A208).
 */
export const vocabularies = ['document', 'mashery'] as const

export type Vocabulary = (typeof vocabularies)[number]

/** The vocabulary of that name, or undefined. */
export const findVocabulary = (name: unknown): Vocabulary | undefined => vocabularies.find((each) => each === name)

/** The words that stand in no object: in the answer to a request for a token, and in headers of the gateway's answers. */
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

/** Every spelling of the words of an enum that its vocabularies have, and those beyond the document. */
export const wordsInAny = (type: Enum): readonly (string | number)[] => [
  ...new Set([...vocabularies.flatMap((each) => wordsIn(type, each)), ...(type.noted ?? [])]),
]

/** The document's spelling of a word in whichever vocabulary; a word that is none of the enum's is given back as it is. */
export function documentWord({ values, mashery }: Enum, word: string | number): string | number {
  return mashery === undefined || values.includes(word) ? word : (values.find((each) => mashery[each] === word) ?? word)
}

/** A value of that type, in whichever vocabulary it is written, in the words of that one. */
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

/** The keys of a member of a value, in whichever vocabulary they are written, in the words of that one. */
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

/** Whether values of that type have words that the vocabularies spell in different ways. */
export function hasWords(type: FieldType): boolean {
  switch (type.is) {
    case 'enum':
      return type.mashery !== undefined
    case 'list':
      return hasWords(type.of)
    case 'shape':
      // Of an object that lies in its like the words are those of the outer one.
      return Object.values(shapes[type.shape]).some(
        ({ type: inner, mashery }) => mashery !== undefined || (!isOfShape(inner, type.shape) && hasWords(inner)),
      )
    default:
      return false
  }
}

const isOfShape = (type: FieldType, shape: string): boolean =>
  type.is === 'list' ? isOfShape(type.of, shape) : type.is === 'shape' && type.shape === shape

/** The words of a value that only one of the vocabularies has, each with that one. */
export function tellingWords(type: FieldType, value: Json): readonly TellingWord[] {
  switch (type.is) {
    case 'enum':
      return typeof value === 'string' ? tellingWord(type, value) : []
    case 'list':
      return (isList(value) ? value : [value]).flatMap((each) => tellingWords(type.of, each))
    case 'shape':
      return isObject(value)
        ? Object.entries(value).flatMap(([name, inner]) => {
            const member = shapes[type.shape][memberName(type.shape, name, 'document')]
            if (!member) return []
            const own: readonly TellingWord[] =
              member.mashery === undefined
                ? []
                : [{ word: name, vocabulary: name === member.mashery ? 'mashery' : 'document' }]
            return [...own, ...tellingWords(member.type, inner)]
          })
        : []
    default:
      return []
  }
}

/** All the words that values of a type may have in one of the vocabularies only. */
export function allTellingWords(type: FieldType): readonly TellingWord[] {
  switch (type.is) {
    case 'enum':
      return Object.entries(type.mashery ?? {}).flatMap(([document, mashery]) => inBoth(document, mashery))
    case 'list':
      return allTellingWords(type.of)
    case 'shape':
      return Object.entries(shapes[type.shape]).flatMap(([name, member]) => [
        ...(member.mashery === undefined ? [] : inBoth(name, member.mashery)),
        ...(isOfShape(member.type, type.shape) ? [] : allTellingWords(member.type)),
      ])
    default:
      return []
  }
}

const inBoth = (document: string, mashery: string): readonly TellingWord[] => [
  { word: document, vocabulary: 'document' },
  { word: mashery, vocabulary: 'mashery' },
]

/** A word that tells which vocabulary a platform speaks. */
export interface TellingWord {
  readonly word: string
  readonly vocabulary: Vocabulary
}

function tellingWord({ mashery }: Enum, word: string): readonly TellingWord[] {
  if (mashery === undefined) return []
  if (Object.hasOwn(mashery, word)) return [{ word, vocabulary: 'document' }]
  return Object.values(mashery).includes(word) ? [{ word, vocabulary: 'mashery' }] : []
}
