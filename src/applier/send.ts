import { catalog } from '../catalog/catalog.js'
import type { Operation } from '../catalog/types.js'
import type { Outcome } from '../client/types.js'
import type { JsonObject } from '../json/json.js'
import { type Change, type CreateChange, isCreating, liveOf, type ReplaceChange } from '../planner/plan.js'
import { bodyOf, listBody, treeBody, type Wire } from '../planner/steps/body.js'
import type { Step } from '../planner/steps/step.js'
import { emptyingSteps, followingFields } from '../planner/steps/steps.js'
import { isServerFailure } from '../problems/platform.js'
import { answerFields, learnIds } from './answer-ids.js'
import {
  earlyTries,
  mayBeTooEarly,
  noteOffer,
  resolvedPathIds,
  type SendContext,
  type StepResult,
  untilTaken,
} from './context.js'
import { create, isParentGone, lookFor, type Sender } from './create.js'
import { listsNamed, remove } from './delete.js'
import { noteApproval, waitsForApproval } from './domains.js'
import { lookPatiently } from './existing.js'
import { existingId, requestText } from './request-text.js'
import { because, type ChangeError, type ChangeResult } from './run.js'

/** Sends the request of a step for those of its changes that can be made. */
export async function send(step: Step, runnable: readonly Change[], context: SendContext): Promise<StepResult> {
  switch (step.work) {
    case 'create':
      return sendCreate(step, runnable, context)
    case 'update':
    case 'temporary':
    case 'putBack':
    case 'follow':
      return sendUpdate(step, runnable, context)
    case 'delete':
      return sendDelete(step, runnable, context)
    case 'list':
      return finished(
        runnable,
        context,
        await patiently(step, runnable, context, () => writeList(step, runnable, context)),
      )
    case 'link':
      return linked(step, runnable, context, await writeLink(step, context))
    case 'remove':
      return finished(
        runnable,
        context,
        await patiently(step, runnable, context, () => remove(step.child, step.operation, step.ids, context)),
      )
    case 'remove-defaults':
      throw new Error(`${step.id} has no request of its own`)
  }
}

const wireOf = (context: SendContext): Wire => ({
  idOf: context.ids.resolve,
  domainMember: context.snapshot.domainMember,
})

async function sendCreate(
  { change, operation, inside }: Extract<Step, { work: 'create' }>,
  runnable: readonly Change[],
  context: SendContext,
): Promise<StepResult> {
  const without = (each: CreateChange | ReplaceChange) => followingFields(each, inside)
  const sending = (left: typeof without) =>
    senderOf(change, operation, treeBody(change, runnable, left, wireOf(context)), runnable, context)
  const sender = sending(without)
  const whole = await create(sender, context)
  const answered = mayRefuseRestored(whole, runnable, context)
    ? await create(
        sending((each) => [...without(each), ...beyondDocument(each)]),
        context,
      )
    : whole
  const isRefusedTree = answered.is === 'refused' && runnable.length > 1 && maySplit(answered.status, runnable, context)
  // A tree may be created in part, so its root may exist although the tree was refused.
  const root = isRefusedTree
    ? await lookPatiently(() => lookFor(sender, context), refusedTreePauses, context)
    : undefined
  if (isRefusedTree && !root) return { is: 'split', done: [], again: runnable }
  const outcome: Outcome = root ? { is: 'done', objects: [root] } : answered
  if (outcome.is === 'refused' && outcome.status === 404 && (await isParentGone(sender, context))) {
    const words = `${change.resource.parent} does not exist any more: somebody has deleted it (404 ${outcome.message})`
    const result: ChangeResult = { outcome: 'failed', id: undefined, error: because(words) }
    return { is: 'results', results: new Map(runnable.map((each) => [each.address, result])) }
  }
  if (outcome.is !== 'done') return finished(runnable, context, outcome)
  noteApproval(change, outcome.objects[0], context.awaiting)
  const missing = await learnIds(change, runnable, outcome.objects[0], context)
  if (missing.length === 0) return finished(runnable, context, outcome)
  const unsendable = missing.filter((each) => !maySendAlone(each, context))
  if (unsendable.length > 0) return ignored(change, runnable, missing, context)
  return { is: 'split', done: runnable.filter((each) => !missing.includes(each)), again: missing }
}

/**
 * Whether a platform may have refused a create because of live values that a rollback restores: the document lets a create take
 * no such fields. The object is more important than they are (A496). What a manifest writes is always sent.
 */
