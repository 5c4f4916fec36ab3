import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, type TestContext, test } from 'vitest'
import { type DocumentText, document } from '../kit/manifests.js'
import { answerOf, contentOf, creations, pause, type Workshop, workshop } from './process.js'

/** The program is killed at many points of an apply and run again: nothing is created twice, lost, or left over. */

const domain = document('Domain', 'example.com')
const endpoint = (name: string, more: object = {}) => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
  methods: [{ name: 'm' }],
  ...more,
})
const sda = { systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:SDA_PASSWORD}' } }

const first: readonly DocumentText[] = [
  domain,
  document('Role', 'Partners'),
  document('Service', 'A', {
    roles: [{ name: 'Partners', action: 'read' }],
    errorSets: [{ name: 'own', type: 'text/json' }],
    endpoints: [endpoint('a', sda), endpoint('b')],
  }),
  document('Service', 'B', { endpoints: [endpoint('c')] }),
  document('Package', 'P', {
    plans: [{ name: 'Gold', services: [{ name: 'A', endpoints: '*' }] }, { name: 'Silver' }],
  }),
]

/** Updates, creates, and deletes of objects from the first apply. */
const second: readonly DocumentText[] = [
  domain,
  document('Role', 'Partners', { description: 'new' }),
  document('Service', 'A', {
    description: 'changed',
    errorSets: [{ name: 'own', type: 'text/xml' }],
    endpoints: [endpoint('a', { numberOfHttpRedirectsToFollow: 3 }), endpoint('d', sda)],
  }),
  document('Package', 'P', { plans: [{ name: 'Gold', services: [{ name: 'A', endpoints: '*' }] }] }),
]

const onwards = [
  '--yes',
  '--quiet',
  '--allow',
  'KEY_LOSS',
  '--allow',
  'TRAFFIC_STOP',
  '--allow',
  'AUTH_WEAKENED',
  '--allow',
  'IRREVERSIBLE',
  // One endpoint is deleted and a similar one is created.
  '--allow',
  'ID_CHANGE',
]
const apply = ['apply', ...onwards] as const

/**
 * Kills an apply when the platform has carried out this number of writes: before the answer to the last one, or this long after
 * it. With 0 it is killed as soon as it is started.
 */
async function killAt(shop: Workshop, write: number, delayMs: number): Promise<void> {
  const before = shop.writes()
  const { child, ended } = shop.start(...apply)
  const kill = () => child.kill('SIGKILL')
  if (write === 0) kill()
  shop.watch({
    carriedOut: () => {
      if (shop.writes() - before < write) return
      if (delayMs === 0) kill()
      else setTimeout(kill, delayMs)
    },
  })
  const { code, stderr } = await ended
  // A program that knows the result of its last write may have ended by itself.
  if (delayMs === 0) expect({ write, stderr, code }).toEqual({ write, stderr, code: null })
}

/**
 * Starts the program, and kills it during a request with this method and path; returns a function that lets the platform
 * continue with it.
 */
async function killedInFlight(shop: Workshop, path: string, ...args: readonly string[]): Promise<() => Promise<void>> {
  const [release, isReleased] = signal()
  const [carryOut, isCarriedOut] = signal()
  let mayGoOn = false
  const { child, ended } = shop.start(...args)
  shop.watch({
    arrived: (request) => {
      if (!isCreate(request, path)) return undefined
      child.kill('SIGKILL')
      return isReleased
    },
    carriedOut: () => {
      if (mayGoOn) carryOut()
    },
  })
  const { code, stderr } = await ended
  expect({ stderr, code }).toEqual({ stderr, code: null })
  return () => {
    mayGoOn = true
    release()
    return isCarriedOut
  }
}

/** Runs the program, which must wait: the platform continues only while it does. */
async function waitingFor(goOn: () => Promise<void>, shop: Workshop, ...args: readonly string[]) {
  let waits = 0
  const wait = () => {
    waits += 1
    return goOn()
  }
  const ended = await shop.waiting(wait, ...args)
  // A create for which it has not waited comes too late.
  await goOn()
  expect(waits, ended.stderr).toBeGreaterThan(0)
  return ended
}

const isCreate = ({ method, url }: Request, path: string): boolean =>
  method === 'POST' && new URL(url).pathname.endsWith(path)

/** A promise, and the function that resolves it. */
function signal(): readonly [resolve: () => void, promise: Promise<void>] {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return [resolve, promise]
}

const server = process.env.GATEWRIGHT_TEST_POSTGRES
const stores = server === undefined ? ['file'] : ['file', 'postgres']

let databases = 0

