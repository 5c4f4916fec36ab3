import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/json/json.js'
import { hiding, keyOfPackage, withKeys } from '../../kit/hidden.js'
import { document } from '../../kit/manifests.js'
import { canaries, documentedStorefront } from '../../kit/storefront.js'
import { environment, type Make, type World, world, writesIn } from '../../kit/world.js'
import { createOtherMake } from '../../other-make/area.js'

/**
 * Platforms that answer something like "****" instead of secrets (A391): the last sent value decides whether they are as
 * declared.
 */

const env = { ...environment, ...canaries }

async function expectInSync(area: World): Promise<void> {
  const { changes, diagnostics } = await area.plan()
  expect([changes, diagnostics]).toEqual([[], []])
  expect((await area.drift()).exitCode).toBe(0)
}

describe.each(['hidden', 'hidden by length', 'but for the end'] as const)(
  'the platform answers secrets %s',
  (secrets) => {
    test('a plan after an apply is empty, and a changed secret is sent', async () => {
      const make = createOtherMake({ secrets })
      const area = world(make, { env })
      area.declare(...documentedStorefront)
      const run = await area.apply()
      expect(run.json().changes.filter(({ outcome }) => outcome !== 'applied')).toEqual([])
      expect(run.exitCode).toBe(0)
      await expectInSync(area)

      const other = { env: { ...env, SECRET_1: 'another-secret-1', SDA_PASSWORD: 'another-password' } }
      expect((await area.run(['apply', '--yes'], other)).exitCode).toBe(0)
      const kept = make.store.all('packageKeys').map(({ values }) => values.secret)
      expect(kept.sort()).toEqual(['another-secret-1', canaries.SECRET_2])
      expect((await area.run(['plan', '-o', 'json'], other)).json().changes).toEqual([])
    })
  },
)

const signs = {
  'the same signs': () => '********',
  'signs and the end': (secret: string) => `****${secret.slice(-4)}`,
  dots: (secret: string) => '•'.repeat(secret.length),
  'a word': () => '[REDACTED]',
}

describe.each(Object.entries(signs))('the platform answers every secret as %s', (_, sign) => {
  const area = () => world(hiding(createOtherMake(), Object.values(canaries), sign), { env })

  test('a plan after an apply is empty, even if keys cannot be distinguished by their values', async () => {
    const hidden = area()
    hidden.declare(...documentedStorefront)
    expect((await hidden.apply()).exitCode).toBe(0)
    await expectInSync(hidden)
    const written = writesIn(hidden.make)
    expect((await hidden.apply()).exitCode).toBe(0)
    expect(writesIn(hidden.make)).toBe(written)
  })

  test('two keys of one package in one application stay two keys', async () => {
    const hidden = area()
    hidden.declare(...withKeys(keyOfPackage(1)))
    expect((await hidden.apply()).exitCode).toBe(0)
    hidden.declare(...withKeys(keyOfPackage(1), keyOfPackage(2)))
    expect((await hidden.plan()).changes.map(({ action }) => action)).toEqual(['create'])
    expect((await hidden.apply()).exitCode).toBe(0)
    await expectInSync(hidden)
    hidden.declare(...withKeys(keyOfPackage(2)))
    expect((await hidden.plan()).changes.map(({ action }) => action)).toEqual(['delete'])
  })
})

