import { describe, expect, test } from 'vitest'
import { baseFrom } from '../../src/history/base-from.js'
import type { JournalEntry, Receipt, RunRecord, SettledEntry } from '../../src/stores/record.js'

/** What counts as applied after a run that was cut off: the receipts are older than its journal. */

const image = (description: string) => ({ fields: { description }, fingerprints: {} })

const receipt: Receipt = {
  address: 'Role/A',
  kind: 'Role',
  id: 'r1',
  image: image('x'),
  run: '20270101T000000Z-000000',
  origin: 'created',
}

type Change = RunRecord['head']['changes'][number]

/** A run without an end. */
const cutOff = (
  changes: readonly Change[],
  entries: readonly JournalEntry[],
  purpose: RunRecord['head']['purpose'] = { is: 'apply' },
): RunRecord => ({
  head: {
    run: '20270102T000000Z-1a2b3c',
    key: { url: 'https://platform.example', area: 'a', project: 'p' },
    worker: { who: 'w', host: 'h', pid: 1 },
    started: 0,
    commit: undefined,
    plan: 'sha256:0',
    manifests: 'sha256:0',
    purpose,
    changes,
  },
  entries,
})

const settled = (more: Partial<SettledEntry>): SettledEntry => ({
  is: 'settled',
  address: 'Role/A',
  outcome: 'applied',
  id: 'r1',
  error: undefined,
  before: undefined,
  after: undefined,
  at: 8,
  ...more,
})

const announced = (request: string, creates: readonly string[]): JournalEntry => ({
  ...{ is: 'announced', step: '1', request, addresses: ['Role/A'], creates, at: 7 },
})

/** The ids and fields that count as applied after a run with one change of the role A. */
function appliedAfter(action: string, entries: readonly JournalEntry[], receipts: readonly Receipt[] = [receipt]) {
  return applied(receipts, cutOff([{ address: 'Role/A', kind: 'Role', action }], entries))
}

const applied = (receipts: readonly Receipt[], run: RunRecord) =>
  [...(baseFrom(receipts, [run])?.objects.values() ?? [])].map(({ address, id, fields }) => ({ address, id, fields }))

const unchanged = { address: 'Role/A', id: 'r1', fields: { description: 'x' } }

describe('an object to delete', () => {
  const accepted = [announced('DELETE /roles/r1', []), settled({ before: image('x') })]

  test('is no longer applied after the platform accepted the delete', () => {
    expect(appliedAfter('delete', accepted)).toEqual([])
  })

  test('is still applied if the platform accepted the delete and the closing reading found the object', () => {
    const kept = settled({ outcome: 'notKept', error: 'it is still there', before: image('x') })
    expect(appliedAfter('delete', [...accepted, kept])).toEqual([unchanged])
  })

  test('is still applied if the delete was refused', () => {
    expect(
      appliedAfter('delete', [announced('DELETE /roles/r1', []), settled({ outcome: 'failed', error: '409' })]),
    ).toEqual([unchanged])
  })
})

describe('an object to create', () => {
  const sent = announced('POST /roles', ['Role/A'])
  const failed = { outcome: 'failed', id: undefined, error: 'it failed' }

  test('may exist until the create is answered, and also if the answer is lost', () => {
    const maybe = [{ address: 'Role/A', id: undefined, fields: {} }]
    const other = { ...receipt, address: 'Role/B', id: 'r2' }
    const isA = ({ address }: { readonly address: string }) => address === 'Role/A'
    expect(appliedAfter('create', [sent], [other]).filter(isA)).toEqual(maybe)
    expect(appliedAfter('create', [sent, settled({ ...failed, answered: 'no' })], [other]).filter(isA)).toEqual(maybe)
    expect(appliedAfter('create', [sent, settled(failed)], [other]).filter(isA)).toEqual([])
  })

  test('is not applied if a rollback created it again and no run had created it or taken it over', () => {
    const rollback = (more: Partial<SettledEntry>) =>
      cutOff(
        [{ address: 'Role/A', kind: 'Role', action: 'create' }],
        [sent, settled({ id: 'r9', after: image('x'), ...more })],
        { is: 'rollback', of: receipt.run },
      )
    expect(applied([], rollback({}))).toEqual([{ ...unchanged, id: 'r9' }])
    expect(applied([], rollback({ unapplied: true }))).toEqual([])
  })
})

