import { expect, onTestFinished, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { git, gitHost } from '../kit/git.js'
import { document } from '../kit/manifests.js'
import { canaries, storefront } from '../kit/storefront.js'
import { environment, testClock, worldIn } from '../kit/world.js'

const everything = ['KEY_LOSS', 'TRAFFIC_STOP', 'IRREVERSIBLE', 'AUTH_WEAKENED', 'ID_CHANGE']
const allowed = everything.flatMap((each) => ['--allow', each])

test('an area of every kind is created and deleted with a few pushes, because its steps are announced in advance', async () => {
  const host = gitHost()
  const clock = testClock()
  const platform = createPlatform({ autoApprove: true, idSeed: 'test', ...clock })
  onTestFinished(() => {
    platform.close()
    host.remove()
  })
  const env = { ...environment, ...canaries, GATEWRIGHT_RECORDS: 'git' }
  const world = worldIn(host.clone(), platform, { ...clock, env })
  const pushes = (): number => Number(git(host.bare, 'rev-list', '--count', '--glob=refs/gatewright/*/records/*'))
  world.declare(...storefront)
  const created = await world.apply(...allowed)
  expect([created.stderr, created.exitCode]).toEqual([created.stderr, 0])
  expect(created.json().changes.length).toBeGreaterThan(30)
  // The beginning, facts that only the run could know, the receipts, the end, and a checkpoint if the machine is slow.
  expect(pushes()).toBeLessThan(8)
  const [first] = storefront
  world.declare(first ?? document('Domain', 'example.com'))
  const deleted = await world.apply(...allowed)
  expect([deleted.stderr, deleted.exitCode]).toEqual([deleted.stderr, 0])
  expect(pushes()).toBeLessThan(16)
})
