import { expect, test } from 'vitest'
import { awaitedIn } from '../../src/history/base-from.js'
import type { JournalEntry, RunRecord } from '../../src/stores/record.js'

/** Creates without a recorded outcome. */

const addresses = ['Service/S', 'Service/S/Endpoint/e']
const added = 'Service/S/ErrorSet/Default'

const record = (entries: readonly JournalEntry[]): RunRecord => ({
  head: {
    run: '20270101T000000Z-1a2b3c',
    key: { url: 'https://platform.example', area: 'a', project: 'p' },
    worker: { who: 'w', host: 'h', pid: 1 },
    started: 0,
    commit: undefined,
    plan: 'sha256:0',
    manifests: 'sha256:0',
    purpose: { is: 'apply' },
    changes: addresses.map((address) => ({ address, kind: 'Service', action: 'create' })),
  },
  entries: [
    { is: 'announced', step: '1', request: 'POST /services', addresses, creates: [...addresses, added], at: 7 },
    ...entries,
  ],
})

const settled = (address: string, more: { readonly answered?: 'no' } = {}): JournalEntry => ({
  is: 'settled',
  address,
  outcome: more.answered ? 'unknown' : 'applied',
  id: undefined,
  error: undefined,
  before: undefined,
  after: undefined,
  ...more,
  at: 8,
})

const awaited = (...entries: readonly JournalEntry[]) => awaitedIn([record(entries)]).map(({ address }) => address)

test('before any answer, all of them may still be created', () => {
  expect(awaited()).toEqual([...addresses, added])
  expect(awaited(settled('Service/S', { answered: 'no' }))).toEqual([...addresses, added])
})

test('objects that the platform adds by itself were created with the object', () => {
  expect(awaited(settled('Service/S'))).toEqual(['Service/S/Endpoint/e'])
})

test('a planned object needs its own outcome, even if its parent was found', () => {
  expect(awaited(settled('Service/S'), settled('Service/S/Endpoint/e', { answered: 'no' }))).toEqual([
    'Service/S/Endpoint/e',
  ])
  expect(awaited(settled('Service/S'), settled('Service/S/Endpoint/e'))).toEqual([])
})
