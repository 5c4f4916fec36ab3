import type { Decision, RolloutDocument } from '../../documents/fleet-status.js'
import { counted } from '../../problems/suggest.js'
import { changesOf } from '../fleet-run.js'
import { areaLink, badge, fleetPage, type PageUser, reportLink, scrolling, timeOf } from './fleet-page.js'
import { type Content, html, type Markup } from './markup.js'
import { table } from './page.js'

/** One rollout: its waves, its common plans, the areas that dropped out, and the possible decisions. */
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
  }${status !== 'failed' && (status === 'paused' ? form('resume', 'Resume') : form('pause', 'Pause'))}${form('stop', 'Stop')}</section>`
}
