import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, type World } from '../kit/world.js'

/** A plan that apply would refuse: `plan` reports it first, in every format, and by its exit code. */

/** Git and the platform have both changed one field. */
async function conflict(): Promise<World> {
  const world = embedded()
  world.declare(document('Role', 'R', { description: 'one' }))
  await world.apply()
  const rest = await restOf(world.make)
  const [role] = (await rest.get('/roles?limit=100')).filter(({ name }) => name === 'R')
  await rest.put(`/roles/${String(role?.id)}`, { name: 'R', description: 'live' })
  world.declare(document('Role', 'R', { description: 'two' }))
  return world
}

describe('a conflict without a decision', () => {
  test.each([['text'], ['json'], ['markdown']])('ends plan with exit code 5 with -o %s', async (form) => {
    const world = await conflict()
    expect((await world.run(['plan', '-o', form])).exitCode).toBe(5)
    expect((await world.run(['plan', '-o', form, '--exit-code'])).exitCode).toBe(5)
    expect((await world.run(['plan', '-o', form, '--take', 'manifest'])).exitCode).toBe(0)
    expect((await world.run(['plan', '-o', form, '--take', 'manifest', '--exit-code'])).exitCode).toBe(2)
  })

  test('is in `refused`, also of a saved plan, and not among the diagnostics', async () => {
    const world = await conflict()
    const run = await world.run(['plan', '-o', 'json', '--out', 'plan.json'])
    const saved = JSON.parse(readFileSync(join(world.dir, 'plan.json'), 'utf8'))
    for (const plan of [JSON.parse(run.stdout), saved]) {
      expect(plan.refused).toMatchObject([{ code: 'conflict', severity: 'error', file: 'manifests/all.yaml' }])
      expect(plan.diagnostics).toEqual([])
    }
    expect((await world.run(['apply', 'plan.json', '--yes'])).exitCode).toBe(5)
  })

  test('is first in text and Markdown, below the target', async () => {
    const world = await conflict()
    const text = await world.run(['plan'])
    expect(text.stdout).toMatch(
      /^Plan for [^\n]*\nBase: run [^\n]*\n\nApply would refuse this plan:\n\nmanifests\/all\.yaml:\d+:\d+: error: Role\/R was changed/,
    )
    const { stdout } = await world.run(['plan', '-o', 'markdown'])
    const [refusal, change] = [stdout.indexOf('Apply would refuse this plan'), stdout.indexOf('<details>')]
    expect(refusal).toBeGreaterThan(0)
    expect(refusal).toBeLessThan(change)
  })

  test('is reported by apply as by plan, once', async () => {
    const world = await conflict()
    const plan = await world.run(['plan'])
    const run = await world.run(['apply', '--yes'])
    expect([run.exitCode, run.stdout]).toEqual([5, plan.stdout])
    expect(run.stderr).toMatch(/^Nothing was done\.$/m)
    expect(run.stderr).not.toContain('was changed')
  })

  test('is reported by apply in a job summary and in the log of the job', async () => {
    const world = await conflict()
    const run = await world.run(['apply', '--yes', '-o', 'markdown'])
    expect([run.exitCode, run.stdout]).toEqual([5, (await world.run(['plan', '-o', 'markdown'])).stdout])
    expect(run.stderr.match(/error: Role\/R was changed/g)).toHaveLength(1)
  })

  test('is the whole answer of apply with -o json', async () => {
    const world = await conflict()
    const run = await world.run(['apply', '--yes', '-o', 'json'])
    expect([run.exitCode, run.json().diagnostics]).toMatchObject([5, [{ code: 'conflict' }]])
  })
})

test('a drift has no refusals', async () => {
  const world = await conflict()
  expect(JSON.parse((await world.drift()).stdout)).toMatchObject({ refused: [] })
})
