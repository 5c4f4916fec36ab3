import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject, parseJson } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, type World, world } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/**
 * Undoing runs that the platform carried out in part: it omitted a field, stored another value, or refused the next request.
 */

/** A make that stores only the result of a function for the bodies of requests, by default those of updates. */
function storing(make: Make, stored: (body: JsonObject) => JsonObject, methods: readonly string[] = ['PUT']): Make {
  return {
    log: make.log,
    fetch: async (request) => {
      if (!methods.includes(request.method) || request.url.endsWith('/token')) return make.fetch(request)
      const body = parseJson(await request.clone().text())
      return make.fetch(new Request(request, { body: JSON.stringify(isObject(body) ? stored(body) : body) }))
    },
  }
}

const withoutDescription = ({ description: _dropped, ...others }: JsonObject): JsonObject => others

async function applied(area: World, exitCode: number, ...documents: readonly DocumentText[]): Promise<void> {
  area.declare(...documents)
  const run = await area.apply()
  expect([run.stdout, run.stderr, run.exitCode]).toEqual([run.stdout, run.stderr, exitCode])
}

const serviceIn = async (area: World) =>
  (await (await restOf(area.make)).get('/services?fields=name,description,qpsLimitOverall'))[0]

/** All texts in a folder. */
const textsIn = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')

const before = document('Service', 'S', { description: 'one', qpsLimitOverall: 500 })

