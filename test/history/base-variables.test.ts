import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.js'
import { git } from '../kit/git.js'
import { document, manifestText, projectText } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, type World } from '../kit/world.js'

/** No commit has the values that its variables had when it was applied. */

const setting = (text: string) => ({ env: { ...environment, TEXT: text, REGION: text } })

const project = projectText(`  secrets: {public: [REGION]}
`)

/** A world of which one service was applied with the variables set to "old", in a commit. */
async function applied(description: string, ...options: readonly string[]): Promise<World> {
  const world = embedded()
  world.write('gatewright.yaml', project)
  world.write('manifests/all.yaml', manifestText([document('Service', 'S', { description, version: '1' })]))
  expect((await world.run(['apply', '--yes', ...options], setting('old'))).exitCode).toBe(0)
  git(world.dir, 'init', '--quiet', '--template=')
  git(world.dir, 'add', 'gatewright.yaml', 'manifests')
  git(world.dir, 'commit', '--quiet', '-m', 'applied')
  return world
}

test.each(['by ${env:TEXT}', '${env:TEXT}', '${env:REGION}', 'in ${env:REGION}'])(
  'another value of %s today is nobody’s change',
  async (description) => {
    const world = await applied(description)
    const fields = async (base: readonly string[]) => {
      const run = await world.run(['drift', ...base, '-o', 'json'], setting('new'))
      return [run.exitCode, run.json().changes.flatMap((each) => each.fields.map(({ verdict }) => verdict))]
    }
    expect(await fields([])).toEqual([0, ['pending']])
    expect(await fields(['--base', 'HEAD'])).toEqual([0, ['unverifiable']])
    const { stdout } = await world.run(['drift', '--base', 'HEAD'], setting('new'))
    expect(stdout).toContain('it is unknown whether this was applied')
    expect(stdout).not.toContain('changed on the platform')
    // It can still be applied.
    expect((await world.run(['apply', '--base', 'HEAD', '--yes'], setting('new'))).exitCode).toBe(0)
    expect((await world.run(['plan', '--base', 'HEAD', '-o', 'json'], setting('new'))).json().changes).toEqual([])
  },
)

test('literal values in the commit are reported as before', async () => {
  const world = await applied('${env:TEXT}')
  const rest = await restOf(world.make)
  const [service] = await rest.get('/services')
  await rest.put(`/services/${String(service?.id)}`, { version: '2' })
  const run = await world.run(['drift', '--base', 'HEAD', '-o', 'json'], setting('old'))
  expect([run.exitCode, run.json().changes.flatMap(({ fields }) => fields.map(({ path }) => path))]).toEqual([
    2,
    ['/version'],
  ])
})

test('a file outside the repository is read as it is today, and is no error of that commit', async () => {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'text'), 'hidden')
  const world = await applied(`\${file:${dir}/text}`, '--allow-file', dir)
  const { changes, diagnostics } = await world.plan('--base', 'HEAD', '--allow-file', dir)
  expect([changes, diagnostics]).toEqual([[], []])
})
