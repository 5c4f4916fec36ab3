import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Grouped, grouped } from '../grouped.js'
import type { Patience } from '../pulse.js'
import { byAddressOrder, type Keeping } from '../receipts.js'
import {
  type Journal,
  type Lock,
  ownKeys,
  type ProjectKey,
  type Receipt,
  type Records,
  type RunRecord,
} from '../record.js'
import { chosenRun, eachRun, type NamedRun, recentRuns } from '../runs.js'
import { readingIn, unlessMissing, writingIn } from './failures.js'
import { beginJournal, forgetRuns, type RunFile, readRun, runFiles } from './journal.js'
import { areaFolder, checkPlace, projectFolder } from './layout.js'
import { lockHolder, takeLock } from './lock.js'
import { changeNotified, readNotified } from './notified.js'
import { readReceipts, writeReceipts } from './receipts.js'

/**
 * Records in a folder that contains one folder for each area: `AREA/lock.N`, `AREA/PROJECT/receipts.jsonl`,
 * `AREA/PROJECT/runs/RUN.jsonl`, `AREA/PROJECT/notified/notified.jsonl`. Only this folder is written; the first write creates it.
 */
export function folderRecords(
  folder: string,
  { now, heartbeatMs = 10_000, staleMs = 60_000 }: { readonly now: () => number } & Partial<Patience>,
): Records {
  const patience: Patience = { heartbeatMs, staleMs }
  const keepers = new Map<string, Grouped<Keeping>>()
  const locks = new Set<Lock>()
  const journals = new Set<Journal>()

  const keeperOf = (key: ProjectKey): Grouped<Keeping> => {
    const project = projectFolder(folder, key)
    const known = keepers.get(project)
    if (known) return known
    const keeper = grouped((keepings: readonly Keeping[]) =>
      writingIn(folder, () => writeReceipts(project, key, keepings)),
    )
    keepers.set(project, keeper)
    return keeper
  }

  return {
    lock: (area, worker, run) =>
      writingIn(folder, async () => {
        const taking = await takeLock(areaFolder(folder, area), { worker, run, since: now() }, patience)
        if (taking.is === 'taken') locks.add(taking.lock)
        return taking
      }),
    holder: (area) => readingIn(folder, () => lockHolder(areaFolder(folder, area), patience)),
    begin: async (head) => {
      const journal = await beginJournal(runsFolder(folder, head.key), head)
      journals.add(journal)
      return journal
    },
    runs: (key, of) => readingIn(folder, () => allRuns(runsIn(folder, key), of)),
    recent: (key) => readingIn(folder, () => recentRuns(runsIn(folder, key))),
    run: (key, run) => readingIn(folder, () => chosenRun(runsIn(folder, key), run)),
    forget: (key, runs) => writingIn(folder, () => forgetRuns(runsFolder(folder, key), runs)),
    receipts: (key) => readingIn(folder, () => readReceipts(projectFolder(folder, key))),
    keep: (key, receipts, forget) => keeperOf(key).add({ receipts, forget }),
    claims: (key) => readingIn(folder, () => claimsOfOthers(folder, key)),
    notified: (key) => readingIn(folder, () => readNotified(projectFolder(folder, key))),
    changeNotified: (key, change) => writingIn(folder, () => changeNotified(projectFolder(folder, key), change)),
    close: async () => {
      // Failed writes were reported to their callers; the lock must be released anyway.
      await Promise.all([...journals].map((journal) => journal.close().catch(() => undefined)))
      await Promise.all([...keepers.values()].map((keeper) => keeper.finished()))
      await Promise.all([...locks].map((lock) => lock.release()))
    },
  }
}

const runsFolder = (folder: string, key: ProjectKey): string => join(projectFolder(folder, key), 'runs')

/** The runs of a project, newest first. */
function runsIn(folder: string, key: ProjectKey): readonly NamedRun[] {
  const runs = runsFolder(folder, key)
  const read = (file: RunFile): RunRecord | undefined => {
    const record = readRun(runs, file)
    if (record) checkPlace(dirname(runs), join(runs, file.name), record.head.key)
    return record
  }
  return runFiles(runs).map((file) => ({ run: file.run, read: () => Promise.resolve(read(file)) }))
}

async function allRuns<Value>(runs: readonly NamedRun[], of: (record: RunRecord) => Value): Promise<readonly Value[]> {
  const values: Value[] = []
  for await (const record of eachRun(runs)) values.push(of(record))
  return values
}

function claimsOfOthers(folder: string, key: ProjectKey): readonly Receipt[] {
  const area = areaFolder(folder, key)
  const names = unlessMissing(() => readdirSync(area)) ?? []
  // A link to a folder counts as a folder.
  const isFolder = (path: string) => unlessMissing(() => statSync(path))?.isDirectory()
  const projects = names.map((name) => join(area, name)).filter(isFolder)
  const own = ownKeys(key).map((each) => projectFolder(folder, each))
  const others = projects.filter((project) => !own.includes(project)).sort()
  return others.flatMap(readReceipts).sort(byAddressOrder)
}
