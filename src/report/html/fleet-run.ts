import type { AreaState, CommonChange, FleetAreaDocument, FleetDocument } from '../../documents/fleet.js'
import { hasErrors } from '../../problems/problem.js'
import {
  actionOf,
  changesOf,
  changesTitle,
  fieldsAsHappened,
  hasHappened,
  sameHead,
  statesOf,
  stateWords,
} from '../fleet-run.js'
import { type Content, html } from './markup.js'
import {
  counts,
  diagnosticMarkup,
  diagnosticsSections,
  entryList,
  fieldRow,
  type PageItem,
  page,
  type TableRow,
  type Tone,
  table,
} from './page.js'

const capitalized = (words: string): string => words.replace(/^./, (first) => first.toUpperCase())

/** The result of a command in all areas of a fleet, as an HTML page. */
export function fleetRunHtml(fleet: FleetDocument): string {
  const { command, summary, areas, same } = fleet
  return page({
    title: `${capitalized(command)} of fleet ${fleet.fleet}: ${statesOf(summary)}`,
    facts: [
      ['Fleet', fleet.fleet],
      ['Areas', String(summary.areas)],
      ['Calls', String(summary.requests)],
      ['Began', fleet.startedAt],
      ['Seconds', fleet.seconds.toFixed(1)],
    ],
    body: [
      counts(
        areaStates(summary.states).map(([state, count]) => ({ count, words: stateWords(state), tone: tones[state] })),
      ),
      diagnosticsSections(fleet.diagnostics),
      same.length > 0 && html`<h2>Changes</h2>`,
      same.map(
        (
          each,
          index,
        ) => html`<details class="entry update"${index === 0 && html` open=""`}><summary>${sameHead(each)}</summary><div>
${each.changes.map(changeMarkup)}</div></details>
`,
      ),
      entryList(
        'Areas',
        areas.map((area) => ({ root: area.area, entries: [areaItem(area, changesTitle(fleet))] })),
        'No area.',
      ),
    ],
  })
}

const areaStates = (states: FleetDocument['summary']['states']): readonly (readonly [AreaState, number])[] =>
  (Object.keys(tones) as readonly AreaState[]).map((state) => [state, states[state]])

const tones: Readonly<Record<AreaState, Tone>> = {
  conflict: 'delete',
  error: 'delete',
  incomplete: 'delete',
  drift: 'update',
  pending: 'update',
  refused: 'blocked',
  stale: 'blocked',
  interrupted: 'blocked',
  'not-started': 'blocked',
  applied: 'create',
  'in-sync': 'note',
}

function areaItem(area: FleetAreaDocument, changes: string): PageItem {
  const { area: name, state, labels, project, environment, key, requests, seconds, diagnostics } = area
  const rows: readonly TableRow[] = [
    ['Project', environment === null ? project : `${project} (${environment})`],
    ...(key === null ? [] : [['Key', key]]),
    [capitalized(changes), changesOf(area)],
    ['Calls', requests === null ? 'not known' : String(requests)],
    ['Seconds', seconds.toFixed(1)],
    ...diagnostics.map((each): TableRow => [each.severity, diagnosticMarkup(each)]),
  ]
  const displayed = Object.entries(labels).map(([label, value]) => `${label}=${value}`)
  return {
    address: name,
    tone: tones[state],
    does: stateWords(state),
    badges: displayed,
    place: undefined,
    body: table(['', ''], rows),
    isOpen: hasErrors(diagnostics),
    facets: { state: [state] },
  }
}

function changeMarkup(change: CommonChange): Content {
  const rows = fieldsAsHappened(change).map(fieldRow(''))
  const head = hasHappened(change) ? ['Field', 'Git', 'Live'] : ['Field', 'Before', 'After']
  return html`<p><span class="does">${actionOf(change)}</span> <code>${change.address}</code></p>${table(head, rows)}
`
}
