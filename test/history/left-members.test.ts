import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** If one member of an object field is not changed by a run, the members that the run writes beside it are still known. */

const makes: readonly (readonly [string, () => Make])[] = [
  ['embedded', () => createPlatform({ autoApprove: true, idSeed: 'test', ...testClock() })],
  ['another', () => createOtherMake()],
]
const withToken = { ...environment, TOKEN: 'tok-one-two-three' }

const declare = (area: World, fields: object) =>
  area.declare(
    document('Domain', 'example.com'),
    document('Service', 'S', {
      endpoints: [
        {
          ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'api.example.com' },
          ...{ publicDomains: ['api.example.com'], ...fields },
        },
      ],
    }),
  )

const declaredWith = (area: World, adapter: string) =>
  declare(area, { processor: { adapter, preInputs: { authorization: 'Bearer ${env:TOKEN}' } } })

const verdicts = async (area: World) =>
  (await area.plan()).changes.flatMap(({ fields }) => fields.map(({ path, verdict }) => `${path} ${verdict}`))

test.each(makes)('on the make "%s" beside a secret that is not set when it is applied', async (_, make) => {
  const area = world(make(), { ...testClock(), env: withToken })
  declaredWith(area, 'com.example.One')
  expect((await area.apply()).exitCode).toBe(0)
  declaredWith(area, 'com.example.Two')
  const blind = await area.run(['apply', '--yes', '-o', 'json'], { env: environment })
  expect(blind.json().summary).toMatchObject({ applied: 1 })
  expect((await area.run(['show', 'latest'])).stdout).toMatch(
    /processor\.adapter +com\.example\.One → com\.example\.Two\n/,
  )
  expect(await verdicts(area)).toEqual([])
  declaredWith(area, 'com.example.Three')
  expect(await verdicts(area)).toEqual(['/processor/adapter pending'])
  expect((await area.drift()).exitCode).toBe(0)
  // The unchanged member is known as it was applied, too.
  area.declare(document('Domain', 'example.com'))
  declare(area, { processor: { adapter: 'com.example.Two' } })
  expect(await verdicts(area)).toEqual(['/processor/preInputs pending'])
  const run = await area.run(['rollback', 'latest', '--yes'])
  expect([run.stdout, run.exitCode]).toEqual([expect.stringContaining('1 applied'), 0])
  declaredWith(area, 'com.example.One')
  expect(await verdicts(area)).toEqual([])
})

test.each(makes)('on the make "%s" beside accepted drift', async (_, make) => {
  const area = world(make(), { ...testClock(), env: withToken })
  declare(area, { cors: { maxAge: 10, cookiesAllowed: false } })
  await area.apply()
  const rest = await restOf(area.make)
  const [service] = await rest.get('/services?fields=id')
  const [endpoint] = await rest.get(`/services/${String(service?.id)}/endpoints?fields=id,name`)
  const path = `/services/${String(service?.id)}/endpoints/${String(endpoint?.id)}`
  await rest.put(path, { name: 'e', cors: { maxAge: 20, cookiesAllowed: false } })
  const accept = ['--accept', '--reason', 'r', '--owner', 'o', '--expires', '2027-01-20']
  expect((await area.drift(...accept)).exitCode).toBe(0)
  declare(area, { cors: { maxAge: 10, cookiesAllowed: true } })
  expect((await area.apply()).json().summary).toMatchObject({ applied: 1, accepted: 1 })
  declare(area, { cors: { maxAge: 10, cookiesAllowed: false } })
  expect(await verdicts(area)).toEqual(['/cors/cookiesAllowed pending'])
  expect((await area.drift()).exitCode).toBe(0)
})
