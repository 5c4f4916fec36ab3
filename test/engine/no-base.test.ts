import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { gitHost } from '../kit/git.js'
import { document } from '../kit/manifests.js'
import { embedded, environment, testClock, type World, worldIn } from '../kit/world.js'

/** If apply cannot delete objects because there is no base, this is reported, even if nothing else is. */

const codesOf = async (world: World, ...args: readonly string[]): Promise<readonly string[]> =>
  (await world.run([...args, '-o', 'json'])).json().diagnostics.map(({ code }) => code)

/** One role was applied and is no longer declared; the records of the apply are gone. */
async function recordsLost(): Promise<World> {
  const world = embedded()
  world.declare(document('Role', 'R'), document('Role', 'Old'))
  await world.apply()
  world.declare(document('Role', 'R'))
  rmSync(join(world.dir, '.gatewright'), { recursive: true })
  return world
}

test('is reported by plan, drift and apply if there is nothing to do, until there is a base', async () => {
  const world = await recordsLost()
  for (const command of ['plan', 'drift']) {
    const run = await world.run([command])
    expect(run.exitCode).toBe(0)
    expect(run.stdout).toContain('Base: none')
    expect(run.stderr).toContain(
      'warning: it is not known what was last applied here: nothing can be deleted, and changes made on the platform cannot be told from yours [no-base]',
    )
    expect(run.stderr).toContain('--base')
    expect(await codesOf(world, command)).toEqual(['no-base'])
    expect((await world.run([command, '-o', 'markdown'])).stdout).toContain('nothing can be deleted')
  }
  expect(await codesOf(world, 'apply', '--yes')).toEqual(['no-base'])
  for (const command of ['plan', 'drift']) expect(await codesOf(world, command)).toEqual([])
})

test('does not prevent the deletes of Removed documents', async () => {
  const world = await recordsLost()
  world.declare(document('Role', 'R'), document('Removed', { address: 'Role/Old' }))
  const { changes, diagnostics } = await world.plan()
  expect(changes).toMatchObject([{ address: 'Role/Old', action: 'delete' }])
  expect(diagnostics).toMatchObject([{ code: 'no-base', message: expect.stringContaining(': nothing else can be') }])
})

test('is corrected by an apply with nothing to do, which reports it', async () => {
  const world = await recordsLost()
  const first = await world.run(['apply', '--yes'])
  expect(first.stdout).toMatch(/\nRecorded 1 object as it is: the base of the next plan\.\n$/)
  expect((await world.run(['apply', '--yes'])).stdout).not.toContain('Recorded')
  world.requests()
  const { requests } = (await world.run(['apply', '--yes', '-o', 'json'])).json() as unknown as { requests: number }
  expect(requests).toBe(world.requests().length)
})

test('is reported by an apply of a saved plan, in text too', async () => {
  const world = await recordsLost()
  world.declare(document('Role', 'R'), document('Role', 'New'))
  await world.run(['plan', '--out', 'plan.json'])
  const run = await world.run(['apply', 'plan.json', '--yes'])
  expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining('nothing can be deleted')])
})

test('is not reported if deletes are not requested', async () => {
  const world = await recordsLost()
  for (const prune of ['none', 'all']) {
    expect(await codesOf(world, 'plan', '--prune', prune, '--select', 'Role/R')).toEqual([])
  }
  world.declare(document('Role', 'R', { description: 'new' }))
  const { diagnostics } = await world.plan('--prune', 'none')
  expect(diagnostics).toMatchObject([{ code: 'no-base', severity: 'note' }])
  expect(diagnostics.map(({ message }) => message).join()).not.toContain('deleted')
})

test('does not suggest --base if the records are kept: the first apply creates the base', async () => {
  const host = gitHost()
  onTestFinished(host.remove)
  const clock = testClock()
  const env = { ...environment, GATEWRIGHT_RECORDS: 'git' }
  const world = worldIn(host.clone(), createPlatform({ ...clock }), { ...clock, env })
  world.declare(document('Role', 'R'))
  const [warning] = (await world.plan()).diagnostics
  expect(warning).toMatchObject({ code: 'no-base', hint: 'the first apply creates the base: it records what it does' })
  expect((await world.run(['apply', '--yes'])).exitCode).toBe(0)
  expect((await world.plan()).diagnostics).toEqual([])
})
