import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { testClock, type World, world } from '../kit/world.js'

/** The applied state of runs is only known from their receipts: without them there is no base, even if there is a history. */

const area = (): World => world(createPlatform({ autoApprove: true, idSeed: 'test', now: testClock().now }))

function removeReceipts({ dir }: World): void {
  const records = join(dir, '.gatewright')
  const files = readdirSync(records, { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('receipts.jsonl'),
  )
  expect(files).toHaveLength(1)
  for (const each of files) rmSync(join(records, each))
}

test('without its receipts a run is no base: a change by somebody is a difference, not pending', async () => {
  const lost = area()
  lost.declare(document('Service', 'S', { description: 'from git' }))
  await lost.apply()
  const rest = await restOf(lost.make)
  const [service] = await rest.get('/services')
  await rest.put(`/services/${service?.id}`, { name: 'S', description: 'by hand' })
  removeReceipts(lost)

  const drift = await lost.run(['drift'])
  expect(drift.exitCode).toBe(2)
  expect(drift.stdout).toContain('Base: none')
  expect((await lost.run(['plan'])).stderr).toContain('[no-base]')

  await lost.apply()
  expect((await lost.run(['plan'])).stdout).toContain('Base: run')
  expect((await lost.run(['drift'])).exitCode).toBe(0)
})

test('a run that left nothing needs no receipts', async () => {
  const emptied = area()
  emptied.declare(document('Service', 'S', {}))
  await emptied.apply()
  emptied.declare(document('Removed', { address: 'Service/S' }))
  expect((await emptied.apply()).exitCode).toBe(0)
  removeReceipts(emptied)
  emptied.declare(document('Service', 'T', {}))
  expect((await emptied.run(['plan'])).stdout).toContain('Base: run')
})
