import type { LiveObject } from '../../live/live-object.js'
import type { SourceRange } from '../../manifest/source.js'
import type { Problem } from '../../problems/problem.js'
import type { Base } from '../base/base-object.js'
import type { Matches } from '../match/match.js'
import type { AcceptedDrift } from '../plan.js'
import type { Acceptances } from '../safety/accept.js'
import { isInBase } from './ownership.js'

/** A live object that the plan deletes by its own request, with its contents. */
export interface Deletion {
  readonly object: LiveObject
  /** The position of the text that requests the delete. Absent with `prune: all`. */
  readonly source: SourceRange | undefined
  readonly reason: string
  /** A written list does not have the object and `prune: all` deletes it, or the manifest says null. */
  readonly extra?: true
}

/** The decisions about live objects so far. If an object is deleted for several reasons, the first reason is reported. */
export class Decisions {
  readonly #world: Matches
  readonly #base: Base | undefined
  readonly #acceptances: Acceptances
  readonly #deletions = new Map<LiveObject, Deletion>()
  readonly #accepted = new Map<LiveObject, AcceptedDrift>()
  readonly #kept = new Map<LiveObject, Problem>()
  readonly #problems: Problem[] = []

  constructor(world: Matches, base: Base | undefined, acceptances: Acceptances) {
    this.#world = world
    this.#base = base
    this.#acceptances = acceptances
  }

  /** Deletes an object, unless somebody has accepted its existence. */
  delete(deletion: Deletion): void {
    const { object } = deletion
    if (!this.#deletions.has(object) && !this.accept(object)) this.#deletions.set(object, deletion)
  }

  /** Whether somebody has accepted the existence of the object. If so, notes that. */
  accept(object: LiveObject): boolean {
    const address = this.#acceptances.isEmpty ? '' : this.#world.addressOfLive(object)
    const acceptance = this.#acceptances.ofExtra(address, object.id)
    if (!acceptance) return false
    const applied = isInBase(object, this.#base, this.#world)
    this.#accepted.set(object, { address, kind: object.kind, acceptance, field: undefined, applied })
    return true
  }

  /** Leaves an object alone. The problem is reported unless something else deletes the object. */
  keep(object: LiveObject, problem: Problem): void {
    this.#kept.set(object, problem)
  }

  report(problem: Problem): void {
    this.#problems.push(problem)
  }

  /** Whether an acceptance of the object was noted. */
  isAccepted(object: LiveObject): boolean {
    return this.#accepted.has(object)
  }

  /** Whether the object is deleted by its own request. */
  isDeleted(object: LiveObject): boolean {
    return this.#deletions.has(object)
  }

  /** Whether the object is deleted, by its own request or with an object that contains it. */
  goes(object: LiveObject): boolean {
    return this.isDeleted(object) || this.#isInsideDeleted(object)
  }

  /** The topmost objects to delete. */
  get deletions(): readonly Deletion[] {
    return [...this.#deletions.values()].filter(({ object }) => !this.#isInsideDeleted(object))
  }

  get accepted(): readonly AcceptedDrift[] {
    return [...this.#accepted].flatMap(([object, each]) => (this.#isInsideDeleted(object) ? [] : [each]))
  }

  get problems(): readonly Problem[] {
    const ofKept = [...this.#kept].flatMap(([object, problem]) => (this.goes(object) ? [] : [problem]))
    return [...this.#problems, ...ofKept]
  }

  #isInsideDeleted({ parent }: LiveObject): boolean {
    return parent !== undefined && this.goes(parent)
  }
}
