import { shapes } from '../catalog/shapes.js'
import type { Field, FieldType, KindName } from '../catalog/types.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject } from '../json/json.js'
import type { Paths } from './paths.js'
import type { Dialect } from './settings.js'
import type { Arrange } from './shuffle.js'

/** How answers show stored values. */
export interface Spelling {
  readonly dialect: Dialect
  readonly vocabulary: Vocabulary
  readonly singleValues: 'list' | 'bare'
  /** Sorts the elements of a nested array into the order of this answer. */
  readonly arrange: Arrange
}

/** A stored value as an answer shows it. If paths name members of a value object, only these are shown. */
export function spell(spelling: Spelling, type: FieldType, value: Json, paths?: Paths): Json {
  switch (type.is) {
    case 'string':
    case 'integer':
    case 'number':
    case 'identifier':
    case 'boolean':
    case 'datetime':
      return value
    case 'enum':
      return spellWord(spelling, type, value)
    case 'domain':
      return { [spelling.dialect === 'recorded' ? 'address' : 'domain']: value }
    case 'map':
      return pick(value, paths)
    case 'shape':
      return spellShape(spelling, type, value, paths)
    case 'list':
      return spellList(spelling, type.of, value, paths)
    case 'child':
    case 'reference':
      return value
  }
}

function spellShape(
  spelling: Spelling,
  type: Extract<FieldType, { is: 'shape' }>,
  value: Json,
  paths: Paths | undefined,
): Json {
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([stored, inner]): [string, Json] => {
    const member = shapes[type.shape][stored]
    const name = (spelling.vocabulary === 'mashery' ? member?.mashery : undefined) ?? stored
    return [name, member && inner !== null ? spell(spelling, member.type, inner, paths?.inner.get(name)) : inner]
  })
  return pick(Object.fromEntries(members), paths)
}

function spellWord({ dialect, vocabulary }: Spelling, type: Extract<FieldType, { is: 'enum' }>, value: Json): Json {
  if (dialect === 'recorded' && isGrantType(type)) return underscored(value)
  return (vocabulary === 'mashery' && typeof value === 'string' && type.mashery?.[value]) || value
}

function spellList(spelling: Spelling, of: FieldType, value: Json, paths: Paths | undefined): Json {
  if (!isList(value)) return value
  const spelled = spelling.arrange(value).map((each) => spell(spelling, of, each, paths))
  const [only] = spelled
  const isBare = spelling.singleValues === 'bare' && spelled.length === 1 && typeof only !== 'object'
  return isBare && only !== undefined ? only : spelled
}

/** Only the members that the paths name, if a path goes below the object. */
function pick(value: Json, paths: Paths | undefined): Json {
  if (!isObject(value) || !paths || paths.whole || paths.every || paths.inner.size === 0) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => paths.inner.has(name)))
}

/** The same for a value of unknown type, in lists and at every depth. */
export function pickDeep(value: Json, paths: Paths | undefined): Json {
  if (isList(value)) return value.map((each) => pickDeep(each, paths))
  const picked = pick(value, paths)
  if (!isObject(picked) || picked === value) return picked
  return Object.fromEntries(
    Object.entries(picked).map(([name, inner]) => [name, pickDeep(inner, paths?.inner.get(name))]),
  )
}

/** Recorded platforms write grant types with underscores (field notes, Writing). */
const isGrantType = (type: Extract<FieldType, { is: 'enum' }>): boolean => type.values.includes('client-credentials')

const underscored = (value: Json): Json => (typeof value === 'string' ? value.replaceAll('-', '_') : value)

/** What an answer shows for a field without a value. */
export function emptyValue(dialect: Dialect, kind: KindName, field: Field, id: string): Json {
  if (dialect === 'document') return field.type.is === 'list' ? [] : null
  const known = recordedEmpties[kind] ?? {}
  // The recordings have both forms.
  if (field.name === 'headersToExcludeFromIncomingCall') return id.charCodeAt(0) % 2 === 0 ? [''] : null
  if (Object.hasOwn(known, field.name)) return known[field.name] ?? null
  if (field.type.is === 'list') return []
  return field.type.is === 'string' ? '' : null
}

/**
 * Whether an empty list in that field is answered as null: a public client expects the roles of a service to be a text or null.
 */
export const isNullWhenEmpty = (dialect: Dialect, kind: KindName, field: string): boolean =>
  dialect === 'recorded' && recordedEmpties[kind]?.[field] === null

/** The recorded forms of empty values that are neither "" nor [] (field notes, Reading). */
const recordedEmpties: Readonly<Partial<Record<KindName, JsonObject>>> = {
  Service: { roles: null, securityProfile: { oauth: null } },
  Endpoint: {
    customRequestAuthenticationAdapter: null,
    systemDomainCredentialKey: null,
    systemDomainCredentialSecret: null,
    processor: { adapter: '', preProcessEnabled: false, postProcessEnabled: false, preInputs: {}, postInputs: {} },
  },
  Method: { sampleJsonResponse: null, sampleXmlResponse: null },
}
