import type { Json } from '../json/json.js'
import { recordOf } from './record.js'
import { boolean, integer, listOf, mapOfStrings, oneOf, shape, string } from './table.js'
import type { FieldType, ShapeName } from './types.js'

/** A member of a value object: its type and, where known, what the platform puts there by itself. */
export interface Member {
  readonly type: FieldType
  readonly default: Json | undefined
  readonly note: string
}

const member = (type: FieldType, fallback?: Json, note = ''): Member => ({ type, default: fallback, note })

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
    svcTokenApiEnabled: flag,
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
  Limit: members({
    period: member(oneOf('second', 'minute', 'hour', 'day', 'month')),
    source: text,
    ceiling: count,
  }),
  Organization: members({
    id: text,
    name: text,
    parent: text,
    suborganizations: member(listOf(shape('Organization'))),
  }),
}