const mayRefuseRestored = (outcome: Outcome, runnable: readonly Change[], { settings }: SendContext): boolean =>
  settings.restores &&
  outcome.is === 'refused' &&
  outcome.status === 400 &&
  runnable.length === 1 &&
  runnable.some((each) => isCreating(each) && beyondDocument(each).length > 0)

/**
 * The fields that a create ignores according to the document, and those that it does not have. None if it does not have the kind
 * itself: nothing would be left of the object.
 */
function beyondDocument({ kind, values }: CreateChange | ReplaceChange): readonly string[] {
  const { fields, origin } = catalog[kind]
  if (origin !== 'document') return []
  const isTaken = (name: string) => fields[name]?.origin === 'document' && fields[name].printedRules?.create !== 'Ign'
  return Object.keys(values).filter((name) => !isTaken(name))
}

/** The input for creating an object. If the platform has created it by itself, it is updated instead. */
function senderOf(
  change: CreateChange | ReplaceChange,
  operation: Operation,
  body: JsonObject,
  runnable: readonly Change[],
  context: SendContext,
): Sender {
  const kind = catalog[change.kind]
  const ids = resolvedPathIds(change, context)
  const update = kind.operations.update
  const own = existingId(change, context.ids)
  if (own !== undefined && update) {
    return { change, runnable, operation: update, ids: { ...ids, [kind.idParameter]: own }, body, fields: undefined }
  }
  return { change, runnable, operation, ids, body, fields: answerFields(change, runnable) }
}

const refusedTreePauses = [1500]

/** A tree is only split if its parts may be sent separately. */
function maySplit(status: number, runnable: readonly Change[], context: SendContext): boolean {
  if (status !== 400) return false
  return runnable.every((each) => maySendAlone(each, context))
}

const maySendAlone = ({ kind }: Change, { settings }: SendContext): boolean =>
  settings.conventionalOperations === 'use' || (catalog[kind].operations.create?.documented ?? false)

/** The results if a platform ignores parts of a new tree and only a refused operation could create them: these parts failed. */
function ignored(
  { address }: Change,
  runnable: readonly Change[],
  missing: readonly Change[],
  { ids }: SendContext,
): StepResult {
  const error = because(
    `the platform dropped it from the request that creates ${address}, and a separate request is conventional, which is refused`,
  )
  const resultOf = (each: Change): ChangeResult =>
    missing.includes(each)
      ? { outcome: 'failed', id: undefined, error }
      : { outcome: 'applied', id: ids.of(each.address) ?? '' }
  return { is: 'results', results: new Map(runnable.map((each) => [each.address, resultOf(each)])) }
}

async function sendUpdate(step: PutStep, runnable: readonly Change[], context: SendContext): Promise<StepResult> {
  const outcome = await patiently(step, runnable, context, () => put(step, context))
  if (outcome.is === 'done' && step.work === 'update') noteApproval(step.change, outcome.objects[0], context.awaiting)
  return finished(runnable, context, outcome)
}

type PutStep = Extract<Step, { work: 'update' | 'temporary' | 'putBack' | 'follow' }>

function put(step: PutStep, context: SendContext): Promise<Outcome> {
  const { change } = step
  const kind = catalog[change.kind]
  const ids = resolvedPathIds(change, context)
  const own = ids[kind.idParameter] ?? context.ids.of(change.address)
  const full = own === undefined ? ids : { ...ids, [kind.idParameter]: own }
  return context.client.write(step.operation, full, bodyOf(change.kind, step.values, wireOf(context)))
}

/**
 * Right after a create, the platform may answer 400 because the parent is not visible yet (field notes, Answers), and probably
 * also 404. So the request is repeated after a pause.
 */
async function patiently(
  step: Step,
  runnable: readonly Change[],
  context: SendContext,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  let outcome = await attempt()
  for (
    let tries = 0;
    tries < earlyTries && mayBeTooEarly({ ...step, runnable }, outcome, context) && !context.signal.aborted;
    tries += 1
  ) {
    await context.sleep(2000)
    outcome = await attempt()
    if (tries + 1 === earlyTries) noteOffer(step.operation, outcome, context)
  }
  return outcome
}

/**
 * A platform may refuse to delete an object that still has contents. If the answer says so, the contents are deleted first (A30).
 */
