import { expect, it } from 'vitest'
import type { Fleet } from '../../../src/fleet/fleet.js'
import { driftRound } from '../../../src/fleet/serve/drift-round.js'
import type { WorkflowContext } from '../../../src/workflows/workflows.js'
import { area, serveSettings } from '../areas.js'

const drift = { schedule: '0 * * * *', timezone: 'UTC', jitterMs: 1_200_000 }

const fleetOf = (...names: readonly string[]): Fleet => ({
  ...{
    name: 'brands',
    file: 'f',
    dir: '.',
    keys: {},
    drift: undefined,
    rollout: undefined,
    records: '.',
    timeoutMs: 1,
  },
  ...{ serve: serveSettings, areas: names.map((name) => area(name)) },
})

/** The contexts of a workflow that another worker continues: the second repeats the answers of the first. */
function twice(busy: readonly string[], said: string[] = []): readonly WorkflowContext[] {
  const never = () => Promise.reject(new Error('a round does not ask for that'))
  const known = new Map<number, unknown>()
  return ['first', 'second'].map((id) => {
    let number = 0
    const once = async <Value>(work: () => Promise<Value>): Promise<Value> => {
      number += 1
      if (!known.has(number)) known.set(number, await work())
      return known.get(number) as Value
    }
    return {
      id,
      step: (_, work) => once(work),
      enqueue: (jobs) =>
        once(() => {
          said.push(...jobs.map(({ only = '' }) => only))
          return Promise.resolve(jobs.map(({ only = '' }) => (busy.includes(only) ? 'refused' : 'queued')))
        }),
      sleep: (milliseconds) => once(() => Promise.resolve(void said.push(`sleep ${milliseconds}`))),
      ...{ received: never, wait: never },
    }
  })
}

it('reports the same areas as busy, whatever has changed in the fleet file when another worker continues', async () => {
  let fleet = fleetOf('acme', 'globex', 'initech')
  const skipped: string[] = []
  let isCutOff = true
  const body = driftRound({
    fleet: () => fleet,
    jobs: {
      skip: ({ area: name, occasion }) => {
        if (isCutOff) return Promise.reject(new Error('the worker is gone'))
        skipped.push(`${name}, ${occasion}`)
        return Promise.resolve()
      },
    },
  })
  const [first, second] = twice(['globex'])
  if (!first || !second) throw new Error('two workers')
  await expect(body({ at: 'noon' }, first)).rejects.toThrow('gone')
  isCutOff = false
  fleet = fleetOf('umbrella', 'acme', 'globex', 'initech')
  await body({ at: 'noon' }, second)
  expect(skipped).toEqual(['globex, drift noon'])
})

it('adds jobs to the queues only when they are due, because waiting jobs would block a rollout', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `brand ${index}`)
  const said: string[] = []
  const [context] = twice([], said)
  if (!context) throw new Error('a worker')
  await driftRound({ fleet: () => ({ ...fleetOf(...names), drift }), jobs: { skip: () => Promise.resolve() } })(
    { at: 'noon' },
    context,
  )
  expect(said.filter((each) => each.startsWith('brand')).sort()).toEqual([...names].sort())
  const waits = said.flatMap((each) => (each.startsWith('sleep ') ? [Number(each.slice('sleep '.length))] : []))
  expect(waits.length).toBeGreaterThan(20)
  expect(waits.reduce((sum, each) => sum + each, 0)).toBeLessThan(drift.jitterMs)
})
