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

/** One creating request, ready to be sent. */
export interface Sender {
  readonly change: CreateChange | ReplaceChange
  /** All changes that it carries. */
  readonly able: readonly Change[]
  readonly operation: Operation
  readonly ids: Readonly<Record<string, string>>
  readonly body: JsonObject
  readonly fields: readonly string[] | undefined
}

/**
 * Sends a create so that it is never made twice (design §4). Only a request that was turned away (503, 429, 401;
 * 400 or 404 because the parent is not visible yet) is sent again, after a look wherever something may have been made. After
 * any other doubt the exact name is looked for until `createPatience` is over, and the request is not sent again in this run.
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
        const found = await lookFor(sender, context)
        if (found) return { is: 'done', objects: [found] }
        if (isLast) return givenUp(outcome, context)
        continue
      }
      case 'refused':
        // An error under a status of success: nobody knows which of the two is meant.
        if (outcome.status < 300) return found(sender, context, `it was answered ${outcome.status} ${outcome.message}`)
        if (early === earlyTries) noteOffer(sender.operation, outcome, context)
        if (early === earlyTries || !mayBeTooEarly(sender, outcome, context)) return outcome
        early += 1
        await context.sleep(2000)
        if (context.signal.aborted) return outcome
        if (sender.able.length > 1) {
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

/** What was answered 401 may have been carried out (A101): without a look nobody knows. */
function givenUp({ status, message }: Extract<Outcome, { is: 'busy' }>, { signal }: SendContext): Outcome {
  if (status === 401 && signal.aborted)
    return { is: 'unknown', message: `unknown whether it was created: ${message}; the run ended` }
  return { is: 'refused', status, errorCode: undefined, message, complaints: [], body: '' }
}

const post = ({ operation, ids, body, fields }: Sender, { client }: SendContext): Promise<Outcome> =>
  client.write(operation, ids, body, fields)

/** A child that exists once has no id; that of a link is the id of what it links to. */
const hasId = (object: JsonObject | undefined, { change }: Sender): boolean =>
  catalog[change.kind].naming === undefined ||
  catalog[change.kind].association !== undefined ||
  textOf(object?.id) !== undefined

/** The outcome of a create whose answer does not show it: the object is looked for, as long as a slow server may take. */
async function found(sender: Sender, context: SendContext, why: string): Promise<Outcome> {
  const { createPatienceMs } = context.settings
  const unknown = (words: string): Outcome => ({
    is: 'unknown',
    message: `unknown whether it was created: ${why}; ${words}`,
  })
  // To set what exists once, once more, makes nothing twice.
  if (catalog[sender.change.kind].naming === undefined) {
    const again = await untilTaken(() => post(sender, context), context)
    return again.is === 'done' ? again : unknown(again.message)
  }
  try {
    const told = tellingOf(
      { is: 'doubtful', address: sender.change.address, reason: why, forMs: createPatienceMs },
      context,
    )
    const named = await lookPatiently(() => lookFor(sender, context), pausesWithin(createPatienceMs), told)
    const object = named ?? (context.signal.aborted ? undefined : await lookOtherwise(sender, context))
    if (object) return { is: 'done', objects: [object] }
  } catch (error) {
    return unknown(errorText(error))
  }
  return unknown(context.signal.aborted ? 'the run ended' : `it is not listed after ${createPatienceMs / 1000} s`)
}

/** Waits as the context does, and tells why as soon as it has to. */
function tellingOf(what: RunProgress, { onProgress, signal, sleep }: SendContext): Waiting {
  let isTold = false
  const wait = (milliseconds: number): Promise<void> => {
    if (!isTold) onProgress(what)
    isTold = true
    return sleep(milliseconds)
  }
  return { signal, sleep: wait }
}

/** The object that a create has made, if it is listed; one that was there before the run is another one. */
export async function lookFor(sender: Sender, context: SendContext): Promise<JsonObject | undefined> {
  return onlyNew(await listedAs(sender, context.client, context.ids.find), sender, context)
}

/** The same under what a platform may have made of its name: the next run would make it once more. */
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

/** The one object among these that was not there before the run. */
function onlyNew(objects: readonly JsonObject[], sender: Sender, context: SendContext): JsonObject | undefined {
  const before = new Set(
    withAllInside(context.snapshot.objects)
      .filter((object) => object.kind === sender.change.kind)
      .map((object) => object.id),
  )
  const linked = linkedId(sender, context)
  const isNew = (object: JsonObject) => {
    const id = String(object.id)
    // A link has the id of what it links to, and other objects have links to that as well.
    return linked === undefined ? !before.has(id) && !context.ids.isMade(sender.change.kind, id) : id === linked
  }
  const [object, other] = objects.filter(isNew)
  return other ? undefined : object
}

const linkedId = ({ change }: Sender, { ids }: SendContext): string | undefined =>
  change.action === 'create' && change.link ? ids.resolve(change.link.target) : undefined

/** What exists of a tree that was refused: nothing says that it is created completely or not at all (A36). */
const rootOf = (sender: Sender, context: SendContext): Promise<JsonObject | undefined> =>
  lookFor(sender, context).catch(async (error: unknown) => {
    // What is not visible yet has no list, and nothing was made in it.
    if (await isParentGone(sender, context)) return undefined
    throw error
  })

/** A 404 on a collection is about the object that it lies in, if that is answered 404 as well, and else about the collection. */
export async function isParentGone({ change, ids }: Sender, { client }: SendContext): Promise<boolean> {
  const { parent } = catalog[change.kind]
  if (!parent) return false
  const found = await client.findById(catalog[parent.kind], ids).catch(() => 'unknown' as const)
  return found === 'gone'
}
