import type { AreaState } from '../../documents/fleet.js'
import type {
  AreaStatus,
  Decision,
  FleetHistoryDocument,
  FleetStatusDocument,
  JobDocument,
  RolloutDocument,
} from '../../documents/fleet-status.js'
import { counted } from '../../problems/suggest.js'
import { changesOf, stateWords } from '../fleet-run.js'
import { type Content, html, type Markup, raw } from './markup.js'
import { counts, hashOf, type Tone, table } from './page.js'
import { style } from './style.js'

/** Pages of the server of a fleet: made anew for every request, without a script. */

const ownStyle = `${style}nav{display:flex;flex-wrap:wrap;gap:1rem;margin:0 0 1rem}
form{display:inline-flex;flex-wrap:wrap;gap:.5rem .9rem;align-items:end;margin:.25rem .5rem .25rem 0}
label{display:inline-flex;flex-direction:column;color:var(--soft);font-size:.875rem}
button{cursor:pointer;border-color:var(--text)}
.scroll{overflow-x:auto;margin:0 0 1rem}
.scroll table:has(th:nth-child(6)){min-width:44rem}
.scroll th{white-space:nowrap}
.counts a{color:inherit;text-decoration:none}
.counts a:hover,.counts a:focus{text-decoration:underline}
.scroll .wide{overflow:visible}
`

/** What a browser may do with such a page: show it, and send its own forms back. */
export const fleetPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(ownStyle)}`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Who looks at the page, and what their forms must bring back; undefined: nobody who may decide anything. */
export interface PageUser {
  readonly name: string
  readonly token: string
}

interface FleetPage {
  readonly fleet: string
  readonly title: string
  readonly user: PageUser | undefined
  readonly body: readonly Content[]
}

function fleetPage({ fleet, title, user, body }: FleetPage): string {
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${raw(ownStyle)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><h1>${title}</h1>
<nav aria-label="Fleet"><a href="/">Areas of ${fleet}</a><a href="/history">History</a></nav></header>
<main id="content">
${body}
</main>
<footer>${user ? `Signed in as ${user.name}.` : 'Nobody is signed in: decisions are made with gatewright fleet rollout, or behind a proxy that names the user.'}</footer>
</body>
</html>
`
  return markup
}

/** What of the areas is shown. */
export interface AreaFilter {
  /** Words that stand in name, project, label or editor. */
  readonly search: string
  /** A state, or `waits`; empty: every one. */
  readonly state: string
  /** From 1; one that is not there is the nearest that is. */
  readonly page: number
}

/** A page of more rows is slow to show, and nobody reads it. */
const perPage = 100

/** The areas, those first that somebody should look at, and the rollouts. */
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
  const shown = fitting.slice((page - 1) * perPage, page * perPage)
  const waiting = areas.filter(({ waits }) => waits !== null).length
  const words = Object.keys(states).sort((left, right) => rankOfState(left) - rankOfState(right))
  const running = rollouts.filter(({ ended }) => ended === null)
  const first = (page - 1) * perPage
  const range = pages > 1 ? `, ${first + 1} to ${first + shown.length} shown` : ''
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
      running.map(
        (each) =>
          html`<p>${badge(each.status)} ${rolloutLink(each.rollout)} ${each.awaits === null ? 'runs.' : `waits for an approval of wave ${each.awaits.wave}.`}</p>`,
      ),
      html`<h2>Areas</h2>${filterForm([...words, ...(waiting > 0 ? ['waits'] : [])], filter)}`,
      html`<p class="soft">${fitting.length === areas.length ? '' : `${fitting.length} of `}${areas.length} areas${range}, at ${timeOf(at, at)}</p>`,
      shown.length === 0 ? html`<p>No area is like that.</p>` : areaTable(shown, at),
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

function pageAddress({ search = '', state = '', page = 1 }: Partial<AreaFilter>): string {
  const query = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(state !== '' && { state }),
    ...(page > 1 && { page: String(page) }),
  })
  return `/?${query}`
}

/** States by how soon somebody should look at them. */
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

/** Who has no mouse scrolls a table that is too wide with the keyboard. */
const scrolling = (name: string, content: Content): Content =>
  content !== false && html`<div class="scroll" tabindex="0" role="region" aria-label="${name}">${content}</div>`

const areaLink = (area: string): Markup => html`<a href="/areas/${encodeURIComponent(area)}">${area}</a>`

const reportLink = (area: string, occasion: string): Markup =>
  html`<a href="/areas/${encodeURIComponent(area)}/report?occasion=${encodeURIComponent(occasion)}" aria-label="Report of ${area}">report</a>`

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
        each.awaits ? `waits for an approval of wave ${each.awaits.wave}` : `${each.waves.length} waves`,
        each.why ?? '',
      ]),
    ),
  )

const rolloutLink = (rollout: string): Markup => html`<a href="/rollouts/${encodeURIComponent(rollout)}">${rollout}</a>`

/** The jobs of an area, or of all. */
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
      html`<time datetime="${job.started}">${job.started.slice(0, 19).replace('T', ' ')}</time>`,
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

