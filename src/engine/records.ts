import { type HistoryDocument, historyRun, type PrunedHistory, withRunning } from '../documents/history.js'
import { type RecordDocument, recordDocument } from '../documents/record.js'
import type { TargetDocument } from '../documents/target.js'
import { recordsOf } from '../history/records-of.js'
import { heldBy } from '../history/run-journal.js'
import { workerOf } from '../history/worker.js'
import { projectIn, recordedName } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { missingSettings } from '../problems/project.js'
import { runUnknown } from '../problems/records.js'
import { runName } from '../stores/names.js'
import type { ProjectKey, Records, RunRecord } from '../stores/record.js'
import { learnFromProject } from './known-secrets.js'
import { chosenProject } from './project.js'
import type { ProjectRequest } from './requests.js'
import { missingTarget, targetOfProject } from './settings.js'

/** The records of a project, and the target. No credentials are needed, and nothing is sent to the platform. */
interface ProjectRecords {
  readonly records: Records
  readonly key: ProjectKey
  readonly target: TargetDocument
}

/** Opens the records that the project names, does the work, and closes them. */
async function withRecords<Value>(
  request: ProjectRequest,
  ports: Ports,
  work: (opened: ProjectRecords) => Promise<Value>,
): Promise<Value> {
  const { project } = chosenProject(request, ports)
  await learnFromProject(project, request, ports)
  const { url, area } = targetOfProject(project, request, ports)
  // A ready token can be used without an area; its runs are recorded under the area ''.
  const missing = missingTarget({ url, area }, ports.env.GATEWRIGHT_TOKEN, () => '')
  if (missing.length > 0) throw new ProblemError([missingSettings(missing)])
  const records = await recordsOf(project, ports)
  try {
    return await work({
      records,
      key: { url, area, project: recordedName(project) },
      target: { url, area, ...projectIn(project) },
    })
  } finally {
    await records.close()
  }
}

/** The runs of a project in an area, newest first. Reads only the records. */
export const runsOf = (request: ProjectRequest, ports: Ports): Promise<HistoryDocument> =>
  withRecords(request, ports, async ({ records, key, target }) => {
    // Both are read at the same time, so that a store can fetch the data for both at once.
    const [holder, all] = await Promise.all([records.holder(key), records.runs(key, historyRun)])
    const runs = all.map((run) => withRunning(run, holder?.run))
    return { format: 'gatewright.history/1', target, runs }
  })

/** Which runs are kept: the newest ones by number, or those of the last days. */
export type KeptRuns = { readonly runs: number } | { readonly days: number }

/**
 * Removes older runs. The runs that the next plan reads are kept: the last one that ended normally, and all later ones. Throws a
 * ProblemError if another run is active.
 */
export const pruneRuns = (request: ProjectRequest, kept: KeptRuns, ports: Ports): Promise<PrunedHistory> =>
  withRecords(request, ports, async ({ records, key, target }) => {
    const taking = await records.lock(key, workerOf(ports), runName(ports.now()))
    if (taking.is === 'held') throw new ProblemError([heldBy(taking.by)])
    try {
      const reportedOf = (record: RunRecord) => ({ run: historyRun(record), started: record.head.started })
      const [all, recent] = await Promise.all([records.runs(key, reportedOf), records.recent(key)])
      const needed = new Set(recent.map(({ head }) => head.run))
      const since = 'days' in kept ? ports.now() - kept.days * 86_400_000 : 0
      const old = all.filter(
        ({ run: { run }, started }, index) =>
          !needed.has(run) && ('days' in kept ? started < since : index >= kept.runs),
      )
      const removed = old.map(({ run: { run } }) => run)
      if (removed.length > 0) await records.forget(key, removed)
      const runs = all.filter((each) => !old.includes(each)).map(({ run }) => run)
      return { format: 'gatewright.history/1', target, runs, removed }
    } finally {
      await taking.lock.release()
    }
  })

/** One run with its results. `name` is the name of the run, its beginning, or `latest`. Reads only the records. */
export const runOf = (request: ProjectRequest, name: string, ports: Ports): Promise<RecordDocument> =>
  withRecords(request, ports, async ({ records, key, target }) => {
    const [holder, record] = await Promise.all([records.holder(key), records.run(key, name)])
    if (record) return masked(recordDocument(record, holder?.run, target), ports)
    const known = (await records.runs(key, ({ head }) => head.run)).slice(0, 5)
    throw new ProblemError([runUnknown(name, known)])
  })

/** Records contain no secrets. The platform's answers are masked again with the secrets that are known now. */
function masked(document: RecordDocument, ports: Ports): RecordDocument {
  const { mask } = ports
  const changes = document.changes.map((change) => ({
    ...change,
    error: change.error === null ? null : mask(change.error),
  }))
  return { ...document, changes }
}
