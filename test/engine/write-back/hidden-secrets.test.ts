import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hiding, keyOfPackage, withKeys } from '../../kit/hidden.js'
import { document } from '../../kit/manifests.js'
import { canaries } from '../../kit/storefront.js'
import { environment, type World, world } from '../../kit/world.js'
import { createOtherMake } from '../../other-make/area.js'

/** Platforms that answer "****" instead of secrets (A391), and keys whose values they hide. */

const env = { ...environment, ...canaries }

const hidingArea = (): World =>
  world(
    hiding(createOtherMake({ secrets: 'hidden' }), Object.values(canaries), () => '****'),
    { env },
  )

test.each([
  ['drift', '--write'],
  ['export', '--dir', 'manifests'],
])('a key that was not created yet is not taken for one in the records: %s %s', async (...command) => {
  const area = hidingArea()
  area.declare(...withKeys(keyOfPackage(1)))
  expect((await area.apply()).exitCode).toBe(0)
  area.declare(...withKeys(keyOfPackage(1), keyOfPackage(2)))
  expect((await area.plan()).changes.map(({ action }) => action)).toEqual(['create'])
  const run = await area.run(command)
  expect(run.stderr).not.toContain('error')
  expect(run.exitCode).toBe(0)
})

test('an export keeps the text of a hidden secret in the manifest', async () => {
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
