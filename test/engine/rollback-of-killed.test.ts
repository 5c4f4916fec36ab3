import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, testClock, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Undoing a run that was killed while a create was under way. */

const makes: readonly (readonly [string, (clock: Clock) => Make])[] = [
  ['document', (clock) => createPlatform({ autoApprove: true, idSeed: 'test', ...clock })],
  [
    'document, lists lag',
    (clock) => createPlatform({ autoApprove: true, idSeed: 'test', faults: ['lag-5000'], ...clock }),
  ],
  ['recorded', (clock) => createPlatform({ autoApprove: true, idSeed: 'test', dialect: 'recorded', ...clock })],
  ['another make', () => createOtherMake({ defaultErrorSet: 'always' })],
]

const service = document('Service', 'S', { endpoints: [] })
const endpoint = {
  name: 'e',
  requestPathAlias: '/e',
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
}
const domain = document('Domain', 'example.com')

const overQps = (more: JsonObject) => ({ id: 'ERR_403_DEVELOPER_OVER_QPS', responseBody: 'slow down', ...more })

type Clock = ReturnType<typeof testClock>

/** How many changes the journal of the latest run has an answer for. */
function settledIn(dir: string): number {
  const journals = readdirSync(join(dir, '.gatewright'), { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => name.endsWith('.jsonl') && parentPath.endsWith('runs'))
    .map(({ name, parentPath }) => join(parentPath, name))
  const latest = journals.sort().at(-1)
  return latest === undefined ? 0 : readFileSync(latest, 'utf8').split('{"is":"settled"').length - 1
}

/** The names in a collection, once every list shows what there is. */
async function names({ make }: World, path: string, clock: Clock): Promise<readonly Json[]> {
  await clock.sleep(5000)
  return (await (await restOf(make)).get(path)).map(({ name = null }) => name)
}

describe.each(makes)('%s', (_, makeIn) => {
  /** An area as a run leaves it that is killed at its first write; `before` was applied. */
  async function killed(
    when: 'before' | 'after',
    before: readonly DocumentText[],
    after: readonly DocumentText[],
    {
      write = 0,
      more = '',
      env = environment,
    }: { readonly write?: number; readonly more?: string; readonly env?: typeof environment } = {},
  ): Promise<{ readonly area: World; readonly clock: Clock }> {
    const clock = testClock()
    const make = makeIn(clock)
    const first = worldIn(temporaryFolder(), make, { ...clock, env })
    first.declare(...before)
    expect((await first.apply()).exitCode).toBe(0)
    await clock.sleep(60_000)
    const copy = temporaryFolder()
    // What a dead run goes on to do takes no time.
    const dead = { now: clock.now, sleep: () => Promise.resolve(), env }
    const dying = killedAt(make, { write, when }, () => first.dir, copy)
    let answered = 0
    const slow: Make = {
      log: make.log,
      fetch: async (request) => {
        if (request.method === 'GET' || request.url.endsWith('/token')) return dying.fetch(request)
        // What was answered before is written down by the time that it dies.
        while (settledIn(first.dir) < Math.min(answered, write)) await setTimeout(5)
        const response = await dying.fetch(request)
        answered += 1
        return response
      },
    }
    const cut = worldIn(first.dir, slow, dead)
    if (more !== '') cut.project(`  limits: {deletes: 10000, changedPercent: 100}\n${more}`)
    cut.declare(...after)
    await cut.apply('--allow', 'LIMIT_LOWERED')
    return { area: worldIn(copy, make, clock), clock }
  }

  test('what the platform has made is found, waited for if need be, and taken away', async () => {
    const { area, clock } = await killed('after', [domain], [domain, service])
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
    expect(run.stderr).toContain('for Service/S, which the run may still be creating')
    expect(run.stderr).not.toContain('nobody knows')
    expect(await names(area, '/services', clock)).toEqual([])
  })

  test('what lies in it is found as well, and nothing else goes with it', async () => {
    const tree = document('Service', 'S', { endpoints: [{ ...endpoint, methods: [{ name: 'm' }] }] })
    const { area, clock } = await killed('after', [domain], [domain, tree])
    expect(await names(area, '/services', clock)).toEqual(['S'])
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
    expect(await names(area, '/services', clock)).toEqual([])
    expect(await names(area, '/domains', clock)).toHaveLength(1)
  })

  test('what has no id of its own is found as well, beside others of its kind', async () => {
    const holder = (...names: readonly string[]) =>
      document('Service', 'S', {
        endpoints: ['e', 'f'].map((name) => ({
          ...{ ...endpoint, name, requestPathAlias: `/${name}` },
          ...(names.includes(name) && { systemDomainAuthentication: { type: 'httpBasic', username: 'u' } }),
        })),
      })
    const pack = (...names: readonly string[]) =>
      document('Package', 'P', { plans: names.map((name) => ({ name, services: [{ name: 'S' }] })) })
    for (const [before, after] of [
      [[holder('e')], [holder('e', 'f')]],
      [
        [holder('e'), pack('Gold')],
        [holder('e'), pack('Gold', 'Silver')],
      ],
    ] as const) {
      const { area, clock } = await killed('after', [domain, ...before], [domain, ...after])
      const run = await area.run(['rollback', 'latest', '--yes'])
      expect(run.stderr).not.toContain('nobody knows')
      await clock.sleep(5000)
      area.declare(domain, ...before)
      expect((await area.plan()).changes).toEqual([])
    }
  })

  test('what was never sent is told, after the wait', async () => {
    const { area, clock } = await killed('before', [domain], [domain, service])
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.stderr).toContain('Service/S stays if it is there: nobody knows whether the run has created it')
    expect(await names(area, '/services', clock)).toEqual([])
  })

  test('what stands there after a long time may be of somebody else: it stays, and is told', async () => {
    const { area, clock } = await killed('before', [domain], [domain, service])
    await clock.sleep(61_000)
    await (await restOf(area.make)).post('/services', { name: 'S' })
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.stderr).toContain('Service/S stays if it is there: nobody knows whether the run has created it')
    expect(await names(area, '/services', clock)).toEqual(['S'])
  })

  test('what a later run has a receipt of stays', async () => {
    const { area, clock } = await killed('after', [domain], [domain, service])
    area.declare(domain, service)
    const [killedRun] = (await area.run(['history', '-o', 'json'])).stdout.match(/\d+T\d+Z-\w+/) ?? []
    expect((await area.apply()).exitCode).toBe(0)
    await area.run(['rollback', String(killedRun), '--yes'])
    expect(await names(area, '/services', clock)).toEqual(['S'])
  })

  test('a change that the lists do not show yet is waited for, and taken back', async () => {
    const of = (path: string) => document('Service', 'S', { endpoints: [{ ...endpoint, requestPathAlias: path }] })
    for (const when of ['before', 'after'] as const) {
      const { area, clock } = await killed(when, [domain, of('/e')], [domain, of('/f')])
      const run = await area.run(['rollback', 'latest', '--yes'])
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
      await clock.sleep(5000)
      area.declare(domain, of('/e'))
      expect((await area.plan()).changes).toEqual([])
    }
  })

  test('what was answered is waited for as well, where the run was cut off before it looked', async () => {
    const role = (name: string) => document('Role', name)
    const about = (name: string, description: string) => document('Service', name, { description })
    const pairs: readonly (readonly [readonly DocumentText[], readonly DocumentText[]])[] = [
      [
        [about('A', 'one'), about('B', 'one')],
        [about('A', 'two'), about('B', 'two')],
      ],
      [[about('B', 'one')], [role('R'), about('B', 'two')]],
      [[role('R'), role('S')], []],
    ]
    for (const [before, after] of pairs) {
      const { area, clock } = await killed('before', [domain, ...before], [domain, ...after], {
        write: 1,
        more: '  platform: {concurrency: 1}\n',
      })
      const run = await area.run(['rollback', 'latest', '--yes'])
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
      await clock.sleep(5000)
      area.declare(domain, ...before)
      expect((await area.plan()).changes).toEqual([])
      expect((await area.plan('--prune', 'all')).changes).toEqual([])
    }
  })

  test('of any field that is no secret, what is live tells whether it was changed (A88)', async () => {
    const of = (description: string, processor: JsonObject, timeout: number | null) =>
      document('Service', 'S', {
        description,
        endpoints: [
          {
            ...endpoint,
            processor,
            connectionTimeoutForSystemDomainRequest: timeout,
          },
        ],
      })
    const one = of('one', { adapter: 'Trim', preInputs: { a: '1' } }, null)
    const plans = [
      of('two', { adapter: 'Trim', preInputs: { a: '1' } }, null),
      of('one', { adapter: 'Cut', preInputs: { b: '2' } }, 5),
    ]
    for (const two of plans) {
      for (const when of ['before', 'after'] as const) {
        const { area, clock } = await killed(when, [domain, one], [domain, two])
        await clock.sleep(5000)
        const run = await area.run(['rollback', 'latest', '--yes'])
        expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
        expect(run.stderr, 'what is live tells').not.toContain('nobody knows')
        await clock.sleep(5000)
        area.declare(domain, one)
        expect((await area.plan()).changes).toEqual([])
      }
    }
  })

  test('a time is put back, whether the update of it was done or not', async () => {
    const event = (hour: number) =>
      document('ScheduledMaintenanceEvent', 'E', {
        startDateTime: `2027-01-01T0${hour}:00:00.000+0000`,
        endDateTime: '2027-01-02T00:00:00.000+0000',
      })
    for (const when of ['before', 'after'] as const) {
      const { area, clock } = await killed(when, [event(1)], [event(2)])
      await clock.sleep(5000)
      const run = await area.run(['rollback', 'latest', '--yes'])
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
      expect(run.stderr, 'what is live tells').not.toContain('nobody knows')
      await clock.sleep(5000)
      area.declare(event(1))
      expect((await area.plan()).changes).toEqual([])
    }
  })

  test.each([
    [
      'the members of an object that it did not change stay',
      document('Service', 'S', { endpoints: [{ ...endpoint, cors: { allDomainsEnabled: true, maxAge: 10 } }] }),
      document('Service', 'S', {
        endpoints: [{ ...endpoint, cors: { allDomainsEnabled: true, maxAge: 20, headersAllowed: ['h'] } }],
      }),
    ],
    [
      'a field that it took over is managed by nobody again',
      document('Service', 'S', { description: 'one', errorSets: [{ name: 'E', errorMessages: [overQps({})] }] }),
      document('Service', 'S', {
        description: 'one',
        errorSets: [{ name: 'E', errorMessages: [overQps({ detailHeader: 'ours' })] }],
      }),
    ],
  ])('%s', async (_, before, after) => {
    for (const when of ['before', 'after'] as const) {
      const { area, clock } = await killed(when, [domain, before], [domain, after])
      await clock.sleep(5000)
      const run = await area.run(['rollback', 'latest', '--yes'])
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
      await clock.sleep(5000)
      area.declare(domain, before)
      expect((await area.plan()).changes).toEqual([])
      expect((await area.drift()).exitCode).toBe(0)
    }
  })

  test.each([
    [
      'what it cleared is managed again',
      document('Service', 'S', { description: 'one', version: '1' }),
      document('Service', 'S', { version: '1' }),
    ],
    [
      'what it took over is managed by nobody again',
      document('Service', 'S', { version: '1', errorSets: [{ name: 'E', errorMessages: [overQps({})] }] }),
      document('Service', 'S', {
        version: '1',
        errorSets: [{ name: 'E', errorMessages: [overQps({ detailHeader: 'ours' })] }],
      }),
    ],
  ])('%s, also once another run has found it done', async (_, before, after) => {
    const { area, clock } = await killed('after', [domain, before], [domain, after])
    await clock.sleep(5000)
    const [killedRun] = (await area.run(['history', '-o', 'json'])).stdout.match(/\d+T\d+Z-\w+/) ?? []
    area.declare(domain, after)
    const found = await area.apply()
    expect([found.exitCode, found.json().changes, found.json().diagnostics]).toEqual([0, [], []])
    const run = await area.run(['rollback', String(killedRun), '--yes'])
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
    await clock.sleep(5000)
    area.declare(domain, before)
    expect((await area.plan()).changes).toEqual([])
    area.declare(domain, after)
    expect((await area.plan()).changes).toMatchObject([{ action: 'update' }])
    expect((await area.apply()).exitCode).toBe(0)
    await clock.sleep(5000)
    expect((await area.plan()).changes).toEqual([])
    area.declare(domain, before)
    expect((await area.plan()).changes).toMatchObject([{ action: 'update' }])
  })

  test('a field that holds a secret is in no journal: what became of it nobody knows', async () => {
    const env = { ...environment, ABOUT: 'canary-about' }
    const about = document('Service', 'S', { description: 'about ${env:ABOUT}' })
    const { area } = await killed(
      'after',
      [domain, document('Service', 'S', { description: 'one' })],
      [domain, about],
      { env },
    )
    const written = readdirSync(join(area.dir, '.gatewright'), { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(area.dir, '.gatewright', path)).isFile())
      .map((path) => readFileSync(join(area.dir, '.gatewright', path), 'utf8'))
    expect(written.join('')).toContain('"announced"')
    expect(written.join('')).not.toContain('canary')
    expect((await area.run(['rollback', 'latest', '--yes'])).stderr).toContain('nobody knows')
  })

  test.each([
    ['is written', 'one', 'about ${env:ABOUT}'],
    ['goes', 'about ${env:ABOUT}', 'one'],
  ])('where a secret %s, the fields beside it are put back', async (_, before, after) => {
    const env = { ...environment, ABOUT: 'canary-about' }
    const of = (description: string, version: string) => document('Service', 'S', { description, version })
    for (const when of ['before', 'after'] as const) {
      const { area, clock } = await killed(when, [of(before, '1')], [of(after, '2')], { env })
      await clock.sleep(5000)
      const run = await area.run(['rollback', 'latest', '--yes'], { env })
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
      expect(run.stderr).toContain('nobody knows')
      await clock.sleep(5000)
      const [found] = await (await restOf(area.make)).get('/services?fields=version')
      expect(found?.version).toBe('1')
    }
  })

  test('a key that moves to another plan, with limits above or below, goes back to its plan (A88)', async () => {
    const plan = (name: string, most: number) => ({
      name,
      rateLimitCeiling: most,
      rateLimitPeriod: 'day',
      rateLimitKeyOverrideAllowed: true,
    })
    const pack = document('Package', 'P', { plans: [plan('Gold', 100), plan('Silver', 200)] })
    const member = (of: string, ceiling: number) => {
      const key = { package: 'P', plan: of, apikey: 'key-0001', secret: 'kept-secret', rateLimitCeiling: ceiling }
      const own = { email: 'm@example.com', displayName: 'm', externalId: 'm-1', passwdNew: 'first-word' }
      return document('Member', 'm', { ...own, applications: [{ name: 'A', packageKeys: [key] }] })
    }
    for (const [then, now] of [
      [member('Gold', 50), member('Silver', 150)],
      [member('Silver', 150), member('Gold', 50)],
    ] as const) {
      for (const when of ['before', 'after'] as const) {
        const { area, clock } = await killed(when, [pack, then], [pack, now])
        await clock.sleep(5000)
        const run = await area.run(['rollback', 'latest', '--yes', '--allow', 'LIMIT_LOWERED'])
        expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
        expect(run.stderr, 'what is live tells').not.toContain('nobody knows')
        await clock.sleep(5000)
        area.declare(pack, then)
        expect((await area.plan()).changes).toEqual([])
      }
    }
  })
})
