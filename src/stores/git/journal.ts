import { jsonLines, sameJson } from '../../json/json.js'
import { once } from '../../json/once.js'
import type { Announced, Journal, JournalEntry, RunHead, RunRecord } from '../record.js'
import { isEntry, isMap, isRunHead } from '../shape.js'
import type { Book, Changed, Pages } from './book.js'
import {
  aheadFile,
  entriesFile,
  entriesFiles,
  headFile,
  type RunFolder,
  runFolder,
  runFolders,
  seenFile,
  type WrittenRun,
} from './layout.js'

/** How often the entries of a run are pushed. */
export interface Checkpoints {
  /** After this time, if there are any entries. */
  readonly everyMs: number
  /** Immediately, if there are so many entries. */
  readonly entries: number
  /**
   * How long after a checkpoint a step that was announced ahead may still begin. After that, the next checkpoint must come first.
   */
  readonly aheadMs: number
}

/** Together with the heartbeats of the lock these are six pushes a minute, the most that GitHub recommends. */
export const checkpoints: Checkpoints = { everyMs: 20_000, entries: 1_000, aheadMs: 40_000 }

/**
 * Begins a run with the steps that are known; both are at the remote when this resolves. From then on an entry waits for the
 * remote only if it must: for a step that was not announced ahead, after a silence, and at the end (A121).
 */
export async function beginGitJournal(
  book: Book,
  head: RunHead,
  ahead: readonly Announced[],
  { everyMs, entries: most, aheadMs, now }: Checkpoints & { readonly now: () => number },
): Promise<Journal> {
  let pushedAt = Date.now()
  const folder = await begin(book, head, ahead, now())
  const known = new Map(ahead.map((each) => [each.step, each]))
  /** Entries that are not known to be at the remote. */
  const waiting: JournalEntry[] = []
  let sending: { readonly count: number; readonly at: number } | undefined
  let queued: Promise<void> | undefined
  let checkpoint = 1
  let timer: NodeJS.Timeout | undefined

  // If it is called again, it returns the same file, or the same with more entries.
  const files = (): Promise<Changed> => {
    queued = undefined
    sending = { count: waiting.length, at: Date.now() }
    return Promise.resolve(checkpointFiles(folder, checkpoint, waiting, now()))
  }
  const done = (): void => {
    if (!sending) return
    waiting.splice(0, sending.count)
    pushedAt = sending.at
    checkpoint += 1
    sending = undefined
  }
  const push = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (queued) return queued
    const writing = book.write({ files, done, message: `run ${head.run}` }).finally(() => {
      if (queued === writing) queued = undefined
    })
    queued = writing
    return writing
  }
  const later = (): void => {
    // A failed push is tried again with the next one; while nothing can be pushed, the lock is not held either.
    const tried = (): void => {
      push().catch(later)
    }
    if (waiting.length >= most && timer) tried()
    else timer ??= setTimeout(tried, everyMs).unref()
  }
  const mayWait = (entry: JournalEntry): boolean => {
    if (entry.is === 'settled') return true
    if (entry.is === 'ended' || Date.now() - pushedAt > aheadMs) return false
    return isAhead(entry, known.get(entry.step))
  }
  const close = once(async (): Promise<void> => {
    if (waiting.length > 0) await push()
    clearTimeout(timer)
  })
  return {
    append: async (entry) => {
      waiting.push(entry)
      if (mayWait(entry)) later()
      else await push()
    },
    close,
  }
}

/** At its end a run no longer needs the files about steps that it may have started. */
function checkpointFiles(folder: RunFolder, checkpoint: number, entries: readonly JournalEntry[], at: number): Changed {
  if (entries.length === 0) return new Map()
  const isEnd = entries.some((entry) => entry.is === 'ended')
  const seen: SeenAt = { at }
  return new Map([
    [entriesFile(folder, checkpoint), jsonLines(entries)],
    [seenFile(folder), isEnd ? undefined : jsonLines([seen])],
    ...(isEnd ? [[aheadFile(folder), undefined] as const] : []),
  ])
}

interface SeenAt {
  readonly at: number
}

const isSeen = (value: unknown): value is SeenAt => isMap(value) && typeof value.at === 'number'

/**
 * Whether the announcement ahead has everything about a step that is needed if nothing more is recorded of it; ids were not known
 * then.
 */
function isAhead({ addresses, creates, changes }: Announced, ahead: Announced | undefined): boolean {
  if (!ahead) return false
  const has = (all: readonly string[], some: readonly string[]): boolean => {
    const known = new Set(all)
    return some.every((each) => known.has(each))
  }
  return has(ahead.addresses, addresses) && has(ahead.creates, creates) && sameJson(ahead.changes, changes)
}

async function begin(book: Book, head: RunHead, ahead: readonly Announced[], at: number): Promise<RunFolder> {
  let folder = runFolder(1, head.run)
  let isKnown = false
  const seen: SeenAt = { at }
  const files = (pages: Pages): Promise<Changed> => {
    const [newest, ...older] = runFolders(pages.paths)
    isKnown = [newest, ...older].some((each) => each?.run === head.run)
    folder = runFolder((newest?.number ?? 0) + 1, head.run)
    return Promise.resolve(
      isKnown
        ? new Map()
        : new Map([
            [headFile(folder), jsonLines([head])],
            [aheadFile(folder), jsonLines(ahead)],
            [seenFile(folder), jsonLines([seen])],
          ]),
    )
  }
  await book.write({ files, message: `run ${head.run} begins` })
  if (isKnown) throw new Error(`the run ${head.run} was started before`)
  return folder
}

/** Reads runs as they were written. A run without an end also gets the steps that it may have started after its last checkpoint. */
export async function readRuns(pages: Pages, folders: readonly WrittenRun[]): Promise<readonly RunRecord[]> {
  const parts = folders.map((folder) => ({
    paths: [headFile(folder), aheadFile(folder), seenFile(folder), ...entriesFiles(folder)],
  }))
  const texts = [...(await pages.read(parts.flatMap(({ paths }) => paths)))]
  return parts.map(({ paths: [first = '', ahead = '', seen = '', ...rest] }) => {
    const [headText = '', aheadText = '', seenText = '', ...restTexts] = texts.splice(0, 3 + rest.length)
    const head = pages.line(first, headText, isRunHead)
    const entries = rest.flatMap((path, index) => pages.lines(path, restTexts[index] ?? '', isEntry))
    if (entries.some((entry) => entry.is === 'ended')) return { head, entries }
    const [lastSeen] = pages.lines(seen, seenText, isSeen)
    const announced = pages.lines(ahead, aheadText, isAnnounced)
    const at = (lastSeen?.at ?? head.started) + checkpoints.aheadMs
    return { head, entries: [...entries, ...perhapsStarted(announced, entries, at)] }
  })
}

const isAnnounced = (value: unknown): value is Announced => isEntry(value) && value.is === 'announced'

/** The steps that were announced ahead and are not in the entries: each of them may have been sent until `at`. */
function perhapsStarted(
  ahead: readonly Announced[],
  entries: readonly JournalEntry[],
  at: number,
): readonly JournalEntry[] {
  const announced = new Set(entries.flatMap((entry) => (entry.is === 'announced' ? [entry.step] : [])))
  const settled = new Set(entries.flatMap((entry) => (entry.is === 'settled' ? [entry.address] : [])))
  const isOpen = (address: string): boolean => !settled.has(address)
  return ahead.flatMap((each) =>
    announced.has(each.step) || !each.addresses.some(isOpen)
      ? []
      : [{ ...each, addresses: each.addresses.filter(isOpen), creates: each.creates.filter(isOpen), at }],
  )
}
