import type { Json } from '../json/json.js'
import { recordOf } from './record.js'
import { boolean, freeObject, integer, listOf, mapOfStrings, number, oneOf, shape, string } from './table.js'
import type { FieldType, ShapeName } from './types.js'

/** A member of a value object: its type, and the platform's default if it is known. */
interface Member {
  readonly type: FieldType
  readonly default: Json | undefined
  readonly note: string
  /** The vendor's name of it, if it differs (`vocabulary.ts`). */
  readonly mashery: string | undefined
}

const member = (type: FieldType, fallback?: Json, note = ''): Member => ({
  type,
  default: fallback,
  note,
  mashery: undefined,
})

const flag = member(boolean, false)
const count = member(integer, 0)
const text = member(string, '')

const members = (rows: Readonly<Record<string, Member>>) => recordOf(Object.entries(rows))

/**
 * The value objects that the document names without showing their members (field notes, "Shapes that the document does not
 * show"). Other members are only sent with `metadata.extraFields`.
 */
export const shapes: Readonly<Record<ShapeName, Readonly<Record<string, Member>>>> = {
  Cors: members({
    allDomainsEnabled: flag,
    subDomainMatchingAllowed: flag,
    maxAge: member(integer, 0, 'minutes'),
    cookiesAllowed: flag,
    domainsAllowed: member(listOf(string)),
    headersAllowed: member(listOf(string)),
    headersExposed: member(listOf(string)),
  }),
  Processor: members({
    adapter: text,
    preProcessEnabled: flag,
    postProcessEnabled: flag,
    preInputs: member(mapOfStrings),
    postInputs: member(mapOfStrings),
  }),
  SecurityProfile: members({
    oauth: member(shape('OAuth')),
  }),
  OAuth: members({
    accessTokenTtlEnabled: flag,
    accessTokenTtl: member(integer, 0, 'seconds'),
    accessTokenType: member(oneOf('bearer', 'mac')),
    allowMultipleToken: flag,
    authorizationCodeTtl: count,
    forwardedHeaders: member(listOf(string)),
    svcTokenApiEnabled: { ...flag, mashery: 'masheryTokenApiEnabled' },
    refreshTokenEnabled: flag,
    enableRefreshTokenTtl: flag,
    tokenBasedRateLimitsEnabled: flag,
    forceOauthRedirectUrl: flag,
    forceSslRedirectUrlEnabled: flag,
    grantTypes: member(listOf(oneOf('authorization-code', 'implicit', 'password', 'client-credentials'))),
    macAlgorithm: text,
    qpsLimitCeiling: count,
    rateLimitCeiling: count,
    refreshTokenTtl: count,
    secureTokensEnabled: flag,
  }),
  // The cache of a service, which applies to all its endpoints (field notes).
  ServiceCache: members({
    cacheTtl: member(number, undefined, 'seconds'),
  }),
  Limit: members({
    period: member(oneOf('second', 'minute', 'hour', 'day', 'month')),
    source: text,
    ceiling: count,
  }),
  // The members have no default: if an answer does not contain one, it is unknown, and nobody writes an empty id.
  Organization: members({
    id: member(string),
    name: member(string),
    parent: member(string),
    suborganizations: member(listOf(shape('Organization'))),
  }),
}

/** The type of a value, and the platform's default. */
export interface Described {
  readonly type: FieldType
  readonly default?: Json | undefined
}

/** A value that neither the document nor the notes describe. */
export const anything: Described = { type: freeObject }

/** A member of a value with that type, by its name in the document. */
export const memberIn = (type: FieldType, name: string): Described =>
  (type.is === 'shape' && shapes[type.shape][name]) || anything

/** A member of a value object, by its name in any vocabulary. */
export const memberOf = (shape: ShapeName, name: string): Member | undefined =>
  shapes[shape][memberName(shape, name, 'document')]

/** The name of a member in one vocabulary, from its name in any vocabulary. An unknown name is returned unchanged. */
export function memberName(shape: ShapeName, name: string, vocabulary: 'document' | 'mashery'): string {
  const own = shapes[shape][name] ? name : (vendorNames.get(shape)?.get(name) ?? name)
  return vocabulary === 'document' ? own : (shapes[shape][own]?.mashery ?? own)
}

/** The document's names of members by the vendor's names. */
const vendorNames = new Map(
  Object.entries(shapes).map(([shape, rows]) => [
    shape,
    new Map(
      Object.entries(rows).flatMap(([name, { mashery }]) => (mashery === undefined ? [] : [[mashery, name] as const])),
    ),
  ]),
)

/** The document's name of a key that may be a member of a value object. Any other key is returned unchanged. */
export const documentName = (key: string): string => documentNames.get(key) ?? key

const documentNames: ReadonlyMap<string, string> = new Map([...vendorNames.values()].flatMap((names) => [...names]))
