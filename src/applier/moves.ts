import { catalog } from '../catalog/catalog.js'
import { isHiddenAnswer } from '../catalog/hidden-answer.js'
import type { Operation } from '../catalog/types.js'
import { append } from '../json/groups.js'
import { isObject } from '../json/json.js'
import { type Change, type FieldValues, plainValues, type UpdateChange } from '../planner/plan.js'
import { made, type Step } from '../planner/steps/step.js'
import { because, type ChangeResult, isUncertain, type NotDone } from './run.js'

/**
 * Objects with temporary values, which let other objects change first. No endpoint remains at a temporary path: a move that has
 * begun is finished even if the run is interrupted, and if it cannot be finished, all its objects get their earlier values again
 * (A85).
 */
export class Moves {
  readonly #changes: ReadonlyMap<string, Change>
  /** The changes that take the earlier values of another object, by the address of that object. */
  readonly #takers: ReadonlyMap<string, readonly Change[]>
  /** Changes whose temporary values are written, or may be, with the addresses of all changes that they need. */
  readonly #open = new Map<UpdateChange, ReadonlySet<string>>()
  readonly #back = new Set<Change>()

  constructor(changes: readonly Change[]) {
    this.#changes = new Map(changes.map((change) => [change.address, change]))
    this.#takers = takersIn(changes)
  }

  /** Notes that the temporary values of a change are written, or may be. */
  begin(change: UpdateChange): void {
    this.#open.set(change, isRoute(change) ? this.#neededBy(change) : new Set())
  }

  /** Notes that the object has its desired values, or its earlier ones. */
  end(change: UpdateChange): void {
    this.#open.delete(change)
  }

  /** Whether an object is at a temporary route, or may be. Its result is reported when it is known whether it was restored. */
  isOpen(change: Change): change is UpdateChange {
    return change.action === 'update' && this.#open.has(change) && isRoute(change)
  }

  /** Whether a step belongs to a move that has begun. */
  isUnderWay(step: Step): boolean {
    return step.work === 'putBack' || [...this.#open.values()].some((needed) => needed.has(step.change.address))
  }

  /**
   * The step that restores an object whose update was not done. It waits for the changes that take the object's earlier values.
   */
  putBackStep(change: UpdateChange, cause: string, result: ChangeResult | undefined): Step {
    const written = mayBeThere(result) ? change.values : {}
    const values = valuesBefore(change, Object.keys({ ...change.temporary?.values, ...written }))
    const needs = this.#takersOf(change).map((taker) => made(taker.address))
    const [id, gives] = [`put back ${change.address}`, [back(change.address)]]
    return { work: 'putBack', id, operation: updateOf(change), change, members: [change], values, cause, needs, gives }
  }

  /**
   * The steps that replace a restoring step that cannot be done yet: objects that have taken the earlier values are restored
   * first.
   */
  stepsFirst(step: PutBack, results: ReadonlyMap<string, ChangeResult>): readonly Step[] {
    const first = this.#takersOf(step.change).filter(
      (taker): taker is UpdateChange =>
        taker.action === 'update' && !this.#back.has(taker) && mayBeThere(results.get(taker.address)),
    )
    if (first.length === 0) return []
    const steps = first.map((taker) => this.putBackStep(taker, step.cause, results.get(taker.address)))
    return [...steps, { ...step, needs: first.map((taker) => back(taker.address)) }]
  }

  /** Notes that an object is restored. Returns its result. */
  putBack({ change, cause }: PutBack, result: ChangeResult | undefined): NotDone {
    this.#back.add(change)
    this.end(change)
    const id = change.live.id
    if (!result || result.outcome === 'applied') {
      return { outcome: 'blocked', id, error: because(`put back as it was, since ${cause} is not done`), left: {} }
    }
    // Whether an unanswered request was executed does not matter any more.
    const { outcome, error } = result
    return { outcome, id, error: { ...error, message: `${error.message}; put back as it was` }, left: {} }
  }

  /** The result of a change that has written only its temporary values, or may have. */
  withTemporary(change: Change, result: NotDone): NotDone {
    if (change.action !== 'update' || !change.temporary || !this.#open.has(change)) return result
    const left = plainValues(change.temporary.values)
    const verb = mayBeThere(result) ? 'may stand at' : 'stands at'
    const words = Object.entries(left).map(([name, value]) => `${name} ${verb} ${JSON.stringify(value)} for now`)
    const error = { ...result.error, message: [result.error.message, ...words].join('; ') }
    return { ...result, id: change.live.id, error, left }
  }

  /** The addresses of all changes that an update needs, and of the update itself. */
  #neededBy(change: Change): ReadonlySet<string> {
    const needed = new Set<string>()
    const add = (address: string): void => {
      const each = this.#changes.get(address)
      if (!each || needed.has(address)) return
      needed.add(address)
      each.dependsOn.forEach(add)
      each.afterTemporary?.forEach(add)
    }
    add(change.address)
    return needed
  }

  #takersOf(change: Change): readonly Change[] {
    return this.#takers.get(change.address) ?? []
  }
}

export type PutBack = Extract<Step, { work: 'putBack' }>

/** The need that is met when an object has its earlier values again. */
const back = (address: string): string => `back ${address}`

/** Whether an object that must be restored first could not be restored. */
export const isStuck = ({ needs }: PutBack, fails: ReadonlySet<string>): boolean =>
  needs.some((token) => token.startsWith('back ') && fails.has(token))

function updateOf({ kind }: Change): Operation {
  const { update } = catalog[kind].operations
  if (!update) throw new Error(`${kind} has no update`)
  return update
}

const isRoute = (change: UpdateChange): boolean => change.temporary?.is === 'route'

/** The changes that wait for another object with a route only to take its earlier route. */
function takersIn(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const takers = new Map<string, Change[]>()
  for (const change of changes) {
    if (!catalog[change.kind].route) continue
    for (const address of [...change.dependsOn, ...(change.afterTemporary ?? [])]) append(takers, address, change)
  }
  return takers
}

const mayBeThere = (result: ChangeResult | undefined): boolean => result?.outcome === 'applied' || isUncertain(result)

/** The live values of the fields that a change writes. Values that the platform does not return or hides are missing (A391). */
function valuesBefore({ kind, live }: UpdateChange, names: readonly string[]): FieldValues {
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = catalog[kind].fields[name]
      const value = live.fields[name] ?? null
      const isKnown = Object.hasOwn(live.fields, name) || !(field?.secret || field?.writeOnly)
      const isHidden = (field?.secret || isObject(value)) && isHiddenAnswer(value)
      return isKnown && !isHidden ? [[name, { is: 'value', value }] as const] : []
    }),
  )
}
