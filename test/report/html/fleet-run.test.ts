import { expect, test } from 'vitest'
import type { FleetDocument } from '../../../src/documents/fleet.js'
import { fleetRunHtml } from '../../../src/report/html/fleet-run.js'

const fleet: FleetDocument = {
  ...{ format: 'gatewright.fleet/1', fleet: 'brands', command: 'plan' },
  ...{ startedAt: '2026-11-21T00:00:00.000Z', seconds: 3, diagnostics: [], same: [] },
  summary: {
    ...{ areas: 1, changes: {}, requests: 0 },
    states: {
      ...{ 'in-sync': 0, pending: 0, drift: 0, conflict: 0, applied: 0, incomplete: 0, stale: 0, refused: 1, error: 0 },
      ...{ interrupted: 0, 'not-started': 0 },
    },
  },
  areas: [
    {
      ...{ area: 'acme', state: 'refused', project: 'shop', environment: 'acme', labels: {}, key: null, exit: 5 },
      ...{ summary: {}, requests: 2, startedAt: '2026-11-21T00:00:00.000Z', seconds: 1, changes: null, files: {} },
      diagnostics: [
        {
          ...{ code: 'conflict', severity: 'error', message: 'changed on both sides', hint: 'decide with --take live' },
          ...{ file: 'shop/manifests/orders.yaml', line: 3, column: 5 },
        },
      ],
    },
  ],
}

test('a problem of an area is displayed with its position and advice', () => {
  const page = fleetRunHtml(fleet)
  expect(page).toContain('changed on both sides <span class="mono">[conflict]</span>')
  expect(page).toContain('<code>shop/manifests/orders.yaml:3:5</code>')
  expect(page).toContain('<span class="hint">decide with <span class="option">--take</span> live</span>')
})
