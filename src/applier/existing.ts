import { catalog } from '../catalog/catalog.js'
import { hasSecretName, keyOfName } from '../catalog/queries.js'
import type { Client } from '../client/types.js'
import { type JsonObject, objectsIn, textOf } from '../json/json.js'
import type { Change, CreateChange, ReferenceTarget, ReplaceChange } from '../planner/plan.js'

/** Finding out whether an object that a request was to create exists: no list is believed at its first word. */

/** What a look needs: the change, and the ids in the paths of its requests. */
export interface Search {
  readonly change: CreateChange | ReplaceChange
  readonly ids: Readonly<Record<string, string>>
}

/**
 * The objects that have the exact name of a change, as they are listed now. If the name is a secret that nobody wrote:
 * those that are named by the same object. Throws a ProblemError if the collection cannot be read.
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

/** Whether an object is named by what a change writes, such as the package of a key; true as well if no answer tells. */
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

/** What is left of a name that was trimmed, put into one case or Unicode form, or written for HTML. */
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

/** What a platform says of an object that it gave an id to. */
export type Existence =
  | { readonly is: 'there' }
  /** It exists under another name than the one that was sent. */
  | { readonly is: 'renamed'; readonly name: string }
  | { readonly is: 'gone' }

/** Asks for the object that a create is known to have made, by its id; `ids` are those in the paths of its requests. */
export async function existenceOf({ change, ids }: Search, id: string, client: Client): Promise<Existence> {
  const kind = catalog[change.kind]
  const object = await client.findById(kind, { ...ids, [kind.idParameter]: id })
  if (object === 'gone' || object === 'not-offered') return { is: 'gone' }
  // A link has the name of what it links to, and a secret name is not shown.
  if (kind.naming === undefined || kind.association || hasSecretName(kind)) return { is: 'there' }
  const name = object[kind.naming]
  const isSame = typeof name !== 'string' || keyOfName(kind, name) === change.resource.key
  return isSame ? { is: 'there' } : { is: 'renamed', name }
}

/** The ids in the paths of a change's requests; undefined if one of them is not known. */
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

/** Pauses between looks that fill `patienceMs`: they grow, since users pay per call. */
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

/** Who waits: `signal` ends the waiting. */
export interface Waiting {
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Looks at once and after each pause until something is found. Looks that fail are repeated; where none succeeded the error
 * is thrown: not to have seen something is not to know that it is not there.
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
