import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disturbed, inherit } from '../kit/disturbed.js'
import { temporaryFolder } from '../kit/folder.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { testClock, type World, worldIn } from '../kit/world.js'
import { platform } from '../laws/within.js'

/**
 * Facts that only the journal of a killed run has are known as long as they are true: nothing is reported as the change of
 * somebody else.
 */

const role = (name: string, description: string) => document('Role', name, { description })

/** Applies one state after another, and is killed at the second write of the last one. Returns the folder in that state. */
async function killed(when: 'before' | 'after', ...states: readonly (readonly DocumentText[])[]): Promise<World> {
  const root = temporaryFolder()
  const clock = testClock()
  const reached = disturbed(platform(clock), clock)
  const io = { ...clock, sleep: reached.sleep }
  const first = worldIn(join(root, 'first'), reached, io)
  for (const state of states.slice(0, -1)) {
    first.declare(...state)
    expect((await first.apply()).exitCode).toBe(0)
  }
  first.declare(...(states.at(-1) ?? []))
  reached.meet({ misfortunes: new Map([[2, { is: 'killed', when }]]), lagMs: 0 }, () => undefined)
  const running = first.apply()
  await Promise.race([reached.killed(), running])
  await inherit(first.dir, join(root, 'next'))
  reached.bury()
  await running
  reached.meet({ misfortunes: new Map(), lagMs: 0 }, () => undefined)
  return worldIn(join(root, 'next'), reached, io)
}

async function drifted(world: World) {
  const run = await world.drift()
  return [run.exitCode, ...run.json().changes.map(({ action, address, side }) => `${action} ${address} ${side}`)]
}

const all = [role('A', 'x'), role('B', 'x'), role('C', 'x')]
const changed = [role('A', 'x'), role('B', 'x'), role('C', 'y')]

test.each(['before', 'after'] as const)(
  'its deletes are still known after another run has ended (killed %s the last delete)',
  async (when) => {
    const next = await killed(when, all, changed, [role('C', 'y')])
    expect((await next.apply()).exitCode).toBe(0)
    next.declare(role('C', 'z'))
    expect((await next.apply()).exitCode).toBe(0)
    next.declare(role('A', 'x'), role('B', 'x'), role('C', 'z'))
    expect(await drifted(next)).toEqual([0, 'create Role/A manifest', 'create Role/B manifest'])
  },
)

test('its deletes are still known after a rollback of an earlier run', async () => {
  const next = await killed('before', all, changed, [role('C', 'y')])
  const [, update] = (await next.run(['history'])).stdout.match(/\d{8}T\d{6}Z-\w+/g) ?? []
  expect((await next.run(['rollback', update ?? '', '--yes'])).exitCode).toBe(0)
  next.declare(role('A', 'x'), role('C', 'x'))
  expect(await drifted(next)).toContain('create Role/A manifest')
})

test('its writes do not override objects that a later apply has found as declared', async () => {
  const next = await killed('after', all, [role('A', 'y'), role('B', 'y'), role('C', 'x')])
  const rest = await restOf(next.make)
  for (const { id, name } of await rest.get('/roles?fields=id,name'))
    if (name === 'A') await rest.put(`/roles/${String(id)}`, { description: 'z' })
  next.declare(role('A', 'z'), role('B', 'y'), role('C', 'x'))
  const run = await next.apply()
  expect([run.exitCode, run.json().changes]).toEqual([0, []])
  next.declare(role('A', 'w'), role('B', 'y'), role('C', 'x'))
  expect(await drifted(next)).toEqual([0, 'update Role/A manifest'])
  expect((await next.run(['show', 'latest'])).stdout).toContain('Role/A')
})
