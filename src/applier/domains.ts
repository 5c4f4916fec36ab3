import { catalog } from '../catalog/catalog.js'
import { elementOf } from '../catalog/queries.js'
import type { Complaint } from '../client/types.js'
import type { JsonObject } from '../json/json.js'
import { asList } from '../json/json.js'
import type { LiveObject } from '../live/live-object.js'
import type { Change } from '../planner/plan.js'
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
  const waiting = new Set([...awaiting].map((domain) => domain.toLowerCase()))
  const hosts = changes.flatMap(hostsOf).filter(({ host }) => suffixesOf(host).some((suffix) => waiting.has(suffix)))
  return complaints.some(({ property, message }) =>
    hosts.some(
      ({ field, host }) =>
        /not a valid domain/i.test(message) ||
        message.toLowerCase().includes(host) ||
        (property?.split(/\W+/).includes(field) ?? false),
    ),
  )
}

function hostsOf(change: Change): readonly { readonly field: string; readonly host: string }[] {
  if (!('values' in change)) return []
  const { fields } = catalog[change.kind]
  return Object.entries(change.values).flatMap(([field, value]) => {
    const type = fields[field]?.type
    if (value.is !== 'value' || !type || elementOf(type).is !== 'domain') return []
    const list = asList(value.value)
    return list.map((host) => ({ field, host: String(host).toLowerCase() }))
  })
}

/** "a.b.c:443" gives "a.b.c", "b.c" and "c". */
function suffixesOf(host: string): readonly string[] {
  const labels = host.replace(/:\d+$/, '').split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}