test('a hidden key value is not used as its identity: not in addresses, and not in a snapshot, whose plan is empty', async () => {
  const area = world(
    hiding(createOtherMake(), Object.values(canaries), (secret) => `****${secret.slice(-4)}`),
    { env: { ...env, GATEWRIGHT_FINGERPRINT_KEY: 'a key of fingerprints' } },
  )
  area.declare(...withKeys(keyOfPackage(1)))
  expect((await area.apply()).exitCode).toBe(0)
  const shown = await area.run(['get', 'PackageKey'])
  expect(shown.stdout).toContain('Member/acme/Application/Shop/PackageKey/P')
  expect(shown.stdout).not.toContain('#')
  expect((await area.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
  expect((await area.plan('--snapshot', 'area.json')).changes).toEqual([])
  const other = world(area.make, area.io)
  expect((await other.run(['export', '--dir', 'manifests'])).exitCode).toBe(0)
  expect((await other.plan()).changes).toEqual([])
})

test('two keys of one package have two addresses, also in deletes, and the plan of a snapshot of them is empty', async () => {
  const area = world(
    hiding(createOtherMake(), Object.values(canaries), (secret) => `****${secret.slice(-4)}`),
    { env: { ...env, GATEWRIGHT_FINGERPRINT_KEY: 'a key of fingerprints' } },
  )
  area.declare(...withKeys(keyOfPackage(1), keyOfPackage(2)))
  expect((await area.apply()).exitCode).toBe(0)
  const shown = (await area.run(['get', 'PackageKey'])).stdout.match(/\S+\/PackageKey\/\S+/g) ?? []
  expect(new Set(shown).size).toBe(2)
  expect((await area.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
  expect((await area.plan('--snapshot', 'area.json')).changes).toEqual([])
  area.declare(...withKeys())
  const run = await area.apply('--allow', 'KEY_LOSS')
  const deleted = run.json().changes.filter(({ outcome }) => outcome === 'applied')
  expect(new Set(deleted.map(({ address }) => address)).size).toBe(2)
  expect((await area.run(['get', 'PackageKey'])).stdout).not.toContain('/PackageKey/')
})

describe('a key of another project that is answered without a value', () => {
  const withOthers = async (answered: string | undefined, ...own: readonly JsonObject[]) => {
    const make = createOtherMake()
    const area = world(make, { env: { ...env, KEY_3: 'key-of-another' } })
    const others = world(make, { env: { ...env, KEY_3: 'key-of-another' } })
    others.declare(...withKeys(...own, { ...keyOfPackage(1), apikey: '${env:KEY_3}' }))
    expect((await others.apply()).exitCode).toBe(0)
    for (const { values } of make.store.all('packageKeys')) {
      if (values.apikey !== 'key-of-another') continue
      delete values.apikey
      if (answered !== undefined) values.apikey = answered
    }
    return area
  }

  test.each([undefined, ''])('is not taken over if the values of other keys are answered: %j', async (answered) => {
    const area = await withOthers(answered, keyOfPackage(2))
    area.declare(...withKeys(keyOfPackage(2), keyOfPackage(1)))
    const planned = await area.plan()
    expect(planned.changes.map(({ action }) => action)).toEqual(['create'])
    expect(planned.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('is not taken over either if two keys are declared', async () => {
    const area = await withOthers(undefined, keyOfPackage(2))
    area.declare(...withKeys(keyOfPackage(2), keyOfPackage(1), { ...keyOfPackage(1), apikey: 'another' }))
    expect((await area.plan()).changes.map(({ action }) => action)).toEqual(['create', 'create'])
  })

  test('may be the declared key if the platform answers no key values', async () => {
    const area = await withOthers(undefined)
    area.declare(...withKeys(keyOfPackage(1)))
    expect((await area.plan()).changes.filter(({ action }) => action === 'create')).toEqual([])
  })
})

test('a key that must be created again does not get the hidden text as its secret', async () => {
  const make = createOtherMake()
  const area = world(
    hiding(make, Object.values(canaries), () => '****'),
    { env },
  )
  const plans = { plans: [{ name: 'Gold' }] }
  const declare = (key: JsonObject, id?: string) =>
    area.declare(
      document('Package', 'P', plans),
      document('Package', 'Q', plans),
      document('Member', 'acme', {
        email: 'a@b.example',
        displayName: 'A',
        externalId: '1',
        passwdNew: '${env:MEMBER_PASSWORD}',
        applications: [{ name: 'Shop' }],
      }),
      document('PackageKey', { member: 'acme', application: 'Shop', ...(id !== undefined && { id }) }, key),
    )
  const written = { plan: 'Gold', apikey: '${env:KEY_1}', secret: '${env:SECRET_1}' }
  declare({ ...written, package: 'P' })
  expect((await area.apply()).exitCode).toBe(0)
  const { apikey, secret, plan } = written
  const errorsOf = async (key: JsonObject) => {
    declare({ plan, ...key, package: 'Q' }, make.store.all('packageKeys')[0]?.id)
    const { diagnostics } = await area.plan('--allow-replace', '--allow', 'KEY_LOSS', '--allow', 'ID_CHANGE')
    return diagnostics.filter(({ severity }) => severity === 'error')
  }
  expect(await errorsOf({ apikey })).toMatchObject([{ code: 'secret-hidden' }])
  expect(await errorsOf({ secret })).toMatchObject([{ code: 'secret-hidden' }])
  expect(await errorsOf({ apikey, secret })).toEqual([])
})

describe('a value object with a part that the platform hides and no manifest writes', () => {
  const preInputs = { password: canaries.SECRET_1, mode: 'fast' }
  const declare = (area: World, processor: JsonObject) =>
    area.declare(
      document('Domain', 'a.example'),
      document('Service', 'S', {
        endpoints: [
          {
            name: 'E',
            requestPathAlias: '/e',
            trafficManagerDomain: 'a.example',
            publicDomains: ['a.example'],
            systemDomains: ['a.example'],
            processor,
          },
        ],
      }),
    )
  async function started() {
    const make = createOtherMake()
    const area = world(
      hiding(make, Object.values(canaries), () => '****'),
      { env },
    )
    declare(area, { adapter: 'A' })
    await area.apply()
    for (const { values } of make.store.all('endpoints')) values.processor = { adapter: 'A', preInputs }
    return { area, kept: () => make.store.all('endpoints').map(({ values }) => values.processor) }
  }

  test('is not updated, because the hidden text would become its value', async () => {
    const { area, kept } = await started()
    declare(area, { adapter: 'B' })
    const run = await area.apply()
    expect(run.exitCode).toBe(1)
    expect(run.json().diagnostics).toMatchObject([
      {
        code: 'secret-hidden',
        message:
          'Service/S/Endpoint/E must be sent whole, and the platform hides /processor/preInputs/password: its value cannot be kept',
      },
    ])
    expect(kept()).toEqual([{ adapter: 'A', preInputs }])
    const drift = (await area.drift()).json()
    expect(drift.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('is updated if the manifest writes that part', async () => {
    const { area, kept } = await started()
    declare(area, { adapter: 'B', preInputs: { ...preInputs, password: '${env:SECRET_1}' } })
    expect((await area.apply()).exitCode).toBe(0)
    expect(kept()).toEqual([{ adapter: 'B', preInputs }])
  })
})

test('an endpoint that is moved back keeps its new secret, because the old one is not known', async () => {
  const make = createOtherMake({ secrets: 'hidden' })
  let writes = Number.NEGATIVE_INFINITY
  const refusing: Make = {
    log: make.log,
    fetch: (request) => {
      if (request.method !== 'PUT') return make.fetch(request)
      writes += 1
      if (writes !== 3) return make.fetch(request)
      return Promise.resolve(Response.json([{ property: '', message: 'not today' }], { status: 400 }))
    },
  }
  const area = world(refusing, { env })
  const declare = (...paths: readonly string[]) =>
    area.declare(
      document('Domain', 'a.example'),
      document('Service', 'S', {
        endpoints: paths.map((requestPathAlias, index) => ({
          ...{ name: `e${index}`, requestPathAlias, trafficManagerDomain: 'a.example', publicDomains: ['a.example'] },
          ...{ supportedHttpMethods: ['get'], systemDomainCredentialSecret: '${env:SECRET_1}' },
        })),
      }),
    )
  declare('/a', '/b')
  expect((await area.apply()).exitCode).toBe(0)
  // A swap whose last write is refused.
  declare('/b', '/a')
  writes = 0
  const other = { env: { ...env, SECRET_1: 'another-secret-1' } }
  expect((await area.run(['apply', '--yes'], other)).exitCode).toBe(3)
  const kept = () => make.store.all('endpoints').map(({ values }) => values.systemDomainCredentialSecret)
  expect(kept()).not.toContain('****')
  expect((await area.run(['apply', '--yes'], other)).exitCode).toBe(0)
  expect(kept()).toEqual(['another-secret-1', 'another-secret-1'])
  expect((await area.run(['plan', '-o', 'json'], other)).json().changes).toEqual([])
})

test('a key that may be either of two is reported, and the other one is created after it is pinned', async () => {
  const make = createOtherMake()
  const area = world(
    hiding(make, Object.values(canaries), () => '****'),
    { env },
  )
  area.declare(...withKeys(keyOfPackage(1)))
  expect((await area.apply()).exitCode).toBe(0)
  rmSync(join(area.dir, '.gatewright'), { recursive: true })
  const [{ id = '' } = {}] = make.store.all('packageKeys')

  area.declare(...withKeys(keyOfPackage(1), keyOfPackage(2)))
  const { diagnostics } = await area.plan()
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
    {
      code: 'ambiguous-name',
      message: expect.stringMatching(`^the live object ${id} may be .* or .*hides its value$`),
    },
  ])
  area.declare(...withKeys({ ...keyOfPackage(1), metadata: { id } }, keyOfPackage(2)))
  // Without records, nothing says which secret it has, so it is sent.
  expect((await area.plan()).changes.map(({ action, id }) => [action, id])).toEqual([
    ['update', id],
    ['create', undefined],
  ])
  expect((await area.apply()).exitCode).toBe(0)
  expect(make.store.all('packageKeys').map(({ values }) => values.apikey)).toEqual(
    expect.arrayContaining([canaries.KEY_1, canaries.KEY_2]),
  )
})
