import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { jsonLines, parseJson } from '../../json/json.js'
import { once } from '../../json/once.js'
import { gitFailed, gitLockDamaged } from '../../problems/git-records.js'
import { ProblemError } from '../../problems/problem.js'
import { isMark, lifeHere, ownMark, type ProcessMark } from '../liveness.js'
import { type Patience, pulse } from '../pulse.js'
import type { HeldLock, Lock, LockRequest, Taking } from '../record.js'
import { isHeldLock, isLockState, isMap, type LockState } from '../shape.js'
import type { AreaView } from './area.js'
import { lockFile } from './layout.js'
import type { Remote } from './repository.js'

/**
 * The lock of an area is the ref `lock`. A process takes the lock when it moves the ref from the commit that it has seen there,
 * and moves the ref again and again while it lives. If the ref does not move for a minute, the holder is gone. A waiting process
 * measures this with its own clock, because clocks of machines differ (A120).
 */
export interface LockPlace {
  readonly remote: Remote
  readonly area: AreaView
  /** The commit at which the ref was seen, and since when. */
  readonly seen: Map<string, number>
  readonly patience: Patience
}

interface GitClaim extends HeldLock {
  readonly process: ProcessMark
  readonly host: string
  /** Milliseconds since 1970, by the holder's clock. */
  readonly at: number
}

const isClaim = (value: unknown): value is GitClaim =>
  isMap(value) &&
  isHeldLock(value) &&
  isMark(value.process) &&
  typeof value.host === 'string' &&
  typeof value.at === 'number'

/** Takes the lock, or returns its holder. */
export async function takeGitLock(place: LockPlace, { worker, run, since }: LockRequest): Promise<Taking> {
  const { remote, area } = place
  const claim = { heldBy: worker, since, run, process: await ownMark(), host: hostname() }
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const at = (await area.fetch()).get(area.refs.lock)
    const found = at === undefined ? undefined : await holderAt(place, at)
    if (found) return found
    place.seen.clear()
    const taken = Date.now()
    const to = await lockCommit(remote, at, { state: 'held', claim: { ...claim, at: taken } })
    const pushed = await remote.push(area.refs.lock, { from: at, to })
    if (pushed.is === 'pushed') return { is: 'taken', lock: held(place, to, claim, taken) }
    await setTimeout(Math.random() * pauseMs)
  }
  throw new ProblemError([gitFailed(remote.where, `others move ${area.refs.lock} all the time`)])
}

/** The most attempts. An attempt fails if another runner has taken or released the lock meanwhile. */
const attempts = 20
const pauseMs = 100

/** The holder of the lock, for information only: this compares the clocks of two machines. */
export async function gitLockHolder({ remote, area, patience }: LockPlace): Promise<HeldLock | undefined> {
  const at = (await area.now()).get(area.refs.lock)
  const content = at === undefined ? undefined : await contentAt(remote, area, at)
  if (content?.state !== 'held') return undefined
  const { claim } = content
  const life = await lifeHere(claim.process, claim.host)
  if (life === 'dead' || (life === 'elsewhere' && Math.abs(Date.now() - claim.at) > patience.staleMs)) return undefined
  return heldLock(claim)
}

const heldLock = ({ heldBy, since, run }: GitClaim): HeldLock => ({ heldBy, since, run })

/** The holder; undefined if the lock can be taken. */
async function holderAt({ remote, area, seen, patience }: LockPlace, at: string): Promise<Taking | undefined> {
  const content = await contentAt(remote, area, at)
  if (content?.state !== 'held') return undefined
  const { claim } = content
  const life = await lifeHere(claim.process, claim.host)
  if (life === 'dead') return undefined
  const by = heldLock(claim)
  if (life === 'alive') return { is: 'held', by }
  const now = Date.now()
  const known = seen.get(at)
  const hasMoved = known === undefined && seen.size > 0
  seen.clear()
  seen.set(at, known ?? now)
  const silentMs = now - (known ?? now)
  if (silentMs >= patience.staleMs) return undefined
  return hasMoved ? { is: 'held', by } : { is: 'held', by, freeInMs: patience.staleMs - silentMs }
}

async function contentAt(remote: Remote, area: AreaView, commit: string): Promise<LockState<GitClaim> | undefined> {
  const blob = (await remote.files(commit))?.get(lockFile)
  const [text = ''] = blob === undefined ? [] : await remote.read([blob])
  const content = parseJson(text)
  if (isLockState(content, isClaim)) return content
  throw new ProblemError([gitLockDamaged(remote.where, area.refs.lock)])
}

const lockCommit = (remote: Remote, parent: string | undefined, content: LockState<GitClaim>): Promise<string> =>
  remote.commit({
    parent,
    files: new Map([[lockFile, jsonLines([content])]]),
    message: content.state === 'held' ? `held by ${content.claim.heldBy.who}` : 'released',
  })

function held({ remote, area, patience }: LockPlace, first: string, claim: Omit<GitClaim, 'at'>, since: number): Lock {
  let at = first
  /** A push whose answer was lost may have moved the ref. */
  const ours = new Set([first])
  const lost = new AbortController()
  const move = async (content: LockState<GitClaim>, tries?: 'once'): Promise<'done' | 'behind' | 'lost'> => {
    const to = await lockCommit(remote, at, content)
    ours.add(to)
    const pushed = await remote.push(area.refs.lock, { from: at, to }, tries)
    const there = pushed.is === 'pushed' ? to : pushed.at
    if (there === undefined || !ours.has(there)) return 'lost'
    at = there
    return pushed.is === 'pushed' ? 'done' : 'behind'
  }
  // If an earlier push of ours has moved the ref, nobody else has.
  const beat = async () => (await move({ state: 'held', claim: { ...claim, at: Date.now() } }, 'once')) !== 'lost'
  const { isHeld, stop } = pulse(beat, { ...patience, since }, lost)
  let isReleased = false
  const release = once(async (): Promise<void> => {
    isReleased = true
    await stop()
    if (lost.signal.aborted) return
    try {
      for (let attempt = 0; attempt < 3 && (await move({ state: 'released' })) === 'behind'; ) attempt += 1
    } catch {
      // The lock is free a minute after the last heartbeat anyway.
    }
  })
  area.locked(() => !isReleased && !lost.signal.aborted && isHeld() === true)
  return { lost: lost.signal, isHeld, release }
}
