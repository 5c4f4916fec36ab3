import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { coveredBy } from '../catalog/domains.js'
import type { Kind, KindName } from '../catalog/types.js'
import type { Client, Complaint } from '../client/types.js'
import type { JsonObject } from '../json/json.js'
import { type LiveObject, withAllInside } from '../live/live-object.js'
import type { Change, CreateChange, UpdateChange } from '../planner/plan.js'
import { writtenHosts } from '../planner/refused-domains.js'
import type { RunInput } from './run.js'

/** Waits for approvals. Support staff approves objects outside of the interface. */

const pollEveryMs = 2000

/** Whether a live object still waits for its approval. */
export function isAwaiting(object: LiveObject): boolean {
  const approval = catalog[object.kind].approval
  return approval !== undefined && object.fields[approval.field] === approval.waiting
}

/** Notes whether an object waits for approval, from the answer to its create or rename. */
export function noteApproval(change: Change, answer: JsonObject | undefined, awaiting: Set<string>): void {
  const { approval } = catalog[change.kind]
  if (!approval || !isNewName(change)) return
  if (change.action === 'update') awaiting.delete(change.live.key)
  if (answer?.[approval.field] !== approval.approved) awaiting.add(change.resource.key)
}

/** An object that may wait for its approval. */
interface Approvable {
  readonly kind: KindName
  readonly key: string
  readonly address: string
}

export const newlyMade = (changes: readonly Change[]): readonly Approvable[] =>
  changes.flatMap((change) =>
    isNewName(change) ? [{ kind: change.kind, key: change.resource.key, address: change.address }] : [],
  )

/** Whether a change creates or renames an object: a renamed object waits for its approval again (A49). */
const isNewName = (change: Change): change is CreateChange | UpdateChange =>
  change.action === 'create' || (change.action === 'update' && change.resource.key !== change.live.key)

/** Waiting objects that exist already and cover a host that the plan writes. */
export function madeBefore({ plan, snapshot }: Pick<RunInput, 'plan' | 'snapshot'>): readonly Approvable[] {
  const awaiting = withAllInside(snapshot.objects).filter(isAwaiting)
  const hosts = awaiting.length === 0 ? [] : plan.changes.flatMap(writtenHosts)
  return awaiting
    .filter(({ key }) => hosts.map(({ host }) => host).some(coveredBy([key])))
    .map(({ kind, key }) => ({ kind, key, address: addressOf(catalog[kind], key, undefined) }))
}

/** Polls until the objects are approved, for as long as the user has requested. Approved objects are removed from `awaiting`. */
export async function awaitApproval(
  objects: readonly Approvable[],
  input: RunInput,
  awaiting: Set<string>,
): Promise<void> {
  const end = input.now() + input.settings.waitDomainsMs
  for (const { kind, key, address } of objects) {
    const { approval } = catalog[kind]
    if (!approval || !awaiting.has(key)) continue
    if (input.settings.waitDomainsMs > 0) input.onProgress({ is: 'waiting', address })
    while (awaiting.has(key) && input.now() + pollEveryMs <= end && !input.signal.aborted) {
      await input.sleep(pollEveryMs)
      if (await isApproved(catalog[kind], key, input.client)) awaiting.delete(key)
    }
  }
}

/** Whether an object is approved. If the request fails, the answer is no: the run continues, and the next request may succeed. */
async function isApproved(kind: Kind, key: string, client: Client): Promise<boolean> {
  const { approval } = kind
  const [object] = await client.findByName(kind, {}, key).catch(() => [])
  return approval !== undefined && object?.[approval.field] === approval.approved
}

/**
 * Whether a refusal means that a domain still waits: a host in the request belongs to such a domain, and the complaint is about
 * that host. Platforms may express this with the host, with the words in the notes, or with the field.
 */
export function waitsForApproval(
  changes: readonly Change[],
  complaints: readonly Complaint[],
  awaiting: ReadonlySet<string>,
): boolean {
  const isWaiting = coveredBy(awaiting)
  const written = changes.flatMap(writtenHosts)
  const waiting = written.filter(({ host }) => isWaiting(host))
  const others = written.filter(({ host }) => !isWaiting(host))
  return complaints.some(({ property, message }) => {
    const isNamed = ({ host }: { readonly host: string }) => message.toLowerCase().includes(host)
    if (waiting.some(isNamed)) return true
    // The complaint names another host, which is refused for a different reason.
    if (others.some(isNamed)) return false
    const isOfField = waiting.some(({ field }) => property?.split(/\W+/).includes(field))
    return isOfField || (waiting.length > 0 && /not a valid domain/i.test(message))
  })
}
