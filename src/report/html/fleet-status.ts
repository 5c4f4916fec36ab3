import type {
  AreaStatus,
  FleetHistoryDocument,
  FleetStatusDocument,
  JobDocument,
  RolloutDocument,
} from '../../documents/fleet-status.js'
import { counted } from '../../problems/suggest.js'
import { stateWords } from '../fleet-run.js'
import { areaLink, badge, fleetPage, type PageUser, reportLink, scrolling, timeOf, toneOf } from './fleet-page.js'
import { type Content, html, type Markup, raw } from './markup.js'
import { counts, table } from './page.js'

/** Which areas are shown. */
export interface AreaFilter {
  /** Words in name, project, label or editor. */
  readonly search: string
  /** A state, or `waits`; empty: all. */
  readonly state: string
  /** Counted from 1. If there is no such page, the nearest one is shown. */
  readonly page: number
}

/** The number of rows per page: a page with more is slow and nobody reads it. */
const perPage = 100

/** The areas, beginning with those that need attention, and the rollouts. */
export function fleetStatusHtml(
  { fleet, at, fault, states, areas, rollouts }: FleetStatusDocument,
  filter: AreaFilter,
  user: PageUser | undefined,
): string {
  const fitting = areas
    .filter((area) => fits(area, filter))
    .map((area, index) => ({ area, index, rank: rankOf(area) }))
    .sort((left, right) => left.rank - right.rank || left.index - right.index)
    .map(({ area }) => area)
  const pages = Math.max(1, Math.ceil(fitting.length / perPage))
  const page = Math.min(Math.max(1, filter.page), pages)
  const displayed = fitting.slice((page - 1) * perPage, page * perPage)
  const waiting = areas.filter(({ waits }) => waits !== null).length
  const words = Object.keys(states).sort((left, right) => rankOfState(left) - rankOfState(right))
  const running = rollouts.filter(({ ended }) => ended === null)
  const first = (page - 1) * perPage
  const range = pages > 1 ? `, ${first + 1} to ${first + displayed.length} shown` : ''
  return fleetPage({
    fleet,
    title: `Fleet ${fleet}`,
    user,
    body: [
      fault !== null && html`<section class="box delete"><h2>The fleet file has errors</h2><p>${fault}</p></section>`,
      counts([
        ...words.map((state) => ({
          ...{ count: states[state] ?? 0, words: stateWords(state), tone: toneOf(state), href: pageAddress({ state }) },
        })),
        { count: waiting, words: 'wait', tone: 'update', href: pageAddress({ state: 'waits' }) },
      ]),
      running.map((each) => html`<p>${badge(each.status)} ${rolloutLink(each.rollout)} ${goesOn(each)}</p>`),
      html`<h2>Areas</h2>${filterForm([...words, ...(waiting > 0 ? ['waits'] : [])], filter)}`,
      html`<p class="soft">${fitting.length === areas.length ? '' : `${fitting.length} of `}${areas.length} areas${range}, at ${timeOf(at, at)}</p>`,
      displayed.length === 0 ? html`<p>No area is like that.</p>` : areaTable(displayed, at),
      pages > 1 &&
        html`<nav aria-label="Pages of areas">${page > 1 && html`<a href="${pageAddress({ ...filter, page: page - 1 })}" rel="prev">Before</a>`}<span>page ${page} of ${pages}</span>${page < pages && html`<a href="${pageAddress({ ...filter, page: page + 1 })}" rel="next">More</a>`}</nav>`,
      html`<h2>Rollouts</h2>`,
      rollouts.length === 0
        ? html`<p>There was none yet: gatewright fleet rollout start begins one.</p>`
        : rolloutTable(rollouts, at),
      user &&
        html`<form method="post" action="/rollouts"><input type="hidden" name="token" value="${user.token}"><button>Start a rollout</button></form>`,
    ],
  })
}

function goesOn({ status, awaits }: RolloutDocument): string {
  if (awaits !== null) return `waits for an approval of wave ${awaits.wave}.`
  if (status === 'failed') return 'has failed: stop it, and start a new one.'
  if (status === 'queued') return 'has not started yet.'
  return status === 'paused' ? 'starts nothing new until somebody resumes it.' : 'runs.'
}

