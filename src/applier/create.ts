import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import type { JsonObject, Operation } from '../catalog/types.js'
import type { Outcome } from '../client/types.js'
import type { CreateChange, ReplaceChange } from '../planner/plan.js'
import { mayBeTooEarly, type SendContext } from './context.js'
import { liveObjects } from './run.js'

/** One creating request, ready to be sent. */
export interface Sender {
  readonly change: CreateChange | ReplaceChange
  readonly operation: Operation
  readonly ids: Readonly<Record<string, string>>
  readonly body: JsonObject
  readonly fields: readonly string[] | undefined
}

/** How often a create is sent again after it is certain that the last one was not done. */
const attempts = 3
const settleMs = 1500

/**
 * Sends a create. One whose outcome is unknown is never sent again blindly: the exact name is looked for first, twice,
 * since a request may still be under way.
 */
export async function create(sender: Sender, context: SendContext): Promise<Outcome> {
  let outcome = await post(sender, context)
  for (let tries = 1; tries < attempts; tries += 1) {
    if (outcome.is === 'unknown' && sender.operation.method === 'POST') {
      const found = await lookFor(sender, context)
      if (found) return { is: 'done', objects: [found] }
    } else if (mayBeTooEarly(sender.change, outcome, context)) await context.sleep(2000)
    else return outcome
    if (context.signal.aborted) return outcome
    outcome = await post(sender, context)
  }
  if (outcome.is !== 'unknown') return outcome
  const found = await lookFor(sender, context)
  return found ? { is: 'done', objects: [found] } : outcome
}

const post = ({ operation, ids, body, fields }: Sender, { client }: SendContext): Promise<Outcome> =>
  client.write(operation, ids, body, fields)

async function lookFor(sender: Sender, context: SendContext): Promise<JsonObject | undefined> {
  const known = new Set(
    liveObjects(context.snapshot)
      .filter((object) => object.kind === sender.change.kind)
      .map((object) => object.id),
  )
  for (let looks = 0; looks < 2; looks += 1) {
    if (looks > 0) await context.sleep(settleMs)
    const found = (await candidates(sender, context)).filter((object) => !known.has(String(object.id)))
    const [object, other] = found
    if (object && !other) return object
  }
  return undefined
}

/** Objects that bear the exact name; where the name is a secret that nobody wrote, every object that was not there. */
async function candidates(sender: Sender, context: SendContext): Promise<readonly JsonObject[]> {
  const { change, ids } = sender
  const kind = catalog[change.kind]
  const { key } = change.resource
  if (kind.naming === undefined) return []
  if (key !== '') return context.client.findByName(kind, ids, linkedName(sender) ?? key)
  if (!hasSecretName(kind)) return []
  const listed = await context.client.listIds(kind, ids)
  return listed === 'not-offered' ? [] : listed.map((id) => ({ id }))
}

const linkedName = ({ change }: Sender): string | undefined =>
  change.action === 'create' ? change.link?.name : undefined
