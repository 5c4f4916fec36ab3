import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

describe('-o markdown', () => {
  test('of apply reports the target, the changes that were done, and those that were not', async () => {
    const world = embedded({ faults: ['status-400:POST /roles:1'] })
    world.declare(document('Role', 'R'), document('Service', 'S', { description: 'x', version: '1' }))
    const run = await world.run(['apply', '--yes', '-o', 'markdown'])
    const [plan = '', result = ''] = run.stdout.split('### `Apply to ')
    expect(plan).toMatch(/^### `Plan for http:\/\/platform\.example, area 0000…a4ea \(test\)`/)
    expect(result).toMatch(/^http:\/\/platform\.example, area 0000…a4ea \(test\)`\n\n\*\*\d applied/)
    expect(result).toContain('<details><summary>1 applied</summary>\n\n- create `Service/S`\n\n</details>')
    expect(result).toMatch(/- \*\*error\*\* `manifests\/all.yaml:\d+` create of Role\/R: /)
    expect(run.exitCode).toBe(3)
  })

  test('of an apply of a saved plan is only its result', async () => {
    const world = embedded()
    world.declare(document('Role', 'R'))
    await world.run(['plan', '--out', 'plan.json'])
    const run = await world.run(['apply', 'plan.json', '--yes', '-o', 'markdown'])
    expect(run.stdout).toMatch(/^### `Apply to [^\n]*\n\n\*\*1 applied; \d+ requests\*\* \(run `[\dTZ]+-[0-9a-f]+`\)\n/)
    expect(run.stdout).not.toContain('Plan for')
  })

  test.each([['plan'], ['drift'], ['apply'], ['rollback', 'latest']])(
    'of %s has the errors that end it',
    async (...command) => {
      const world = embedded()
      world.declare(document('Role', 'R', { desription: 'x' }))
      const run = await world.run([...command, '-o', 'markdown'])
      expect(run.exitCode).toBe(1)
      expect(run.stdout).toMatch(/^### gatewright: 1 error(, \d+ \w+)*\n\n- \*\*error\*\* /)
      expect(run.stderr).toContain('error: ')
    },
  )

  test('of a refused apply has the refusal', async () => {
    const world = embedded()
    world.declare(document('Role', 'R'))
    const run = await world.run(['apply', '-o', 'markdown'])
    expect([run.exitCode, run.stdout]).toEqual([
      5,
      expect.stringContaining('(`no-confirmation`)<br>confirm in advance'),
    ])
  })

  test('shows the verdicts of fields', async () => {
    const world = embedded()
    world.declare(document('Role', 'R', { description: 'one' }))
    await world.apply()
    const { restOf } = await import('../kit/rest.js')
    const rest = await restOf(world.make)
    const [role] = (await rest.get('/roles?limit=100')).filter(({ name }) => name === 'R')
    await rest.put(`/roles/${String(role?.id)}`, { name: 'R', description: 'live' })
    const run = await world.run(['plan', '-o', 'markdown'])
    expect(run.stdout).toContain('- description: live\n+ description: one  (drift)\n')
  })

  test('of history and show has the runs and their changes', async () => {
    const world = embedded()
    world.declare(document('Role', 'R', { description: 'one' }))
    await world.apply()
    const history = (await world.run(['history', '-o', 'markdown'])).stdout
    expect(history).toMatch(
      /^### Runs in `http:\/\/platform\.example, area 0000…a4ea \(test\)`\n\n- `[\dTZ]+-[0-9a-f]+` \*\*done\*\*: 1 applied; `/,
    )
    const run = (await world.run(['show', 'latest', '-o', 'markdown'])).stdout
    expect(run).toMatch(/^### Run `[^`]+` in `http[^\n]*\n\n\*\*apply: done; 1 applied\*\* \(`/)
    expect(run).toContain('**applied** create `Role/R`\n\n```diff\n+ description: one\n')
  })
})