function pageAddress({ search = '', state = '', page = 1 }: Partial<AreaFilter>): string {
  const query = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(state !== '' && { state }),
    ...(page > 1 && { page: String(page) }),
  })
  return `/?${query}`
}

/** The states, the most urgent first. */
const byUrgency: readonly string[] = [
  ...['error', 'refused', 'incomplete', 'conflict', 'stale', 'drift', 'interrupted', 'waits', 'pending', 'not-started'],
  ...['unknown', 'applied', 'in-sync'],
]

const rankOfState = (state: string): number => byUrgency.indexOf(state)

const rankOf = ({ state, waits }: AreaStatus): number =>
  Math.min(rankOfState(state ?? 'unknown'), waits === null ? byUrgency.length : rankOfState('waits'))

const fits = (area: AreaStatus, { search, state }: AreaFilter): boolean => {
  const isLike = state === 'waits' ? area.waits !== null : state === '' || (area.state ?? 'unknown') === state
  if (!isLike) return false
  const labels = Object.entries(area.labels).map(([name, value]) => `${name}=${value}`)
  const text = [area.name, area.project, area.environment ?? '', area.editor ?? '', ...labels].join('\n').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function filterForm(states: readonly string[], { search, state }: AreaFilter): Markup {
  const option = (value: string, words: string) =>
    html`<option value="${value}"${value === state && raw(' selected')}>${words}</option>`
  return html`<form method="get" action="/" role="search">
<label>Search <input type="search" name="search" value="${search}"></label>
<label>State <select name="state">${option('', 'all')}${states.map((each) => option(each, stateWords(each)))}</select></label>
<button>Show</button></form>`
}

const areaTable = (areas: readonly AreaStatus[], at: string): Content =>
  scrolling(
    'Areas',
    table(
      ['Area', 'State', 'Since', 'Looked at', 'Changed by', 'Labels', 'Report'],
      areas.map((area) => [
        areaLink(area.name),
        html`${badge(area.state ?? 'unknown')}${area.waits !== null && html` <span class="badge update" title="${area.waits}">waits</span>`}`,
        timeOf(area.since, at),
        timeOf(area.checked, at),
        area.editor ?? '–',
        Object.entries(area.labels)
          .map(([name, value]) => `${name}=${value}`)
          .join(', '),
        area.report === null ? '–' : reportLink(area.name, area.report),
      ]),
    ),
  )

const rolloutTable = (rollouts: readonly RolloutDocument[], at: string): Content =>
  scrolling(
    'Rollouts',
    table(
      ['Rollout', 'Status', 'Started', 'By', 'Wave', 'Why'],
      rollouts.map((each) => [
        rolloutLink(each.rollout),
        badge(each.status),
        timeOf(each.started, at),
        each.who,
        each.awaits ? `waits for an approval of wave ${each.awaits.wave}` : counted(each.waves.length, 'wave'),
        each.why ?? '',
      ]),
    ),
  )

const rolloutLink = (rollout: string): Markup => html`<a href="/rollouts/${encodeURIComponent(rollout)}">${rollout}</a>`

/** The jobs of one area, or of all areas. */
export function fleetHistoryHtml(
  { fleet, jobs }: FleetHistoryDocument,
  area: string | undefined,
  user: PageUser | undefined,
): string {
  return fleetPage({
    fleet,
    title: area === undefined ? `History of fleet ${fleet}` : `Area ${area}`,
    user,
    body: [jobs.length === 0 ? html`<p>No job has ended yet.</p>` : scrolling('Jobs', jobTable(jobs))],
  })
}

const jobTable = (jobs: readonly JobDocument[]): Content =>
  table(
    ['Started', 'Area', 'Job', 'State', 'Seconds', 'Requests', 'Changed by', 'Report', 'Messages'],
    jobs.map((job) => [
      html`<time datetime="${job.started}">${job.started.slice(0, 19).replace('T', ' ')} UTC</time>`,
      areaLink(job.area),
      job.occasion,
      badge(job.state),
      job.seconds.toFixed(1),
      job.requests ?? '–',
      job.editor ?? '–',
      job.hasReport ? reportLink(job.area, job.occasion) : '–',
      job.messages.join('; '),
    ]),
  )
