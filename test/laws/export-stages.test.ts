import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { variablesOf } from '../kit/exports.js'
import { environment, type World } from '../kit/world.js'
import { stagedAreas } from './area.js'
import { applied, makes, runs, within } from './within.js'

const stages = ['DEV', 'QA', 'PRD'] as const

const alone = 'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: alone}\n'

/** Objects that no environment declares, reported by the plan of one environment and of all manifests as they are. */
async function unmanagedIn(world: World, args: readonly string[], env: Readonly<Record<string, string>>) {
  const answer = (await world.run([...args, '-o', 'json'], { env })).json()
  expect(answer.diagnostics.filter((each) => each.severity === 'error')).toEqual([])
  expect(answer.changes).toEqual([])
  expect(answer.unmanaged.filter((each) => each.inList)).toEqual([])
  return new Set(answer.unmanaged.map(({ address, id }) => `${address} ${id}`))
}

/** The codes of problems that the manifests of a plain export have as well. */
const codesOf = async (world: World, env: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  (await world.run(['validate', '-f', 'plain', '-o', 'json'], { env })).json().diagnostics.map(({ code }) => code)

describe.each(makes)('on the make "%s"', (_, origin, make) => {
  test('an export by stages has an empty plan in every environment, and together they declare the same as an export', async () => {
    await fc.assert(
      fc.asyncProperty(stagedAreas(origin, stages), fc.constantFrom([], ['--full'], ['--with-secrets']), (area, form) =>
        within(make(), area, async (world) => {
          await applied(world)
          const io = { env: environment }
          for (const args of [
            ['export', '--dir', 'plain', ...form],
            ['export', '--stages', stages.join(), '--dir', 'staged', ...form],
          ]) {
            const run = await world.run(args, io)
            expect([run.exitCode, run.exitCode === 0 ? '' : run.stderr]).toEqual([0, ''])
          }
          const env =
            form[0] === '--with-secrets' ? { ...environment, ...(await variablesOf(world.make)) } : environment
          const validated = await world.run(['-C', 'staged', 'validate', '-o', 'json'], { env })
          const bearable = ['missing-on-create', ...(await codesOf(world, env))]
          const complaints = validated
            .json()
            .diagnostics.filter(({ severity, code }) => severity !== 'note' && !bearable.includes(code))
          expect([validated.exitCode, complaints]).toEqual([0, []])
          // The records of this project show that error sets are its own; the project by stages has no records.
          world.write('alone/gatewright.yaml', alone)
          const plain = await unmanagedIn(world, ['-C', 'alone', 'plan', '-f', '../plain'], env)
          let everywhere: ReadonlySet<string> | undefined
          for (const stage of stages) {
            const own = await unmanagedIn(world, ['-C', 'staged', 'plan', '-e', stage], env)
            everywhere = new Set([...(everywhere ?? own)].filter((each) => own.has(each)))
          }
          expect([...(everywhere ?? [])].sort()).toEqual([...plain].sort())
        }),
      ),
      runs(3),
    )
  })

  test('an export for one of them finds nothing new: every object in this area belongs to one or to all', async () => {
    await fc.assert(
      fc.asyncProperty(stagedAreas(origin, stages), fc.constantFrom(...stages), (area, own) =>
        within(make(), area, async (world) => {
          await applied(world)
          const io = { env: environment }
          expect((await world.run(['export', '--stages', stages.join(), '--dir', 'staged'], io)).exitCode).toBe(0)
          const again = await world.run(
            ['-C', 'staged', 'export', '-e', own, '--dir', 'staged/manifests', '-o', 'json'],
            io,
          )
          const { files } = again.json() as unknown as { readonly files: readonly unknown[] }
          expect([again.exitCode, files]).toEqual([0, []])
        }),
      ),
      runs(2),
    )
  })
})
