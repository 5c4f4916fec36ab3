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

/** Undoing a run that was killed during a create. */

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

/** The number of changes with an answer in the journal of the latest run. */
function settledIn(dir: string): number {
  const journals = readdirSync(join(dir, '.gatewright'), { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => name.endsWith('.jsonl') && parentPath.endsWith('runs'))
    .map(({ name, parentPath }) => join(parentPath, name))
  const latest = journals.sort().at(-1)
  return latest === undefined ? 0 : readFileSync(latest, 'utf8').split('{"is":"settled"').length - 1
}

/** The names in a collection, after all lists are up to date. */
async function names({ make }: World, path: string, clock: Clock): Promise<readonly Json[]> {
  await clock.sleep(5000)
  return (await (await restOf(make)).get(path)).map(({ name = null }) => name)
}

describe.each(makes)('%s', (_, makeIn) => {
  /** An area after a run that was killed at its first write; `before` was applied. */
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
    // Further work of a dead run takes no time.
    const dead = { now: clock.now, sleep: () => Promise.resolve(), env }
    const dying = killedAt(make, { write, when }, () => first.dir, copy)
    let answered = 0
    const slow: Make = {
      log: make.log,
      fetch: async (request) => {
        if (request.method === 'GET' || request.url.endsWith('/token')) return dying.fetch(request)
        // Earlier answers are recorded before it is killed.
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

  test('a created object is found, awaited if necessary, and deleted', async () => {
    const { area, clock } = await killed('after', [domain], [domain, service])
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
    expect(run.stderr).toContain('for Service/S, which the run may still be creating')
    expect(run.stderr).not.toContain('nobody knows')
    expect(await names(area, '/services', clock)).toEqual([])
  })

  test('its children are found as well, and nothing else is deleted with it', async () => {
    const tree = document('Service', 'S', { endpoints: [{ ...endpoint, methods: [{ name: 'm' }] }] })
    const { area, clock } = await killed('after', [domain], [domain, tree])
    expect(await names(area, '/services', clock)).toEqual(['S'])
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([0, run.stdout + run.stderr])
    expect(await names(area, '/services', clock)).toEqual([])
    expect(await names(area, '/domains', clock)).toHaveLength(1)
  })

  test('an object without an id is found as well, beside others of its kind', async () => {
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

  test('an object that was never sent is reported, after the wait', async () => {
    const { area, clock } = await killed('before', [domain], [domain, service])
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.stderr).toContain('Service/S stays if it is there: nobody knows whether the run has created it')
    expect(await names(area, '/services', clock)).toEqual([])
  })

  test('an object that exists after a long time may belong to somebody else: it stays, and is reported', async () => {
    const { area, clock } = await killed('before', [domain], [domain, service])
    await clock.sleep(61_000)
    await (await restOf(area.make)).post('/services', { name: 'S' })
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.stderr).toContain('Service/S stays if it is there: nobody knows whether the run has created it')
    expect(await names(area, '/services', clock)).toEqual(['S'])
  })

  test('an object with a receipt of a later run stays', async () => {
    const { area, clock } = await killed('after', [domain], [domain, service])
    area.declare(domain, service)
    const [killedRun] = (await area.run(['history', '-o', 'json'])).stdout.match(/\d+T\d+Z-\w+/) ?? []
    expect((await area.apply()).exitCode).toBe(0)
    await area.run(['rollback', String(killedRun), '--yes'])
    expect(await names(area, '/services', clock)).toEqual(['S'])
  })

  test('a change that the lists do not have yet is awaited, and undone', async () => {
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

  test('an answered change is awaited as well, if the run was interrupted before it checked', async () => {
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

  test('the live value of any field that is not secret shows whether it was changed (A88)', async () => {
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

  test('a time is restored, whether its update was done or not', async () => {
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
      'members of an object that it did not change stay',
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
      'a field that it cleared is managed again',
      document('Service', 'S', { description: 'one', version: '1' }),
      document('Service', 'S', { version: '1' }),
    ],
    [
      'a field that it took over is managed by nobody again',
      document('Service', 'S', { version: '1', errorSets: [{ name: 'E', errorMessages: [overQps({})] }] }),
      document('Service', 'S', {
        version: '1',
        errorSets: [{ name: 'E', errorMessages: [overQps({ detailHeader: 'ours' })] }],
      }),
    ],
  ])('%s, also after another run has found it done', async (_, before, after) => {
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

  test('a secret field is in no journal: nobody knows whether it was written', async () => {
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
  ])('if a secret %s, the fields beside it are restored', async (_, before, after) => {
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

  test('a key that moves to another plan, with limits above or below, is moved back (A88)', async () => {
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
