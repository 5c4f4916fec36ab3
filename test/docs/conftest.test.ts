import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

/** The rules in Rego from docs/how-to/policies.md, run by Conftest on the JSON of a plan, if Conftest is installed. */

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/policies.md'), 'utf8')

test('Conftest finds, with the rules of the page, the changes that they describe', async (context) => {
  const [, rules = ''] = /```rego \S+\n([\s\S]*?)\n```/.exec(page) ?? []
  expect(rules.match(/^deny contains/gm)).toHaveLength(2)
  const { error } = spawnSync('conftest', ['--version'])
  if (error) context.skip('conftest is not on the PATH: the rules of docs/how-to/policies.md are not run here')
  const here = embedded()
  here.declare(
    document('Package', 'P', {
      plans: [
        { name: 'Gold', rateLimitCeiling: 200_000 },
        { name: 'Silver', rateLimitCeiling: 1000 },
      ],
    }),
  )
  const { stdout } = await here.run(['plan', '-o', 'json'])
  mkdirSync(join(here.dir, 'policy'))
  writeFileSync(join(here.dir, 'policy/gatewright.rego'), rules)
  writeFileSync(join(here.dir, 'plan.json'), stdout)
  const tested = spawnSync('conftest', ['test', 'plan.json', '-o', 'json'], { cwd: here.dir, encoding: 'utf8' })
  expect({ status: tested.status, stderr: tested.stderr }).toEqual({ status: 1, stderr: '' })
  const [{ failures }] = JSON.parse(tested.stdout)
  expect(failures.map(({ msg }: { readonly msg: string }) => msg)).toEqual([
    expect.stringMatching(/^manifests\/all\.yaml:\d+: Package\/P\/Plan\/Gold has a ceiling of 200000$/),
  ])
})