describe('an object to update', () => {
  test('has the values that a failed update has left, next to those that it has not changed', () => {
    const left = settled({ outcome: 'failed', error: '400', after: { fields: { other: 'y' }, fingerprints: {} } })
    expect(appliedAfter('update', [announced('PUT /roles/r1', []), left])).toEqual([
      { ...unchanged, fields: { description: 'x', other: 'y' } },
    ])
  })

  test('is not applied because a failed update has left values in it', () => {
    const left = settled({ outcome: 'failed', error: '400', after: image('y') })
    const other = { ...receipt, address: 'Role/B', id: 'r2' }
    expect(appliedAfter('update', [announced('PUT /roles/r1', []), left], [other])).toEqual([
      { ...unchanged, address: 'Role/B', id: 'r2' },
    ])
  })

  test('stays protected under a new name, which is found by the id of its own kind', () => {
    const receipts: readonly Receipt[] = [
      { ...receipt, address: 'Package/P', kind: 'Package', labels: { team: 'other' } },
      { ...receipt, address: 'Role/Other', id: 'r2', labels: { team: 'other' } },
      { ...receipt, address: 'Role/Old', protect: true },
    ]
    const run = cutOff(
      [{ address: 'Role/A', kind: 'Role', action: 'update' }],
      [announced('PUT /roles/r1', []), settled({ after: image('x') })],
    )
    const renamed = baseFrom(receipts, [run])?.objects.get('Role/A')
    expect(renamed).toMatchObject({ id: 'r1', protect: true, since: receipt.run })
    expect(renamed).not.toHaveProperty('labels')
  })
})

describe('a field that names the list of another object', () => {
  const address = 'Service/S/Endpoint/e'
  const inEvent = (name: string) => ({ fields: { scheduledMaintenanceEvent: { name } }, fingerprints: {} })
  const endpoint: Receipt = { ...receipt, address, kind: 'Endpoint', id: 'e1', image: inEvent('Old') }
  const event = { address: 'ScheduledMaintenanceEvent/New', kind: 'ScheduledMaintenanceEvent', action: 'update' }
  const written = settled({ address, id: 'e1', after: inEvent('New') })
  const listed = settled({ address: event.address, id: 'v1', after: { fields: {}, fingerprints: {} } })

  /** The fields of the endpoint that count as applied. */
  function fieldsAfter(receipts: readonly Receipt[], changes: readonly Change[], entries: readonly JournalEntry[]) {
    const run = cutOff([{ address, kind: 'Endpoint', action: 'update' }, ...changes], [written, ...entries])
    return applied(receipts, run).find((each) => each.address === address)?.fields
  }

  test('is applied if that list was written, or did not have to be', () => {
    expect(fieldsAfter([endpoint], [event], [listed])).toEqual(inEvent('New').fields)
    expect(fieldsAfter([endpoint], [], [])).toEqual(inEvent('New').fields)
  })

  test('is as before, or not managed, if the run was killed before it wrote that list', () => {
    expect(fieldsAfter([endpoint], [event], [])).toEqual(inEvent('Old').fields)
    expect(fieldsAfter([{ ...endpoint, image: { fields: {}, fingerprints: {} } }], [event], [])).toEqual({})
  })
})

test('eight times as many renamed objects do not take much more than eight times as long', () => {
  const cpuOf = (count: number): number => {
    const ids = Array.from({ length: count }, (_, index) => `r${index}`)
    const receipts = ids.map((id) => ({ ...receipt, address: `Role/was ${id}`, id }))
    const changes = ids.map((id) => ({ address: `Role/now ${id}`, kind: 'Role', action: 'update' }))
    const entries = ids.map((id) => settled({ address: `Role/now ${id}`, id, after: image('y') }))
    const start = process.cpuUsage()
    expect(baseFrom(receipts, [cutOff(changes, entries)])?.objects.size).toBe(2 * count)
    return process.cpuUsage(start).user
  }
  // Times are counted in steps of some milliseconds: a small one may be none.
  const small = Math.max(cpuOf(2_000), 10_000)
  expect(cpuOf(16_000) / small).toBeLessThan(25)
})
