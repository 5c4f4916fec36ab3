import { type FleetDocument, finishedStates } from '../../documents/fleet.js'
import type { PlanDocument } from '../../documents/plan.js'
import type { RunDocument } from '../../documents/run.js'
import { driftErrors, driftView } from '../drift-words.js'
import { happenedWords } from '../happened-words.js'
import { labelsText, type Metric, metricsText } from '../metrics.js'
import { planActions } from '../plan-words.js'
import { runOutcomes } from '../run.js'
import type { ReportContext, Writers } from './format.js'

/** Metrics for the textfile collector or a pushgateway. */
export const reports: Writers<'plan' | 'run' | 'drift' | 'fleet' | 'problems'> = {
  plan: (plan, context) => {
    const isGood = plan.refused.length === 0 && plan.proof?.holds !== false
    return metrics([changesOf(plan)], isGood ? 'succeeded' : 'failed', context)
  },
  run: (run, context) => {
    const isDone = run.changes.every(({ outcome }) => outcome === 'applied')
    // Even if all changes were applied, there may be an error: the area could not be read again, or the run could not be
    // recorded.
    const isWhole = run.diagnostics.every(({ severity }) => severity !== 'error')
    return metrics([outcomesOf(run)], isDone && isWhole ? 'succeeded' : 'failed', context)
  },
  drift: (drift, context) => {
    const isWhole = driftErrors(drift).length === 0
    return metrics([driftOf(drift), expiringOf(drift, context)], isWhole ? 'succeeded' : 'failed', context)
  },
  fleet: (fleet, context) => {
    const isDone = fleet.areas.every(({ state }) => finishedStates.includes(state))
    return metrics(areasOf(fleet), isDone ? 'succeeded' : 'failed', context)
  },
  problems: (_, context) => metrics([], 'failed', context),
}

function driftOf(drift: PlanDocument): Metric {
  const entries = driftView(drift).groups.flatMap((group) => group.entries)
  const counts = Object.keys(happenedWords).map((verdict) => ({
    labels: { verdict },
    value: entries.filter(({ happened }) => happened === verdict).length,
  }))
  return {
    name: 'gatewright_drift_objects',
    help: 'Objects that have drifted, by what happened to them.',
    type: 'gauge',
    samples: [...counts, { labels: { verdict: 'accepted' }, value: drift.accepted.length }],
  }
}

/** The number of areas in each state, and the state of each area. */
const areasOf = ({ summary, areas }: FleetDocument): readonly Metric[] => [
  {
    name: 'gatewright_fleet_areas',
    help: 'Areas by state.',
    type: 'gauge',
    samples: Object.entries(summary.states).map(([state, value]) => ({ labels: { state }, value })),
  },
  {
    name: 'gatewright_fleet_area_state',
    help: 'The state of each area: 1.',
    type: 'gauge',
    samples: areas.map(({ area, state }) => ({ labels: { area, state }, value: 1 })),
  },
]

const day = 24 * 60 * 60 * 1000

/** Somebody who looks once a week sees an acceptance before it ends. */
const expiringDays = 14

function expiringOf({ accepted }: PlanDocument, { endedMs }: ReportContext): Metric {
  const limit = new Date(endedMs + expiringDays * day).toISOString().slice(0, 10)
  return {
    name: 'gatewright_accepted_expiring',
    help: `Acceptances of drift that end within ${expiringDays} days.`,
    type: 'gauge',
    samples: [{ value: accepted.filter(({ expires }) => expires <= limit).length }],
  }
}

function changesOf({ summary }: PlanDocument): Metric {
  return {
    name: 'gatewright_plan_changes',
    help: 'Changes that the plan has, by action.',
    type: 'gauge',
    samples: planActions.map((action) => ({ labels: { action }, value: summary[action] })),
  }
}

function outcomesOf({ summary }: RunDocument): Metric {
  return {
    name: 'gatewright_run_changes',
    help: 'Changes of the run, by outcome.',
    type: 'gauge',
    samples: runOutcomes.map((outcome) => ({ labels: { outcome }, value: summary[outcome] })),
  }
}

/** Counters and the time of the last success continue from the previous text of the file (A188). */
function metrics(found: readonly Metric[], end: 'succeeded' | 'failed', context: ReportContext): string {
  const { startedMs, endedMs, traffic } = context
  const labels = {
    ...(context.project !== undefined && { project: context.project }),
    ...(context.environment !== undefined && { environment: context.environment }),
    command: context.command,
  }
  const earlier = (name: string): number | undefined => earlierValue(`${name}${labelsText(labels)}`, context.earlier)
  const lastSuccess = 'gatewright_last_success_timestamp_seconds'
  const succeeded = end === 'succeeded' ? endedMs / 1000 : earlier(lastSuccess)
  const total = (name: string, help: string, value: number): Metric => ({
    ...{ name, help, type: 'counter' },
    samples: [{ value: (earlier(name) ?? 0) + value }],
  })
  const gauge = (name: string, help: string, value: number | undefined): readonly Metric[] =>
    value === undefined ? [] : [{ name, help, type: 'gauge', samples: [{ value }] }]
  const all = [
    ...found,
    ...gauge('gatewright_last_run_timestamp_seconds', 'When the command ended.', endedMs / 1000),
    ...gauge('gatewright_last_run_success', 'Whether the command succeeded: 1, or 0.', Number(end === 'succeeded')),
    ...gauge(lastSuccess, 'When the command last succeeded.', succeeded),
    ...gauge('gatewright_run_seconds', 'How long it took.', (endedMs - startedMs) / 1000),
    total('gatewright_requests_total', 'Requests to the platform.', traffic?.requests ?? 0),
    total(
      'gatewright_throttled_total',
      'Requests that the platform refused because of a rate limit.',
      traffic?.throttled ?? 0,
    ),
  ]
  return metricsText(all, labels)
}

function earlierValue(sample: string, earlier: string | undefined): number | undefined {
  const line = earlier?.split('\n').find((each) => each.startsWith(`${sample} `))
  const value = line === undefined ? Number.NaN : Number(line.slice(sample.length + 1))
  return Number.isFinite(value) ? value : undefined
}