async function sendDelete(
  step: Extract<Step, { work: 'delete' }>,
  runnable: readonly Change[],
  context: SendContext,
): Promise<StepResult> {
  const { change, operation } = step
  const outcome = await remove(change.kind, operation, resolvedPathIds(change, context), context)
  if (change.action !== 'delete' || outcome.is !== 'refused' || ![400, 409].includes(outcome.status)) {
    return finished(runnable, context, outcome)
  }
  const inside = runnable.flatMap((each) => (each.action === 'delete' && each !== change ? [each] : []))
  const steps = emptyingSteps([change, ...inside], listsNamed(change, outcome), context.settings)
  return steps.length > 0 ? { is: 'instead', steps } : finished(runnable, context, outcome)
}

function writeList(step: Step, runnable: readonly Change[], context: SendContext): Promise<Outcome> {
  return context.client.write(
    step.operation,
    resolvedPathIds(step.change, context),
    listBody(runnable, wireOf(context)),
  )
}

/** Writes a link. Writing it twice gives one link, so a rejected request is sent again without a check (A101). */
function writeLink({ operation, ids, to }: Extract<Step, { work: 'link' }>, context: SendContext): Promise<Outcome> {
  const body = to && { id: context.ids.resolve(to) }
  return untilTaken(() => context.client.write(operation, ids, body), context)
}

/**
 * The result of a link that is written by its own route. If the platform ignored it in the update and its route refuses it, it
 * was not kept.
 */
function linked(
  step: Extract<Step, { work: 'link' }>,
  runnable: readonly Change[],
  context: SendContext,
  outcome: Outcome,
): StepResult {
  const { change } = step
  if (outcome.is !== 'refused' || step.tried === 'nothing') return finished(runnable, context, outcome)
  const fields = change.fields.map((field) => field.path).join(', ')
  const refusal = `${requestText(step, context.ids)} is refused: ${outcome.status} ${outcome.message}`
  const words = `the platform accepted it and did not keep ${fields}, and ${refusal}`
  const { id } = change.live
  const error: ChangeError = { ...because(words), complaints: outcome.complaints }
  return { is: 'results', results: new Map([[change.address, { outcome: 'notKept', id, error }]]) }
}

/** The same outcome for all changes in one request. */
function finished(runnable: readonly Change[], context: SendContext, outcome: Outcome): StepResult {
  const results = new Map(
    runnable.map((change) => [change.address, changeResult(change, runnable, outcome, context)] as const),
  )
  return outcome.is === 'quota' ? { is: 'quota', results, reason: outcome.message } : { is: 'results', results }
}

/**
 * The id of a link is the id of its linked object. That is also known if the link was written in a list and no answer contains
 * it.
 */
const linkId = (change: Change, { ids }: SendContext): string | undefined =>
  change.action === 'create' && change.link ? ids.find(change.link.target) : undefined

function changeResult(
  change: Change,
  runnable: readonly Change[],
  outcome: Outcome,
  context: SendContext,
): ChangeResult {
  const live = liveOf(change)?.id
  const id = context.ids.of(change.address) ?? live
  switch (outcome.is) {
    case 'done':
      return {
        outcome: 'applied',
        id: id ?? linkId(change, context) ?? '',
        ...(change.action === 'update' && outcome.answer && { answer: outcome.answer }),
      }
    case 'quota':
      return { outcome: 'notStarted', id, error: because(outcome.message) }
    case 'unreachable':
      // A request that an interruption prevented was not tried.
      if (context.signal.aborted) return { outcome: 'notStarted', id, error: because(outcome.message) }
      return { outcome: 'failed', id, error: because(outcome.message) }
    case 'busy':
      return { outcome: 'failed', id, error: because(outcome.message) }
    case 'unknown':
      return { outcome: 'failed', id, error: because(outcome.message), answered: 'no' }
    case 'refused':
      return refusedResult(change, runnable, outcome, id, context)
  }
}

const notOffered = (change: Change, status: number): boolean =>
  status === 405 || status === 501 || (status === 404 && change.action === 'create')

function refusedResult(
  change: Change,
  runnable: readonly Change[],
  outcome: Extract<Outcome, { is: 'refused' }>,
  id: string | undefined,
  context: SendContext,
): ChangeResult {
  const error: ChangeError = {
    message: outcome.message,
    status: outcome.status,
    errorCode: outcome.errorCode,
    complaints: outcome.complaints,
  }
  if (notOffered(change, outcome.status)) {
    const message = `not offered by this platform (${outcome.status} ${outcome.message})`
    return { outcome: 'blocked', id, error: { ...error, status: undefined, message } }
  }
  if (waitsForApproval(runnable, error.complaints, context.awaiting)) return { outcome: 'waiting', id, error }
  // A server may fail after the commit.
  return { outcome: 'failed', id, error, ...(isServerFailure(outcome.status) && { answered: 'no' as const }) }
}
