import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { documentOnly, refusedSoFar } from '../kit/document-only.js'
import { document } from '../kit/manifests.js'
import { embedded, environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/**
 * Fields that the document does not have: they are sent if the manifests have them, and requested only then or by an export
 * (A220).
 */

const endpoint = {
  name: 'e',
  requestPathAlias: '/e',
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  systemDomains: ['in.example.com'],
}

const gold = { services: [{ name: 'S', endpoints: [{ name: 'e' }] }] }

const people = document('Member', 'jo', {
  ...{ email: 'jo@example.com', displayName: 'Jo', externalId: 'x', passwdNew: '${env:PASSWORD}' },
  applications: [
    { name: 'A', packageKeys: [{ package: 'P', plan: 'Gold', apikey: '${env:KEY}', secret: '${env:SECRET}' }] },
  ],
})

const io = { env: { ...environment, PASSWORD: 'password-1', KEY: 'key-value-0001', SECRET: 'secret-1' } }

const roots = [document('Domain', 'example.com', {}), document('Role', 'Partners', {})]

/** The area, with additional fields of its endpoint and its plan. */
const area = (
  more: { readonly endpoint?: JsonObject; readonly plan?: JsonObject; readonly service?: JsonObject } = {},
) => [
  ...roots,
  document('Service', 'S', { ...more.service, endpoints: [{ ...endpoint, ...more.endpoint }] }),
  document('Package', 'P', { plans: [{ name: 'Gold', ...gold, ...more.plan }] }),
  people,
]

const beyond = {
  endpoint: {
    outboundTransportProtocol: 'any',
    inboundMsslRequired: true,
    rateLimitHeadersEnabled: true,
    type: 'token',
    httpsClientProfile: { name: 'modern' },
    userControlledErrorLocation: 'request-header',
    userControlledErrorLocationKey: 'x-errors',
  },
  plan: {
    roles: ['Partners'],
    status: 'inactive',
    selfServiceKeyProvisioningEnabled: false,
    emailTemplateSetId: 'aaaaaaaa-0000-4000-8000-00000000000a',
    adminEmailTemplateSetId: 7,
  },
}

const extended = area({
  service: { cache: { cacheTtl: 30 } },
  endpoint: { ...beyond.endpoint, cache: { cacheTtlOverride: 1.5 } },
  plan: beyond.plan,
})

const platform = (dialect: 'document' | 'recorded'): Make =>
  createPlatform({ autoApprove: true, idSeed: 'test', dialect, ...testClock() })

const allowed = ['--allow', 'TRAFFIC_STOP', '--allow', 'AUTH_WEAKENED']

/** The paths of all fields that change, by address. */
async function differing(area: World): Promise<readonly string[]> {
  const { changes } = await area.plan()
  return changes.flatMap(({ address, fields }) => fields.map(({ path }) => address + path)).sort()
}

function exported(area: World): string {
  const dir = join(area.dir, 'manifests')
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => readFileSync(join(dir, path), 'utf8'))
    .join('---\n')
}

async function exportAgain(area: World): Promise<string> {
  rmSync(join(area.dir, 'manifests'), { recursive: true })
  const run = await area.run(['export', '--dir', 'manifests'])
  expect(run.exitCode).toBe(0)
  return exported(area)
}

