import { type DocumentDirective, EVENT_ID, type MappingEvent, type SequenceEvent } from 'js-yaml'
import type { ScalarNode } from '../node.js'

/** The directives before a document: `%TAG` defines short forms of tags. */
export type Directives = readonly DocumentDirective[]

type Value = ScalarNode['value']

const core = 'tag:yaml.org,2002:'

/** The full name of a tag: `!!str` and `!<tag:yaml.org,2002:str>` are the same. */
export function tagNamed(written: string, directives: Directives): string {
  if (written.startsWith('!<')) return written.slice(2, -1)
  const [, handle = '!', name = ''] = /^(!(?:[^!]*!)?)(.*)$/.exec(written) ?? []
  const declared = directives.find((each) => each.kind === 'tag' && each.handle === handle)
  const standard = handle === '!!' ? core : handle
  return `${declared?.kind === 'tag' ? declared.prefix : standard}${name}`
}

export const isCollectionTag = (tag: string, type: (SequenceEvent | MappingEvent)['type']): boolean =>
  tag === '!' || tag === `${core}${type === EVENT_ID.MAPPING ? 'map' : 'seq'}`

/** The value of a text with a tag of the core schema; undefined for other tags, and if the tag has no such value. */
export function valueByTag(tag: string, text: string): Value | undefined {
  if (tag === '!' || tag === `${core}str`) return text
  const value = plainScalar(text)
  switch (tag) {
    case `${core}null`:
      return value === null || text === '' ? null : undefined
    case `${core}bool`:
      return typeof value === 'boolean' ? value : undefined
    case `${core}int`:
      return Number.isInteger(value) && !/[.e]/i.test(text) ? value : undefined
    case `${core}float`:
      return typeof value === 'number' ? value : undefined
    default:
      return undefined
  }
}

/** A scalar without quotes that begins with any other character is a text. */
const mayBeNoText = /^[-+.0-9~nNtTfF]/
const nothing = /^(?:~|[Nn]ull|NULL)$/
const yes = /^(?:[Tt]rue|TRUE)$/
const no = /^(?:[Ff]alse|FALSE)$/
const decimal = /^[-+]?[0-9]+$/
const octal = /^0o[0-7]+$/
const hexadecimal = /^0x[0-9a-fA-F]+$/
const fraction = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const infinity = /^[-+]?\.(?:inf|Inf|INF)$/
const notNumber = /^\.(?:nan|NaN|NAN)$/

/** The value of a text without quotes, by the core schema of YAML 1.2. */
export function plainScalar(text: string): Value {
  if (!mayBeNoText.test(text)) return text
  if (decimal.test(text)) return Number.parseInt(text, 10)
  if (yes.test(text)) return true
  if (no.test(text)) return false
  if (nothing.test(text)) return null
  if (fraction.test(text)) return Number.parseFloat(text)
  if (octal.test(text)) return Number.parseInt(text.slice(2), 8)
  if (hexadecimal.test(text)) return Number.parseInt(text.slice(2), 16)
  if (infinity.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return notNumber.test(text) ? Number.NaN : text
}
