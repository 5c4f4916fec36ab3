import type { Json } from '../json/json.js'
import { recordOf } from './record.js'
import { boolean, freeObject, integer, listOf, mapOfStrings, number, oneOf, shape, string } from './table.js'
import type { FieldType, ShapeName } from './types.js'

/** A member of a value object: its type and, where known, what the platform puts there by itself. */
export interface Member {
  readonly type: FieldType
  readonly default: Json | undefined
  readonly note: string
  /** The vendor's name of it, where that is another one (`vocabulary.ts`). */
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
 * The value objects that the document names without showing their members (field notes, "Shapes that the document does
 * not show"). Members beyond these are passed on only under `metadata.extraFields`.
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
  // The cache of a service, which holds for all its endpoints (field notes).
  ServiceCache: members({
    cacheTtl: member(number, undefined, 'seconds'),
  }),
  Limit: members({
    period: member(oneOf('second', 'minute', 'hour', 'day', 'month')),
    source: text,
    ceiling: count,
  }),
  // What is not answered of it is not known to be empty: nobody writes an id of "".
  Organization: members({
    id: member(string),
    name: member(string),
    parent: member(string),
    suborganizations: member(listOf(shape('Organization'))),
  }),
}

/** What a value is held against: its type, and what the platform puts there by itself. */
export interface Described {
  readonly type: FieldType
  readonly default?: Json | undefined
}

/** Of what neither the document nor the notes describe. */
export const anything: Described = { type: freeObject }

/** A member of a value of that type, by its name in the document. */
export const memberIn = (type: FieldType, name: string): Described =>
  (type.is === 'shape' && shapes[type.shape][name]) || anything

/** A member of a value object by its name in whichever vocabulary. */
export const memberOf = (shape: ShapeName, name: string): Member | undefined =>
  shapes[shape][memberName(shape, name, 'document')]

/** The name that a vocabulary has for a member, whichever one it is named in; one that nobody knows is given back. */
export function memberName(shape: ShapeName, name: string, vocabulary: 'document' | 'mashery'): string {
  const own = shapes[shape][name] ? name : (vendorNames.get(shape)?.get(name) ?? name)
  return vocabulary === 'document' ? own : (shapes[shape][own]?.mashery ?? own)
}

/** The document's names of members by those of the vendor. */
const vendorNames = new Map(
  Object.entries(shapes).map(([shape, rows]) => [
    shape,
    new Map(
      Object.entries(rows).flatMap(([name, { mashery }]) => (mashery === undefined ? [] : [[mashery, name] as const])),
    ),
  ]),
)

/** The document's name for a key that may be a member of a value object; any other key is given back as it is. */
export const documentName = (key: string): string => documentNames.get(key) ?? key

const documentNames: ReadonlyMap<string, string> = new Map([...vendorNames.values()].flatMap((names) => [...names]))
