import { appendFileSync, realpathSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { diagnosticsDocument } from '../documents/diagnostics.js'
import { maskedProblem } from '../engine/masking.js'
import type { ProjectRequest } from '../engine/requests.js'
import { readOrdinaryFile } from '../files/ordinary-file.js'
import { repositoryRoot } from '../files/repository.js'
import { reasonOf } from '../files/system-error.js'
import { thrownProblems } from '../files/thrown-problems.js'
import { projectFile } from '../manifest/project-files.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { notWritable } from '../problems/records.js'
import { type ReportContext, type Reported, reportText } from '../report/formats/format.js'
import { type FormatName, reportFormats } from '../report/formats/formats.js'
import type { Masked } from './io.js'
import { type ReportRequest, smallestBudget, stdout } from './report-requests.js'
import { programVersion } from './version.js'

/** The input for the reports of one command. */
interface ReportingPorts {
  readonly requests: readonly ReportRequest[]
  readonly reported: Reported
  readonly command: string
  readonly project: Pick<ProjectRequest, 'directory' | 'environment' | 'values' | 'paths'>
  readonly traffic: ReportContext['traffic']
  readonly startedMs: number
}

/** Problems that ended a command, as a document for reports. */
export const reportedProblems = (problems: readonly Problem[], io: Pick<Masked, 'mask'>): Reported<'problems'> => ({
  is: 'problems',
  document: diagnosticsDocument(problems.map((each) => maskedProblem(each, io.mask))),
})

/**
 * Writes the reports, each completely or not at all, and returns the reasons for those that could not be written. `log` writes
 * commands for the CI system without escapes.
 */
export async function writeReports(
  telling: ReportingPorts,
  io: Masked,
  log: Masked['stderr'],
): Promise<readonly Problem[]> {
  const { requests, reported } = telling
  if (requests.length === 0) return []
  const context = await contextOf(telling, io)
  const problems: Problem[] = []
  for (const request of requests) {
    try {
      await writeReport(request, reported, context, { io, log })
    } catch (error) {
      // If one report fails, the result of the command is still shown, and the other reports are written.
      problems.push(...thrownProblems(error))
    }
  }
  return problems
}

async function contextOf(telling: ReportingPorts, io: Masked): Promise<ReportContext> {
  return {
    ...{ command: telling.command, version: programVersion() },
    ...(await reportedNames(telling, io)),
    ...{ startedMs: telling.startedMs, endedMs: io.now(), traffic: telling.traffic },
    ...{ pathOf: pathsIn(io.cwd), projectFile: join(telling.project.directory, projectFile) },
    ...{ budget: undefined, earlier: undefined },
  }
}

interface ReportStreams {
  readonly io: Masked
  readonly log: Masked['stderr']
}

async function writeReport(
  { format, file, budget }: ReportRequest,
  reported: Reported,
  context: ReportContext,
  { io, log }: ReportStreams,
): Promise<void> {
  const { load, readsEarlier } = reportFormats[format]
  if (file === undefined) {
    await writeToJob(format, reported, context, { io, log })
    return
  }
  const path = resolve(io.cwd, file)
  const earlier = readsEarlier && file !== stdout ? writtenText(path) : undefined
  const text = reportText((await load()).reports, reported, { ...context, budget, earlier }) ?? ''
  if (file === stdout) {
    io.stdout.write(text)
    return
  }
  const { writeWhole } = await import('../files/write-file.js')
  writeWhole(path, text, 'as before', file)
}

/** GitHub permits 1 MiB for the summary of a step. A character needs at most three bytes. */
const summaryBytes = 2 ** 20

/** Writes annotations to the log of a GitHub job, and its summary. Does nothing outside such a job. */
async function writeToJob(
  format: FormatName,
  reported: Reported,
  context: ReportContext,
  { io, log }: ReportStreams,
): Promise<void> {
  if (!io.env.GITHUB_ACTIONS) return
  log.write(reportText((await reportFormats[format].load()).reports, reported, context) ?? '')
  const summary = io.env.GITHUB_STEP_SUMMARY
  if (!summary) return
  const path = resolve(io.cwd, summary)
  const budget = Math.floor((summaryBytes - Buffer.byteLength(writtenText(path) ?? '') - 1000) / 3)
  if (budget < smallestBudget) return
  const text = reportText((await reportFormats.markdown.load()).reports, reported, { ...context, budget })
  try {
    // The shell may have the file open too. Text of other steps of the job is kept.
    appendFileSync(path, text ?? '')
  } catch (cause) {
    throw new ProblemError([notWritable(summary, reasonOf(cause))], { cause })
  }
}

function writtenText(path: string): string | undefined {
  try {
    return readOrdinaryFile(path, { largest: 2 ** 26, pipes: 'refuse' }).toString()
  } catch {
    return undefined
  }
}

/** The names of project and environment: from the document, or else from the file of the fleet or the project. */
async function reportedNames(
  { reported, project, command }: ReportingPorts,
  io: Masked,
): Promise<Pick<ReportContext, 'project' | 'environment'>> {
  if (reported.is === 'fleet') return { project: reported.document.fleet, environment: undefined }
  if ('target' in reported.document) {
    const { target } = reported.document
    return { project: target.project, environment: target.environment }
  }
  if (command.startsWith('fleet ')) {
    const { fleetFile, fleetNameIn } = await import('../fleet/read-fleet.js')
    return { project: fleetNameIn(project.paths[0] ?? fleetFile, io), environment: undefined }
  }
  const { namesForReports } = await import('../engine/project.js')
  return { project: undefined, environment: undefined, ...namesForReports(project, io) }
}

/** Converts paths of files in the repository to paths from its root. Other paths are unchanged. */
function pathsIn(cwd: string): (file: string) => string {
  const root = repositoryRoot(cwd)
  const folder = root === undefined ? '' : relative(root, realpathSync(cwd))
  return (file) => (isAbsolute(file) ? relative(root ?? cwd, file) : join(folder, file)).split('\\').join('/')
}
