import type { Change } from '../planner/plan.js'
import type { Moves, PutBack } from './moves.js'
import { asTold, because, type ChangeResult, type NotDone, type RunInput, type RunJournal } from './run.js'

/** What became of the changes of a run so far; everything is written down and reported as soon as it is known. */
export class Results {
  readonly #known = new Map<string, ChangeResult>()
  /** Of objects at temporary routes: reported when it is known whether they were undone. */
  readonly #held = new Map<Change, NotDone>()
  /** What is to be replaced, and is gone. */
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

  /** What is known of a change, reported or not. */
  of(change: Change): ChangeResult | undefined {
    return this.#held.get(change) ?? this.#known.get(change.address)
  }

  /** The object of a change is gone; what the change is to bring is not there yet. */
  remove(change: Change): void {
    this.#removed.add(change)
  }

  isRemoved(change: Change): boolean {
    return this.#removed.has(change)
  }

  /** One of the steps of a change is done, or is not: the worst of them counts. */
  settle(change: Change, result: ChangeResult): void {
    const known = this.#known.get(change.address)
    // A created service whose roles were refused is not done.
    if (known && (known.outcome !== 'applied' || result.outcome === 'applied')) return
    if (result.outcome === 'applied') this.#conclude(change, result)
    else if (!this.#moves.isOpen(change)) this.#conclude(change, this.#moves.withTemporary(change, result))
    else if (!this.#held.has(change)) this.#held.set(change, result)
  }

  /** The request is done that follows the one which has made the object. */
  follow(change: Change): void {
    const known = this.#known.get(change.address)
    if (known?.outcome === 'applied') this.#note(change, { ...known, following: [] })
  }

  /** Something that the change needs is not done. */
  block(change: Change, id: string | undefined, reason: string): void {
    this.settle(change, { outcome: 'blocked', id, error: because(reason) })
  }

  /** An object is as it was before the run. */
  putBack(step: PutBack): void {
    this.#conclude(step.change, this.#moves.putBack(step, this.of(step.change)))
  }

  /** Tells what could not be put back; resolves when everything is written down. */
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
    this.#written.push(this.#journal.settle(change, asTold(result)))
  }
}

/** Something was done, whatever kept the rest from being done. */
function withoutObject({ error, ...result }: NotDone): NotDone {
  const message = `${error.message}; the old one is deleted`
  return { ...result, outcome: 'failed', id: undefined, error: { ...error, message }, removed: true }
}
