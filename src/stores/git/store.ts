import { groupBy } from '../../json/groups.js'
import { jsonLines } from '../../json/json.js'
import { ProblemError } from '../../problems/problem.js'
import { lockLost } from '../../problems/records.js'
import { byAddressOrder, withKept } from '../receipts.js'
import {
  type AreaKey,
  type Journal,
  type Lock,
  type Notified,
  ownKeys,
  type ProjectKey,
  type Receipt,
  type Records,
} from '../record.js'
import { chosenRun, type NamedRun, ofEachRun, recentRuns } from '../runs.js'
import { isNotified, isReceipt } from '../shape.js'
import { type AreaView, areaView } from './area.js'
import { type Book, bookOf, type Changed, type Pages, pagesAt } from './book.js'
import { beginGitJournal, type Checkpoints, checkpoints, readRuns } from './journal.js'
import { isReceiptsFile, notifiedFile, projectRef, receiptsFile, refsOf, runFolders } from './layout.js'
import { gitLockHolder, type LockPlace, takeGitLock } from './lock.js'
import { openRemote, type RemoteTiming } from './repository.js'

/** Intervals and limits of time; tests use shorter ones. */
export interface GitTiming extends Partial<RemoteTiming>, Partial<Checkpoints> {
  readonly heartbeatMs?: number
  readonly staleMs?: number
}

/**
 * Records in refs of a git remote, next to the branches (`layout.ts`). They are read by fetch, and written by commits that are
 * pushed only if the ref is where it was seen. `folder` is in the repository; neither the files nor the refs of that repository
 * change.
 */
export async function gitRecords(
  { folder, remote: name }: { readonly folder: string; readonly remote: string },
  { now, ...timing }: { readonly now: () => number } & GitTiming,
): Promise<Records> {
  const { heartbeatMs = 20_000, staleMs = 60_000, pausesMs = [500, 2_000], limitMs = 60_000 } = timing
  const remote = await openRemote(folder, name, { pausesMs, limitMs })
  const areas = new Map<string, AreaView & LockPlace>()
  const books = new Map<string, Book>()
  const journals = new Set<Journal>()
  const locks = new Map<string, Lock>()

  const areaAt = (key: AreaKey): AreaView & LockPlace => {
    const refs = refsOf(key)
    const known = areas.get(refs.all)
    if (known) return known
    const area = areaView(remote, refs)
    const made = { ...area, remote, area, seen: new Map<string, number>(), patience: { heartbeatMs, staleMs } }
    areas.set(refs.all, made)
    return made
  }
  const bookAt = (key: ProjectKey): Book => {
    const ref = projectRef(key)
    const book = books.get(ref) ?? bookOf(remote, areaAt(key), ref, key)
    books.set(ref, book)
    return book
  }

  return {
    lock: async (key, worker, run) => {
      const taking = await takeGitLock(areaAt(key), { worker, run, since: now() })
      if (taking.is === 'taken') locks.set(refsOf(key).all, taking.lock)
      return taking
    },
    holder: (key) => gitLockHolder(areaAt(key)),
    begin: async (head, ahead) => {
      const journal = await beginGitJournal(bookAt(head.key), head, ahead?.() ?? [], { ...checkpoints, ...timing, now })
      journals.add(journal)
      return journal
    },
    runs: async (key, of) => {
      const pages = await bookAt(key).pages()
      return ofEachRun(runFolders(pages.paths), (folders) => readRuns(pages, folders), of)
    },
    recent: async (key) => recentRuns(runsIn(await bookAt(key).pages())),
    run: async (key, run) => chosenRun(runsIn(await bookAt(key).pages()), run),
    forget: (key, runs) => {
      const gone = new Set(runs)
      const files = (pages: Pages) => {
        const folders = runFolders(pages.paths).filter(({ run }) => gone.has(run))
        // A whole folder is removed.
        return Promise.resolve(new Map(folders.map(({ path }) => [path.slice(0, -1), undefined])))
      }
      return bookAt(key).write({ files, message: `${runs.length} runs removed`, history: 'removed' })
    },
    receipts: async (key) => readReceipts(await bookAt(key).pages()),
    keep: (key, receipts, forget) => {
      const lock = locks.get(refsOf(key).all)
      const files = async (pages: Pages) => {
        // It is asked again before each attempt: a push may take long, and another run may have begun meanwhile.
        if (lock && !(await lock.isHeld())) throw new ProblemError([lockLost(key.area)])
        return filesWith(pages, receipts, forget)
      }
      return bookAt(key).write({ files, message: 'receipts' })
    },
    claims: async (key) => {
      const refs = await areaAt(key).now()
      const { projects } = refsOf(key)
      const own = ownKeys(key).map(projectRef)
      const others = [...refs].filter(([ref]) => ref.startsWith(projects) && !own.includes(ref))
      const read = others.map(async ([ref, commit]) => readReceipts(await pagesAt(remote, ref, commit)))
      return (await Promise.all(read)).flat().sort(byAddressOrder)
    },
    notified: async (key) => notifiedIn(await bookAt(key).pages()),
    changeNotified: (key, change) => {
      const files = async (pages: Pages) => {
        const after = change(await notifiedIn(pages))
        return new Map([[notifiedFile, after.length === 0 ? undefined : jsonLines(after)]])
      }
      return bookAt(key).write({ files, message: 'what webhooks were told' })
    },
    close: async () => {
      // Failed writes were reported to their callers; the lock must be released anyway.
      await Promise.all([...journals].map((journal) => journal.close().catch(() => undefined)))
      await Promise.all([...books.values()].map((book) => book.finished()))
      await Promise.all([...locks.values()].map((lock) => lock.release()))
      remote.close()
    },
  }
}

async function notifiedIn(pages: Pages): Promise<readonly Notified[]> {
  const [text = ''] = await pages.read([notifiedFile])
  return pages.lines(notifiedFile, text, isNotified)
}

/** The runs of a project, newest first. */
const runsIn = (pages: Pages): readonly NamedRun[] =>
  runFolders(pages.paths).map((folder) => ({
    run: folder.run,
    read: async () => (await readRuns(pages, [folder]))[0],
  }))

/** All receipts of a project, sorted by address. */
const readReceipts = async (pages: Pages): Promise<readonly Receipt[]> =>
  [...(await receiptsIn(pages, pages.paths.filter(isReceiptsFile)))].sort(byAddressOrder)

/** The files in which receipts are written or removed, with their new content; a file without receipts is removed. */
async function filesWith(pages: Pages, receipts: readonly Receipt[], forget: readonly string[]): Promise<Changed> {
  const touched = new Set([...receipts.map(({ address }) => address), ...forget].map(receiptsFile))
  const after = withKept(await receiptsIn(pages, [...touched]), [{ receipts, forget }])
  const byFile = groupBy(after, ({ address }) => receiptsFile(address))
  return new Map(
    [...touched].map((path) => {
      const kept = byFile.get(path)
      return [path, kept && jsonLines(kept)]
    }),
  )
}

async function receiptsIn(pages: Pages, paths: readonly string[]): Promise<readonly Receipt[]> {
  const texts = await pages.read(paths)
  const there = new Set(pages.paths)
  return paths.flatMap((path, index) => {
    const text = texts[index] ?? ''
    // A file without receipts is never written: an empty one has lost them.
    return text === '' && there.has(path) ? [pages.line(path, text, isReceipt)] : pages.lines(path, text, isReceipt)
  })
}
