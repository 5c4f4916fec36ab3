import type { Change } from '../planner/plan.js'
import type { Moves, PutBack } from './moves.js'
import { asReported, because, type ChangeResult, type NotDone, type RunInput, type RunJournal } from './run.js'

/** The results of the changes of a run so far. Each is recorded and reported as soon as it is known. */
export class Results {
  readonly #known = new Map<string, ChangeResult>()
  /** Results of objects at temporary routes. They are reported when it is known whether the objects were restored. */
  readonly #held = new Map<Change, NotDone>()
  /** Objects to be replaced that are already deleted. */
  readonly #removed = new Set<Change>()
  readonly #written: Promise<void>[] = []
  readonly #onProgress: RunInput['onProgress']
  readonly #journal: RunJournal
  readonly #moves: Moves

  constructor(onProgress: RunInput['onProgress'], journal: RunJournal, moves: Moves) {
    this.#onProgress = onProgress
    this.#journal = journal
    this.#moves = moves
  }

  get known(): ReadonlyMap<string, ChangeResult> {
    return this.#known
  }

  /** The result of a change so far, reported or not. */
  of(change: Change): ChangeResult | undefined {
    return this.#held.get(change) ?? this.#known.get(change.address)
  }

  /** Notes that the object of a replace is deleted. It is not created again yet. */
  remove(change: Change): void {
    this.#removed.add(change)
  }

  isRemoved(change: Change): boolean {
    return this.#removed.has(change)
  }

  /** Notes the result of a step of a change. The worst result of its steps counts. */
  add(change: Change, result: ChangeResult): void {
    const known = this.#known.get(change.address)
    // A created service whose roles were refused is not done.
    if (known && (known.outcome !== 'applied' || result.outcome === 'applied')) return
    if (result.outcome === 'applied') this.#conclude(change, result)
    else if (known && isMadeInParts(change)) this.#conclude(change, incomplete(change, result))
    else if (!this.#moves.isOpen(change)) this.#conclude(change, this.#moves.withTemporary(change, result))
    else if (!this.#held.has(change)) this.#held.set(change, result)
  }

  /** Notes that the request after a create is done. */
  follow(change: Change): void {
    const known = this.#known.get(change.address)
    if (known?.outcome === 'applied') this.#note(change, { ...known, following: [] })
  }

  /** Notes that something that the change needs is missing. */
  block(change: Change, id: string | undefined, reason: string): void {
    this.add(change, { outcome: 'blocked', id, error: because(reason) })
  }

  /** Notes that an object has its earlier values again. */
  putBack(step: PutBack): void {
    this.#conclude(step.change, this.#moves.putBack(step, this.of(step.change)))
  }

  /** Reports objects that could not be restored. Resolves when everything is recorded. */
  async end(): Promise<void> {
    for (const [change, result] of this.#held) {
      if (this.#moves.isOpen(change)) this.#conclude(change, this.#moves.withTemporary(change, result))
    }
    await Promise.all(this.#written)
  }

  #conclude(change: Change, ending: ChangeResult): void {
    const isLost = this.isRemoved(change) && ending.outcome !== 'applied'
    const result = isLost ? withoutObject(ending) : ending
    this.#onProgress({ is: 'finished', address: change.address, action: change.action, outcome: result.outcome })
    this.#note(change, result)
  }

  #note(change: Change, result: ChangeResult): void {
    this.#known.set(change.address, result)
    this.#written.push(this.#journal.finish(change, asReported(result)))
  }
}

/** Whether it can end with some of its requests done. Those with a temporary value have words of their own. */
const isMadeInParts = (change: Change): boolean =>
  change.action === 'create' || (change.action === 'update' && !change.temporary)

/** The result of a change of which a part is made. It is not "blocked" or "not started": something was changed. */
function incomplete({ action }: Change, result: NotDone): NotDone {
  const { error, outcome } = result
  const words = action === 'create' ? 'the object is created, but not complete' : 'a part of the update is made'
  const known = { ...result, error: { ...error, message: `${error.message}; ${words}` } }
  const ending: NotDone = outcome === 'blocked' || outcome === 'notStarted' ? { ...known, outcome: 'failed' } : known
  return action === 'update' ? { ...ending, part: true } : ending
}

/** The result of a replace whose object is deleted and not created again. It counts as failed, because something was changed. */
function withoutObject({ error, ...result }: NotDone): NotDone {
  const message = `${error.message}; the old one is deleted`
  return { ...result, outcome: 'failed', id: undefined, error: { ...error, message }, removed: true }
}
