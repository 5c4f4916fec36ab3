import { catalog } from '../catalog/catalog.js'
import type { Operation } from '../catalog/types.js'
import type { Outcome } from '../client/types.js'
import type { JsonObject } from '../json/json.js'
import { textOf } from '../json/json.js'
import { withAllInside } from '../live/live-object.js'
import type { Change, CreateChange, ReplaceChange } from '../planner/plan.js'
import type { RunProgress } from '../ports/progress.js'
import { errorText } from '../problems/problem.js'
import { busyTries, earlyTries, mayBeTooEarly, noteOffer, type SendContext, untilTaken } from './context.js'
import { listedAs, lookPatiently, pausesWithin, plainName, type Waiting } from './existing.js'

/** A create request that is ready to be sent. */
export interface Sender {
  readonly change: CreateChange | ReplaceChange
  /** All changes in the request. */
  readonly runnable: readonly Change[]
  readonly operation: Operation
  readonly ids: Readonly<Record<string, string>>
  readonly body: JsonObject
  readonly fields: readonly string[] | undefined
}

/**
 * Sends a create in such a way that the object is never created twice (design §4). The request is only sent again if it was
 * rejected (503, 429, 401; 400 or 404 because the parent is not visible yet). Before that, the program checks whether the object
 * exists. In all other uncertain cases it searches for the exact name until `createPatience` is over, and does not send the
 * request again in this run.
 */
export async function create(sender: Sender, context: SendContext): Promise<Outcome> {
  if (sender.operation.method !== 'POST') return post(sender, context)
  const turnedAway = new Map<number, number>()
  for (let early = 0; ; ) {
    const outcome = await post(sender, context)
    switch (outcome.is) {
      case 'busy': {
        const { status } = outcome
        const times = (turnedAway.get(status) ?? 0) + 1
        turnedAway.set(status, times)
        await context.sleep(outcome.afterMs)
        const isLast = times >= busyTries(status)
        if (context.signal.aborted || (isLast && status !== 401)) return givenUp(outcome, context)
        // Only 503 and 429 say that nothing was done. After a 401, what cannot be listed may exist (A101, A102).
        const found = await (status === 401 ? lookFor : rootOf)(sender, context)
        if (found) return { is: 'done', objects: [found] }
        if (isLast) return givenUp(outcome, context)
        continue
      }
      case 'refused':
        // The answer is an error with a success status, so it is not known whether the object was created.
        if (outcome.status < 300) return found(sender, context, `it was answered ${outcome.status} ${outcome.message}`)
        if (early === earlyTries) noteOffer(sender.operation, outcome, context)
        if (early === earlyTries || !mayBeTooEarly(sender, outcome, context)) return outcome
        early += 1
        await context.sleep(2000)
        if (context.signal.aborted) return outcome
        if (sender.runnable.length > 1) {
          const root = await rootOf(sender, context)
          if (root) return { is: 'done', objects: [root] }
        }
        continue
      case 'done':
        return hasId(outcome.objects[0], sender)
          ? outcome
          : await found(sender, context, 'it was answered without an id')
      case 'unknown':
        return found(sender, context, outcome.message)
      case 'quota':
      case 'unreachable':
        return outcome
    }
  }
}

/**
 * The outcome after the last attempt. A request that was answered 401 may have been executed (A101), so without a check the
 * outcome is unknown.
 */
function givenUp({ status, message }: Extract<Outcome, { is: 'busy' }>, { signal }: SendContext): Outcome {
  if (status === 401 && signal.aborted)
    return { is: 'unknown', message: `unknown whether it was created: ${message}; the run ended` }
  return { is: 'refused', status, errorCode: undefined, message, complaints: [], body: '' }
}

const post = ({ operation, ids, body, fields }: Sender, { client }: SendContext): Promise<Outcome> =>
  client.write(operation, ids, body, fields)

/** Whether the id of the object is known. A single child has no id, and the id of a link is the id of its linked object. */
const hasId = (object: JsonObject | undefined, { change }: Sender): boolean =>
  catalog[change.kind].naming === undefined ||
  catalog[change.kind].association !== undefined ||
  textOf(object?.id) !== undefined

