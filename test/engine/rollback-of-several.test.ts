import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { temporaryFolder } from '../kit/folder.js'
import { makesWith } from '../kit/makes.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { environment, testClock, type World, worldIn } from '../kit/world.js'

/**
 * Several runs are undone, the newest first: an object that one rollback creates again counts, in the next one, as created by
 * the earlier run.
 */

const domain = document('Domain', 'example.com')
const role = document('Role', 'R')
const endpoint = (more: JsonObject = {}) => ({
  name: 'e',
  requestPathAlias: '/e',
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
  methods: [{ name: 'm' }],
  ...more,
})
const service = (spec: JsonObject) => document('Service', 'S', spec)

type Documents = readonly DocumentText[]

const cases: readonly (readonly [string, Documents, Documents, Documents])[] = [
  [
    'objects that the first created, and the second deleted',
    [role],
    [role, service({ endpoints: [endpoint()], roles: ['R'] })],
    [role],
  ],
  [
    'objects that the first changed, and the second deleted',
    [role, service({ description: 'one', endpoints: [endpoint({ inboundSslRequired: true })] })],
    [role, service({ description: 'two', endpoints: [endpoint({ inboundSslRequired: false })], roles: ['R'] })],
    [role],
  ],
  [
    'a service to which the first gave a role that the second deleted',
    [role, service({ endpoints: [] })],
    [role, service({ endpoints: [], roles: ['R'] })],
    [service({ endpoints: [], roles: [] })],
  ],
  [
    'an object with secrets that the first created, and the second deleted: the secrets are not reported as removed by somebody else',
    [service({ endpoints: [] })],
    [
      service({
        endpoints: [
          endpoint({
            systemDomainCredentialKey: '${env:SECRET}',
            systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:SECRET}' },
          }),
        ],
      }),
    ],
    [service({ endpoints: [] })],
  ],
]

describe.each(makesWith({ defaultErrorSet: 'always' }))('%s', (_, makeIn) => {
  test.each(cases)('%s', async (__, before, first, second) => {
    const clock = testClock()
    const world = worldIn(temporaryFolder(), makeIn(clock), { ...clock, env: { ...environment, SECRET: 'canary' } })
    await applied(world, before)
    const runs = [await applied(world, first), await applied(world, second)]
    for (const run of runs.reverse()) {
      const back = await world.run(['rollback', run, '--yes', ...allowed])
      expect(back, back.stdout + back.stderr).toMatchObject({ exitCode: 0 })
      expect(back.stderr).not.toMatch(/another object|left as it is/)
    }
    world.declare(domain, ...before)
    expect((await world.plan()).changes).toEqual([])
    expect((await world.drift()).exitCode).toBe(0)
  })
})

const allowed = ['--allow', 'TRAFFIC_STOP', '--allow', 'AUTH_WEAKENED']

async function applied(world: World, documents: Documents): Promise<string> {
  world.declare(domain, ...documents)
  const run = await world.apply(...allowed)
  expect(run, run.stdout).toMatchObject({ exitCode: 0 })
  return run.json().run ?? ''
}
