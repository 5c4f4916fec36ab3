import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import type { FleetHistoryDocument, FleetStatusDocument, RolloutDocument } from '../../src/documents/fleet-status.js'
import { plainColours } from '../../src/report/colours.js'
import { fleetMetrics } from '../../src/report/fleet-metrics.js'
import { fleetStatusText, rolloutJson, rolloutText } from '../../src/report/fleet-status.js'
import { rolloutHtml } from '../../src/report/html/fleet-rollout.js'
import { fleetHistoryHtml, fleetStatusHtml } from '../../src/report/html/fleet-status.js'

const rollout: RolloutDocument = {
  ...{ rollout: 'r1', who: 'joe', started: '2026-11-22T21:56:00.000Z', ended: null, status: 'waiting', why: null },
  waves: [],
  same: [
    { digest: '1', areas: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], summary: { create: 4, accepted: 3 } },
    { digest: '2', areas: ['odd\u001b[31m'], summary: { update: 1, delete: 2 } },
  ],
  ...{ dropped: [], waiting: [], notBegun: [], awaits: null, decisions: [] },
}

it('names the areas of a rollout that have the same plan', () => {
  expect(rolloutText(rollout).output.split('\n').slice(1)).toEqual([
    '  7 areas (a, b, c, d, e and 2 more): 4 create',
    '  odd\\u001b[31m: 1 update, 2 delete',
    '',
  ])
  expect(rolloutHtml('brands', rollout, rollout.started, undefined)).toContain('</span> the same changes: 4 create<')
})

it('fits the width of the terminal, and one long name does not widen all columns', () => {
  const form = { columns: 80, colours: plainColours }
  const unseen = { since: null, checked: null, answered: null, report: null, waits: null, key: null, messages: [] }
  const area = (name: string, editor: string | null = null) => ({
    ...{ name, project: 'p', environment: null, labels: {}, state: 'drift' as const, editor, ...unseen },
  })
  const status: FleetStatusDocument = {
    ...{ format: 'gatewright.fleet-status/1', fleet: 'brands', at: rollout.started, fault: null, states: {} },
    areas: [area('a', 'joe'), area('b'.repeat(100), 'joe'), { ...area('c'), waits: 'no calls are left '.repeat(6) }],
    rollouts: [{ ...rollout, why: 'words of why '.repeat(10) }],
  }
  const lines = fleetStatusText(status, form).output.split('\n')
  expect(lines.find((line) => line.startsWith('a '))).toMatch(/^a +drift +joe$/)
  expect(lines.filter((line) => line.length > 80)).toEqual(['b'.repeat(100)])
})

it('reports the messages of the last jobs once, with their areas, also if they have ended well', () => {
  const unseen = { since: null, checked: null, answered: null, editor: null, report: null, waits: null, key: null }
  const area = (name: string, ...messages: readonly string[]) => ({
    ...{ name, project: 'p', environment: null, labels: {}, state: 'in-sync' as const, messages, ...unseen },
  })
  const status: FleetStatusDocument = {
    ...{ format: 'gatewright.fleet-status/1', fleet: 'brands', at: rollout.started, fault: null, states: {} },
    areas: [area('a', 'not told', 'not told'), area('b'), area('c', 'odd\u001b[31m', 'not told')],
    rollouts: [],
  }
  const lines = fleetStatusText(status, { colours: plainColours }).output.split('\n')
  expect(lines.slice(-4)).toEqual(['', 'a, c: not told', 'c: odd\\u001b[31m', ''])
})

/** What is known about an area that no job has seen. */
const unseen = {
  ...{ state: null, since: null, checked: null, answered: null, editor: null, report: null },
  messages: [],
}

it('reports once why areas wait, and which', () => {
  const why = 'the calls that key "k" has for today are used up'
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const waiting = [...names.map((area) => ({ area, why })), { area: 'gone', why }]
  const status: FleetStatusDocument = {
    ...{ format: 'gatewright.fleet-status/1', fleet: 'brands', at: rollout.started, fault: null, states: {} },
    areas: names.map((name) => ({
      ...{ name, project: 'p', environment: null, labels: {}, waits: why },
      key: null,
      ...unseen,
    })),
    rollouts: [{ ...rollout, same: [], waiting }],
  }
  const told = (text: string) => text.split('\n').filter((line) => line.includes(why))
  expect(told(fleetStatusText(status, { colours: plainColours }).output)).toEqual([
    `7 areas wait (a, b, c, d, e and 2 more): ${why}`,
    `  gone waits: ${why}`,
  ])
  expect(told(rolloutText({ ...rollout, waiting }).output)).toEqual([
    `  8 areas wait (a, b, c, d, e and 3 more): ${why}`,
  ])
})

it('displays the states with the same words as fleet drift and the pages', () => {
  const waves = [{ wave: 1, approve: false, bakeSeconds: 0, areas: ['a', 'b'], states: { 'in-sync': 1, applied: 1 } }]
  const dropped = [{ area: 'b', state: 'not-started' as const, why: null }]
  expect(
    rolloutText({ ...rollout, same: [], waves, dropped })
      .output.split('\n')
      .slice(1),
  ).toEqual(['  wave 1, 2 areas: 1 in sync, 1 applied', '  b: not started', ''])
})

