import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../files/folders.js'
import { codeOf } from '../../files/system-error.js'
import { jsonLines, parseJson } from '../../json/json.js'
import { once } from '../../json/once.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import { lockDamaged } from '../../problems/records.js'
import { isMark, lifeOf, ownMark, type ProcessMark } from '../liveness.js'
import { type Patience, pulse, type Timing } from '../pulse.js'
import { type HeldLock, type Lock, type LockRequest, type Taking, unknownWorker } from '../record.js'
import { countOf, isHeldLock, isLockState, isMap, type LockState } from '../shape.js'
import { unlessMissing } from './failures.js'

/**
 * The lock of an area is the file `lock.N` with the highest N. A process takes the lock when it links `lock.N+1`; only one of
 * several processes can do that. The highest file is never removed; at the end it says "released". So no N is used twice, and a
 * slow process cannot take a lock that another one has taken over meanwhile.
 */

interface FolderClaim extends HeldLock {
  readonly process: ProcessMark
}

/** The content of a lock file; undefined if it cannot be read. */
type LockContent = LockState<FolderClaim> | undefined

const isClaim = (value: unknown): value is FolderClaim => isMap(value) && isHeldLock(value) && isMark(value.process)

/** Takes the lock in a folder, or returns its holder. */
export async function takeLock(
  folder: string,
  { worker, run, since }: LockRequest,
  patience: Patience,
): Promise<Taking> {
  makeFolder(folder)
  const claim: FolderClaim = { heldBy: worker, since, run, process: await ownMark() }
  const draft = join(folder, `lock.${randomBytes(6).toString('hex')}.new`)
  try {
    for (;;) {
      const written = Date.now()
      writeFileSync(draft, lockLine({ state: 'held', claim }), { mode: 0o600 })
      const highest = highestIn(folder)
      // The clock of the file system, which also dated the holder's heartbeat: clocks of machines differ.
      const by = await holderOf(folder, highest, { now: modified(draft), staleMs: patience.staleMs })
      if (by !== undefined) return { is: 'held', by }
      const number = highest + 1
      if (!linked(draft, fileOf(folder, number))) continue
      if (highestIn(folder) === number) {
        return { is: 'taken', lock: await held(folder, number, { ...patience, since: written }) }
      }
      rmSync(fileOf(folder, number), { force: true })
    }
  } finally {
    removeDraft(draft)
  }
}

function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // A later taker removes the file; the lock is not affected.
  }
}

/** The holder of the lock in a folder. Writes nothing. */
export async function lockHolder(folder: string, { staleMs }: Patience): Promise<HeldLock | undefined> {
  return await holderOf(folder, highestIn(folder), { now: Date.now(), staleMs })
}

const fileOf = (folder: string, number: number): string => join(folder, `lock.${number}`)

const lockLine = (content: LockState<FolderClaim>): string => jsonLines([content])

function numbersIn(folder: string): readonly number[] {
  const names = unlessMissing(() => readdirSync(folder)) ?? []
  return names.flatMap((name) => {
    const [, digits] = /^lock\.(\d+)$/.exec(name) ?? []
    return digits === undefined ? [] : countOf(join(folder, name), digits, damaged(join(folder, name)))
  })
}

/** 0 if nobody ever took the lock. */
const highestIn = (folder: string): number => Math.max(0, ...numbersIn(folder))

async function holderOf(
  folder: string,
  number: number,
  { now, staleMs }: { readonly now: number; readonly staleMs: number },
): Promise<HeldLock | undefined> {
  const read = contentOf(fileOf(folder, number))
  if (read === undefined || read.content?.state === 'released') return undefined
  const isSilent = now - read.modified > staleMs
  // A file that cannot be read yet is being copied to its place.
  if (read.content === undefined)
    return isSilent ? undefined : { heldBy: unknownWorker, since: read.modified, run: undefined }
  const { process, heldBy, since, run } = read.content.claim
  const life = await lifeOf(process)
  if (life === 'dead' || (life === 'elsewhere' && isSilent)) return undefined
  return { heldBy, since, run }
}

function contentOf(file: string): { content: LockContent; modified: number } | undefined {
  const read = opened(file, (handle) => ({ text: readFileSync(handle, 'utf8'), modified: fstatSync(handle).mtimeMs }))
  return read && { content: contentIn(read.text, file), modified: read.modified }
}

const modified = (file: string): number => opened(file, (handle) => fstatSync(handle).mtimeMs) ?? Date.now()

/** The file is opened, not just looked up: network file systems update the time of a file only when it is opened. */
function opened<Value>(file: string, work: (handle: number) => Value): Value | undefined {
  const handle = unlessMissing(() => openSync(file, 'r'))
  if (handle === undefined) return undefined
  try {
    return work(handle)
  } finally {
    closeSync(handle)
  }
}

/** A text that is not JSON is still being copied, or was cut off. */
function contentIn(text: string, file: string): LockContent {
  const content = parseJson(text)
  if (content === undefined || isLockState(content, isClaim)) return content
  throw new ProblemError([damaged(file)])
}

const damaged = (file: string): Problem => lockDamaged(file, 'remove the file')

/** False if somebody else was faster. On file systems without links the file is copied, which is exclusive as well. */
function linked(draft: string, file: string): boolean {
  try {
    try {
      linkSync(draft, file)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw error
      copyFileSync(draft, file, constants.COPYFILE_EXCL)
    }
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function held(folder: string, number: number, timing: Timing): Promise<Lock> {
  sweep(folder, number, timing.staleMs)
  const handle = await open(fileOf(folder, number), 'r+')
  const text = await handle.readFile()
  const lost = new AbortController()
  const { isHeld, stop } = pulse(() => beat(folder, number, handle, text), timing, lost)
  const release = once(async (): Promise<void> => {
    await stop()
    try {
      // It is written in place with the same length: this needs no space on a full disk.
      const released = Buffer.from(
        lockLine({ state: 'released' })
          .trim()
          .padEnd(text.length - 1),
      )
      await handle.write(released, 0, released.length, 0)
    } catch {
      // The lock ends with this process anyway.
    } finally {
      await handle.close()
    }
  })
  return { lost: lost.signal, isHeld, release }
}

/** Writes the same bytes again, so that the file system updates the time; false if somebody else has the lock by now. */
async function beat(folder: string, number: number, handle: FileHandle, text: Buffer): Promise<boolean> {
  if (highestIn(folder) !== number) return false
  await handle.write(text, 0, text.length, 0)
  // Network file systems may keep data back for a while if it is not synchronised to disk.
  await handle.datasync()
  return true
}

/** Removes the files of earlier holders, and drafts of takers that were killed. */
function sweep(folder: string, number: number, staleMs: number): void {
  const earlier = numbersIn(folder)
    .filter((each) => each < number)
    .map((each) => fileOf(folder, each))
  const drafts = readdirSync(folder)
    .filter((name) => /^lock\..*\.new$/.test(name))
    .map((name) => join(folder, name))
  const now = Date.now()
  const old = drafts.filter((draft) => now - modified(draft) > staleMs)
  for (const file of [...earlier, ...old]) rmSync(file, { force: true })
}