/** One rollout: its waves, the plans that are equal, what dropped out, and what can be decided. */
export function rolloutHtml(fleet: string, rollout: RolloutDocument, at: string, user: PageUser | undefined): string {
  const { status, who, started, ended, why, waves, same, dropped, waiting, notBegun, awaits } = rollout
  return fleetPage({
    fleet,
    title: `Rollout ${rollout.rollout}`,
    user,
    body: [
      html`<p>${badge(status)} Started by ${who} ${timeOf(started, at)}${ended !== null && html`, ended ${timeOf(ended, at)}`}.</p>`,
      why !== null && html`<section class="box delete"><h2>Why it stopped</h2><p>${why}</p></section>`,
      user && ended === null ? decisionForms(rollout, user) : undefined,
      awaits !== null && user === undefined && html`<p>Wave ${awaits.wave} waits for an approval.</p>`,
      html`<h2>Waves</h2>`,
      scrolling(
        'Waves',
        table(
          ['Wave', 'Areas', 'Before it', 'After it', 'States'],
          waves.map((wave) => [
            String(wave.wave),
            String(wave.areas.length),
            wave.approve ? 'an approval' : '–',
            wave.bakeSeconds > 0 ? `waits ${wave.bakeSeconds} s, then looks for drift` : '–',
            Object.entries(wave.states).map(([state, count]) => html`${badge(state)} ${count} `),
          ]),
        ),
      ),
      html`<h2>Plans</h2>`,
      same.length === 0 && html`<p>No area has changes.</p>`,
      same.map(
        ({ areas, summary }) =>
          html`<details class="entry note"><summary><span class="does">${counted(areas.length, 'area')}</span> the same changes: ${changesOf({ summary })}</summary><div><ul>${areas.map((area) => html`<li>${reportLink(area, `rollout ${rollout.rollout} plan`)} of the plan of ${areaLink(area)}</li>`)}</ul></div></details>`,
      ),
      notBegun.length > 0 &&
        html`<details class="entry note"><summary><span class="does">${counted(notBegun.length, 'area')}</span> not applied</summary><div><ul>${notBegun.map((area) => html`<li>${areaLink(area)}</li>`)}</ul></div></details>`,
      waiting.length > 0 && html`<h2>Waiting for another day</h2>`,
      scrolling(
        'Waiting for another day',
        table(
          ['Area', 'Why'],
          waiting.map(({ area, why: reason }) => [areaLink(area), reason]),
        ),
      ),
      dropped.length > 0 && html`<h2>Not as planned</h2>`,
      scrolling(
        'Not as planned',
        table(
          ['Area', 'State', 'Why'],
          dropped.map(({ area, state, why: reason }) => [areaLink(area), badge(state), reason ?? '']),
        ),
      ),
      html`<h2>Decisions</h2>`,
      scrolling(
        'Decisions',
        table(
          ['When', 'Who', 'What', 'Plans'],
          rollout.decisions.map((each) => [
            timeOf(each.at, at),
            each.who,
            each.wave === null ? each.decision : `${each.decision} wave ${each.wave}`,
            each.digest === null ? '' : html`<code>${each.digest.slice(0, 19)}</code>`,
          ]),
        ),
      ),
    ],
  })
}

function decisionForms({ rollout, status, awaits }: RolloutDocument, { token }: PageUser): Markup {
  const form = (decision: Decision, words: string, more?: Content) =>
    html`<form method="post" action="/rollouts/${encodeURIComponent(rollout)}/${decision}"><input type="hidden" name="token" value="${token}">${more}<button>${words}</button></form>`
  return html`<section aria-label="Decisions to make">${
    awaits !== null &&
    form(
      'approve',
      `Approve wave ${awaits.wave}`,
      html`<input type="hidden" name="wave" value="${awaits.wave}"><input type="hidden" name="digest" value="${awaits.digest}">`,
    )
  }${status === 'paused' ? form('resume', 'Resume') : form('pause', 'Pause')}${form('stop', 'Stop')}</section>`
}

const badge = (state: string): Markup => html`<span class="badge ${toneOf(state)}">${stateWords(state)}</span>`

const tones: Readonly<Record<AreaState | RolloutDocument['status'] | 'unknown', Tone>> = {
  'in-sync': 'create',
  applied: 'create',
  done: 'create',
  pending: 'update',
  drift: 'update',
  interrupted: 'update',
  paused: 'update',
  waiting: 'update',
  conflict: 'replace',
  stale: 'replace',
  incomplete: 'delete',
  refused: 'delete',
  error: 'delete',
  stopped: 'delete',
  'not-started': 'note',
  unknown: 'note',
  planning: 'note',
  applying: 'note',
  baking: 'note',
}

const isKnown = (state: string): state is keyof typeof tones => Object.hasOwn(tones, state)

const toneOf = (state: string): Tone => (isKnown(state) ? tones[state] : 'note')

/** How long ago, seen from the moment of the page. */
function timeOf(moment: string | null, at: string): Content {
  if (moment === null) return '–'
  const seconds = Math.max(0, Math.round((Date.parse(at) - Date.parse(moment)) / 1000))
  const words = moment === at ? `${moment.slice(0, 16).replace('T', ' ')} UTC` : agoOf(seconds)
  return html`<time datetime="${moment}" title="${moment}">${words}</time>`
}

function agoOf(seconds: number): string {
  if (seconds < 90) return `${seconds} s ago`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min ago`
  return seconds < 36 * 3600 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} days ago`
}
