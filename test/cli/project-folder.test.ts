import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document, manifestText } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

/** The project file is searched in the working directory and then upwards. */

function inSubfolder() {
  const world = embedded()
  world.declare(document('Service', 'A', { description: 'a' }))
  mkdirSync(join(world.dir, 'manifests/deep/er'), { recursive: true })
  const cwd = (path: string) => ({ cwd: join(world.dir, path) })
  return { world, cwd }
}

test.each(['manifests', 'manifests/deep', 'manifests/deep/er'])('%s belongs to the project around it', async (path) => {
  const { world, cwd } = inSubfolder()
  const up = path.replaceAll(/[^/]+/g, '..')
  const plan = await world.run(['plan', '-o', 'json'], cwd(path))
  expect(plan.json()).toMatchObject({ target: { project: 'test' }, summary: { create: 1 } })
  expect(plan.stderr).toContain(`Project: ${up}/gatewright.yaml\n`)
  expect((await world.run(['apply', '--yes'], cwd(path))).exitCode).toBe(0)
  expect(existsSync(join(world.dir, path, '.gatewright'))).toBe(false)
  expect(existsSync(join(world.dir, '.gatewright'))).toBe(true)
  expect((await world.plan()).changes).toEqual([])
  const history = await world.run(['history', '-o', 'json'], cwd(path))
  expect(JSON.parse(history.stdout).runs).toHaveLength(1)
})

test('the project is not reported if it is in the working directory, or with --quiet', async () => {
  const { world, cwd } = inSubfolder()
  expect((await world.run(['plan'])).stderr).not.toContain('Project:')
  expect((await world.run(['plan', '--quiet'], cwd('manifests'))).stderr).not.toContain('Project:')
})

test('-C starts elsewhere, and -f is relative to the working directory', async () => {
  const { world, cwd } = inSubfolder()
  world.write('manifests/deep/b.yaml', manifestText([document('Role', 'B')]))
  const elsewhere = await world.run(['plan', '-o', 'json', '-C', '..'], cwd('manifests/deep'))
  expect(elsewhere.json().summary).toMatchObject({ create: 2 })
  expect(elsewhere.stderr).toContain('Project: ../../gatewright.yaml\n')
  const below = await world.run(['plan', '-o', 'json', '-C', 'manifests/deep'])
  expect(below.json()).toMatchObject({ target: { project: 'test' }, summary: { create: 2 } })
  const part = await world.run(['plan', '-o', 'json', '-f', 'b.yaml'], cwd('manifests/deep'))
  expect(part.json()).toMatchObject({ target: { project: 'test' }, changes: [{ address: 'Role/B' }] })
})

test.each([
  ['manifests/depe', 'there is no such folder'],
  ['manifests/a.yaml', 'it is a file, not a folder'],
])('-C %s does not use the project around it: %s', async (path, why) => {
  const { world } = inSubfolder()
  world.write('manifests/a.yaml', manifestText([document('Role', 'A')]))
  expect(await world.run(['apply', '--yes', '-C', path])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`${path}: ${why}`),
  })
})

test('the root of a repository is the last folder that is searched', async () => {
  const { world, cwd } = inSubfolder()
  mkdirSync(join(world.dir, 'manifests/deep/.git'))
  world.write('manifests/deep/er/b.yaml', manifestText([document('Role', 'B')]))
  const plan = await world.run(['plan', '-o', 'json'], cwd('manifests/deep/er'))
  expect(plan.json()).toMatchObject({ target: { project: 'er' }, summary: { create: 1 } })
})

test('init creates a project in the working directory', async () => {
  const { world, cwd } = inSubfolder()
  const run = await world.run(['init', '--name', 'inner', '--example', '--ci', 'none'], cwd('manifests/deep'))
  expect(run.exitCode, run.stderr).toBe(0)
  expect(existsSync(join(world.dir, 'manifests/deep/gatewright.yaml'))).toBe(true)
})

test.each([
  [['-e', 'prod'], 'unknown-environment'],
  [['--value', 'stage=PRD'], 'value-unknown'],
])('without a project file %j is an error, as for a project that does not declare it', async (options, code) => {
  const { world, cwd } = inSubfolder()
  mkdirSync(join(world.dir, 'manifests/deep/.git'))
  world.write('manifests/deep/er/b.yaml', manifestText([document('Role', 'B')]))
  const run = await world.run(['validate', '-o', 'json', ...options], cwd('manifests/deep/er'))
  expect(run.exitCode).toBe(1)
  expect(run.json().diagnostics).toMatchObject([{ code }])
})

test('for a missing folder, there is no message that its project declares no environment', async () => {
  const { world } = inSubfolder()
  const { stdout, exitCode } = await world.run(['plan', '-o', 'json', '-C', 'nowhere', '-e', 'prod', '--value', 'a=b'])
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { code: string; hint: string }[] }
  expect([exitCode, diagnostics.map(({ code }) => code)]).toEqual([1, ['missing-project']])
  expect(diagnostics[0]?.hint).toBe('give a folder that exists (-C DIR)')
})
