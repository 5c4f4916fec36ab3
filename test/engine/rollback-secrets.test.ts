import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, type Make, world } from '../kit/world.js'

/** A rollback removes a secret that its run has set where the platform showed none. */

const declared = (endpoint: JsonObject) => [
  document('Domain', 'example.com'),
  document('Service', 'S', {
    endpoints: [
      {
        ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
        ...endpoint,
      },
    ],
  }),
]
const secret = { systemDomainCredentialSecret: '${env:SECRET}' }

/** A platform that never answers the secrets. */
const hiding = (make: Make): Make => ({
  ...make,
  fetch: async (request) => {
    const answer = await make.fetch(request)
    const text = await answer.text()
    return new Response(text.replaceAll(/,?"(systemDomainCredentialSecret|password)":("[^"]*"|null)/g, ''), answer)
  },
})

const on = (make: Make) => {
  const there = world(make)
  const run = (SECRET: string, ...args: readonly string[]) =>
    there.run([...args, '--yes'], { env: { ...environment, SECRET } })
  const applied = async (SECRET: string, endpoint: JsonObject) => {
    there.declare(...declared(endpoint))
    const done = await run(SECRET, 'apply')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
  }
  return { there, run, applied }
}

const stored = async (make: Make): Promise<string> => {
  const rest = await restOf(make)
  return JSON.stringify(await rest.get('/services?fields=endpoints.name,endpoints.systemDomainCredentialSecret'))
}

describe.each(makesWith())('on the make "%s"', (_, makeIn) => {
  test.each([
    ['as a field of an endpoint', { ...secret }],
    [
      'as the password of its system domains',
      { systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:SECRET}' } },
    ],
  ])('a secret that the run has added %s is removed', async (__, written) => {
    const make = makeIn()
    const { there, run, applied } = on(make)
    const { systemDomainAuthentication: single } = written as JsonObject
    const before = single === undefined ? {} : { systemDomainAuthentication: { type: 'httpBasic', username: 'u' } }
    await applied('', before)
    await applied('correct-horse', written)
    const back = await run('correct-horse', 'rollback', 'latest')
    expect([back.exitCode, back.stdout]).toEqual([0, expect.stringContaining('1 applied')])
    there.declare(...declared({ ...before, ...(single === undefined && { systemDomainCredentialSecret: null }) }))
    expect((await there.plan()).changes).toEqual([])
    expect(await stored(make)).not.toContain('correct-horse')
  })

  test('a secret that was there before is left, also if the platform never shows it', async () => {
    const make = makeIn()
    const { applied } = on(make)
    const { run: rollback, applied: appliedThere } = on(hiding(make))
    await applied('first-battery', secret)
    await appliedThere('correct-horse', { ...secret, highSecurity: true })
    const back = await rollback('correct-horse', 'rollback', 'latest', '--allow', 'AUTH_WEAKENED')
    expect([back.exitCode, back.stdout]).toEqual([0, expect.stringContaining('1 applied')])
    expect(await stored(make)).toContain('correct-horse')
    const why = 'the platform does not show whether there was another value in systemDomainCredentialSecret before'
    expect(back.stderr).toContain(`Service/S/Endpoint/e cannot be undone in full: ${why}`)
  })

  test.each([
    ['Service/*/Endpoint/e', true],
    ['Domain/*', false],
  ])('a secret that is left is reported if --select %s takes its object: %s', async (selected, isReported) => {
    const { applied, run } = on(hiding(makeIn()))
    await applied('first-battery', {})
    await applied('correct-horse', secret)
    const back = await run('correct-horse', 'rollback', 'latest', '--select', selected)
    expect(back.stderr.includes('Service/S/Endpoint/e cannot be undone in full')).toBe(isReported)
  })

  test.each([
    ['has changed', { ...secret }, { ...secret }, 'Endpoint/e', 'systemDomainCredentialSecret is a secret'],
    [
      'has changed to another user and password',
      { systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:SECRET}' } },
      { systemDomainAuthentication: { type: 'httpBasic', username: 'v', password: '${env:SECRET}' } },
      'Endpoint/e/SystemDomainAuthentication',
      'password is a secret',
    ],
    [
      'has deleted with its object',
      { systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: '${env:SECRET}' } },
      {},
      'Endpoint/e/SystemDomainAuthentication',
      'password is a secret',
    ],
  ])('an applied secret that the run %s is reported, also if the platform never shows it', async (...drawn) => {
    const [, before, after, address, reason] = drawn
    const { applied, run } = on(hiding(makeIn()))
    await applied('first-battery', before)
    await applied('correct-horse', after)
    const back = await run('correct-horse', 'rollback', 'latest')
    expect(back.exitCode, back.stderr).toBe(0)
    expect(back.stderr).toContain(`${address} cannot be undone in full: ${reason}, and records hold none`)
  })
})
