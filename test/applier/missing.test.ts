import { expect, test } from 'vitest'
import { missingIn } from '../../src/applier/missing.js'
import { normalize } from '../../src/client/normalize.js'
import type { Client } from '../../src/client/types.js'
import { document, manifestText } from '../kit/manifests.js'
import { manifestsIn } from '../manifest/manifests-of.js'
import { planOf } from '../planner/plans.js'

const unused = (): never => {
  throw new Error('nothing is requested')
}

/** A client for objects that are all listed. */
const client: Client = {
  ...{ read: unused, write: unused, findById: unused, findByName: unused, list: unused, listIds: unused },
  ...{ stats: unused, isFailing: () => false, close: () => Promise.resolve() },
}

test('thousands of recorded objects under other names are found without a search for each', async () => {
  const count = 1000
  const numbers = Array.from({ length: count }, (_, index) => index)
  const declared = numbers.flatMap((index) => [
    document('Service', `old-${index}`),
    document('Service', `new-${index}`),
  ])
  const live = { services: numbers.map((index) => ({ id: `s${index}`, name: `old-${index}` })) }
  const plan = planOf(declared, live)
  let looks = 0
  class Counted<Key, Value> extends Map<Key, Value> {
    override [Symbol.iterator]() {
      looks += 1
      return super[Symbol.iterator]()
    }
  }
  const missing = await missingIn({
    plan: { ...plan, matched: new Counted(plan.matched) },
    ...{ resources: manifestsIn(manifestText(declared)).resources, snapshot: normalize(live), client },
    ...{ now: 0, createPatienceMs: 0 },
    recorded: (address) => ({ id: address.replace('Service/new-', 's'), announcedAt: undefined }),
  })
  expect(missing.map((each) => (each.is === 'renamed' ? `${each.change.address} ${each.declared}` : each.is))).toEqual(
    plan.changes.map(({ address }) => `${address} ${address.replace('new', 'old')}`),
  )
  expect([missing.length, looks]).toEqual([count, 1])
})
