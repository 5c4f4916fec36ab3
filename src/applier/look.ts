import { catalog } from '../catalog/catalog.js'
import type { Client } from '../client/types.js'
import type { CreateChange } from '../planner/plan.js'
import { isAddedByPlatform } from '../planner/prune/ownership.js'
import type { Step } from '../planner/steps/step.js'
import { earlyTries, type SendContext, type StepResult } from './context.js'
import { lookPatiently, pathIds } from './existing.js'
import { addedId } from './request-text.js'

/** Searches for objects that the platform adds by itself to a new object, because the next request depends on them. */

/** Whether the request of a step is known only after a search. */
export function needsLook(step: Step, { ids, madeHere }: SendContext): boolean {
  if (step.work === 'remove-defaults') return true
  if (step.work !== 'create' || ids.of(step.change.address) !== undefined) return false
  const { kind, resource } = step.change
  return madeHere.has(resource.parent ?? '') && isAddedByPlatform({ kind, key: resource.key })
}

/** Searches, and returns the steps that replace the step. Undefined if the step itself can be sent now. */
export async function look(step: Step, context: SendContext): Promise<StepResult | undefined> {
  if (step.work === 'remove-defaults') return { is: 'instead', steps: await removals(step, context) }
  if (step.work !== 'create') return undefined
  const { change } = step
  const ids = pathIds(change, context.ids.find)
  const found =
    ids && (await inNew(() => context.client.findByName(catalog[change.kind], ids, change.resource.key), context))
  // The answer to the create of the parent may not contain the object.
  if (found?.[0] !== undefined) context.ids.learn(change.address, String(found[0].id))
  return undefined
}

/** A step for each child that the platform has added by itself and that is missing in the written list, under any name. */
async function removals(
  step: Extract<Step, { work: 'remove-defaults' }>,
  context: SendContext,
): Promise<readonly Step[]> {
  const { change, operation, child, declared } = step
  const own = context.ids.of(change.address)
  const kept = declared.map((address) => context.ids.of(address))
  const parents = pathIds(change, context.ids.find)
  // Without the id of each declared one, it cannot be distinguished from an added one.
  if (own === undefined || !parents || kept.includes(undefined)) return []
  const ids = { ...parents, [catalog[change.kind].idParameter]: own }
  const known = addedId(step, context.ids)
  const there = known === undefined ? await inNew(() => idsThere(child, ids, context.client), context) : [known]
  return there
    .filter((id) => !kept.includes(id))
    .map((id) => ({
      id: `${step.id} ${id}`,
      work: 'remove',
      operation,
      change,
      members: [change],
      child,
      ids: { ...ids, [catalog[child].idParameter]: id },
      needs: [],
      gives: [],
    }))
}

const idsThere = async (
  child: CreateChange['kind'],
  ids: Readonly<Record<string, string>>,
  client: Client,
): Promise<readonly string[]> => (await client.list(catalog[child], ids)).map((each) => String(each.id))

/** Reads lists of a new object. They may be refused for a while, because the object is not visible yet. */
async function inNew<Found>(list: () => Promise<readonly Found[]>, context: SendContext): Promise<readonly Found[]> {
  return (await lookPatiently(list, earlyPauses, context)) ?? []
}

const earlyPauses = Array.from({ length: earlyTries }, () => 2000)
