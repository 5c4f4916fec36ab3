import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { type World, world } from '../kit/world.js'
import { makes } from '../laws/within.js'

/** The first apply of an area that is as declared: it changes nothing, and records the objects. */

const documents = [document('Domain', 'example.com'), document('Service', 'S', { description: 'd' })]
const words = 'Recorded 2 objects as they are: the base of the next plan.'

/** A saved plan of a project without records, whose objects exist already. */
async function adopting(there: World): Promise<void> {
  there.declare(...documents)
  expect((await there.apply()).exitCode).toBe(0)
  there.project('', 'another')
  expect((await there.run(['plan', '--out', 'a.plan.json'])).exitCode).toBe(0)
}

describe.each(makes)('on the make "%s", what was recorded is shown', (_, __, make) => {
  test('as text, and in the reports of a job', async () => {
    const there = world(make())
    await adopting(there)
    const reports = ['--report', 'markdown=r.md', '--report', 'html=r.html']
    const run = await there.run(['apply', 'a.plan.json', '--yes', ...reports])
    expect(run.exitCode, run.stderr).toBe(0)
    expect(run.stdout).toContain(`\n\n${words}\n`)
    expect(readFileSync(join(there.dir, 'r.md'), 'utf8')).toContain(`\n\n${words}\n`)
    expect(readFileSync(join(there.dir, 'r.html'), 'utf8')).toContain('2 objects, as they are')
  })

  test('as JSON, once', async () => {
    const there = world(make())
    await adopting(there)
    expect((await there.apply()).json()).toMatchObject({ summary: { applied: 0 }, recorded: 2 })
    expect((await there.apply()).json()).not.toHaveProperty('recorded')
  })

  test('as Markdown, after a new plan', async () => {
    const there = world(make())
    await adopting(there)
    expect((await there.run(['apply', '--yes', '-o', 'markdown'])).stdout).toContain(`\n\n${words}\n`)
  })
})
