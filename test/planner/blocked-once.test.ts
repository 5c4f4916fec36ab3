import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { world } from '../kit/world.js'
import { makes } from '../laws/within.js'

/** A service is removed from the manifests, and a plan in them still lists it. */

const domain = document('Domain', 'example.com')
const endpoint = (name: string) => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
})
const service = document('Service', 'S', { endpoints: [endpoint('a'), endpoint('b')] })
const gold = `apiVersion: gatewright/v1
kind: Package
metadata: {name: P}
spec:
  plans:
    - name: Gold
      services:
        - name: S
`

describe.each(makes)('on the make "%s"', (_, __, make) => {
  test('what cannot be deleted is refused once, with the place that still uses it', async () => {
    const there = world(make())
    there.write('manifests/gold.yaml', gold)
    there.declare(domain, service)
    expect((await there.apply()).exitCode).toBe(0)
    there.declare(domain)
    const { exitCode, stdout } = await there.run(['plan'])
    expect(exitCode).toBe(5)
    expect(stdout.match(/.*\[blocked\]/g)).toEqual([
      'error: Service/S cannot be deleted: Package/P/Plan/Gold still uses it (manifests/gold.yaml:8) [blocked]',
    ])
    expect(stdout).toContain('needs Service/S, which is blocked')
  })
})
