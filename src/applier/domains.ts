import { catalog } from '../catalog/catalog.js'
import type { LiveObject } from '../catalog/live.js'
import type { JsonObject } from '../catalog/types.js'
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
    if (input.settings.waitDomainsMs > 0) input.onEvent({ is: 'waiting', address: change.address })
    while (awaiting.has(change.resource.key) && input.now() + pollEveryMs <= end && !input.signal.aborted) {
      await input.sleep(pollEveryMs)
      const [object] = await input.client.findByName(catalog[change.kind], {}, change.resource.key)
      if (object?.[approval.field] === approval.approved) awaiting.delete(change.resource.key)
    }
  }
}