describe('on a platform that knows them', () => {
  test('sends, keeps, changes and exports them', async () => {
    const on = embedded({ dialect: 'recorded' }, io)
    on.declare(...extended)
    const { exitCode, stdout } = await on.apply(...allowed)
    expect([exitCode, stdout]).toEqual([0, expect.any(String)])
    expect(await differing(on)).toEqual([])
    const text = await exportAgain(on)
    for (const line of [
      'cacheTtl: 30',
      'cacheTtlOverride: 1.5',
      'outboundTransportProtocol: any',
      'inboundMsslRequired: true',
      'rateLimitHeadersEnabled: true',
      'type: token',
      'name: modern',
      'userControlledErrorLocation: request-header',
      'userControlledErrorLocationKey: x-errors',
      'status: inactive',
      'selfServiceKeyProvisioningEnabled: false',
      'emailTemplateSetId: aaaaaaaa-0000-4000-8000-00000000000a',
      'adminEmailTemplateSetId: 7',
      'action: register_keys',
    ])
      expect(text).toContain(line)
    expect(await differing(on)).toEqual([])
  })

  test('a snapshot has them, like the area', async () => {
    const on = embedded({ dialect: 'recorded' }, io)
    on.declare(...extended)
    await on.apply(...allowed)
    expect(await exportAgain(on)).toContain('action: register_keys')
    await on.run(['snapshot', '--out', 'area.json'])
    const { changes } = (await on.run(['plan', '--snapshot', 'area.json', '-o', 'json'])).json()
    expect(changes).toEqual([])
  })

  test('a hazard is reported if they affect calls or keys', async () => {
    const on = embedded({ dialect: 'recorded' }, io)
    on.declare(...extended)
    await on.apply(...allowed)
    on.declare(...area({ endpoint: { inboundMsslRequired: false }, plan: { status: 'active', roles: [] } }))
    const { changes } = await on.plan()
    expect(changes.find(({ kind }) => kind === 'Endpoint')?.hazards).toEqual(['AUTH_WEAKENED'])
    await on.apply(...allowed)
    on.declare(...area({ plan: { status: 'inactive' } }))
    const stopped = (await on.plan()).changes.find(({ kind }) => kind === 'Plan')
    expect(stopped?.hazards).toEqual(['TRAFFIC_STOP'])
  })
})

describe.each([
  ['the embedded one of the document', () => platform('document')],
  ['another make', () => createOtherMake({ defaultErrorSet: 'unless given' })],
  ['another make that refuses to be asked for what the document lacks', () => documentOnly(createOtherMake({}))],
] as const)('on a platform that does not know them: %s', (name, make) => {
  test('does not request them if the manifests do not have them, and an export has none', async () => {
    const on = world(make(), io)
    refusedSoFar()
    on.declare(...area())
    expect((await on.apply()).exitCode).toBe(0)
    on.requests()
    expect(await differing(on)).toEqual([])
    const asked = on.requests().flatMap(({ query }) => decodeURIComponent(query).split(/[&=,.]/))
    const words = new Set([
      ...Object.keys(beyond.endpoint),
      ...Object.keys(beyond.plan),
      'expires',
      'undefinedMethodsAllowed',
    ])
    for (const word of ['outboundTransportProtocol', 'emailTemplateSetId', 'status', 'type', 'roles'])
      words.delete(word)
    expect(asked.filter((each) => words.has(each))).toEqual([])
    // Only this field says which roles belong to the platform (A220).
    expect(refusedSoFar().filter((each) => !each.endsWith('/roles isPredefined'))).toEqual([])
    const text = await exportAgain(on)
    expect(text).not.toMatch(/inboundMsslRequired|rateLimitHeaders|adminEmail|cacheTtl:/)
    // An export omits secrets; everything else is the same.
    expect(await differing(on)).toEqual([])
    expect(refusedSoFar().length > 0).toBe(name.includes('refuses'))
  })

  test('roles of services are written and read, although the table of services does not have them', async () => {
    const on = world(make(), io)
    for (const roles of [['Partners'], []]) {
      on.declare(...area({ service: { roles } }))
      expect((await on.apply()).exitCode).toBe(0)
      expect(await differing(on)).toEqual([])
    }
  })

  test('every field that was written and not kept is reported', async () => {
    const on = world(make(), io)
    on.declare(...area({ plan: { adminEmailTemplateSetId: 7 } }))
    const { exitCode } = await on.apply()
    expect(exitCode).toBe(3)
    expect(await differing(on)).toEqual(['Package/P/Plan/Gold/adminEmailTemplateSetId'])
    // Nobody has changed it since: the platform never had it.
    const drift = await on.drift()
    expect(drift.exitCode).toBe(0)
    expect(drift.json().changes.map(({ fields }) => fields?.map(({ verdict }) => verdict))).toEqual([['pending']])
  })
})

test('the platform of the document ignores fields marked Ign, and refuses fields that are not in its tables', async () => {
  const on = embedded({}, io)
  on.declare(...area({ plan: { status: 'inactive' } }))
  expect((await on.apply(...allowed)).exitCode).toBe(3)
  expect(await differing(on)).toEqual(['Package/P/Plan/Gold/status'])
  on.declare(...area({ plan: { emailTemplateSetId: 'a-b' } }))
  const { stdout } = await on.apply()
  expect(stdout).toContain('emailTemplateSetId')
})
