import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { environment, world, writesIn } from '../kit/world.js'
import { everything } from '../laws/within.js'

/**
 * A rollback does not restore an endpoint that would take the calls of a remaining one, because the platform would refuse it.
 */

const endpoint = (name: string, requestPathAlias: string, more: JsonObject = {}) => ({
  ...{ name, requestPathAlias, trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
  ...{ systemDomains: ['example.com'], supportedHttpMethods: ['get'], ...more },
})
const secret = { systemDomainCredentialSecret: '${env:SECRET}' }

/** The endpoints before and after the run, and those that are not restored while the new one is at /e. */
const cases: readonly (readonly [string, readonly JsonObject[], readonly JsonObject[], readonly string[]])[] = [
  ['had its path before', [endpoint('E', '/e')], [endpoint('E', '/f'), endpoint('New', '/e', secret)], ['E']],
  [
    'was deleted',
    [endpoint('E', '/e', { methods: [{ name: 'm' }] })],
    [endpoint('New', '/e', secret)],
    ['E', 'E/Method/m'],
  ],
  [
    'had its path before, and the endpoint whose path that one has now,',
    [endpoint('E', '/e'), endpoint('G', '/f')],
    [endpoint('E', '/f'), endpoint('G', '/g'), endpoint('New', '/e', secret)],
    ['E', 'G'],
  ],
]

describe.each(makesWith())('on the make "%s"', (_, make) => {
  test.each(cases)('the endpoint that %s is not restored', async (__, before, after, left) => {
    const there = world(make())
    const declare = (endpoints: readonly JsonObject[]) =>
      there.declare(document('Domain', 'example.com'), document('Service', 'S', { description: 'd', endpoints }))
    const run = (SECRET: string, ...args: readonly string[]) =>
      there.run([...args, '--yes', ...everything], { env: { ...environment, SECRET } })
    declare(before)
    expect((await run('secret-one', 'apply')).exitCode).toBe(0)
    declare(after)
    const second = await run('secret-one', 'apply', '-o', 'json')
    expect(second.exitCode).toBe(0)
    // Another secret, which no rollback can restore: the object of the second run has changed since.
    expect((await run('secret-two', 'apply')).exitCode).toBe(0)
    expect((await run('secret-two', 'rollback', 'latest')).exitCode).toBe(0)
    const writes = writesIn(there.make)
    const back = await run('secret-two', 'rollback', String(second.json().run))
    expect([back.exitCode, back.stdout]).toEqual([0, expect.stringContaining('nothing to do')])
    for (const address of [...left, 'New'])
      expect(back.stderr).toContain(`Service/S/Endpoint/${address} is left as it is`)
    expect(back.stderr).toContain('Service/S/Endpoint/New stays, and has the calls of get example.com /e')
    expect(writesIn(there.make)).toBe(writes)
    const rest = await restOf(there.make)
    const [service] = await rest.get('/services')
    expect(await rest.get(`/services/${String(service?.id)}/endpoints`)).toHaveLength(after.length)
  })
})
