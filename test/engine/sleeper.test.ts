import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { document, projectText } from '../kit/manifests.js'
import { embedded, type World } from '../kit/world.js'

/** A machine that sleeps in the middle of a run does not know the changes of others since then. */

const roles = ['A', 'B', 'C', 'D'].map((name) => document('Role', name))

const project = projectText(`  platform: {concurrency: 1}
  limits: {deletes: 100, changedPercent: 100}
`)

/** Controls the clock of the machine, which timers do not follow: it moves by this number of seconds. */
function machine(): (seconds: number) => void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  return (seconds) => vi.setSystemTime(Date.now() + seconds * 1000)
}

/** Calls the function each time a request has been answered. */
function after(world: World, happens: (request: Request) => void): void {
  const { fetch } = world.make
  Object.assign(world.make, {
    fetch: async (request: Request) => {
      const response = await fetch(request)
      happens(request)
      return response
    },
  })
}

const isWrite = ({ method, url }: Request) => method !== 'GET' && !url.endsWith('/token')

const written = (world: World) => world.requests().filter(({ method }) => method !== 'GET').length

const receiptsOf = (world: World): string => {
  const folder = join(world.dir, '.gatewright')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('receipts.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

test('a run that wakes after others could take its lock sends nothing more, and reports it', async () => {
  const world = embedded()
  world.write('gatewright.yaml', project)
  world.declare(...roles)
  const sleep = machine()
  after(world, (request) => isWrite(request) && sleep(75))
  const run = await world.apply()
  expect(run.exitCode).toBe(3)
  expect(run.stderr).toContain('was lost while the run was under way')
  expect(run.json().summary).toMatchObject({ applied: 1, notStarted: 3 })
  expect(written(world)).toBe(1)
})

test('a run that wakes before that continues', async () => {
  const world = embedded()
  world.write('gatewright.yaml', project)
  world.declare(...roles)
  const sleep = machine()
  after(world, (request) => isWrite(request) && sleep(45))
  expect((await world.apply()).exitCode).toBe(0)
  expect(written(world)).toBe(4)
})

test('a write that slept while it waited for its slot is not sent', async () => {
  const sleep = machine()
  const world = embedded({}, {})
  world.write('gatewright.yaml', project)
  world.declare(...roles)
  let refused = 0
  const { fetch } = world.make
  Object.assign(world.make, {
    fetch: (request: Request) => {
      if (!isWrite(request)) return fetch(request)
      refused += 1
      sleep(75)
      // Refused because of too many calls: it would be sent again.
      return Promise.resolve(
        new Response('', {
          status: 403,
          headers: { 'x-error-detail-header': 'Account Over Queries Per Second Limit' },
        }),
      )
    },
  })
  const run = await world.apply()
  expect(run.exitCode).toBe(3)
  expect(refused).toBe(1)
})

test('a run that slept during its final reading leaves the receipts to the present run', async () => {
  const world = embedded()
  world.write('gatewright.yaml', project)
  world.declare(...roles.slice(0, 3))
  await world.apply()
  const before = receiptsOf(world)
  world.declare(...roles)
  const sleep = machine()
  let writes = 0
  after(world, (request) => {
    if (isWrite(request)) writes += 1
    else if (writes > 0) sleep(75)
  })
  const run = await world.apply()
  expect(run.exitCode).toBe(3)
  expect(run.stderr).toContain('was lost while the run was under way')
  expect(receiptsOf(world)).toBe(before)
  vi.useRealTimers()
  // The journal tells the next run what was created.
  expect((await world.plan()).changes).toEqual([])
})
