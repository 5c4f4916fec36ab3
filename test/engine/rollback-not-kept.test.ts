import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject, parseJson } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, type World, world } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** Undoing runs of which the platform kept a part: it took an update, and left a field out or stored another value. */

/** A make that stores of what updates bring only what a function leaves. */
function storing(make: Make, stored: (body: JsonObject) => JsonObject): Make {
  return {
    log: make.log,
    fetch: async (request) => {
      if (request.method !== 'PUT') return make.fetch(request)
      const body = parseJson(await request.clone().text())
      return make.fetch(new Request(request, { body: JSON.stringify(isObject(body) ? stored(body) : body) }))
    },
  }
}

async function applied(area: World, exitCode: number, ...documents: readonly DocumentText[]): Promise<void> {
  area.declare(...documents)
  const run = await area.apply()
  expect([run.stdout, run.stderr, run.exitCode]).toEqual([run.stdout, run.stderr, exitCode])
}

const serviceIn = async (area: World) =>
  (await (await restOf(area.make)).get('/services?fields=name,description,qpsLimitOverall'))[0]

/** Everything that lies in a folder. */
const textsIn = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')

const before = document('Service', 'S', { description: 'one', qpsLimitOverall: 500 })

describe.each(makes)('on the make "%s"', (_, make) => {
  test('what the platform kept of an update is shown and goes back', async () => {
    const area = world(storing(make().make, ({ description: _dropped, ...others }) => others))
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

  test('what the platform stored otherwise goes back as well', async () => {
    const isTooMuch = ({ qpsLimitOverall }: JsonObject) => Number(qpsLimitOverall) > 550
    const area = world(storing(make().make, (body) => (isTooMuch(body) ? { ...body, qpsLimitOverall: 550 } : body)))
    await applied(area, 0, before)
    await applied(area, 3, document('Service', 'S', { description: 'two', qpsLimitOverall: 600 }))
    expect(await serviceIn(area)).toMatchObject({ description: 'two', qpsLimitOverall: 550 })
    const run = await area.run(['rollback', 'latest', '--yes'])
    expect(run.exitCode, run.stdout + run.stderr).toBe(0)
    expect(await serviceIn(area)).toMatchObject({ description: 'one', qpsLimitOverall: 500 })
  })

  test('so does a name, with what lies in the object', async () => {
    const endpoint = (path: string) => ({
      ...{ name: 'e', requestPathAlias: path, trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
    })
    const domain = document('Domain', 'example.com')
    const service = (path: string) => document('Service', 'S', { description: 'one', endpoints: [endpoint(path)] })
    const area = world(storing(make().make, ({ description: _dropped, ...others }) => others))
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

  test('what somebody has changed since stays', async () => {
    const area = world(storing(make().make, ({ description: _dropped, ...others }) => others))
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

  test('a secret that was applied there, and is still live, is in no record', async () => {
    const area = world(storing(make().make, ({ description: _dropped, ...others }) => others))
    const secret = 'correct-horse-battery'
    area.declare(document('Service', 'S', { description: '${env:WORDS}' }))
    expect((await area.run(['apply', '--yes'], { env: { ...environment, WORDS: secret } })).exitCode).toBe(0)
    await applied(area, 3, document('Service', 'S', { description: 'two', qpsLimitOverall: 600 }))
    expect(await serviceIn(area)).toMatchObject({ description: secret, qpsLimitOverall: 600 })
    expect(textsIn(area.dir)).not.toContain(secret)
  })
})
