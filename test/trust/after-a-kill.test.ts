import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { disturbed, inherit } from '../kit/disturbed.js'
import { document } from '../kit/manifests.js'
import { testClock, type World, worldIn } from '../kit/world.js'
import { platform } from '../laws/within.js'

/** What a killed run has deleted is known to be gone, also once another run has ended: it is not said that somebody deleted it. */

const role = (name: string, description: string) => document('Role', name, { description })

/** Makes the roles A, B and C, changes C, and is killed at its second write when it deletes A and B. */
async function killedWhileDeleting(
  when: 'before' | 'after',
): Promise<{ readonly next: World; readonly update: string }> {
  const root = mkdtempSync(join(tmpdir(), 'gatewright-killed-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const clock = testClock()
  const reached = disturbed(platform(clock), clock)
  const io = { ...clock, sleep: reached.sleep }
  const first = worldIn(join(root, 'first'), reached, io)
  first.declare(role('A', 'x'), role('B', 'x'), role('C', 'x'))
  expect((await first.apply()).exitCode).toBe(0)
  first.declare(role('A', 'x'), role('B', 'x'), role('C', 'y'))
  const update = /"run": ?"([^"]+)"/.exec((await first.apply()).stdout)?.[1] ?? ''

  first.declare(role('C', 'y'))
  reached.meet({ misfortunes: new Map([[2, { is: 'killed', when }]]), lagMs: 0 }, () => undefined)
  const running = first.apply()
  await reached.killed()
  await inherit(first.dir, join(root, 'next'))
  reached.bury()
  await running
  reached.meet({ misfortunes: new Map(), lagMs: 0 }, () => undefined)
  return { next: worldIn(join(root, 'next'), reached, io), update }
}

const told = async (world: World) => {
  const drift = (await world.drift()).json()
  return drift.changes.map(({ action, address, side }) => `${action} ${address} ${side}`)
}

test.each(['before', 'after'] as const)('after two more applies (killed %s the last delete)', async (when) => {
  const { next } = await killedWhileDeleting(when)
  expect((await next.apply()).exitCode).toBe(0)
  next.declare(role('C', 'z'))
  expect((await next.apply()).exitCode).toBe(0)
  next.declare(role('A', 'x'), role('B', 'x'), role('C', 'z'))
  expect(await told(next)).toEqual(['create Role/A manifest', 'create Role/B manifest'])
  expect((await next.drift()).exitCode).toBe(0)
})

test('after a rollback of an earlier run', async () => {
  const { next, update } = await killedWhileDeleting('before')
  expect((await next.run(['rollback', update, '--yes'])).exitCode).toBe(0)
  next.declare(role('A', 'x'), role('C', 'x'))
  expect((await told(next)).filter((line) => line.includes('Role/A'))).toEqual(['create Role/A manifest'])
})
