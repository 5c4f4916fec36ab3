import type { AreaState } from '../../documents/fleet.js'
import type { RolloutDocument } from '../../documents/fleet-status.js'
import { stateWords } from '../fleet-run.js'
import { type Content, html, type Markup, raw } from './markup.js'
import { hashOf, type Tone } from './page.js'
import { style } from './style.js'

/** The style of the pages of a fleet's server. They are rendered for every request and have no script. */
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
@media (min-width:60rem){.scroll td:not(:last-child){overflow-wrap:break-word;max-width:20rem}}
.scroll table:has(th:nth-child(9)) td:last-child{min-width:16rem}
`

/** The content security policy of these pages: a browser may show them and send their own forms. */
export const fleetPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(ownStyle)}`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The signed-in user, and the token for their forms; undefined if nobody who may decide is signed in. */
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

export function fleetPage({ fleet, title, user, body }: FleetPage): string {
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

/** A wide table that can be scrolled with the keyboard. */
export const scrolling = (name: string, content: Content): Content =>
  content !== false && html`<div class="scroll" tabindex="0" role="region" aria-label="${name}">${content}</div>`

export const areaLink = (area: string): Markup => html`<a href="/areas/${encodeURIComponent(area)}">${area}</a>`

export const reportLink = (area: string, occasion: string): Markup =>
  html`<a href="/areas/${encodeURIComponent(area)}/report?occasion=${encodeURIComponent(occasion)}" aria-label="Report of ${area}">report</a>`

/** A state as a coloured word. */
export const badge = (state: string): Markup => html`<span class="badge ${toneOf(state)}">${stateWords(state)}</span>`

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
  failed: 'delete',
  'not-started': 'note',
  unknown: 'note',
  queued: 'note',
  planning: 'note',
  applying: 'note',
  baking: 'note',
}

const isKnown = (state: string): state is keyof typeof tones => Object.hasOwn(tones, state)

export const toneOf = (state: string): Tone => (isKnown(state) ? tones[state] : 'note')

/** How long ago a moment was, at the time of the page. */
export function timeOf(moment: string | null, at: string): Content {
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