async function placeOf({ onTestFinished }: TestContext, store: string): Promise<string> {
  if (store === 'file' || server === undefined) return 'file:.gatewright'
  databases += 1
  const name = `crash_${process.pid}_${databases}`
  const client = new Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  onTestFinished(async () => {
    await client.query(`drop database ${name} with (force)`)
    await client.end()
  })
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** The content of an area, the creates in it, and the changes of a plan: these must be the same with kills and without. */
const outcomeOf = async (shop: Workshop) => ({
  content: await contentOf(shop),
  created: creations(shop),
  ...(await standing(shop)),
})

type Outcome = Awaited<ReturnType<typeof outcomeOf>>

/** At every point: kills the apply in a separate shop, and applies again; all at once, each in separate processes. */
function killAtEach(
  points: readonly (readonly [write: number, delayMs: number])[],
  uncut: Outcome,
  shopAt: () => Promise<Workshop>,
  between: (shop: Workshop) => void = () => undefined,
): Promise<readonly Workshop[]> {
  expect(uncut.changes).toEqual([])
  return Promise.all(
    points.map(async ([write, delayMs]) => {
      const shop = await shopAt()
      await killAt(shop, write, delayMs)
      between(shop)
      const { code, stderr } = await shop.inside(...apply)
      expect({ write, stderr, code }).toEqual({ write, stderr, code: 0 })
      expect({ write, ...(await outcomeOf(shop)) }).toEqual({ write, ...uncut })
      return shop
    }),
  )
}

/** The changes of a plan, and the objects that it does not change. */
async function standing(shop: Workshop) {
  const plan = answerOf(await shop.inside('plan', '-o', 'json'))
  const unmanaged = plan.unmanaged as readonly { readonly address: string }[]
  return { changes: plan.changes, unmanaged: unmanaged.map(({ address }) => address) }
}

describe.concurrent.each(stores)('killed and run again, with records in %s', (store) => {
  test('an apply that creates', async (context) => {
    const uncut = await workshop(context)
    uncut.declare(...first)
    expect((await uncut.inside(...apply)).code).toBe(0)
    const total = uncut.writes()
    expect(total).toBeGreaterThan(5)
    const points = [
      [0, 0],
      [1, 0],
      [2, 8],
      [4, 0],
      [total - 2, 8],
      [total, 4],
    ] as const
    const shops = await killAtEach(points, await outcomeOf(uncut), async () => {
      const shop = await workshop(context, await placeOf(context, store))
      shop.declare(...first)
      return shop
    })
    for (const shop of shops) {
      const [, killed] = answerOf(await shop.inside('history', '-o', 'json')).runs as readonly { outcome: string }[]
      if (killed) expect(killed.outcome).toMatch(/interrupted|done/)
    }
  })

  test('an apply that updates, creates and deletes', async (context) => {
    const uncut = await workshop(context)
    uncut.declare(...first)
    await uncut.inside(...apply)
    const base = uncut.writes()
    uncut.declare(...second)
    const run = await uncut.inside(...apply)
    expect([run.stderr, run.code]).toEqual([run.stderr, 0])
    const total = uncut.writes() - base
    const points = [
      [1, 0],
      [3, 8],
      [Math.floor(total / 2), 0],
      [total - 1, 4],
    ] as const
    await killAtEach(points, await outcomeOf(uncut), async () => {
      const shop = await workshop(context, await placeOf(context, store))
      shop.declare(...first)
      expect((await shop.inside(...apply)).code).toBe(0)
      shop.declare(...second)
      return shop
    })
  })
})

test.concurrent('a run without deletes that was killed, and whose records were lost, ends in the same state when it is run again', async (context) => {
  // Without written error sets, the platform's own one stays: this run has no delete.
  const documents = first.map((each) =>
    each.metadata.name === 'A' ? document('Service', 'A', { endpoints: [endpoint('a', sda), endpoint('b')] }) : each,
  )
  const uncut = await workshop(context)
  uncut.declare(...documents)
  expect((await uncut.inside(...apply)).code).toBe(0)
  const points = [
    [2, 0],
    [4, 8],
  ] as const
  const shopAt = async () => {
    const shop = await workshop(context)
    shop.declare(...documents)
    return shop
  }
  await killAtEach(points, await outcomeOf(uncut), shopAt, ({ dir }) =>
    rmSync(join(dir, '.gatewright'), { recursive: true, force: true }),
  )
})

test.concurrent('two applies at once: one runs, the other reports who holds the lock; after a kill the next one continues', async (context) => {
  const shop = await workshop(context)
  shop.declare(...first)
  const [goOn, isOver] = signal()
  const [hold, isHeld] = signal()
  shop.watch({
    arrived: ({ method }) => {
      if (method === 'GET' || shop.writes() < 1) return undefined
      hold()
      return isOver
    },
  })
  const one = shop.start(...apply)
  await Promise.race([isHeld, one.ended])
  const two = await shop.inside(...apply)
  expect(two.code).toBe(1)
  expect(two.stderr).toMatch(/@.*since|held by/is)
  one.child.kill('SIGKILL')
  const { code, stderr } = await one.ended
  expect({ stderr, code }).toEqual({ stderr, code: null })
  goOn()
  expect((await shop.inside(...apply)).code).toBe(0)
})

describe.concurrent('Ctrl-C', () => {
  test('completes the running requests, reports the remaining changes, and exits with 130; a later run continues', async (context) => {
    const shop = await workshop(context, 'file:.gatewright', { latencyMs: 60 })
    shop.declare(...first)
    const started = shop.start(...apply, '-o', 'json')
    let asked = false
    shop.watch({
      carriedOut: () => {
        if (!asked && shop.writes() >= 2) asked = started.child.kill('SIGINT')
      },
    })
    const ended = await started.ended
    expect([ended.stderr, ended.code]).toEqual([ended.stderr, 130])
    const { summary, changes } = answerOf(ended) as unknown as {
      summary: Record<string, number>
      changes: readonly { outcome: string }[]
    }
    expect(summary.applied).toBeGreaterThan(0)
    expect(summary.notStarted).toBeGreaterThan(0)
    expect(summary.failed).toBe(0)
    expect(changes.length).toBe(Object.values(summary).reduce((sum, count) => sum + count, 0))
    const [run] = answerOf(await shop.inside('history', '-o', 'json')).runs as readonly { outcome: string }[]
    expect(run?.outcome).toBe('interrupted')
    expect((await shop.inside(...apply)).code).toBe(0)
    const names = creations(shop)
    expect(names.filter((each) => each === 'POST /v3/rest/services').length).toBe(2)
  })

  test('a second Ctrl-C ends it at once', async (context) => {
    const shop = await workshop(context)
    shop.declare(document('Role', 'R'))
    const started = shop.start(...apply)
    const [arrive, hasArrived] = signal()
    const [release, isReleased] = signal()
    shop.watch({
      arrived: (request) => {
        if (!isCreate(request, '/roles')) return undefined
        arrive()
        return isReleased
      },
    })
    // The request is sent, not only announced: after the first signal, an unsent one would not be sent, and the program would
    // end.
    await Promise.race([hasArrived, started.ended])
    started.child.kill('SIGINT')
    await pause(100)
    expect(started.child.exitCode).toBe(null)
    // Two signals before a busy machine has delivered the first are one.
    while (started.child.kill('SIGINT')) await pause(100)
    expect((await started.ended).code).toBe(130)
    release()
  })
})

test.concurrent('killed while the platform carries out a create: the next apply waits for it', async (context) => {
  const shop = await workshop(context, undefined, {}, '60s')
  shop.declare(document('Service', 'Slow', {}))
  const goOn = await killedInFlight(shop, '/services', 'apply', '--yes')
  expect(creations(shop)).toEqual([])
  const again = await waitingFor(goOn, shop, 'apply', '--yes')
  expect([again.stderr, again.code]).toEqual([again.stderr, 0])
  expect(creations(shop)).toEqual(['POST /v3/rest/services'])
  expect((await shop.inside('plan', '--exit-code')).code).toBe(0)
})

test.concurrent('the create of a killed rollback is awaited as well', async (context) => {
  const shop = await workshop(context, undefined, {}, '60s')
  shop.declare(document('Service', 'Slow', {}), document('Role', 'R'))
  expect((await shop.inside('apply', '--yes')).code).toBe(0)
  shop.declare(document('Role', 'R'))
  const allowed = ['--allow', 'TRAFFIC_STOP', '--allow', 'IRREVERSIBLE', '--allow', 'KEY_LOSS']
  expect((await shop.inside('apply', '--yes', ...allowed)).code).toBe(0)
  const history = answerOf(await shop.inside('history', '-o', 'json')).runs as readonly { run: string }[]
  const deleting = history[0]?.run ?? ''
  const goOn = await killedInFlight(shop, '/services', 'rollback', deleting, '--yes')
  expect(creations(shop).filter((each) => each.endsWith('/services'))).toHaveLength(1)
  const again = await waitingFor(goOn, shop, 'rollback', deleting, '--yes')
  expect([again.stderr, again.code]).toEqual([again.stderr, 0])
  expect(creations(shop).filter((each) => each.endsWith('/services'))).toHaveLength(2)
})
