import type { Decision, FleetHistoryDocument, FleetStatusDocument, RolloutDocument } from '../documents/fleet-status.js'
import { groupBy } from '../json/groups.js'
import { jsonText } from '../json/json.js'
import { printable } from '../json/printable.js'
import { counted } from '../problems/suggest.js'
import { areaNames, changesOf, statesOf, stateWords } from './fleet-run.js'
import type { Report } from './problems.js'
import { type TableForm, type TextForm, titledLines, wrappedText } from './table.js'

/** One line for each area, and the rollouts. */
export function fleetStatusText({ fleet, states, areas, rollouts }: FleetStatusDocument, form: TextForm): Report {
  const rows = areas.map(({ name, state, since, checked, editor }) => [
    ...[name, stateWords(state ?? 'unknown'), minute(since), minute(checked), editor ?? ''],
  ])
  const waits = new Map(areas.flatMap(({ name, waits: why }) => (why === null ? [] : [[name, why]])))
  const reported = waitingLines([...waits].map(([area, why]) => ({ area, why })))
  const unreported = ({ waiting }: RolloutDocument) => waiting.filter(({ area, why }) => waits.get(area) !== why)
  return {
    output: [
      `Fleet ${printable(fleet)}: ${statesOf({ states })}`,
      '',
      ...titledLines(['area', 'state', 'since', 'looked at', 'changed by'], rows, form),
      ...(reported.length > 0 ? ['', ...reported.flatMap((each) => wrappedText(each, form))] : []),
      ...messageLines(areas).flatMap((each, index) => [...(index === 0 ? [''] : []), ...wrappedText(each, form)]),
      ...rollouts.flatMap((rollout) => ['', ...rolloutLines({ ...rollout, waiting: unreported(rollout) }, form)]),
      '',
    ].join('\n'),
  }
}

export const rolloutJson = (rollout: RolloutDocument): Report => ({
  output: jsonText({ format: 'gatewright.rollout/1', ...rollout }),
})

export const rolloutText = (rollout: RolloutDocument, form: TableForm = {}): Report => ({
  output: `${rolloutLines(rollout, form).join('\n')}\n`,
})

function rolloutLines(rollout: RolloutDocument, { columns }: TableForm): readonly string[] {
  const { rollout: name, who, started, status } = rollout
  const head = `Rollout ${name}: ${status}, started by ${printable(who)} at ${minute(started)}`
  return [
    ...wrappedText(head, { columns }),
    ...factsOf(rollout).flatMap((fact) => wrappedText(fact, { columns, margin: 2 })),
  ]
}

/** The facts about a rollout, one per line. */
const factsOf = ({
  rollout,
  status,
  why,
  waves,
  same,
  dropped,
  waiting,
  notBegun,
  awaits,
  decisions,
}: RolloutDocument): readonly string[] => [
  ...(why === null ? [] : [`it stopped: ${printable(why)}`]),
  ...(status === 'failed' ? [`to end it: gatewright fleet rollout stop ${rollout}`] : []),
  ...waves.map(({ wave, areas, states }) => {
    const counts = Object.keys(states).length === 0 ? '' : `: ${statesOf({ states })}`
    return `wave ${wave}, ${counted(areas.length, 'area')}${counts}`
  }),
  ...same.map(({ areas, summary }) => {
    const names = printable(areaNames(areas))
    return `${areas.length === 1 ? names : `${counted(areas.length, 'area')} (${names})`}: ${changesOf({ summary })}`
  }),
  ...dropped.map(
    ({ area, state, why: reason }) =>
      `${printable(area)}: ${stateWords(state)}${reason === null ? '' : `, ${printable(reason)}`}`,
  ),
  ...waitingLines(waiting),
  ...(notBegun.length === 0 ? [] : [`not applied: ${notBegun.map(printable).join(', ')}`]),
  ...decisions
    .filter(({ decision }) => decision !== 'start')
    .map(({ at, who: by, decision, wave }) => {
      const what = wave === null ? decisionWords[decision] : `wave ${wave} ${decisionWords[decision]}`
      return `${what} by ${printable(by)} at ${minute(at)}`
    }),
  ...(awaits ? [`wave ${awaits.wave} waits for: gatewright fleet rollout approve ${rollout}`] : []),
]

/** Areas that have to wait, one line for each reason. */
const waitingLines = (waiting: RolloutDocument['waiting']): readonly string[] =>
  [...groupBy(waiting, ({ why }) => why)].map(([why, own]) => {
    const names = areaNames(own.map(({ area }) => area))
    return printable(
      own.length === 1 ? `${names} waits: ${why}` : `${counted(own.length, 'area')} wait (${names}): ${why}`,
    )
  })

/** The messages of the last jobs, each once with its areas. */
const messageLines = (areas: FleetStatusDocument['areas']): readonly string[] => {
  const messages = areas.flatMap(({ name, messages: own }) => [...new Set(own)].map((message) => ({ name, message })))
  return [...groupBy(messages, ({ message }) => message)].map(([message, own]) =>
    printable(`${areaNames(own.map(({ name }) => name))}: ${message}`),
  )
}

const decisionWords: Readonly<Record<Decision, string>> = {
  start: 'started',
  approve: 'approved',
  pause: 'paused',
  resume: 'resumed',
  stop: 'stopped',
}

/** One line for each job, the newest first. */
export function fleetHistoryText({ jobs }: FleetHistoryDocument, form: TextForm): Report {
  if (jobs.length === 0) return { output: 'No job has ended yet.\n' }
  const rows = jobs.map(({ started, area, occasion, state, seconds, requests, worker }) => [
    ...[minute(started), area, occasion, stateWords(state), seconds.toFixed(1)],
    ...[requests === null ? '' : String(requests), worker],
  ])
  const head = ['started', 'area', 'job', 'state', 'seconds', 'requests', 'worker']
  return { output: `${titledLines(head, rows, form).join('\n')}\n` }
}

const minute = (moment: string | null): string => (moment === null ? '' : `${moment.slice(0, 16).replace('T', ' ')}Z`)
