import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder, syncFolder } from '../../files/folders.js'
import { removeDrafts, replaceFile } from '../../files/replace-file.js'
import { jsonLines } from '../../json/json.js'
import { ProblemError } from '../../problems/problem.js'
import { recordsDamaged, recordsFormatTooNew } from '../../problems/records.js'
import { type Grouped, grouped } from '../grouped.js'
import type { Patience } from '../pulse.js'
import { byAddressOrder, type Keeping, withKept } from '../receipts.js'
import {
  type Journal,
  type Lock,
  type Notified,
  ownKeys,
  type ProjectKey,
  type Receipt,
  type Records,
  type RunRecord,
} from '../record.js'
import { chosenRun, eachRun, type NamedRun, recentRuns } from '../runs.js'
import { isMap, isNotified, isProjectKey, isReceipt, lineAs } from '../shape.js'
import { readingIn, unlessMissing, writingIn } from './failures.js'
import { beginJournal, forgetRuns, type RunFile, readRun, runFiles } from './journal.js'
import { areaFolder, checkPlace, projectFolder } from './layout.js'
import { lockHolder, takeLock } from './lock.js'

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

/** A folder of its own: the holder of the area's lock removes drafts next to the receipts, and writing here needs no lock. */
const notifiedFolder = (project: string): string => join(project, 'notified')

const notifiedFile = (project: string): string => join(notifiedFolder(project), 'notified.jsonl')

/** Reads what was sent to the webhooks of a project. */
function readNotified(project: string): readonly Notified[] {
  const file = notifiedFile(project)
  return notifiedIn(notifiedText(file), file)
}

function notifiedIn(text: string, file: string): readonly Notified[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line, index) => lineAs(line, isNotified, { file, number: index + 1 }))
}

/**
 * Replaces the file, completely or, if that fails, not at all. If somebody else has written meanwhile, `change` gets the new
 * content.
 */
function changeNotified(project: string, change: (before: readonly Notified[]) => readonly Notified[]): void {
  makeFolder(notifiedFolder(project))
  const file = notifiedFile(project)
  for (;;) {
    const before = notifiedText(file)
    const after = change(notifiedIn(before, file))
    const text = jsonLines(after)
    try {
      replaceFile(file, text, 'owner', () => {
        if (notifiedText(file) !== before) throw overtaken
      })
      break
    } catch (error) {
      if (error !== overtaken) throw error
    }
  }
  syncFolder(notifiedFolder(project))
}

const overtaken = new Error('somebody else was faster')

const notifiedText = (file: string): string => unlessMissing(() => readFileSync(file, 'utf8')) ?? ''

const receiptsFile = 'receipts.jsonl'
const receiptsFormat = 'gatewright.receipts/1'

/** Reads a project's receipts; none if nothing is written yet. */
function readReceipts(folder: string): readonly Receipt[] {
  const file = join(folder, receiptsFile)
  const text = unlessMissing(() => readFileSync(file, 'utf8'))
  if (text === undefined) return []
  const lines = text.split('\n').slice(0, -1)
  const [first = '', ...others] = lines
  // The file is only ever replaced as a whole, by writeReceipts; its head has the number of lines that follow.
  const head = lineAs(first, isAnyHead, { file, number: 1 })
  if (head.format !== receiptsFormat) throw new ProblemError([recordsFormatTooNew(file, head.format)])
  const { key, count } = lineAs(first, isReceiptsHead, { file, number: 1 })
  checkPlace(folder, file, key)
  const receipts = others.map((line, index) => lineAs(line, isReceipt, { file, number: index + 2 }))
  if (count !== receipts.length) throw new ProblemError([recordsDamaged(file, lines.length + 1)])
  return receipts
}

interface ReceiptsHead {
  readonly format: typeof receiptsFormat
  readonly key: ProjectKey
  readonly count: number
}

/** The head of a later version may have other fields. */
const isAnyHead = (value: unknown): value is { readonly format: string } =>
  isMap(value) && typeof value.format === 'string' && value.format.startsWith('gatewright.receipts/')

const isReceiptsHead = (value: unknown): value is ReceiptsHead =>
  isMap(value) && value.format === receiptsFormat && isProjectKey(value.key) && typeof value.count === 'number'

/** Makes the changes in order and replaces the file, completely or, if that fails, not at all. */
function writeReceipts(folder: string, key: ProjectKey, keepings: readonly Keeping[]): void {
  makeFolder(folder)
  // Only the holder of the area's lock writes here, so drafts that a killed process left are not in use.
  removeDrafts(folder)
  const lines = withKept(readReceipts(folder), keepings).map((receipt) => JSON.stringify(receipt))
  const head = JSON.stringify({ format: receiptsFormat, key, count: lines.length })
  replaceFile(join(folder, receiptsFile), [head, ...lines, ''].join('\n'), 'owner')
  syncFolder(folder)
}
