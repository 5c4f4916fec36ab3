import { readdirSync, readFileSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, syncFolder } from '../../files/folders.js'
import { jsonLines } from '../../json/json.js'
import { once } from '../../json/once.js'
import { type Grouped, grouped } from '../grouped.js'
import { newestRunFirst, numberedRun } from '../names.js'
import type { Journal, RunHead, RunRecord } from '../record.js'
import { countOf, isEntry, isRunHead, lineAs } from '../shape.js'
import { unlessMissing, writingIn } from './failures.js'

/** The number gives the order in which the runs of a project began: clocks of machines differ. */
export interface RunFile {
  readonly name: string
  readonly number: number
  readonly run: string
}

/** Creates the file of a run with its head; the file is on disk when this resolves. Fails if the run already has a file. */
export async function beginJournal(folder: string, head: RunHead): Promise<Journal> {
  return await writingIn(folder, async () => {
    makeFolder(folder)
    const [newest, ...older] = runFiles(folder)
    if ([newest, ...older].some((each) => each?.run === head.run))
      throw new Error(`the run ${head.run} was started before`)
    const file = join(folder, `${numberedRun((newest?.number ?? 0) + 1, head.run)}.jsonl`)
    const handle = await open(file, 'ax', 0o600)
    const journal = journalOn(handle, folder)
    try {
      await journal.write(head)
      syncFolder(folder)
    } catch (error) {
      await handle.close()
      await rm(file, { force: true })
      throw error
    }
    return journal
  })
}

/** What a journal needs of a file, which is positioned at its end. */
export type JournalFile = Pick<FileHandle, 'appendFile' | 'datasync' | 'truncate' | 'close'> & {
  stat(): Promise<{ readonly nlink: number }>
}

/** A journal in an open, empty file: lines that come at the same time share one write and one fsync. */
export function journalOn(file: JournalFile, where: string): Journal & { write(line: object): Promise<void> } {
  const lines: Grouped<object> = grouped(wholeLines(file, where))
  const close = once(async (): Promise<void> => {
    await lines.finished()
    await file.close()
  })
  return {
    write: lines.add,
    append: (entry) => lines.add(entry),
    close,
  }
}

/** If a write fails, the file is cut back to the last whole line. If that fails too, nothing more is written. */
function wholeLines(file: JournalFile, where: string): (lines: readonly object[]) => Promise<void> {
  let length = 0
  let broken: unknown
  // Some file systems do not count links.
  let hasLinks = false
  return (lines) =>
    writingIn(where, async () => {
      if (broken !== undefined) throw broken
      const text = Buffer.from(jsonLines(lines))
      try {
        await file.appendFile(text)
      } catch (error) {
        await file.truncate(length).catch(() => {
          broken = error
        })
        throw error
      }
      try {
        await file.datasync()
      } catch (error) {
        // After a failed fsync nobody knows what is on disk, and a second try could report success wrongly.
        broken = error
        throw error
      }
      length += text.length
      const { nlink } = await file.stat()
      if (nlink > 0) hasLinks = true
      else if (hasLinks) {
        broken = new Error('somebody has removed the file of this run')
        throw broken
      }
    })
}

/** The runs in a folder, newest first. */
export function runFiles(folder: string): readonly RunFile[] {
  const names = unlessMissing(() => readdirSync(folder)) ?? []
  return names
    .flatMap((name) => {
      const [, number, run] = /^(\d+)-(.+)\.jsonl$/.exec(name) ?? []
      return number === undefined || run === undefined ? [] : { name, number: countOf(join(folder, name), number), run }
    })
    .sort(newestRunFirst)
}

export async function forgetRuns(folder: string, runs: readonly string[]): Promise<void> {
  const gone = new Set(runs)
  for (const { name, run } of runFiles(folder)) if (gone.has(run)) await rm(join(folder, name), { force: true })
}

/** Reads one run; undefined if its head is not whole: then the run was killed before it sent anything. */
export function readRun(folder: string, { name }: RunFile): RunRecord | undefined {
  const file = join(folder, name)
  const text = unlessMissing(() => readFileSync(file, 'utf8'))
  // The text behind the last line end was cut off by a kill.
  const lines = (text ?? '').split('\n').slice(0, -1)
  const [first, ...others] = lines
  if (first === undefined) return undefined
  return {
    head: lineAs(first, isRunHead, { file, number: 1 }),
    entries: others.map((line, index) => lineAs(line, isEntry, { file, number: index + 2 })),
  }
}
