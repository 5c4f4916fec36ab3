import { expect, test } from 'vitest'
import { type PlannedChange, staleChanges } from '../../src/applier/stale.js'
import type { Plan, Skipped } from '../../src/planner/plan.js'

const count = 300
const addresses = Array.from({ length: count }, (_, index) => `Role/R${index}`)

const planned = (action: string): readonly PlannedChange[] =>
  addresses.map((address) => ({
    ...{ address, action, precondition: 'p' },
    fields: [{ path: '/description', before: 'a', after: 'b', sensitive: false }],
  }))

const planWith = (more: Partial<Plan>): Plan => ({
  ...{ changes: [], unmanaged: [], unchanged: 0, matched: new Map(), base: undefined, expanded: new Map() },
  ...{ undeclared: [], skipped: [], accepted: [], problems: [] },
  ...more,
})

test('what is left alone now is looked up by address, not searched for each change', () => {
  let reads = 0
  const skipped = addresses.map(
    (address): Skipped => ({
      get address() {
        reads += 1
        return address
      },
      paths: 'all',
    }),
  )
  const stale = staleChanges(planned('update'), planWith({ skipped }), 'strict', () => undefined)
  expect(stale).toHaveLength(count)
  expect(stale[0]?.message).toContain('it would now be left alone')
  expect(reads).toBeLessThan(5 * count)
})

test('a delete that is no longer planned says whether its object still exists', () => {
  let reads = 0
  const unmanaged = addresses.slice(1).map((address) => ({
    ...{ kind: 'Role' as const, id: address, inList: false },
    get address() {
      reads += 1
      return address
    },
  }))
  const stale = staleChanges(planned('delete'), planWith({ unmanaged }), 'strict', () => undefined)
  expect(stale[0]?.message).toContain('it is gone, or would be left alone')
  expect(stale[1]?.message).toContain('it would now be left alone')
  expect(reads).toBeLessThan(5 * count)
})
