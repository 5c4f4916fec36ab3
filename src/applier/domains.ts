import { catalog } from '../catalog/catalog.js'
import { coveredBy } from '../catalog/domains.js'
import type { Complaint } from '../client/types.js'
import type { JsonObject } from '../json/json.js'
import type { LiveObject } from '../live/live-object.js'
import type { Change } from '../planner/plan.js'
import { writtenHosts } from '../planner/refused-domains.js'
import type { RunInput } from './run.js'

/** Approval by support staff happens outside the interface: it can only be waited for. */

const pollEveryMs = 2000

/** Whether a live object still waits for its approval. */
export function isAwaiting(object: LiveObject): boolean {
  const approval = catalog[object.kind].approval
  return approval !== undefined && object.fields[approval.field] === approval.waiting
}

/** Notes from the answer to a create whether the new object waits for approval. */
export function noteApproval(change: Change, answer: JsonObject | undefined, awaiting: Set<string>): void {
  const { approval } = catalog[change.kind]
  if (!approval || change.action !== 'create') return
  if (answer?.[approval.field] !== approval.approved) awaiting.add(change.resource.key)
}

/** Polls, as long as the user said, until new objects are approved; what is approved leaves `awaiting`. */
export async function awaitApproval(changes: readonly Change[], input: RunInput, awaiting: Set<string>): Promise<void> {
  const end = input.now() + input.settings.waitDomainsMs
  for (const change of changes) {
    const { approval } = catalog[change.kind]
    if (!approval || change.action !== 'create' || !awaiting.has(change.resource.key)) continue
    if (input.settings.waitDomainsMs > 0) input.onProgress({ is: 'waiting', address: change.address })
    while (awaiting.has(change.resource.key) && input.now() + pollEveryMs <= end && !input.signal.aborted) {
      await input.sleep(pollEveryMs)
      const [object] = await input.client.findByName(catalog[change.kind], {}, change.resource.key)
      if (object?.[approval.field] === approval.approved) awaiting.delete(change.resource.key)
    }
  }
}

/**
 * Whether a refusal means that a domain still waits: a host that was sent falls under one, and the complaint is about it.
 * How platforms say so is their own choice: by the notes' words, by the field, or by the host.
 */
export function waitsForApproval(
  changes: readonly Change[],
  complaints: readonly Complaint[],
  awaiting: ReadonlySet<string>,
): boolean {
  const isWaiting = coveredBy(awaiting)
  const hosts = changes.flatMap(writtenHosts).filter(({ host }) => isWaiting(host))
  return complaints.some(({ property, message }) =>
    hosts.some(
      ({ field, host }) =>
        /not a valid domain/i.test(message) ||
        message.toLowerCase().includes(host) ||
        (property?.split(/\W+/).includes(field) ?? false),
    ),
  )
}
