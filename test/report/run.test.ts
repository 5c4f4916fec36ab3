import { expect, it } from 'vitest'
import type { RunDocument } from '../../src/documents/run.js'
import { plainColours } from '../../src/report/colours.js'
import { runText } from '../../src/report/run.js'

it('a run with thousands of changes that were never tried lists the first ones, and all with --verbose', () => {
  const change = (outcome: 'failed' | 'blocked' | 'notStarted') => (_: unknown, index: number) => ({
    ...{ address: `Service/S${index}`, kind: 'Service' as const, action: 'create' as const, id: null },
    ...{ outcome, error: 'why not: it is above the maximum of its plan', answered: null },
  })
  const run: RunDocument = {
    ...{ format: 'gatewright.run/1', purpose: 'apply', run: 'r', of: null, requests: 1, diagnostics: [] },
    target: { url: 'https://x.example', area: 'a', project: 'shop' },
    summary: { applied: 0, failed: 30, blocked: 300, waiting: 0, notKept: 0, notStarted: 20, accepted: 0 },
    changes: [
      ...Array.from({ length: 30 }, change('failed')),
      ...Array.from({ length: 300 }, change('blocked')),
      ...Array.from({ length: 20 }, change('notStarted')),
    ],
  }
  const text = (verbose: boolean) => runText(run, { colours: plainColours, verbose }).output
  const count = (word: string, verbose: boolean) => text(verbose).split(`  ${word}: create`).length - 1
  expect([count('failed', false), count('blocked', false), count('not started', false)]).toEqual([30, 20, 20])
  expect(text(false)).toContain('\n  and 280 more blocked, which --verbose shows\nApply: 0 applied')
  const narrow = runText(run, { colours: plainColours, verbose: false, columns: 50 }).output
  expect(narrow.split('\n').filter((line) => line.length > 50 && !line.startsWith('Apply'))).toEqual([])
  expect([count('blocked', true), text(true).includes('more blocked')]).toEqual([300, false])
})
