import { ProblemError } from '../problems/problem.js'
import { runAmbiguous } from '../problems/records.js'
import { hasWrittenReceipts, type RunRecord } from './record.js'

/** A run with a known name. It is read on request; undefined if it was removed meanwhile. */
export interface NamedRun {
  readonly run: string
  readonly read: () => Promise<RunRecord | undefined>
}

/** Reads the runs one by one. */
export async function* eachRun(runs: readonly NamedRun[]): AsyncGenerator<RunRecord> {
  for (const { read } of runs) {
    const record = await read()
    if (record) yield record
  }
}

/** The result of `of` for each run. As many runs are read at once as one process, or one query to a server, is worth. */
export async function ofEachRun<Run, Value>(
  runs: readonly Run[],
  read: (group: readonly Run[]) => Promise<readonly RunRecord[]>,
  of: (record: RunRecord) => Value,
): Promise<readonly Value[]> {
  const values: Value[] = []
  for (let from = 0; from < runs.length; from += atOnce) {
    for (const record of await read(runs.slice(from, from + atOnce))) values.push(of(record))
  }
  return values
}

const atOnce = 5

/** The newest runs, back to the last one that ended without being interrupted. */
export async function recentRuns(runs: readonly NamedRun[]): Promise<readonly RunRecord[]> {
  const records: RunRecord[] = []
  for await (const record of eachRun(runs)) {
    records.push(record)
    if (hasWrittenReceipts(record)) break
  }
  return records
}

/** The run with that name, or the only one whose name begins with it; for `latest`, the newest one with changes. */
export async function chosenRun(runs: readonly NamedRun[], desired: string): Promise<RunRecord | undefined> {
  if (desired !== 'latest') {
    const exact = runs.filter(({ run }) => run === desired)
    const found = exact.length > 0 ? exact : runs.filter(({ run }) => run.startsWith(desired))
    const names = found.map(({ run }) => run)
    if (found.length > 1) throw new ProblemError([runAmbiguous(desired, names)])
    return await found[0]?.read()
  }
  let newest: RunRecord | undefined
  for await (const record of eachRun(runs)) {
    newest ??= record
    if (record.head.changes.length > 0) return record
  }
  return newest
}