it('reports that a rollout has failed, with advice', () => {
  const failed: RolloutDocument = { ...rollout, same: [], status: 'failed', why: 'no worker goes on with it' }
  expect(rolloutText(failed).output.split('\n')).toEqual([
    'Rollout r1: failed, started by joe at 2026-11-22 21:56Z',
    '  it stopped: no worker goes on with it',
    '  to end it: gatewright fleet rollout stop r1',
    '',
  ])
  const forms = rolloutHtml('brands', failed, failed.started, { name: 'jane', token: 't' }).match(/(?<=action=")[^"]+/g)
  expect(forms).toEqual(['/rollouts/r1/stop'])
  const status: FleetStatusDocument = {
    ...{ format: 'gatewright.fleet-status/1', fleet: 'brands', at: rollout.started, fault: null, states: {} },
    ...{ areas: [], rollouts: [failed, rollout] },
  }
  const page = fleetStatusHtml(status, { search: '', state: '', page: 1 }, undefined)
  expect(page).toContain('<span class="badge delete">failed</span> <a href="/rollouts/r1">r1</a> has failed')
  const metrics = fleetMetrics(status)
  expect(metrics).toContain('gatewright_fleet_rollouts_failed{fleet="brands"} 1\n')
  expect(metrics).toContain('gatewright_fleet_rollouts_running{fleet="brands"} 1\n')
})

it('counts the waves of a rollout', () => {
  const wave = { wave: 1, approve: false, bakeSeconds: 0, areas: ['a'], states: {} }
  const status: FleetStatusDocument = {
    ...{ format: 'gatewright.fleet-status/1', fleet: 'brands', at: rollout.started, fault: null, states: {} },
    ...{ areas: [], rollouts: [{ ...rollout, waves: [wave] }] },
  }
  expect(fleetStatusHtml(status, { search: '', state: '', page: 1 }, undefined)).toMatch(/>1 wave</)
})

it('reports who has decided what, and when', () => {
  const at = '2026-11-22T21:58:00.000Z'
  const decisions: RolloutDocument['decisions'] = [
    { at, who: 'joe', decision: 'start', wave: null, digest: null },
    { at, who: 'jane', decision: 'approve', wave: 2, digest: '1' },
    { at, who: 'jane', decision: 'pause', wave: null, digest: null },
  ]
  expect(
    rolloutText({ ...rollout, same: [], decisions })
      .output.split('\n')
      .slice(1),
  ).toEqual(['  wave 2 approved by jane at 2026-11-22 21:58Z', '  paused by jane at 2026-11-22 21:58Z', ''])
})

it('the JSON matches the schemas', () => {
  const at = '2026-11-22T21:58:00.000Z'
  const full: RolloutDocument = {
    ...{ ...rollout, ended: at, why: 'a failure' },
    waves: [{ wave: 1, approve: true, bakeSeconds: 0, areas: ['a'], states: { pending: 1 } }],
    dropped: [{ area: 'b', state: 'stale', why: null }],
    waiting: [{ area: 'c', why: 'no calls are left' }],
    awaits: { wave: 1, digest: '1' },
    decisions: [{ at, who: 'jane', decision: 'approve', wave: 1, digest: '1' }],
  }
  const status: FleetStatusDocument = {
    ...{ format: 'gatewright.fleet-status/1', fleet: 'brands', at, fault: null, states: { drift: 1, unknown: 1 } },
    areas: [
      { name: 'a', project: 'p', environment: null, labels: {}, key: null, waits: null, ...unseen },
      {
        ...{ name: 'b', project: 'p', environment: 'prod', labels: { ring: 'canary' }, key: 'shared', state: 'drift' },
        ...{ since: at, checked: at, answered: at, editor: 'joe', report: 'drift', waits: 'no calls are left' },
        messages: ['a role has changed'],
      },
    ],
    rollouts: [rollout, full],
  }
  const history: FleetHistoryDocument = {
    ...{ format: 'gatewright.fleet-history/1', fleet: 'brands' },
    jobs: [
      {
        ...{
          area: 'a',
          occasion: 'drift',
          command: 'drift',
          state: 'error',
          started: at,
          seconds: 1.5,
          requests: null,
        },
        ...{ summary: {}, editor: null, worker: 'w', hasReport: false, messages: ['no answer'] },
      },
    ],
  }
  expect(fleetHistoryHtml(history, undefined, undefined)).toContain('>2026-11-22 21:58:00 UTC</time>')
  const answers = { 'fleet-status': status, 'fleet-history': history, rollout: JSON.parse(rolloutJson(full).output) }
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  for (const [name, answer] of Object.entries(answers)) {
    const path = new URL(`../../schemas/${name}-document.schema.json`, import.meta.url)
    const validate = ajv.compile(JSON.parse(readFileSync(path, 'utf8')))
    validate(answer)
    expect(validate.errors ?? [], name).toEqual([])
  }
})
