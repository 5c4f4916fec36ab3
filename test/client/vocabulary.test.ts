import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { document, projectText } from '../kit/manifests.js'
import { restOf, tokenOf } from '../kit/rest.js'
import { environment, isWrite, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Platforms that use the vendor's words: both spellings in manifests, the vendor's in requests. */

const platform = (dialect: 'document' | 'recorded', vocabulary: 'document' | 'mashery' = 'mashery') => {
  const clock = testClock()
  return createPlatform({ autoApprove: true, idSeed: 'test', now: clock.now, dialect, vocabulary })
}

const makes: readonly (readonly [string, () => Make])[] = [
  ['document', () => platform('document')],
  ['recorded', () => platform('recorded')],
  ['another', () => createOtherMake({ defaultErrorSet: 'unless given', vocabulary: 'mashery' })],
]

const vendor = { GATEWRIGHT_VOCABULARY: 'mashery' }

/** The service in the words of one vocabulary or the other. */
const declared = (words: 'svc' | 'mashery', returned: readonly string[] = ['message-id']) => [
  document('Domain', 'example.com', {}),
  document('Service', 'S', {
    securityProfile: { oauth: { [`${words}TokenApiEnabled`]: true, grantTypes: ['client-credentials'] } },
    endpoints: [
      {
        name: 'e',
        requestPathAlias: '/e',
        trafficManagerDomain: 'api.example.com',
        publicDomains: ['api.example.com'],
        systemDomains: ['in.example.com'],
        forwardedHeaders: [`${words}-host`, `${words}-service-id`],
        returnedHeaders: returned.map((each) => `${words}-${each}`),
      },
    ],
  }),
]

const vendorWorld = (make: Make): World => {
  const area = world(make)
  area.write('gatewright.yaml', project('mashery'))
  return area
}

const project = (vocabulary: string) =>
  projectText(`  limits: {deletes: 10000, changedPercent: 100}\n  platform: {vocabulary: ${vocabulary}}\n`)

async function livingService(make: Make): Promise<JsonObject> {
  const fields = 'securityProfile,endpoints.id,endpoints.name,endpoints.forwardedHeaders,endpoints.returnedHeaders'
  const [service] = await (await restOf(make)).get(`/services?fields=id,name,${fields}`)
  return service ?? {}
}

describe.each(makes)('on the make "%s" in the vendor’s words', (_, make) => {
  test("either spelling is sent with the vendor's words, and the other one is no change for plan, drift, base or rollback", async () => {
    const area = vendorWorld(make())
    area.declare(...declared('svc'))
    const run = await area.apply()
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    const live = JSON.stringify(await livingService(area.make))
    for (const word of ['mashery-host', 'mashery-service-id', 'mashery-message-id', 'masheryTokenApiEnabled']) {
      expect(live).toContain(word)
    }
    expect(live).not.toMatch(/"svc/)
    area.declare(...declared('mashery'))
    expect((await area.plan()).changes).toEqual([])
    expect((await area.drift()).exitCode).toBe(0)
    area.declare(...declared('mashery', ['responder']))
    expect((await area.apply()).exitCode).toBe(0)
    expect(JSON.stringify(await livingService(area.make))).toMatch(/"returnedHeaders":\[?"mashery-responder"/)
    area.declare(...declared('svc', ['responder']))
    expect((await area.plan()).changes).toEqual([])
  })

  test("an export, get and a snapshot have the vendor's words, and the snapshot matches manifests with either", async () => {
    const area = vendorWorld(make())
    area.declare(...declared('svc'))
    await area.apply()
    expect((await area.run(['export', '--dir', 'out'])).exitCode).toBe(0)
    const written = textsIn(join(area.dir, 'out'))
    expect(written).toContain('mashery-host')
    expect(written).toContain('masheryTokenApiEnabled')
    expect(written).not.toMatch(/svc-|svcToken/)
    expect((await area.run(['plan', '-f', 'out'])).stdout).toContain('nothing to do')
    for (const format of [
      ['-o', 'json'],
      ['-o', 'yaml'],
    ]) {
      expect((await area.run(['get', 'Endpoint', ...format])).stdout).toContain('mashery-service-id')
    }
    expect((await area.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
    expect(readFileSync(join(area.dir, 'area.json'), 'utf8')).toContain('mashery-host')
    for (const words of ['svc', 'mashery'] as const) {
      area.declare(...declared(words))
      expect((await area.run(['plan', '--snapshot', 'area.json'])).stdout).toContain('nothing to do')
    }
  })

  test('with the words of the document, the error says what to set, and nothing is written', async () => {
    const area = world(make())
    area.declare(...declared('svc'))
    const run = await area.apply()
    expect(run.exitCode).toBe(1)
    expect(run.stderr + run.stdout).toContain('vocabulary mashery')
    expect(run.stderr + run.stdout).toContain('GATEWRIGHT_VOCABULARY=mashery')
    expect(area.make.log.filter(isWrite)).toEqual([])
  })

  test('the words of the live objects show it as well, if the token is given', async () => {
    const area = vendorWorld(make())
    area.declare(...declared('mashery'))
    await area.apply()
    area.write('gatewright.yaml', project('document'))
    const seen = await area.run(['plan'], { env: { ...environment, GATEWRIGHT_TOKEN: await tokenOf(area.make) } })
    expect(seen.exitCode).toBe(1)
    expect(seen.stderr + seen.stdout).toMatch(/uses the vocabulary mashery \("mashery/)
  })

  test('the API key is in no log', async () => {
    const area = vendorWorld(make())
    area.declare(...declared('svc'))
    await area.run(['plan', '--log-http', 'log'])
    const log = readFileSync(join(area.dir, 'log'), 'utf8')
    expect(log).toContain('\\"mapi\\":\\"***\\"')
    expect(log).not.toContain('local-key')
  })
})

test('a variable takes precedence over the project file, and accepts no other word', async () => {
  const area = world(platform('document'))
  area.declare(...declared('mashery'))
  const env = { ...environment, ...vendor }
  expect((await area.run(['plan'], { env })).exitCode).not.toBe(1)
  const wrong = await area.run(['plan'], { env: { ...env, GATEWRIGHT_VOCABULARY: 'seed' } })
  expect(wrong.stderr + wrong.stdout).toContain('document, mashery')
})

test('a platform with the document’s words is reported if the project expects the vendor’s', async () => {
  const area = vendorWorld(platform('document', 'document'))
  area.declare(...declared('svc'))
  expect((await area.run(['plan'])).stderr).toContain('GATEWRIGHT_VOCABULARY=document')
})

test('the words in a refusal show the vocabulary, if nothing else has shown it', async () => {
  const area = world(platform('recorded'))
  area.declare(...declared('svc'))
  const env = { ...environment, GATEWRIGHT_TOKEN: await tokenOf(area.make) }
  const run = await area.run(['apply', '--yes'], { env })
  expect(run.exitCode).toBe(3)
  expect(run.stderr).toMatch(/uses the vocabulary mashery \("mashery-.*GATEWRIGHT_VOCABULARY=mashery/)
})

test('the platform’s own member is never pruned or reported as unmanaged', async () => {
  const area = vendorWorld(platform('document'))
  const rest = await restOf(area.make)
  const member = { email: 'a@b.example', displayName: 'x', externalId: 'x', passwdNew: 'x' }
  await rest.post('/members', { ...member, username: 'MasheryInternalOAuth2' })
  await rest.post('/members', { ...member, username: 'stray' })
  area.declare(document('Member', 'kept', member))
  const plan = await area.plan('--prune', 'all')
  expect(plan.changes.map(({ address }) => address).sort()).toEqual(['Member/kept', 'Member/stray'])
  expect(JSON.stringify((await area.plan('--prune', 'none')).unmanaged)).not.toContain('MasheryInternal')
})

const layer = `apiVersion: gatewright/v1
kind: Project
metadata: {name: shop}
spec:
  defaults: {Service: {securityProfile: {oauth: {svcTokenApiEnabled: true}}}}
`

test.each([
  ['', undefined],
  [', above a default as well', layer],
])('one member in two spellings is a duplicate key%s', async (_, project) => {
  const area = vendorWorld(platform('document'))
  if (project !== undefined) area.write('gatewright.yaml', project)
  area.declare(
    document('Service', 'S', {
      securityProfile: { oauth: { svcTokenApiEnabled: true, masheryTokenApiEnabled: true } },
    }),
  )
  expect((await area.run(['validate'])).stdout).toContain('duplicate-key')
})

test('layers, pointers and environments may have either spelling', async () => {
  const area = world(platform('recorded'))
  area.project(`  defaults:
    Service: {securityProfile: {oauth: {svcTokenApiEnabled: true, secureTokensEnabled: true}}}
  environments:
    prod: {platform: {vocabulary: mashery}}
`)
  const oauth = { masheryTokenApiEnabled: false }
  area.declare(
    document('Service', 'S', { securityProfile: { oauth } }),
    document('Service', { name: 'T', ignore: ['/securityProfile/oauth/masheryTokenApiEnabled'] }),
  )
  const run = await area.apply('-e', 'prod')
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  const rest = await restOf(area.make)
  const live = async () => JSON.stringify(await rest.get('/services?fields=name,id,securityProfile&sort=name:asc'))
  expect(await live()).toContain('"masheryTokenApiEnabled":false,"secureTokensEnabled":true')
  const [, other] = await rest.get('/services?fields=name,id&sort=name:asc')
  await rest.put(`/services/${other?.id}`, {
    securityProfile: { oauth: { masheryTokenApiEnabled: false, secureTokensEnabled: true } },
  })
  expect((await area.plan('-e', 'prod')).changes).toEqual([])
})

test('a rollback sends the earlier values in the platform’s words', async () => {
  const area = vendorWorld(platform('recorded'))
  area.declare(...declared('svc'))
  await area.apply()
  area.declare(...declared('mashery', ['responder']))
  await area.apply()
  const [last] = (await area.run(['history', '-o', 'json'])).stdout.match(/\d{8}T\d{6}Z-[0-9a-f]+/g) ?? []
  const run = await area.run(['rollback', String(last), '--yes'])
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  expect(JSON.stringify(await livingService(area.make))).toContain('["mashery-message-id"]')
})

test('a plan is simulated on a separate platform, whatever the words of the real one', async () => {
  const area = vendorWorld(platform('recorded'))
  area.declare(...declared('mashery'))
  await area.apply()
  area.declare(...declared('svc', ['responder']))
  const run = await area.run(['plan', '--prove'])
  expect(run.stdout).toMatch(/Proved|Proof/)
  expect(run.exitCode).toBe(0)
})

test('drift is written into the key that a manifest has, in its spelling', async () => {
  const area = vendorWorld(platform('document'))
  area.declare(...declared('svc'))
  await area.apply()
  const rest = await restOf(area.make)
  const [service] = await rest.get('/services')
  await rest.put(`/services/${service?.id}`, { securityProfile: { oauth: { masheryTokenApiEnabled: false } } })
  const written = await area.run(['drift', '--write'])
  expect(written.exitCode, written.stdout + written.stderr).toBeLessThan(3)
  const texts = textsIn(area.dir)
  expect(texts).toMatch(/svcTokenApiEnabled"?: false/)
  expect(texts).not.toContain('masheryTokenApiEnabled')
})

test.each([
  ['manifest', 'defaults: {Service: {securityProfile: {oauth: {svcTokenApiEnabled: true}}}}', ''],
  [
    'patch',
    'environments: {prod: {patches: [{target: Service/S, json: [{op: add, path: /securityProfile/oauth/svcTokenApiEnabled, value: true}]}]}}',
    '-e prod',
  ],
  [
    'value',
    'defaults: {Service: {securityProfile: "${value:profile}"}}\n  values: {profile: {type: object, default: {oauth: {masheryTokenApiEnabled: true}}}}',
    '',
  ],
])("drift of a value from a layer is written into a %s in the vendor's words", async (place, layers, options) => {
  const area = vendorWorld(platform('document'))
  area.project(`  platform: {vocabulary: mashery}\n  ${layers}\n`)
  const project = textsIn(area.dir)
  area.declare(
    document('Service', 'S', { securityProfile: place === 'value' ? {} : { oauth: { secureTokensEnabled: true } } }),
  )
  const chosen = options.split(' ').filter((each) => each !== '')
  const applied = await area.apply(...chosen)
  expect(applied.exitCode, applied.stdout + applied.stderr).toBe(0)
  const rest = await restOf(area.make)
  const [service] = await rest.get('/services')
  await rest.put(`/services/${service?.id}`, {
    securityProfile: { oauth: { masheryTokenApiEnabled: false, secureTokensEnabled: true } },
  })
  const written = await area.run(['drift', '--write', ...chosen])
  expect(written.exitCode, written.stdout + written.stderr).toBe(0)
  expect(textsIn(area.dir).replace(project, '')).toMatch(/masheryTokenApiEnabled"?: false/)
})

const textsIn = (dir: string): string =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(yaml|json)$/.test(name) && !name.includes('.gatewright/'))
    .map((name) => readFileSync(join(dir, name), 'utf8'))
    .join('')
