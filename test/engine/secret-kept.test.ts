import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { exported, filesIn } from '../kit/exports.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { environment, testClock, world } from '../kit/world.js'

/** Fields that contained a secret when they were applied, and that an export cannot write (A371). */

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

test('an attribute of an application is kept as well', async () => {
  const make = createPlatform({ autoApprove: true, idSeed: 'test', dialect: 'recorded', ...testClock() })
  const own = world(make, { env: { ...env, PASSWORD: 'canary-password' } })
  own.declare(
    document('Member', 'jo', {
      ...{ email: 'jo@example.com', displayName: 'Jo', externalId: 'x', passwdNew: '${env:PASSWORD}' },
      applications: [{ name: 'Shop', owner: '${env:ABOUT}', tier: 'gold' }],
    }),
  )
  expect((await own.apply()).exitCode).toBe(0)
  const elsewhere = world(make, { ...own.io, env: environment })
  cpSync(join(own.dir, '.gatewright'), join(elsewhere.dir, '.gatewright'), { recursive: true })
  expect(JSON.stringify(await exported(elsewhere))).not.toContain('canary')
  expect((await elsewhere.plan()).changes).toEqual([])
})

describe.each(makesWith())('%s', (_, makeIn) => {
  const applied = async () => {
    const own = world(makeIn(), { env })
    own.declare(domain, whole)
    expect((await own.apply()).exitCode).toBe(0)
    return own
  }
  const fieldsOf = ({ changes }: { readonly changes: readonly { readonly fields: readonly { path: string }[] }[] }) =>
    changes.flatMap(({ fields }) => fields.map(({ path }) => path))

  test('the plan of an export that was made elsewhere, with the same records, keeps them', async () => {
    const own = await applied()
    const elsewhere = world(own.make, { ...own.io, env: environment })
    cpSync(join(own.dir, '.gatewright'), join(elsewhere.dir, '.gatewright'), { recursive: true })
    expect(JSON.stringify(await exported(elsewhere))).not.toContain('canary')
    expect(fieldsOf(await elsewhere.plan())).toEqual([])
    expect((await elsewhere.apply()).exitCode).toBe(0)
    expect((await own.plan()).changes).toEqual([])
  })

  test('they are not reported for an export without records, or if they are written', async () => {
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

  test('the plans of all environments keep them after an export by stages as well', async () => {
    const own = world(makeIn(), { env })
    own.project(`  values: {stage: {type: string}}
  environments: {DEV: {values: {stage: DEV}}, QA: {values: {stage: QA}}}
`)
    const staged = {
      ...endpoint,
      requestPathAlias: '/${value:stage}',
      processor: { adapter: 'Trim', preInputs: { key: '${env:KEY} of ${value:stage}' } },
    }
    own.declare(
      domain,
      document('Service', '${value:stage} S', {
        description: 'about ${env:ABOUT} in ${value:stage}',
        endpoints: [staged],
      }),
    )
    for (const stage of ['DEV', 'QA']) expect((await own.apply('-e', stage)).exitCode).toBe(0)
    const elsewhere = { env: environment }
    const run = await own.run(['export', '-e', 'DEV', '--stages', 'DEV,QA', '--dir', 'test'], elsewhere)
    expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining('canary')])
    expect(JSON.stringify(filesIn(own, 'test'))).not.toContain('canary')
    // A project with the same name and the same records.
    cpSync(join(own.dir, '.gatewright'), join(own.dir, 'test/.gatewright'), { recursive: true })
    for (const stage of ['DEV', 'QA']) {
      const planned = await own.run(['-C', 'test', 'plan', '-e', stage, '-o', 'json'], elsewhere)
      expect(fieldsOf(planned.json())).toEqual([])
    }
    expect(JSON.stringify(filesIn(own, 'test/manifests'))).toContain('ignore: [/description]')
  })
})
