import { describe, expect, test } from 'vitest'
import { type Finished, runSteps, type ScheduledStep, StepQueue } from '../../src/applier/schedule.js'

const step = (id: string, ...needs: readonly string[]): ScheduledStep => ({ id, needs, gives: [id] })
const stands: Finished<ScheduledStep> = { stateOf: () => 'stands' }
const soon = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('steps', () => {
  test('run up to the limit at once, while as many again are prepared', async () => {
    const counts = { called: 0, working: 0, mostCalled: 0, mostWorking: 0, done: 0 }
    const steps = Array.from({ length: 20 }, (_, index) => step(`s${index}`))
    const left = await runSteps(steps, {
      concurrency: 3,
      mayStart: () => true,
      run: async (_, __, turn) => {
        counts.called += 1
        counts.mostCalled = Math.max(counts.mostCalled, counts.called)
        await soon()
        await turn()
        counts.working += 1
        counts.mostWorking = Math.max(counts.mostWorking, counts.working)
        await soon()
        counts.working -= 1
        counts.called -= 1
        counts.done += 1
        return stands
      },
    })
    expect(left).toEqual([])
    expect(counts).toEqual({ called: 0, working: 0, mostCalled: 6, mostWorking: 3, done: 20 })
  })

  test('run in their order, and none before the steps that it needs', async () => {
    const order: string[] = []
    const steps = [step('c', 'b'), step('a'), step('b', 'a'), step('d')]
    await runSteps(steps, {
      concurrency: 1,
      mayStart: () => true,
      run: async ({ id }, fails, turn) => {
        await turn()
        order.push(id)
        await soon()
        expect(fails.size).toBe(0)
        return stands
      },
    })
    expect(order).toEqual(['a', 'd', 'b', 'c'])
  })

  test('are awaited if one of them throws, and no other is started', async () => {
    const order: string[] = []
    const running = runSteps([step('a'), step('bad'), step('b'), step('late', 'a'), step('more')], {
      concurrency: 2,
      mayStart: () => true,
      run: async ({ id }) => {
        order.push(`${id} begins`)
        await soon()
        if (id === 'bad') throw new Error('a bug')
        for (let turn = 0; turn < 5; turn += 1) await soon()
        order.push(`${id} ends`)
        return stands
      },
    })
    await expect(running).rejects.toThrow('a bug')
    const begun = ['a begins', 'bad begins', 'b begins', 'more begins']
    expect(order).toEqual([...begun, 'a ends', 'b ends', 'more ends'])
  })

  test('whose state cannot be read end the run with that error', async () => {
    const finished: Finished<ScheduledStep> = {
      stateOf: () => {
        throw new Error('a bug')
      },
    }
    const schedule = { concurrency: 1, mayStart: () => true, run: () => Promise.resolve(finished) }
    await expect(runSteps([step('a')], schedule)).rejects.toThrow('a bug')
  })

  test('that end without running free their slot', async () => {
    const worked: string[] = []
    await runSteps([step('x'), step('y'), step('a'), step('b')], {
      concurrency: 1,
      mayStart: () => true,
      run: async ({ id }, _, turn) => {
        if (id < 'x') {
          await turn()
          worked.push(id)
        }
        return stands
      },
    })
    expect(worked).toEqual(['a', 'b'])
  })

  test('that were not started when nothing more may start are returned', async () => {
    let called = 0
    const left = await runSteps(
      Array.from({ length: 9 }, (_, index) => step(`s${index}`)),
      {
        concurrency: 2,
        mayStart: () => called < 3,
        run: async (_, __, turn) => {
          called += 1
          await turn()
          return stands
        },
      },
    )
    expect(called).toBe(3)
    expect(left.map(({ id }) => id)).toEqual(['s3', 's4', 's5', 's6', 's7', 's8'])
  })

  test('whose needs fail are informed; a step that throws ends all', async () => {
    const told: string[] = []
    await runSteps([step('a'), step('b', 'a')], {
      concurrency: 4,
      mayStart: () => true,
      run: ({ id }, fails) => {
        told.push(`${id}: ${[...fails].join()}`)
        return Promise.resolve({ stateOf: () => 'fails' })
      },
    })
    expect(told).toEqual(['a: ', 'b: a'])
    const broken = runSteps([step('a')], {
      concurrency: 1,
      mayStart: () => true,
      run: () => Promise.reject(new Error('broken')),
    })
    await expect(broken).rejects.toThrow('broken')
  })
})

describe('the queue of steps', () => {
  const step = (id: string, needs: readonly string[] = [], gives: readonly string[] = [id]) => ({ id, needs, gives })
  const all = () => true

  test('returns a step after all that it needs is done, and says which of its needs failed', () => {
    const [first, second] = [step('a'), step('b')]
    const queue = new StepQueue([step('c', ['a', 'b', 'given by nobody']), first, second])
    expect(queue.take(all)?.step).toBe(first)
    queue.finish(first, { stateOf: () => 'fails' })
    expect(queue.take(all)?.step).toBe(second)
    expect(queue.take(all)).toBeUndefined()
    expect(queue.left().map(({ id }) => id)).toEqual(['c'])
    queue.finish(second, { stateOf: () => 'stands' })
    const last = queue.take(all)
    expect([last?.step.id, ...(last?.fails ?? [])]).toEqual(['c', 'a', 'given by nobody'])
    expect(queue.left()).toEqual([])
  })

  test('delays the tokens of a step until the steps that replace it have released theirs', () => {
    const whole = step('whole', [], ['x'])
    const queue = new StepQueue([whole, step('after', ['x']), step('dropped', ['x'])])
    queue.take(all)
    const part = step('part', [], ['x'])
    queue.finish(whole, { stateOf: () => 'fails', replace: { drop: ({ id }) => id === 'dropped', add: [part] } })
    expect(queue.take(all)?.step).toBe(part)
    queue.finish(part, { stateOf: () => 'stands' })
    expect(queue.take(all)).toEqual({ step: step('after', ['x']), fails: new Set() })
    expect(queue.left()).toEqual([])
  })
})

test('eight times as many steps do not take much more than eight times as long', () => {
  const cpuOf = (count: number): number => {
    const queue = new StepQueue(Array.from({ length: count }, (_, index) => step(`s${index}`)))
    const start = process.cpuUsage()
    let taken = queue.take(() => true)
    while (taken) {
      queue.finish(taken.step, stands)
      taken = queue.take(() => true)
    }
    expect(queue.left()).toEqual([])
    return process.cpuUsage(start).user
  }
  // Times are counted in steps of some milliseconds: a small one may be none.
  const small = Math.max(cpuOf(12_500), 10_000)
  expect(cpuOf(100_000) / small).toBeLessThan(30)
})
