import type { Run } from '../applier/converge.js'
import type { ChangeResult } from '../applier/run.js'
import type { ClientStats } from '../client/types.js'
import { markAt } from '../manifest/reference-use.js'
import { placeOf } from '../manifest/source.js'
import type { Change, Plan } from '../planner/plan.js'
import { changeNotDone, type Place, type Problem } from '../problem.js'
import { problemsText } from '../report/problems.js'
import { runDocument, runJson, runText } from '../report/run.js'
import type { Area } from './area.js'
import { coloursFor } from './colour.js'
import type { Io } from './io.js'
import type { RunOptions } from './options.js'

/** A run to show: its plan, and how many requests it took from the reading right before the first write. */
export interface RunView {
  readonly name: string
  readonly plan: Plan
  readonly run: Run
  readonly area: Area
  readonly requests: number
}

/** Writes what became of a run to stdout; in text, what was not done goes to stderr with the lines that caused it. */
export function showRun({ name, plan, run, area, requests }: RunView, options: RunOptions, io: Io): void {
  const results = plan.changes.flatMap((change) => {
    const result = run.results.get(change.address)
    return result ? [{ change, result: masked(result, area.mask) }] : []
  })
  const document = runDocument({ run: name, results, requests })
  if (!options.quiet) io.stderr.write(`${trafficText(area.client.stats())}\n`)
  if (options.output === 'json') {
    io.stdout.write(runJson(document).output)
    return
  }
  const problems = results.flatMap(({ change, result }) => problemOf(change, result))
  io.stderr.write(problemsText(problems, { colours: coloursFor(io.stderr, options, io) }).output)
  io.stdout.write(runText(document, { colours: coloursFor(io.stdout, options, io) }).output)
}

/** What the whole command cost: users share their calls with others. */
function trafficText({ requests, tokenRequests, throttled, waitedMs, perSecond, quota }: ClientStats): string {
  const sent = `${requests} requests and ${tokenRequests} for the token`
  const rate = perSecond === undefined ? '' : `, ${perSecond.toFixed(1)} a second`
  const used = quota ? `; ${quota.used} of ${quota.allotted} calls of the day are used` : ''
  return `sent ${sent}${rate}; throttled ${throttled} times, waited ${(waitedMs / 1000).toFixed(1)} s${used}`
}

function masked(result: ChangeResult, mask: (text: string) => string): ChangeResult {
  if (result.outcome === 'applied') return result
  const { error } = result
  const complaints = error.complaints.map((each) => ({ ...each, message: mask(each.message) }))
  return { ...result, error: { ...error, message: mask(error.message), complaints } }
}

/** A platform error with its property messages, at the manifest line that caused it. */
function problemOf(change: Change, result: ChangeResult): readonly Problem[] {
  if (result.outcome === 'applied' || result.outcome === 'notStarted') return []
  const { message, complaints } = result.error
  const [blamed] = complaints.filter((each) => each.property !== undefined)
  return [changeNotDone(change.address, change.action, result, message, complaints, placeFor(change, blamed?.property))]
}

function placeFor(change: Change, property: string | undefined): Place | undefined {
  if (!change.source) return undefined
  if (property === undefined || !('resource' in change)) return placeOf(change.source)
  return placeOf(markAt(change.resource, `/${property.replaceAll(/\[(\d+)\]/g, '/$1').replaceAll('.', '/')}`))
}
