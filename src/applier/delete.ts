import { catalog } from '../catalog/catalog.js'
import { type ChildField, childFields } from '../catalog/queries.js'
import type { KindName, Operation } from '../catalog/types.js'
import type { Outcome } from '../client/types.js'
import type { Change } from '../planner/plan.js'
import type { SendContext } from './context.js'

/**
 * The lists that still have contents according to a refusal: "has keys", "must not contain keys"; but not "has no keys", or "you
 * may not have the right to delete keys". A list that must have at least one object is left out, because its last object can only
 * be deleted with the parent.
 */
export function listsNamed(
  { kind }: Change,
  { message, complaints }: Extract<Outcome, { is: 'refused' }>,
): readonly ChildField[] {
  const texts = [message, ...complaints.map((each) => each.message)]
  return childFields(catalog[kind]).filter(({ field, single }) => {
    const holds = new RegExp(`${contains}${withoutRights}\\b(${wordsFor(field)})\\b`, 'i')
    const isNamed = complaints.some(({ property }) => property === field) || texts.some((text) => holds.test(text))
    return !single && !catalog[kind].atLeastOne.includes(field) && isNamed
  })
}

/** A verb of a refusal that blames contents, as a pattern, and the words between it and them. */
const contains = String.raw`(?<!\bd(?:o|id|oes)(?: not|n['’]t) )\b(?:has|have|holds?|contains?)\b(?! no\b)`

const withoutRights = String.raw`(?:(?!\b(?:rights?|permissions?|privileges?)\b).)*`

/** The words for the objects of a list, as a pattern: "packageKeys", "package keys", and in the plural "keys" alone. */
function wordsFor(field: string): string {
  const words = field.replace(/s$/, '').split(/(?=[A-Z])/)
  const whole = `${words.join('[ -]?')}s?`
  return words.length === 1 ? whole : `${whole}|${words.at(-1)}s`
}

/**
 * Deletes an object. If the answer is 404, or an error with a success status, the delete is done only if the object is no longer
 * listed (design §4, Operations).
 */
export async function remove(
  name: KindName,
  operation: Operation,
  ids: Readonly<Record<string, string>>,
  context: SendContext,
): Promise<Outcome> {
  const outcome = await context.client.write(operation, ids, undefined)
  if (outcome.is !== 'refused' || (outcome.status !== 404 && outcome.status > 299)) return outcome
  const kind = catalog[name]
  // A single child has no list.
  if (kind.naming === undefined) return outcome.status === 404 ? { is: 'done', objects: [] } : outcome
  const listed = await context.client.listIds(kind, ids)
  const own = ids[kind.idParameter]
  const gone = listed !== 'not-offered' && own !== undefined && !listed.includes(own)
  return gone ? { is: 'done', objects: [] } : outcome
}
