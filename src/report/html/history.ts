import type { HistoryDocument, HistoryRun } from '../../documents/history.js'
import { groupBy } from '../../json/groups.js'
import { commitText, noRuns, outcomeCounts } from '../history.js'
import { html, type Markup } from './markup.js'
import { page, type Tone, targetFacts, targetName } from './page.js'

/** The runs of a project as a timeline, the newest first. */
export function historyHtml({ runs, target }: HistoryDocument): string {
  const days = [...groupBy(runs, ({ started }) => started.slice(0, 10))]
  return page({
    title: `Runs in ${targetName(target)}`,
    facts: targetFacts(target),
    body: [
      runs.length === 0 && html`<p>${noRuns}.</p>`,
      ...days.map(([day, own]) => html`<h2>${day}</h2><ol class="timeline">${own.map(item)}</ol>`),
    ],
  })
}

const tones: Readonly<Record<HistoryRun['outcome'], Tone>> = {
  done: 'create',
  incomplete: 'delete',
  interrupted: 'update',
  running: 'note',
}

function item(run: HistoryRun): Markup {
  const { started, ended, who, of, outcome, purpose, summary } = run
  const time = (at: string) => html`<time datetime="${at}">${at.slice(11, 19)}</time>`
  const end = ended !== null && html`–${time(ended)}`
  return html`<li class="${tones[outcome]}"><b>${time(started)}${end} UTC</b> ${purpose}${of !== null && html` of <code>${of}</code>`}
<span class="badge">${outcome}</span><br>${outcomeCounts(summary)}<br>
<span class="soft"><code>${run.run}</code>, ${who}${run.commit !== null && html`, commit <code>${commitText(run, 10)}</code>`}</span></li>
`
}
