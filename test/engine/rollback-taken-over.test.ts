import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { makesWith } from '../kit/makes.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, testClock, type World, worldIn } from '../kit/world.js'

/** Objects that a run took over belong to nobody after a rollback of it: manifests that never had them do not delete them. */

const domain = document('Domain', 'example.com')
const unchanged = document('Service', 'Y', { description: 'y' })
const changed = (description: string) => document('Service', 'X', { description })

describe.each(makesWith({ defaultErrorSet: 'always' }))('%s', (_, makeIn) => {
  /** An area with two services that nobody has applied, and applied objects beside them. */
  async function withOthers(): Promise<{ readonly area: World; readonly clock: ReturnType<typeof testClock> }> {
    const clock = testClock()
    const area = worldIn(temporaryFolder(), makeIn(clock), clock)
    const rest = await restOf(area.make)
    await rest.post('/services', { name: 'X', description: 'by hand' })
    await rest.post('/services', { name: 'Y', description: 'y' })
    await applied(area, domain)
    return { area, clock }
  }

  async function applied(area: World, ...documents: readonly DocumentText[]): Promise<void> {
    await appliedWith('', area, ...documents)
  }

  async function appliedWith(SECRET: string, area: World, ...documents: readonly DocumentText[]): Promise<void> {
    area.declare(...documents)
    const run = await area.run(['apply', '--yes'], { env: { ...environment, SECRET } })
    expect(run, run.stdout).toMatchObject({ exitCode: 0 })
  }

  const back = async (area: World, run = 'latest', ...more: readonly string[]) => {
    const done = await area.run(['rollback', run, '--yes', ...more])
    expect(done, done.stdout + done.stderr).toMatchObject({ exitCode: 0 })
    return done
  }

  const latest = async (area: World) =>
    (await area.run(['history'])).stdout.split('\n').map((line) => line.split(' ')[0] ?? '')[3] ?? ''

  const changesOf = async (area: World, ...documents: readonly DocumentText[]) => {
    area.declare(...documents)
    return (await area.plan()).changes.map(({ address, action }) => `${action} ${address}`)
  }

  test('with a change and without one', async () => {
    const { area } = await withOthers()
    await applied(area, domain, changed('ours'), unchanged)
    expect((await back(area)).stderr).toContain(
      'note: Service/X and 1 more are no longer managed: before that run, nobody had applied them [managed-no-more]',
    )
    expect(await changesOf(area, domain)).toEqual([])
    expect(await changesOf(area, domain, changed('by hand'), unchanged)).toEqual([])
  })

  test('without any change', async () => {
    const { area } = await withOthers()
    await applied(area, domain, document('Role', 'R'), unchanged)
    await back(area, 'latest', '--select', 'Service/Y')
    expect(await changesOf(area, domain)).toEqual(['delete Role/R'])
  })

  test('even after another run has changed it', async () => {
    const { area } = await withOthers()
    await applied(area, domain, changed('ours'), unchanged)
    const first = await latest(area)
    await applied(area, domain, changed('ours, later'), unchanged)
    await back(area)
    expect(await changesOf(area, domain)).toEqual([
      'delete Service/X',
      'delete Service/X/ErrorSet/Default',
      'delete Service/Y',
      'delete Service/Y/ErrorSet/Default',
    ])
    await back(area, first)
    expect(await changesOf(area, domain)).toEqual([])
  })

  test('even after another run has deleted it, and a rollback has restored it', async () => {
    const { area } = await withOthers()
    await applied(area, domain, changed('ours'))
    const first = await latest(area)
    await applied(area, domain)
    await back(area)
    await back(area, first)
    expect(await changesOf(area, domain)).toEqual([])
    expect(await changesOf(area, domain, changed('by hand'))).toEqual([])
  })

  test('a child that was applied before is known under the name that it has again', async () => {
    const { area } = await withOthers()
    const inside = (service: string) =>
      document(
        'Endpoint',
        { service, name: 'e' },
        { requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
      )
    await applied(area, domain, inside('X'))
    await applied(area, domain, inside('Z'), document('Service', { name: 'Z', formerly: 'X' }, { description: 'ours' }))
    await back(area)
    expect(await changesOf(area, domain, inside('X'))).toEqual([])
    expect((await area.drift()).exitCode).toBe(0)
    expect(await changesOf(area, domain)).toEqual(['delete Service/X/Endpoint/e'])
  })

  test.each(['before', 'after'] as const)('of a run that was killed %s its write', async (when) => {
    const { area, clock } = await withOthers()
    const copy = temporaryFolder()
    const dead = { now: clock.now, sleep: () => Promise.resolve() }
    const cut = worldIn(
      area.dir,
      killedAt(area.make, { write: 0, when }, () => area.dir, copy),
      dead,
    )
    cut.declare(domain, changed('ours'), unchanged)
    expect((await cut.apply()).exitCode).toBe(3)
    await clock.sleep(2000)
    const next = worldIn(copy, area.make, clock)
    await back(next)
    expect(await changesOf(next, domain)).toEqual([])
    expect(await changesOf(next, domain, changed('by hand'), unchanged)).toEqual([])
  })

  const oauthOf = (oauth: JsonObject, more = {}) => document('Service', 'Z', { securityProfile: { oauth }, ...more })

  async function withOauth() {
    const { area, clock } = await withOthers()
    const rest = await restOf(area.make)
    const oauth = { accessTokenTtl: 3600, authorizationCodeTtl: 300 }
    await rest.post('/services', { name: 'Z', version: '9', securityProfile: { oauth } })
    await applied(area, domain, oauthOf({ accessTokenTtl: 3600 }))
    return { area, clock }
  }

  test.each<[string, DocumentText | undefined]>([
    ['changed', oauthOf({ accessTokenTtl: 3600, authorizationCodeTtl: 500 })],
    ['cleared with its object', document('Service', 'Z', { securityProfile: null })],
    ['cleared with an object in it', document('Service', 'Z', { securityProfile: { oauth: null } })],
    ['deleted with its service', undefined],
  ])('a member that nobody had applied and that the run has %s', async (_, run) => {
    const { area } = await withOauth()
    await applied(area, domain, ...(run ? [run] : []))
    await back(area)
    expect(await changesOf(area, domain, oauthOf({ accessTokenTtl: 3600 }))).toEqual([])
    expect(await changesOf(area, domain, oauthOf({ accessTokenTtl: 3600, authorizationCodeTtl: 300 }))).toEqual([])
  })

  test('a member that was applied before is managed again', async () => {
    const { area } = await withOauth()
    const both = oauthOf({ accessTokenTtl: 3600, authorizationCodeTtl: 300 })
    await applied(area, domain, both)
    await applied(area, domain, oauthOf({ accessTokenTtl: 3600, authorizationCodeTtl: 500 }))
    await back(area)
    expect(await changesOf(area, domain, oauthOf({ accessTokenTtl: 3600 }))).toEqual(['update Service/Z'])
  })

  test('a field that the run took over without a change', async () => {
    const { area } = await withOauth()
    await applied(area, domain, oauthOf({ accessTokenTtl: 60 }, { version: '9' }))
    await back(area)
    expect(await changesOf(area, domain, oauthOf({ accessTokenTtl: 3600 }))).toEqual([])
  })

  test('a field that the run took over without a change and a later one has changed stays managed', async () => {
    const { area } = await withOauth()
    await applied(area, domain, oauthOf({ accessTokenTtl: 60 }, { version: '9' }))
    const first = await latest(area)
    await applied(area, domain, oauthOf({ accessTokenTtl: 60 }, { version: '10' }))
    await back(area, first)
    expect(await changesOf(area, domain, oauthOf({ accessTokenTtl: 3600 }))).toEqual(['update Service/Z'])
  })

  async function withSecrets() {
    const { area } = await withOthers()
    const rest = await restOf(area.make)
    const oauth = { accessTokenTtl: 3600, macAlgorithm: 'hush-hush' }
    await rest.post('/services', { name: 'Z', description: 'first-hush', securityProfile: { oauth } })
    await applied(area, domain, oauthOf({ accessTokenTtl: 3600 }))
    return area
  }

  const secret = '${env:SECRET}'

  test.each<[string, string, DocumentText]>([
    ['field', 'first-hush', oauthOf({ accessTokenTtl: 60 }, { description: secret })],
    ['member', 'hush-hush', oauthOf({ accessTokenTtl: 3600, macAlgorithm: secret }, { qpsLimitOverall: 5 })],
    ['member beside a changed one', 'hush-hush', oauthOf({ accessTokenTtl: 60, macAlgorithm: secret })],
  ])('a secret that the run took over without a change, in a %s', async (_, value, run) => {
    const area = await withSecrets()
    await appliedWith(value, area, domain, run)
    await back(area)
    expect(await changesOf(area, domain, oauthOf({ accessTokenTtl: 3600 }))).toEqual([])
  })

  test('a secret that the run took over without a change and a later one has changed stays managed', async () => {
    const area = await withSecrets()
    await appliedWith('first-hush', area, domain, oauthOf({ accessTokenTtl: 60 }, { description: secret }))
    const first = await latest(area)
    await appliedWith('other-hush', area, domain, oauthOf({ accessTokenTtl: 60 }, { description: secret }))
    await back(area, first)
    expect(await changesOf(area, domain, oauthOf({ accessTokenTtl: 3600 }))).toEqual(['update Service/Z'])
  })
})
