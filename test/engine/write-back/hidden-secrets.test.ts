import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document } from '../../kit/manifests.js'
import { canaries } from '../../kit/storefront.js'
import { environment, type World, world } from '../../kit/world.js'
import { createOtherMake } from '../../other-make/area.js'

/** Platforms that answer "****" in the place of secrets (A391), and keys of which they hide the values. */

const env = { ...environment, ...canaries }

function hidingArea(): World {
  const make = createOtherMake({ secrets: 'hidden' })
  const fetch = async (request: Request) => {
    const response = await make.fetch(request)
    const text = await response.text()
    const hidden = Object.values(canaries).reduce((all, secret) => all.replaceAll(secret, '****'), text)
    const { status, headers } = response
    return new Response(hidden, { status, headers })
  }
  return world({ log: make.log, fetch }, { env })
}

const key = (number: number) => ({
  package: 'P',
  plan: 'Gold',
  apikey: `\${env:KEY_${number}}`,
  secret: `\${env:SECRET_${number}}`,
})

const declareKeys = (area: World, ...packageKeys: readonly ReturnType<typeof key>[]) =>
  area.declare(
    document('Package', 'P', { plans: [{ name: 'Gold' }] }),
    document('Member', 'acme', {
      email: 'a@b.example',
      displayName: 'A',
      externalId: '1',
      passwdNew: '${env:MEMBER_PASSWORD}',
      applications: [{ name: 'Shop', packageKeys }],
    }),
  )

test.each([
  ['drift', '--write'],
  ['export', '--dir', 'manifests'],
])('a key that is not made yet is none of those that the records have: %s %s', async (...command) => {
  const area = hidingArea()
  declareKeys(area, key(1))
  expect((await area.apply()).exitCode).toBe(0)
  declareKeys(area, key(1), key(2))
  expect((await area.plan()).changes.map(({ action }) => action)).toEqual(['create'])
  const run = await area.run(command)
  expect(run.stderr).not.toContain('error')
  expect(run.exitCode).toBe(0)
})

test('an export leaves a secret that is hidden as it is written', async () => {
  const area = hidingArea()
  const authentication = { type: 'httpBasic', username: 'u', password: 'in-clear-here' }
  area.declare(
    document('Domain', 'a.example'),
    document('Service', 'S', {
      endpoints: [
        {
          name: 'E',
          requestPathAlias: '/e',
          trafficManagerDomain: 'a.example',
          publicDomains: ['a.example'],
          systemDomains: ['a.example'],
          systemDomainCredentialSecret: '${env:SECRET_1}',
          processor: { adapter: 'A', preInputs: { password: '${env:SECRET_2}' } },
          systemDomainAuthentication: authentication,
        },
      ],
    }),
  )
  expect((await area.apply()).exitCode).toBe(0)
  const run = await area.run(['export', '--dir', 'manifests'])
  expect(run.stderr).not.toMatch(/secret-differs|not-written/)
  const written = readFileSync(join(area.dir, 'manifests/all.yaml'), 'utf8')
  expect(written).toContain('in-clear-here')
  expect(run.stdout).not.toContain('S_E_PASSWORD')
})
