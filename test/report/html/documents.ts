import type { Diagnostic, DiagnosticsDocument } from '../../../src/documents/diagnostics.js'
import type { DiffDocument } from '../../../src/documents/diff.js'
import type { HistoryDocument } from '../../../src/documents/history.js'
import { driftDocument, type PlanDocument, planDocument } from '../../../src/documents/plan.js'
import type { RunDocument } from '../../../src/documents/run.js'
import { diagnosticsHtml } from '../../../src/report/html/diagnostics.js'
import { diffHtml } from '../../../src/report/html/diff.js'
import { driftHtml } from '../../../src/report/html/drift.js'
import { historyHtml } from '../../../src/report/html/history.js'
import { planHtml } from '../../../src/report/html/plan.js'
import { runHtml } from '../../../src/report/html/run.js'
import { context as reportContext } from '../formats/drawn.js'
import { context, samplePlan } from '../sample-plan.js'

/** Documents with every possible part, and their pages. */

export interface Documents {
  readonly plan: PlanDocument
  readonly drift: PlanDocument
  readonly run: RunDocument
  readonly diff: DiffDocument
  readonly history: HistoryDocument
  readonly diagnostics: DiagnosticsDocument
}

const target = { url: 'https://api.example.com', area: 'a1', project: 'shop', environment: 'prod' }
const place = { file: 'services/orders.yaml', line: 3, column: 5 }
const refusal: Diagnostic = {
  code: 'hazard',
  severity: 'error',
  message: 'KEY_LOSS',
  hint: `allow ${'it'.repeat(60)}`,
  ...place,
}

const diagnosticsOf = (...diagnostics: readonly Diagnostic[]): DiagnosticsDocument => ({
  format: 'gatewright.diagnostics/1',
  diagnostics,
})

export const documents: Documents = {
  plan: { ...planDocument(samplePlan, [], context), refused: [refusal] },
  drift: driftDocument(samplePlan, context),
  run: {
    format: 'gatewright.run/1',
    target,
    purpose: 'apply',
    of: null,
    run: '20261122T052455Z-0692f4',
    summary: { applied: 1, failed: 1, blocked: 0, notStarted: 1, waiting: 0, notKept: 0, accepted: 0 },
    changes: [
      { address: 'Role/R', kind: 'Role', action: 'create', id: 'r1', outcome: 'applied', error: null },
      {
        ...{ address: 'Service/S', kind: 'Service', action: 'update', id: 's1', outcome: 'failed' },
        error: '400 refused',
        left: { description: 'changed all the same' },
      },
      { address: 'Service/S/Cache', kind: 'Cache', action: 'create', id: null, outcome: 'notStarted', error: null },
    ],
    requests: 4,
    diagnostics: [
      { code: 'no-base', severity: 'warning', message: 'nothing is known', hint: `apply ${'once'.repeat(30)}` },
    ],
  },
  diff: {
    format: 'gatewright.diff/1',
    a: 'dev',
    b: 'prod',
    summary: { onlyInA: 1, onlyInB: 0, different: 1, layers: 1 },
    layers: [
      {
        ...{ is: 'value', name: 'timeout', sensitive: false, fields: ['/timeout'], count: 1, objects: ['Service/S'] },
        omitted: [],
        a: { layer: 'values of dev', ...place, value: 30 },
        b: { layer: 'values of prod', ...place, value: 60 },
      },
    ],
    differences: [
      { address: 'Service/Old', kind: 'Service', in: 'a', fields: [] },
      {
        ...{ address: 'Service/S', kind: 'Service', in: 'both' },
        fields: [{ path: '/description', a: 'one', b: 'two', sensitive: false }],
      },
    ],
  },
  history: {
    format: 'gatewright.history/1',
    target,
    runs: (['done', 'incomplete', 'interrupted', 'running'] as const).map((outcome, index) => ({
      run: `20261122T05245${index}Z-0692f4`,
      started: `2026-11-2${index}T05:24:55.000Z`,
      ended: outcome === 'running' ? null : `2026-11-2${index}T05:25:55.000Z`,
      who: 'jane',
      commit: '0123456789abcdef',
      purpose: 'apply',
      of: null,
      outcome,
      summary: { applied: 3, failed: index },
    })),
  },
  diagnostics: diagnosticsOf(refusal, { code: 'unset', severity: 'note', message: 'not set here' }),
}

export const pagesOf = (all: Documents): Readonly<Record<string, string>> => ({
  plan: planHtml(all.plan),
  drift: driftHtml(all.drift),
  run: runHtml(all.run),
  diff: diffHtml(all.diff),
  history: historyHtml(all.history),
  diagnostics: diagnosticsHtml(all.diagnostics, reportContext),
})