/**
 * The outcome of a create whose answer does not contain the object. The program searches for the object for as long as a slow
 * server may take.
 */
async function found(sender: Sender, context: SendContext, why: string): Promise<Outcome> {
  const { createPatienceMs } = context.settings
  const unknown = (words: string): Outcome => ({
    is: 'unknown',
    message: `unknown whether it was created: ${why}; ${words}`,
  })
  // A single child is set and not created, so setting it again creates nothing twice.
  if (catalog[sender.change.kind].naming === undefined) {
    const again = await untilTaken(() => post(sender, context), context)
    return again.is === 'done' ? again : unknown(again.message)
  }
  try {
    const reported = tellingOf(
      { is: 'doubtful', address: sender.change.address, reason: why, forMs: createPatienceMs },
      context,
    )
    const named = await lookPatiently(() => lookFor(sender, context), pausesWithin(createPatienceMs), reported)
    const object = named ?? (context.signal.aborted ? undefined : await lookOtherwise(sender, context))
    if (object) return { is: 'done', objects: [object] }
  } catch (error) {
    return unknown(errorText(error))
  }
  return unknown(context.signal.aborted ? 'the run ended' : `it is not listed after ${createPatienceMs / 1000} s`)
}

/** Waits like the context, and reports the reason before the first wait. */
function tellingOf(what: RunProgress, { onProgress, signal, sleep }: SendContext): Waiting {
  let isReported = false
  const wait = (milliseconds: number): Promise<void> => {
    if (!isReported) onProgress(what)
    isReported = true
    return sleep(milliseconds)
  }
  return { signal, sleep: wait }
}

/** The object that a create has made, if it is listed. An object that existed before the run does not count. */
export async function lookFor(sender: Sender, context: SendContext): Promise<JsonObject | undefined> {
  return onlyNew(await listedAs(sender, context.client, context.ids.find), sender, context)
}

/**
 * The same with other forms of the name that a platform may have stored. Otherwise the next run would create the object again.
 */
async function lookOtherwise(sender: Sender, context: SendContext): Promise<JsonObject | undefined> {
  const { change, ids } = sender
  const kind = catalog[change.kind]
  const { naming } = kind
  const { key } = change.resource
  if (naming === undefined || key === '' || linkedId(sender, context) !== undefined) return undefined
  const form = plainName(key)
  const listed = await context.client.list(kind, ids)
  return onlyNew(
    listed.filter((object) => plainName(String(object[naming] ?? '')) === form),
    sender,
    context,
  )
}

/** The only one of these objects that did not exist before the run. Undefined if there are several. */
function onlyNew(objects: readonly JsonObject[], sender: Sender, context: SendContext): JsonObject | undefined {
  const before = new Set(
    withAllInside(context.snapshot.objects)
      .filter((object) => object.kind === sender.change.kind)
      .map((object) => object.id),
  )
  const linked = linkedId(sender, context)
  const isNew = (object: JsonObject) => {
    const id = String(object.id)
    // The id of a link is the id of its linked object, which may have other links with the same id.
    return linked === undefined ? !before.has(id) && !context.ids.isMade(sender.change.kind, id) : id === linked
  }
  const [object, other] = objects.filter(isNew)
  return other ? undefined : object
}

const linkedId = ({ change }: Sender, { ids }: SendContext): string | undefined =>
  change.action === 'create' && change.link ? ids.resolve(change.link.target) : undefined

/** The object, or the root of a tree, that was refused, if it exists: a tree may be created in part (A36). */
const rootOf = (sender: Sender, context: SendContext): Promise<JsonObject | undefined> =>
  lookFor(sender, context).catch(async (error: unknown) => {
    // The parent is not visible yet and has no list, so nothing was created in it.
    if (await isParentGone(sender, context)) return undefined
    throw error
  })

/** Whether the parent does not exist. Only then is a 404 on a collection caused by the parent. */
export async function isParentGone({ change, ids }: Sender, { client }: SendContext): Promise<boolean> {
  const { parent } = catalog[change.kind]
  if (!parent) return false
  const found = await client.findById(catalog[parent.kind], ids).catch(() => 'unknown' as const)
  return found === 'gone'
}
