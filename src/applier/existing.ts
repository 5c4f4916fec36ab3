import { catalog } from '../catalog/catalog.js'
import { hasSecretName, keyOfName } from '../catalog/queries.js'
import type { Client } from '../client/types.js'
import { type JsonObject, objectsIn, textOf } from '../json/json.js'
import type { Change, CreateChange, ReferenceTarget, ReplaceChange } from '../planner/plan.js'

/** Finds out whether the object of a create exists. The first answer of a list is not sufficient. */

/** The input of a search: the change, and the ids in the paths of its requests. */
export interface Search {
  readonly change: CreateChange | ReplaceChange
  readonly ids: Readonly<Record<string, string>>
}

/**
 * The listed objects with the exact name of a change. If the name is a secret that no manifest writes: the objects with the same
 * reference. Throws a ProblemError if the collection cannot be read.
 */
export async function listedAs(
  { change, ids }: Search,
  client: Client,
  idOf: (target: ReferenceTarget) => string | undefined,
): Promise<readonly JsonObject[]> {
  const kind = catalog[change.kind]
  const { key } = change.resource
  if (kind.naming === undefined) return []
  if (key !== '') return client.findByName(kind, ids, linkedName(change) ?? key)
  if (!hasSecretName(kind)) return []
  return (await client.list(kind, ids)).filter((object) => isNamedAsWritten(change, object, idOf))
}

/**
 * Whether an object has the reference that a change writes, such as the package of a key. True if the answer does not contain the
 * reference.
 */
export function isNamedAsWritten(
  { kind, values }: CreateChange | ReplaceChange,
  object: JsonObject,
  idOf: (target: ReferenceTarget) => string | undefined,
): boolean {
  const name = catalog[kind].namedBy ?? ''
  const written = values[name]
  const [answered] = objectsIn(object[name])
  return written?.is !== 'reference' || !answered || textOf(answered.id) === idOf(written.entry.target)
}

/** A name in a form that is the same if a platform trims it, changes its case or Unicode form, or escapes it for HTML. */
export const plainName = (name: string): string =>
  name
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, entity: string) => entities[entity] ?? '')
    .normalize('NFKC')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const linkedName = (change: CreateChange | ReplaceChange): string | undefined =>
  change.action === 'create' ? change.link?.name : undefined

/** The platform's answer about an object with a known id. */
export type Existence =
  | { readonly is: 'there' }
  /** The object exists under another name than the one that was sent. */
  | { readonly is: 'renamed'; readonly name: string }
  | { readonly is: 'gone' }

/** Requests the object of a create by its id. `ids` are those in the paths of its requests. */
export async function existenceOf({ change, ids }: Search, id: string, client: Client): Promise<Existence> {
  const kind = catalog[change.kind]
  const object = await client.findById(kind, { ...ids, [kind.idParameter]: id })
  if (object === 'gone' || object === 'not-offered') return { is: 'gone' }
  // The name of a link is the name of its linked object, and a secret name is not returned.
  if (kind.naming === undefined || kind.association || hasSecretName(kind)) return { is: 'there' }
  const name = object[kind.naming]
  const isSame = typeof name !== 'string' || keyOfName(kind, name) === change.resource.key
  return isSame ? { is: 'there' } : { is: 'renamed', name }
}

/** The ids in the paths of a change's requests. Undefined if one of them is not known. */
export function pathIds(
  change: Change,
  idOf: (target: ReferenceTarget) => string | undefined,
): Readonly<Record<string, string>> | undefined {
  const ids: Record<string, string> = {}
  for (const [parameter, target] of Object.entries(change.path)) {
    const id = idOf(target)
    if (id === undefined) return undefined
    ids[parameter] = id
  }
  return ids
}

/** The pauses between searches, in milliseconds, `patienceMs` in total. They become longer, because users pay per call. */
export function pausesWithin(patienceMs: number): readonly number[] {
  const pauses: number[] = []
  let left = patienceMs
  for (let pause = 1000; left > 0; pause = Math.min(2 * pause, longestPause)) {
    pauses.push(Math.min(pause, left))
    left -= pause
  }
  return pauses
}

const longestPause = 10_000

/** How to wait. `signal` ends the waiting. */
export interface Waiting {
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Searches at once and after each pause, until something is found. A search that fails is repeated. If all of them failed, the
 * last error is thrown, because it is not known whether the object exists.
 */
export async function lookPatiently<Found>(
  look: () => Promise<Found | undefined>,
  pauses: readonly number[],
  { sleep, signal }: Waiting,
): Promise<Found | undefined> {
  let failure: { readonly error: unknown } | undefined
  let hasLooked = false
  const attempt = async (): Promise<Found | undefined> => {
    try {
      const found = await look()
      hasLooked = true
      return found
    } catch (error) {
      failure = { error }
      return undefined
    }
  }
  let found = await attempt()
  for (const pause of pauses) {
    if (found !== undefined || signal.aborted) break
    await sleep(pause)
    if (signal.aborted) break
    found = await attempt()
  }
  if (failure && !hasLooked) throw failure.error
  return found
}
