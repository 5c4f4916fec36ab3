import { expect, it } from 'vitest'
import type { AreaResult } from '../../src/documents/fleet.js'
import { maskOf } from '../../src/engine/masking.js'
import { resumeStale } from '../../src/fleet/resume-stale.js'
import type { ChildEnd } from '../../src/ports/child.js'
import { area } from './areas.js'

const began = Date.UTC(2027, 0, 1)
const result = (state: AreaResult['state']): AreaResult => ({
  ...{ area: 'acme', command: 'apply', exit: 4, state, summary: {}, requests: 2, seconds: 1, changes: null },
  ...{ startedAt: new Date(began).toISOString(), document: null, diagnostics: [], files: {} },
})

const runs = (purpose: string, hours: number): Partial<ChildEnd> => ({
  stdout: JSON.stringify({ runs: [{ purpose, started: new Date(began + hours * 3_600_000).toISOString() }] }),
})

it.each<[string, Partial<ChildEnd>, string, string[]]>([
  ['is continued if a run since then is the newest', runs('apply', 1), 'applied', []],
  ['stays stale after an earlier run', runs('apply', -1), 'stale', []],
  ['stays stale after a rollback', runs('rollback', 1), 'stale', []],
  ['stays stale without any run', { stdout: '{"runs": []}' }, 'stale', []],
  [
    'is an error if the history could not be read, because changes may have been done',
    { is: 'killed', code: null, reason: 'SIGTERM' },
    'error',
    ['the process of area "acme" was ended: SIGTERM'],
  ],
  [
    'is also an error if the records cannot be reached',
    { code: 1, stdout: '{"format": "gatewright.diagnostics/1", "diagnostics": []}' },
    'error',
    ['the process of area "acme" ended with exit code 1 and no answer'],
  ],
])('a saved plan that is stale when it is applied again %s', async (_, end, state, told) => {
  const ports = {
    ...{ env: { GATEWRIGHT_TOKEN: 't' }, cwd: '.', now: () => began, signal: new AbortController().signal },
    mask: maskOf({}),
    child: () => Promise.resolve<ChildEnd>({ is: 'exited', code: 0, stdout: '', stderr: '', ...end }),
  }
  const asked = { area: area('acme', { project: 'examples/storefront' }), key: undefined, timeoutMs: 1_000 }
  const resumed = await resumeStale(result('stale'), began, asked, ports, () => Promise.resolve(result('applied')))
  expect(resumed.state).toBe(state)
  expect(resumed.diagnostics.map(({ message }) => message)).toEqual(told)
})