describe.each(makes)('on the make "%s"', (_, make) => {
  test('the part of an update that the platform kept is displayed and undone', async () => {
    const area = world(storing(make().make, withoutDescription))
    await applied(area, 0, before)
    await applied(area, 3, document('Service', 'S', { description: 'two', qpsLimitOverall: 600 }))
    const shown = await area.run(['show', 'latest', '-o', 'json'])
    expect(shown.json().changes[0]?.fields).toMatchObject([{ path: '/qpsLimitOverall', before: 500, after: 600 }])
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    expect(await serviceIn(area)).toMatchObject({ description: 'one', qpsLimitOverall: 500 })
    area.declare(before)
    expect((await area.plan()).changes).toEqual([])
  })

  test('a value that the platform stored differently is undone as well', async () => {
    const isTooMuch = ({ qpsLimitOverall }: JsonObject) => Number(qpsLimitOverall) > 550
    const area = world(storing(make().make, (body) => (isTooMuch(body) ? { ...body, qpsLimitOverall: 550 } : body)))
    await applied(area, 0, before)
    await applied(area, 3, document('Service', 'S', { description: 'two', qpsLimitOverall: 600 }))
    expect(await serviceIn(area)).toMatchObject({ description: 'two', qpsLimitOverall: 550 })
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    expect(await serviceIn(area)).toMatchObject({ description: 'one', qpsLimitOverall: 500 })
  })

  test('a value of a rollback that the platform stores differently is nobody’s change', async () => {
    // As in HTML: a value that was read is escaped once more when it is restored.
    const escaped = (body: JsonObject): JsonObject =>
      typeof body.description === 'string' ? { ...body, description: body.description.replaceAll('&', '&amp;') } : body
    const area = world(storing(make().make, escaped, ['POST', 'PUT']))
    await applied(area, 3, document('Service', 'S', { description: 'R & D', qpsLimitOverall: 500 }))
    const edited = document('Service', 'S', { description: 'R & E', qpsLimitOverall: 600 })
    await applied(area, 3, edited)
    expect((await area.run(['rollback', 'latest', '--yes'])).exitCode).toBe(3)
    expect(await serviceIn(area)).toMatchObject({ description: 'R &amp;amp; D', qpsLimitOverall: 500 })
    const drift = await area.drift()
    const verdicts = drift.json().changes.flatMap(({ fields }) => fields.map(({ path, verdict }) => [path, verdict]))
    expect(verdicts).toEqual([
      ['/description', 'pending'],
      ['/qpsLimitOverall', 'pending'],
    ])
    expect(drift.exitCode).toBe(0)
  })

  test('a restored object that is stored differently is known as the applied one', async () => {
    const escaped = (body: JsonObject): JsonObject =>
      typeof body.description === 'string' ? { ...body, description: body.description.replaceAll('&', '&amp;') } : body
    const area = world(storing(make().make, escaped, ['POST', 'PUT']))
    const role = document('Role', 'R')
    const declared = document('Service', 'S', { description: 'R & D', qpsLimitOverall: 500 })
    await applied(area, 3, role, declared)
    await applied(area, 0, role)
    expect((await area.run(['rollback', 'latest', '--yes'])).exitCode).toBe(3)
    expect((await serviceIn(area))?.description).toMatch(/^R &amp;(amp;)+ D$/)
    expect((await area.plan()).changes[0]).toMatchObject({ address: 'Service/S', action: 'delete' })
    area.declare(role, declared)
    const { changes } = await area.plan()
    expect(changes).toMatchObject([{ action: 'update', fields: [{ path: '/description', verdict: 'pending' }] }])
    expect(changes[0]?.reason).toBeUndefined()
  })

  test('a name that was kept is undone as well, with the children of the object', async () => {
    const endpoint = (path: string) => ({
      ...{ name: 'e', requestPathAlias: path, trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
    })
    const domain = document('Domain', 'example.com')
    const service = (path: string) => document('Service', 'S', { description: 'one', endpoints: [endpoint(path)] })
    const area = world(storing(make().make, withoutDescription))
    await applied(area, 0, domain, service('/a'))
    const renamed = document(
      'Service',
      { name: 'T', formerly: ['S'] },
      { description: 'two', endpoints: [endpoint('/b')] },
    )
    await applied(area, 3, domain, renamed)
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    expect(await serviceIn(area)).toMatchObject({ name: 'S' })
    area.declare(domain, service('/a'))
    expect((await area.plan()).changes).toEqual([])
  })

  test('later changes by somebody else stay', async () => {
    const area = world(storing(make().make, withoutDescription))
    await applied(area, 0, before)
    await applied(area, 3, document('Service', 'S', { description: 'two', qpsLimitOverall: 600 }))
    const rest = await restOf(area.make)
    const [service] = await rest.get('/services')
    await rest.put(`/services/${String(service?.id)}`, { qpsLimitOverall: 700 })
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    expect(run.stderr).toContain('Service/S is left as it is: /qpsLimitOverall was changed since')
    expect(await serviceIn(area)).toMatchObject({ qpsLimitOverall: 700 })
  })

  test('a created object that was not kept as declared is deleted', async () => {
    const area = world(storing(make().make, withoutDescription, ['POST', 'PUT']))
    const kept = document('Role', 'A')
    await applied(area, 0, kept)
    await applied(area, 3, kept, before)
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    expect(await serviceIn(area)).toBeUndefined()
  })

  test('an object is deleted if it was created and the next request was refused', async () => {
    const { fetch, log } = storing(make().make, withoutDescription, ['POST'])
    const refusal = () => Response.json({ errorCode: 400, errorMessage: 'no roles here' }, { status: 400 })
    const area = world({ log, fetch: async (request) => (request.method === 'PUT' ? refusal() : fetch(request)) })
    const kept = document('Role', 'A')
    await applied(area, 0, kept)
    await applied(area, 3, kept, document('Service', 'S', { description: 'one', roles: ['A'] }))
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    expect(await serviceIn(area)).toBeUndefined()
  })

  test('an object counts as created by a run even if the run did nothing else and a later request was refused', async () => {
    const { fetch, log } = make().make
    const refusal = () => Response.json({ errorCode: 400, errorMessage: 'no roles here' }, { status: 400 })
    const area = world({ log, fetch: async (request) => (request.method === 'PUT' ? refusal() : fetch(request)) })
    const kept = document('Role', 'A')
    await applied(area, 0, kept)
    await applied(area, 3, kept, document('Service', 'S', { roles: ['A'] }))
    area.declare(kept)
    expect((await area.plan()).changes[0]).toMatchObject({ action: 'delete', address: 'Service/S' })
  })

  test('a secret that the platform does not keep is nobody’s drift', async () => {
    const withoutKey = ({ systemDomainCredentialKey: _dropped, ...others }: JsonObject): JsonObject => others
    const area = world(storing(make().make, withoutKey, ['POST', 'PUT']))
    const endpoint = document(
      'Endpoint',
      { service: 'S', name: 'e' },
      {
        ...{ requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
        systemDomainCredentialKey: 'correct-horse-battery',
      },
    )
    await applied(area, 0, document('Domain', 'example.com'), document('Service', 'S'))
    area.declare(document('Domain', 'example.com'), document('Service', 'S'), endpoint)
    // The other make does not answer secrets, so nobody sees that it is not kept.
    const { exitCode } = await area.apply()
    const drift = await area.drift()
    expect([drift.exitCode, drift.json().changes.length]).toEqual([0, exitCode === 3 ? 1 : 0])
  })

  test('a secret that was applied there, and is still live, is in no record', async () => {
    const area = world(storing(make().make, withoutDescription))
    const secret = 'correct-horse-battery'
    area.declare(document('Service', 'S', { description: '${env:WORDS}' }))
    expect((await area.run(['apply', '--yes'], { env: { ...environment, WORDS: secret } })).exitCode).toBe(0)
    await applied(area, 3, document('Service', 'S', { description: 'two', qpsLimitOverall: 600 }))
    expect(await serviceIn(area)).toMatchObject({ description: secret, qpsLimitOverall: 600 })
    expect(textsIn(area.dir)).not.toContain(secret)
  })
})
