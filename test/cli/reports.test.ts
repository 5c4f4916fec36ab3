import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded, environment, type World } from '../kit/world.js'

const read = ({ dir }: World, file: string): string => readFileSync(join(dir, file), 'utf8')

/** An area with one service that differs from its manifest. */
async function changed(): Promise<World> {
  const world = embedded()
  world.declare(document('Service', 'S', { description: 'one', version: '1' }))
  await world.apply()
  world.declare(document('Service', 'S', { description: 'two', version: '1' }))
  return world
}

describe('--report', () => {
  test('writes several reports of one run, in addition to the output', async () => {
    const world = await changed()
    const bare = await world.run(['plan'])
    const run = await world.run(['plan', '--report', 'json=out/plan.json', '--report', 'markdown=plan.md'])
    expect([run.exitCode, run.stdout]).toEqual([0, bare.stdout])
    expect(JSON.parse(read(world, 'out/plan.json'))).toMatchObject({
      format: 'gatewright.plan/1',
      summary: { update: 1 },
    })
    expect(read(world, 'plan.md')).toMatch(/^<!-- gatewright plan test -->\n### `Plan for /)
  })

  test.each([
    [['validate'], 'gatewright.diagnostics/1'],
    [['plan'], 'gatewright.plan/1'],
    [['apply', '--yes'], 'gatewright.run/1'],
    [['drift'], 'gatewright.drift/1'],
    [['diff', 'manifests', 'live'], 'gatewright.diff/1'],
    [['rollback', 'latest', '--yes'], 'gatewright.run/1'],
  ])('of %j has its document', async (command, format) => {
    const world = await changed()
    await world.run([...command, '--report', 'json=report.json', '--report', 'markdown=report.md'])
    expect(JSON.parse(read(world, 'report.json'))).toMatchObject({ format })
    expect(read(world, 'report.md')).toMatch(new RegExp(`^<!-- gatewright ${command[0]} test -->\\n`))
  })

  test('has the name of the environment', async () => {
    const world = embedded()
    world.write(
      'gatewright.yaml',
      'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec:\n  environments: {prod: {}, qa: {}}\n',
    )
    world.declare(document('Role', 'R'))
    await world.run(['plan', '-e', 'prod', '--report', 'markdown=plan.md'])
    expect(read(world, 'plan.md')).toMatch(/^<!-- gatewright plan shop\/prod -->\n/)
    await world.run(['plan', '--report', 'markdown=plan.md'])
    expect(read(world, 'plan.md')).toMatch(/^<!-- gatewright plan shop -->\n### gatewright plan shop: 1 error/)
  })

  test('of an error names the command and the environment if they are known', async () => {
    const world = embedded()
    world.write(
      'gatewright.yaml',
      'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec:\n  environments: {prod: {}, qa: {}}\n',
    )
    world.declare(document('Role', 'R', { desription: 'x' }))
    await world.run(['plan', '-e', 'prod', '--report', 'markdown=plan.md', '--report', 'html=plan.html'])
    expect(read(world, 'plan.md')).toContain('\n### gatewright plan shop/prod: 1 error\n')
    expect(read(world, 'plan.html')).toContain('<title>gatewright plan shop/prod: 1 error</title>')
    await world.run(['validate', '--report', 'html=validate.html'])
    expect(read(world, 'validate.html')).toContain('<title>gatewright validate shop: 1 error</title>')
  })

  test('of a command that ends with an error contains the error', async () => {
    const world = embedded()
    world.declare(document('Role', 'R', { desription: 'x' }))
    for (const command of ['validate', 'plan', 'apply', 'drift']) {
      const run = await world.run([command, '--report', 'json=report.json', '--report', 'markdown=report.md'])
      expect(run.exitCode).toBe(1)
      expect(JSON.parse(read(world, 'report.json'))).toMatchObject({ diagnostics: [{ severity: 'error' }] })
      expect(read(world, 'report.md')).toMatch(
        new RegExp(`^<!-- gatewright ${command} test -->\\n### gatewright ${command} test: 1 error`),
      )
    }
  })

  test('of a refused apply contains the reason', async () => {
    const world = await changed()
    const run = await world.run(['apply', '--report', 'json=report.json'])
    expect(run.exitCode).toBe(5)
    expect(JSON.parse(read(world, 'report.json'))).toMatchObject({ diagnostics: [{ code: 'no-confirmation' }] })
  })

  test('to stdout replaces the output', async () => {
    const world = await changed()
    const run = await world.run(['plan', '--report', 'json=-'])
    expect(run.json()).toMatchObject({ format: 'gatewright.plan/1' })
    expect(run.stderr).toContain('1 to update')
  })

  test('that cannot be written is an error, and hides nothing', async () => {
    const world = await changed()
    mkdirSync(join(world.dir, 'taken'))
    const plan = await world.run(['plan', '--report', 'json=taken', '--report', 'markdown=plan.md'])
    expect([plan.exitCode, plan.stdout]).toEqual([1, expect.stringContaining('1 to update')])
    expect(plan.stderr).toContain('taken cannot be written')
    expect(existsSync(join(world.dir, 'plan.md'))).toBe(true)
    // The exit code still shows the changes in the area.
    const apply = await world.run(['apply', '--yes', '--report', 'json=taken'])
    expect([apply.exitCode, apply.stdout]).toEqual([0, expect.stringContaining('1 applied')])
    expect(apply.stderr).toContain('taken cannot be written')
  })

  test('keeps the permissions of a file that it replaces', async () => {
    const world = await changed()
    writeFileSync(join(world.dir, 'plan.json'), 'old')
    chmodSync(join(world.dir, 'plan.json'), 0o640)
    await world.run(['plan', '--report', 'json=plan.json'])
    expect(statSync(join(world.dir, 'plan.json')).mode & 0o777).toBe(0o640)
  })

  test.each([
    [['plan', '--report', 'xml=f'], 'it takes one of these with gatewright plan: markdown,'],
    [['plan', '--report', 'json'], 'it takes a file, such as json=FILE, or json=- for stdout'],
    [['plan', '--report', 'json='], 'it takes a file'],
    [['plan', '--report', 'markdown=plan.md:1999'], 'it takes a budget of at least 2000 characters'],
    [['plan', '--report', 'markdown=plan.md:60k'], 'it takes a budget of at least 2000 characters'],
    [['plan', '--report', 'json=a', '--report', 'markdown=a'], 'two reports go to a'],
    [['plan', '--report', 'json=a', '--report', 'markdown=b/../a'], 'two reports go to a'],
    [['plan', '--out', 'a', '--report', 'json=b/../a'], '--out and --report both write a'],
    [['plan', '--out', 'a', '--log-http', './a'], '--out and --log-http both write a'],
    [['snapshot', '--out', 'a', '--log-http', 'a'], '--out and --log-http both write a'],
    [['drift', '--log-http', 'a', '--report', 'junit=a'], '--log-http and --report both write a'],
    [['plan', '--report', 'html=gatewright.yaml'], 'it takes a file that is not named like a manifest'],
    [['plan', '--out', 'gatewright.yaml'], 'it takes a file that is not named like a manifest'],
    [['snapshot', '--out', '-'], 'it takes a file; /dev/stdout stands for stdout'],
    [['snapshot', '--out', 'manifests/a.YML'], 'it takes a file that is not named like a manifest'],
    [['plan', '--log-http', 'gatewright.yaml'], 'it takes a file that is not named like a manifest'],
    [['plan', '-o', 'json', '--report', 'json=-'], '-o json and a report both go to stdout'],
    [['get', 'Role', '--report', 'json=a'], '--report has no effect on gatewright get'],
  ])('%j is refused', async (words, message) => {
    const world = embedded()
    const run = await world.run(words)
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([1, expect.stringContaining(message)])
    expect(world.requests()).toEqual([])
  })

  test('github annotates the log and adds to the summary of the job, and does nothing elsewhere', async () => {
    const world = embedded()
    world.declare(document('Role', 'R', { desription: 'x' }))
    const bare = await world.run(['validate'])
    expect(await world.run(['validate', '--report', 'github'])).toMatchObject({
      stdout: bare.stdout,
      stderr: bare.stderr,
    })
    world.write('summary.md', 'before\n')
    const env = { ...environment, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(world.dir, 'summary.md') }
    const run = await world.run(['validate', '--report', 'github'], { env })
    expect([run.exitCode, run.stdout]).toEqual([1, bare.stdout])
    expect(run.stderr).toMatch(/^::error file=manifests\/all\.yaml,line=\d+,col=\d+,title=unknown-field::/m)
    expect(read(world, 'summary.md')).toMatch(
      /^before\n<!-- gatewright validate test -->\n### gatewright validate test: 1 error/,
    )
  })

  test('metrics continue those of the file before', async () => {
    const world = await changed()
    const total = () => Number(/^gatewright_requests_total\{.*\} (\d+)$/m.exec(read(world, 'm.prom'))?.[1])
    await world.run(['drift', '--report', 'prometheus=m.prom'])
    const first = total()
    expect(first).toBeGreaterThan(0)
    expect(read(world, 'm.prom')).toContain('gatewright_last_run_success{project="test",command="drift"} 1\n')
    const success = /^gatewright_last_success_timestamp_seconds.*$/m.exec(read(world, 'm.prom'))?.[0]
    await world.run(['drift', '--report', 'prometheus=m.prom'])
    expect(total()).toBe(2 * first)
    // A drift that failed is no success, and keeps the last one.
    world.declare(document('Role', 'R', { desription: 'x' }))
    expect((await world.run(['drift', '--report', 'prometheus=m.prom'])).exitCode).toBe(1)
    expect(read(world, 'm.prom')).toContain('gatewright_last_run_success{project="test",command="drift"} 0\n')
    expect(read(world, 'm.prom')).toContain(success)
  })

  test('of Markdown stays below its maximum size', async () => {
    const world = embedded()
    world.declare(
      ...Array.from({ length: 60 }, (_, index) => document('Role', `R${index}`, { description: 'x'.repeat(90) })),
    )
    await world.run(['plan', '--report', 'markdown=plan.md:3000'])
    expect(read(world, 'plan.md').length).toBeLessThanOrEqual(3000)
    expect(read(world, 'plan.md')).toMatch(/\*\*Left out, to fit into a comment:\*\* \d+ creates/)
  })
})
