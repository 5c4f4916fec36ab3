import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document, projectText } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { world } from '../kit/world.js'
import { platform } from '../laws/within.js'

/** An error set with which an undeclared endpoint answers: a plan reads that endpoint only for this check. */

const project = projectText(`  scope: {kinds: [ErrorSet]}
`)
const domain = document('Domain', 'example.com')
const service = (...names: readonly string[]) =>
  document('Service', 'S', { errorSets: names.map((name) => ({ name, type: 'text/xml' })) })
const removed = document('Removed', { address: 'Service/S/ErrorSet/Mine' })

describe.each(['document', 'recorded'] as const)('on the make "%s"', (dialect) => {
  test.each([
    ['that was removed from the manifests', [domain, service('Other')], ['--prune', 'applied']],
    ['that a Removed document names', [domain, document('Service', 'S'), removed], []],
    ['of prune all that is limited to error sets', [domain, service('Other')], ['--prune', 'all']],
  ])('an error set %s is not deleted', async (_, documents, how) => {
    const there = world(platform({ dialect }))
    there.write('gatewright.yaml', project)
    there.declare(domain, service('Mine', 'Other'))
    expect((await there.apply()).exitCode).toBe(0)
    const rest = await restOf(there.make)
    const [found] = await rest.get('/services')
    const sets = await rest.get(`/services/${found?.id}/errorSets`)
    await rest.post(`/services/${found?.id}/endpoints`, {
      name: 'theirs',
      requestPathAlias: '/t',
      trafficManagerDomain: 'example.com',
      publicDomains: [{ address: 'example.com' }],
      errorSet: { id: sets.find(({ name }) => name === 'Mine')?.id ?? '' },
    })
    there.declare(...documents)
    const run = await there.apply(...how)
    expect(run.exitCode).toBe(5)
    expect(run.stdout).toContain('Service/S/ErrorSet/Mine cannot be deleted: Service/S/Endpoint/theirs still uses it')
    expect((await rest.get(`/services/${found?.id}/errorSets`)).map(({ name }) => name)).toContain('Mine')
  })

  test('the error set that the platform added to a service stays while an endpoint answers with it, and is deleted when none does', async () => {
    const there = world(platform({ dialect }))
    const endpoint = (spec: JsonObject) =>
      document(
        'Endpoint',
        { name: 'E', service: 'S' },
        { requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'], ...spec },
      )
    there.declare(domain, document('Service', 'S'), endpoint({}))
    expect((await there.apply()).exitCode).toBe(0)
    const rest = await restOf(there.make)
    const [found] = await rest.get('/services')
    const sets = async () => await rest.get(`/services/${found?.id}/errorSets`)
    const [first] = await sets()
    const [holder] = await rest.get(`/services/${found?.id}/endpoints`)
    await rest.put(`/services/${found?.id}/endpoints/${holder?.id}`, { errorSet: { id: first?.id ?? '' } })

    there.declare(domain, service('Mine'), endpoint({}))
    const run = await there.apply()
    expect(run, run.stdout).toMatchObject({ exitCode: 0 })
    const stays = 'Service/S/ErrorSet/Default stays as it is: the platform added it by itself, and Service/S/Endpoint/E'
    expect(run.stdout).toContain(stays)
    const names = async () => (await sets()).map(({ name }) => name)
    expect(await names()).toEqual(['Default', 'Mine'])
    for (const how of [[], ['--prune', 'all']]) {
      const again = await there.plan(...how)
      expect(again.changes).toEqual([])
      expect(again.diagnostics.map(({ message }) => message)).toContainEqual(expect.stringContaining(stays))
    }
    expect((await there.drift()).exitCode).toBe(0)

    there.declare(domain, service('Mine'), endpoint({ errorSet: 'Mine' }))
    expect((await there.apply()).exitCode).toBe(0)
    expect(await names()).toEqual(['Mine'])
  })
})
