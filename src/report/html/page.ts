import type { Diagnostic } from '../../documents/diagnostics.js'
import type { TargetDocument } from '../../documents/target.js'
import { digest } from '../../json/digest.js'
import { groupBy } from '../../json/groups.js'
import type { Line } from '../line-diff.js'
import { innerAddress } from '../plan-words.js'
import { type FieldToShow, fieldView, memberText } from '../value-text.js'
import { type Content, html, type Markup, raw } from './markup.js'
import { script } from './script.js'
import { style } from './style.js'

/** The parts of an HTML page: a single file that loads nothing. */
interface HtmlPage {
  readonly title: string
  /** The rows at the top of the page. Rows without a text are left out. */
  readonly facts: readonly (readonly [name: string, text: string | undefined])[]
  readonly body: readonly Content[]
}

/** The page as a file. Only our own style and our own script are active in it, and it loads nothing. */
export function page({ title, facts, body }: HtmlPage): string {
  const rows = facts.flatMap(([name, text]) => (text === undefined ? [] : [html`<dt>${name}</dt><dd>${text}</dd>`]))
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><h1>${title}</h1><dl>${rows}</dl></header>
<main id="content">
${body}
</main>
<footer>Written by gatewright.</footer>
<script>${raw(script)}</script>
</body>
</html>
`
  return markup
}

/** The hash of a style or script, in the form of a content security policy. */
export const hashOf = (text: string): string =>
  `'sha256-${Buffer.from(digest(text).replace('sha256:', ''), 'hex').toString('base64')}'`

const policy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** The target as rows of the head. */
export const targetFacts = ({ url, area, project, environment }: TargetDocument): HtmlPage['facts'] => [
  ['Platform', url === '' ? undefined : url],
  ['Area', area === '' ? undefined : area],
  ['Project', project],
  ['Environment', environment],
]

/** The name of the target, such as `shop/prod`. */
export const targetName = ({ project, environment }: TargetDocument): string =>
  environment === undefined ? project : `${project}/${environment}`

/** A number with a noun; `tone` selects its colour. */
export interface Count {
  readonly count: number
  readonly words: string
  readonly tone?: Tone
  /** A link to a page with only these. */
  readonly href?: string
}

/** The meanings of colours, the most serious first. */
const tones = ['delete', 'replace', 'blocked', 'update', 'note', 'create'] as const
export type Tone = (typeof tones)[number]

export function counts(all: readonly Count[]): Content {
  const displayed = all.filter(({ count }) => count > 0)
  const items = displayed.map(({ count, words, tone, href }) => {
    const text = html`<b>${count}</b> ${words}`
    const content = href === undefined ? text : html`<a href="${href}">${text}</a>`
    return tone ? html`<li class="${tone}">${content}</li>` : html`<li>${content}</li>`
  })
  return displayed.length > 0 && html`<ul class="counts">${items}</ul>`
}

/** A frame for important diagnostics; nothing if there are none. */
export function diagnosticsBox(title: string, diagnostics: readonly Diagnostic[], tone: Tone): Content {
  if (diagnostics.length === 0) return undefined
  return html`<section class="box ${tone}"><h2>${title}</h2><ul>${diagnostics.map(diagnosticItem)}</ul></section>`
}

const diagnosticItem = (diagnostic: Diagnostic): Markup => html`<li>${diagnosticMarkup(diagnostic)}</li>`

/** The message, its position and its hint, each on its own line. */
export const diagnosticMarkup = ({ message, code, file, line, column, hint }: Diagnostic): Markup =>
  html`${message} <span class="mono">[${code}]</span>${
    file !== undefined && html`<br><code>${file}:${line ?? 1}:${column ?? 1}</code>`
  }${hint !== undefined && html`<br><span class="hint">${wholeOptions(hint)}</span>`}`

/** A browser may break a line within --allow, after its hyphens. */
const wholeOptions = (text: string): readonly Content[] =>
  text
    .split(/(--[a-z][a-z-]*)/)
    .map((part) => (part.startsWith('--') ? html`<span class="option">${part}</span>` : part))

/** Errors, warnings and notes, each in its own frame. */
export function diagnosticsSections(diagnostics: readonly Diagnostic[]): readonly Content[] {
  const by = groupBy(diagnostics, ({ severity }) => severity)
  return [
    diagnosticsBox('Errors', by.get('error') ?? [], 'delete'),
    diagnosticsBox('Warnings', by.get('warning') ?? [], 'update'),
    diagnosticsBox('Notes', by.get('note') ?? [], 'note'),
  ]
}

/** One object in a searchable list. */
export interface PageItem {
  readonly address: string
  readonly tone: Tone
  /** What is done to it, or what happened to it. */
  readonly does: string
  readonly badges: readonly string[]
  readonly place: string | undefined
  readonly body: Content
  readonly isOpen: boolean
  /** The values by which it can be filtered: action, kind, hazard. */
  readonly facets: Readonly<Record<string, readonly string[]>>
}

/** Objects with the same root object. */
interface ItemGroup {
  readonly root: string
  readonly entries: readonly PageItem[]
}

/** The maximum number of objects in a list of a page: a page with many more is too large to read (A493). */
export const mostEntries = 10_000

/** The anchor of an object in the page. */
export const anchorOf = (address: string): string => encodeURIComponent(address.replaceAll(/\p{Cs}/gu, '\uFFFD'))

/** The list of objects. If scripts can run, it has a search and filters. */
export function entryList(title: string, all: readonly ItemGroup[], empty: string): Content {
  if (all.length === 0) return html`<p>${empty}</p>`
  const { groups, more } = shortened(all)
  return html`<h2>${title}</h2>${more > 0 && html`<p>${moreText(more)}</p>`}
${tools(groups)}
${groups.map(
  ({ root, entries }) =>
    html`<section class="group">${(entries.length > 1 || entries[0]?.address !== root) && html`<h3><code>${root}</code></h3>`}
${entries.map((entry) => entryMarkup(root, entry))}</section>
`,
)}`
}

const moreText = (more: number): string => `${more} more are not on this page; --report json has all of them`

/**
 * At most as many objects as a page can have. Those that are expanded at first are left out last, and of these, and of the others,
 * the most serious ones.
 */
function shortened(all: readonly ItemGroup[]): { readonly groups: readonly ItemGroup[]; readonly more: number } {
  const entries = all.flatMap((group) => group.entries)
  const more = entries.length - mostEntries
  if (more <= 0) return { groups: all, more: 0 }
  const rank = ({ isOpen, tone }: PageItem) => (isOpen ? 0 : tones.length) + tones.indexOf(tone)
  const byImportance = [...entries].sort((a, b) => rank(a) - rank(b))
  const kept = new Set(byImportance.slice(0, mostEntries))
  const groups = all.map(({ root, entries }) => ({ root, entries: entries.filter((entry) => kept.has(entry)) }))
  return { groups: groups.filter((group) => group.entries.length > 0), more }
}

function entryMarkup(root: string, { address, tone, does, badges, place, body, isOpen, facets }: PageItem): Markup {
  const head = html`<span class="does">${does}</span> <code>${innerAddress(root, address)}</code>${badges.map(
    (badge) => html` <span class="badge">${badge}</span>`,
  )}${place !== undefined && html` <code class="place">${place}</code>`}`
  const data = Object.entries(facets).map(([name, values]) => html` data-${name}="${values.join('|')}"`)
  if (body === undefined) {
    return html`<div class="entry ${tone}" id="${anchorOf(address)}"${data}><span class="head">${head}</span></div>
`
  }
  return html`<details class="entry ${tone}" id="${anchorOf(address)}"${data}${isOpen && raw(' open')}><summary>${head}</summary><div>${body}</div></details>
`
}

function tools(groups: readonly ItemGroup[]): Markup {
  const entries = groups.flatMap((group) => group.entries)
  const names = [...new Set(entries.flatMap(({ facets }) => Object.keys(facets)))]
  const choices = names.map((name) => {
    const values = [...new Set(entries.flatMap(({ facets }) => facets[name] ?? []))].sort()
    const options = values.map((value) => html`<option>${value}</option>`)
    return (
      values.length > 1 &&
      html`<label>${name.replace(/^./, (first) => first.toUpperCase())} <select name="${name}"><option value="">all</option>${options}</select></label>`
    )
  })
  return html`<div class="tools" role="search" hidden>
<label class="search">Search <input type="search" title="Press / to search"></label>${choices}
<button type="button" value="open">Open all</button><button type="button" value="close">Close all</button><output></output>
</div>`
}

/** A collapsed list. */
export const collapsedList = (title: string, items: readonly Content[]): Content =>
  items.length > 0 &&
  html`<details><summary>${title}</summary><ul>${items.slice(0, mostEntries).map((item) => html`<li>${item}</li>`)}${
    items.length > mostEntries && html`<li>${moreText(items.length - mostEntries)}</li>`
  }</ul></details>`

/** One row of a table of fields. If it has fewer cells than columns, the last cell spans the others. */
export type TableRow = readonly Content[]

/** A table with one row for each field. */
export const table = (head: readonly string[], rows: readonly TableRow[]): Content =>
  rows.length > 0 &&
  html`<div class="wide"><table><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>
${rows.map((row) => html`<tr>${row.map((cell, index) => cellMarkup(cell, index === row.length - 1 ? head.length - index : 1))}</tr>\n`)}</tbody></table></div>`

const cellMarkup = (cell: Content, columns: number): Markup =>
  columns > 1 ? html`<td colspan="${columns}">${cell}</td>` : html`<td>${cell}</td>`

/** The name of a field. In a narrow column a line breaks between its words, not within one. */
export const fieldName = (path: string): Markup =>
  html`<code>${memberText(path)
    .split(/(?<=[a-z])(?=[A-Z])|(?<=.)(?=[./])/)
    .map((word, index) => (index === 0 ? word : html`<wbr>${word}`))}</code>`

/** A row with a field before and after the change; `absent` is the text for a side without the field. */
export const fieldRow =
  (absent: string) =>
  (field: FieldToShow): TableRow => {
    const name = fieldName(field.path)
    const view = fieldView(field)
    if (view.is === 'diff') return [name, textDiff(view.lines)]
    const value = (text: string | undefined, tone: string) => html`<code class="${tone}">${text ?? absent}</code>`
    return [name, value(view.before, 'was'), value(view.after, 'is')]
  }

/** The changed lines of a text. */
export const textDiff = (lines: readonly Line[]): Markup =>
  html`<pre>${lines.map(({ mark, text }) => {
    if (mark === '+') return html`<ins>+ ${text}</ins>`
    return mark === '-' ? html`<del>- ${text}</del>` : html`<span>  ${text}</span>`
  })}</pre>`
