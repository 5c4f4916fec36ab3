import { catalog } from '../catalog/catalog.js'
import { isWritable } from '../catalog/queries.js'
import type { Field } from '../catalog/types.js'
import { shortDigest } from '../json/digest.js'
import { groupBy } from '../json/groups.js'
import type { Json } from '../json/json.js'
import { compareText } from '../json/order.js'
import type { LiveIndex } from './live-index.js'
import type { LiveObject } from './live-object.js'
import { addressOfLive, displayedName, pathTo } from './names.js'

/** One secret of the area: the name of its variable, and its value if it is known. */
export interface Variable {
  readonly name: string
  readonly value: string | undefined
}

/** The placeholder of an environment variable. */
export const variablePlaceholder = (name: string): string => `\${env:${name}}`

/** The variables for the secrets of an area: object to field to variable. */
export type Variables = ReadonlyMap<LiveObject, ReadonlyMap<string, Variable>>

export const variableNames = (variables: Variables): readonly string[] =>
  [...variables.values()].flatMap((fields) => [...fields.values()].map(({ name }) => name))

interface Secret {
  readonly object: LiveObject
  readonly field: Field
  readonly value: string | undefined
}

/**
 * Names a variable for every secret. The names come from the addresses, so that every export has the same names. If two names
 * would be equal, each gets a digest of its address. Secrets of the same address are numbered, in the order of their objects'
 * keys.
 */
export function nameVariables(live: LiveIndex): Variables {
  const secrets = live.all.flatMap((object) => secretsOfObject(object, live))
  const groups = groupBy(secrets, ({ object, field }) => plainName(object, field))
  const variables = new Map<LiveObject, Map<string, Variable>>()
  for (const [name, group] of groups) {
    const addresses = groupBy(group, ({ object, field }) => `${addressOfLive(object)}#${field.name}`)
    for (const [address, same] of addresses) {
      const unique = addresses.size === 1 ? name : `${name}_${shortDigest(address).toUpperCase()}`
      const ordered = [...same].sort(byKey)
      ordered.forEach(({ object, field, value }, index) => {
        const own = variables.get(object) ?? new Map<string, Variable>()
        variables.set(object, own.set(field.name, { name: index === 0 ? unique : `${unique}_${index + 1}`, value }))
      })
    }
  }
  return variables
}

function secretsOfObject(object: LiveObject, { secrets }: LiveIndex): readonly Secret[] {
  return Object.values(catalog[object.kind].fields).flatMap((field): readonly Secret[] => {
    if (!isWritable(field)) return []
    // A value that is never given back is needed to create the object again.
    if (field.writeOnly) return field.create === 'Req' ? [{ object, field, value: undefined }] : []
    if (!field.secret) return []
    const value: Json | undefined = object.fields[field.name]
    if (typeof value === 'string' && value !== '') return [{ object, field, value }]
    const isLeftOut = value === undefined && secrets === 'left out' && field.name !== catalog[object.kind].naming
    return isLeftOut ? [{ object, field, value: undefined }] : []
  })
}

function plainName(object: LiveObject, field: Field): string {
  const words = [
    ...pathTo(object)
      .map(displayedName)
      .filter((name) => name !== ''),
    field.name,
  ].map(word)
  const name = words.join('_')
  return /^\d/.test(name) ? `_${name}` : name
}

/** A name in capitals, as shells accept it; a name without any letter that they know becomes a digest. */
function word(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase()
  return plain === '' ? shortDigest(name).toUpperCase() : plain
}

const byKey = (left: Secret, right: Secret): number =>
  compareText(left.object.key, right.object.key) || compareText(left.object.id, right.object.id)
