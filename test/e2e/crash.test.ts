import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, type TestContext, test } from 'vitest'
import { type DocumentText, document } from '../kit/manifests.js'
import { answerOf, contentOf, creations, pause, type Workshop, workshop } from './process.js'

/** The program is killed at many points of an apply and run again: nothing twice, nothing lost, nothing left over. */

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

/** Updates, creates, and deletes of what the first one made. */
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
  // One endpoint goes and another one comes that is like it.
  '--allow',
  'ID_CHANGE',
]
const apply = ['apply', ...onwards] as const

/**
 * Kills an apply when the platform has carried out that many writes: before it is told of the last one, or so long after that.
 * With none it is killed as soon as it is started.
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
  // What knows of its last write may have ended by itself.
  if (delayMs === 0) expect({ write, stderr, code }).toEqual({ write, stderr, code: null })
}

/** Starts the program, and kills it with a request of this method and path in flight; gives what lets the platform go on with it. */
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

/** Runs the program, which must wait: the platform goes on while it does, and not before. */
async function waitingFor(goOn: () => Promise<void>, shop: Workshop, ...args: readonly string[]) {
  let waits = 0
  const wait = () => {
    waits += 1
    return goOn()
  }
  const ended = await shop.waiting(wait, ...args)
  // What it has not waited for comes too late.
  await goOn()
  expect(waits, ended.stderr).toBeGreaterThan(0)
  return ended
}

const isCreate = ({ method, url }: Request, path: string): boolean =>
  method === 'POST' && new URL(url).pathname.endsWith(path)

/** A promise, and what resolves it. */
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

/** What an area holds, what was made in it, and what a plan still wants: the same with kills and without. */
const outcomeOf = async (shop: Workshop) => ({
  content: await contentOf(shop),
  created: creations(shop),
  ...(await standing(shop)),
})

type Outcome = Awaited<ReturnType<typeof outcomeOf>>

/** At every point: kills the apply in a shop of its own, and applies again; all at once, each in processes of its own. */
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

/** What a plan still wants, and what it leaves alone. */
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

test.concurrent('killed, its records lost, and run again: a run without deletes comes to the same end', async (context) => {
  // Without an own error set the platform's stays: nothing of this run is a delete.
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

test.concurrent('two applies at once: one runs, the other says who holds the lock; after a kill the next one proceeds', async (context) => {
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
  test('finishes what is in flight, says what is left, and exits 130; a later run goes on', async (context) => {
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

  test('a second one ends it at once', async (context) => {
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
    // In flight, not only announced: what was not sent yet is not sent after the first, and the program ends.
    await Promise.race([hasArrived, started.ended])
    started.child.kill('SIGINT')
    await pause(100)
    expect(started.child.exitCode).toBe(null)
    // Two that come before a busy machine has told of the first are one.
    while (started.child.kill('SIGINT')) await pause(100)
    expect((await started.ended).code).toBe(130)
    release()
  })
})

test.concurrent('killed while the platform is at work on a create: the next apply waits for it', async (context) => {
  const shop = await workshop(context, undefined, {}, '60s')
  shop.declare(document('Service', 'Slow', {}))
  const goOn = await killedInFlight(shop, '/services', 'apply', '--yes')
  expect(creations(shop)).toEqual([])
  const again = await waitingFor(goOn, shop, 'apply', '--yes')
  expect([again.stderr, again.code]).toEqual([again.stderr, 0])
  expect(creations(shop)).toEqual(['POST /v3/rest/services'])
  expect((await shop.inside('plan', '--exit-code')).code).toBe(0)
})

test.concurrent('a rollback that is killed while it brings an object back is waited for as well', async (context) => {
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
