import { resolve } from 'node:path'
import { catalog } from '../catalog/catalog.js'
import { isHiddenAnswer } from '../catalog/hidden-answer.js'
import { hasSecretName } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import type { Reading } from '../client/types.js'
import { groupBy } from '../json/groups.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { keysOf } from '../json/pointer.js'
import { indexLive, type LiveIndex } from '../live/live-index.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import { addressOfLive, pathTo } from '../live/names.js'
import type { Manifests, Resource } from '../manifest/resource.js'
import { valueAtPath } from '../planner/compare/secret-values.js'
import type { KeyName } from '../planner/match/live-address.js'
import type { Ports } from '../ports/ports.js'
import type { Problem } from '../problems/problem.js'
import { snapshotSecretsUnknown } from '../problems/records.js'
import { fingerprintKeyOf } from '../secrets/fingerprint.js'
import { nameOfKey, rangeOfKey } from '../secrets/key-name.js'
import { readSnapshotFile } from '../snapshot/file.js'
import type { HiddenKey, KeyFinder } from '../snapshot/keys.js'

/** A key whose value is known, with the facts that also identify it in a snapshot file. */
interface KnownKey {
  readonly kind: KindName
  /** The names of its parents, outermost first. */
  readonly parents: readonly string[]
  readonly key: string
  readonly fields: JsonObject
}

/** The keys in manifests. */
export const knownIn = ({ resources }: Pick<Manifests, 'resources'>): readonly KnownKey[] =>
  resources
    .filter((resource) => hasSecretName(catalog[resource.kind]) && resource.key !== '')
    .map(({ kind, ancestors, key, fields }) => ({ kind, parents: ancestors.map(({ name }) => name), key, fields }))

/** The keys of a live area. */
export const knownLive = ({ all }: LiveIndex): readonly KnownKey[] =>
  all
    .filter((object) => hasSecretName(catalog[object.kind]) && object.key !== '')
    .map(({ kind, parent, key, fields }) => ({
      ...{ kind, key, fields, parents: parent ? pathTo(parent).map((each) => each.key) : [] },
    }))

/**
 * A snapshot file as a reading in which known keys are recognised. Other keys are identified only by their mark. Throws a
 * ProblemError if the file is no snapshot.
 */
export function readSnapshot(file: string, known: readonly KnownKey[], ports: Ports): Reading {
  const keyOf = keyFinder(known, fingerprintKeyOf(ports))
  return readSnapshotFile(resolve(ports.cwd, file), { displayed: file, keyOf })
}

/** Returns the function for the names of keys in addresses, including keys that have only a mark. */
export function keyNames(ports: Pick<Ports, 'env'>): KeyName {
  const fingerprintKey = fingerprintKeyOf(ports)
  return (owner, key, keyIs) => (keyIs === 'mark' ? `${owner} #${key}` : nameOfKey(owner, key, fingerprintKey))
}

/** Returns the mark of a key in a snapshot file. It is empty for a key that the platform hides. */
export function keyMarks(ports: Pick<Ports, 'env'>): (key: string) => string {
  const fingerprintKey = fingerprintKeyOf(ports)
  return (key) => (isHiddenAnswer(key) ? '' : rangeOfKey(key, fingerprintKey))
}

/**
 * Finds the only known key that a key of the file can be. It has the same mark in the same application. If the hash was made with
 * another fingerprint key, it has the same last characters. If the file has no mark, it is the only key of its package.
 */
function keyFinder(known: readonly KnownKey[], fingerprintKey: string | undefined): KeyFinder {
  const markOf = ({ key }: KnownKey) => rangeOfKey(key, fingerprintKey)
  const placeOf = (kind: KindName, parents: readonly string[]) => JSON.stringify([kind, parents])
  const byPlace = groupBy(known, ({ kind, parents }) => placeOf(kind, parents))
  return (hidden) => {
    const there = byPlace.get(placeOf(hidden.kind.name, hidden.parents)) ?? []
    if (hidden.mark === '') return only(there.filter((each) => sharesReference(each, hidden)))
    const same = there.filter((each) => markOf(each) === hidden.mark)
    if (same.length > 0) return only(same)
    const tail = tailOf(hidden.mark)
    return only(there.filter((each) => tail !== '' && tailOf(markOf(each)) === tail))
  }
}

/** Whether both name the same object in the reference that distinguishes keys: their package. */
const sharesReference = ({ fields }: KnownKey, { kind: { namedBy = '' }, object }: HiddenKey): boolean =>
  nameMember(fields[namedBy]) === nameMember(object[namedBy])

const nameMember = (value: Json | undefined): Json | undefined => (isObject(value) ? value.name : undefined)

const only = (found: readonly KnownKey[]): string | undefined => (found.length === 1 ? found[0]?.key : undefined)

/** The last characters of the key, before the hash. */
const tailOf = (mark: string): string => mark.replace(/-?[0-9a-f]{8}$/, '')

/** Counts the secrets of manifests that cannot be compared, because a file leaves the secrets of such objects out. */
export function unknownSecrets(
  file: string,
  { resources }: Pick<Manifests, 'resources'>,
  snapshot: Snapshot,
): readonly Problem[] {
  const objects = indexLive(snapshot).all
  const left = new Set(objects.flatMap(secretsLeftOut))
  const byAddress = new Map(objects.map((object) => [addressOfLive(object), object]))
  // A value that is not secret by the catalogue may be left out of some objects only.
  const isLeftOut = ({ address }: Resource, path: string) => {
    const live = byAddress.get(address)
    return live !== undefined && valueAtPath(live.fields, path) === undefined
  }
  const counts = resources.map((resource) => {
    const names = Object.keys(resource.fields).filter((name) => left.has(`${resource.kind}.${name}`))
    const others = resource.sensitive.filter((path) => !catalog[resource.kind].fields[keysOf(path)[0] ?? '']?.secret)
    return names.length + others.filter((path) => isLeftOut(resource, path)).length
  })
  const count = counts.reduce((sum, each) => sum + each, 0)
  return count === 0 ? [] : [snapshotSecretsUnknown(file, count)]
}

/** The secret fields that an object of a file does not have, as Kind.field, except its name, which is compared in another way. */
function secretsLeftOut({ kind: name, fields }: LiveObject): readonly string[] {
  const kind = catalog[name]
  return Object.values(kind.fields)
    .filter((field) => field.secret && !field.writeOnly && field.name !== kind.naming)
    .filter((field) => !Object.hasOwn(fields, field.name))
    .map((field) => `${name}.${field.name}`)
}
