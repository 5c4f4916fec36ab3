import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { exported, filesIn } from '../kit/exports.js'
import { document } from '../kit/manifests.js'
import { environment, type Make, testClock, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Fields that took a secret when they were applied, and that an export cannot write (A371). */

const makes: readonly (readonly [string, () => Make])[] = [
  ['document', () => createPlatform({ autoApprove: true, idSeed: 'test', ...testClock() })],
  ['recorded', () => createPlatform({ autoApprove: true, idSeed: 'test', dialect: 'recorded', ...testClock() })],
  ['other make', () => createOtherMake()],
]

const env = { ...environment, ABOUT: 'canary-about', HEADER: 'canary-header', KEY: 'canary-key' }
const domain = document('Domain', 'example.com')
const endpoint = {
  name: 'e',
  requestPathAlias: '/e',
  trafficManagerDomain: 'example.com',
  publicDomains: ['example.com'],
}
const service = (own: object, inside: object) =>
  document('Service', 'S', { ...own, endpoints: [{ ...endpoint, ...inside }] })
const whole = service(
  { description: 'about ${env:ABOUT}' },
  {
    headersToExcludeFromIncomingCall: ['${env:HEADER}'],
    processor: { adapter: 'Trim', preInputs: { key: '${env:KEY}' } },
  },
)

describe.each(makes)('%s', (_, makeIn) => {
  const applied = async () => {
    const own = world(makeIn(), { env })
    own.declare(domain, whole)
    expect((await own.apply()).exitCode).toBe(0)
    return own
  }
  const fieldsOf = ({ changes }: { readonly changes: readonly { readonly fields: readonly { path: string }[] }[] }) =>
    changes.flatMap(({ fields }) => fields.map(({ path }) => path))

  test('the plan of an export that was made elsewhere, under the same records, leaves them', async () => {
    const own = await applied()
    const elsewhere = world(own.make, { ...own.io, env: environment })
    cpSync(join(own.dir, '.gatewright'), join(elsewhere.dir, '.gatewright'), { recursive: true })
    expect(JSON.stringify(await exported(elsewhere))).not.toContain('canary')
    expect(fieldsOf(await elsewhere.plan())).toEqual([])
    expect((await elsewhere.apply()).exitCode).toBe(0)
    expect((await own.plan()).changes).toEqual([])
  })

  test('nothing is said of them in an export that no records know, nor of those that are written', async () => {
    const own = await applied()
    const elsewhere = world(own.make, own.io)
    expect(JSON.stringify(await exported(elsewhere))).not.toContain('ignore')
    const run = await own.run(['export', '--dir', 'manifests', '-o', 'json'])
    expect([run.exitCode, JSON.stringify(filesIn(own, 'manifests'))]).toEqual([
      0,
      expect.not.stringContaining('ignore'),
    ])
    expect((await own.plan()).changes).toEqual([])
  })
})
