import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { until, workshop } from './process.js'

/** Runs whose streams fail, or whose terminal is closed. */

const roles = Array.from({ length: 30 }, (_, index) => document('Role', `R${index}`))
const isLinux = process.platform === 'linux'

describe.runIf(isLinux)('a full disk behind', () => {
  test('stdout does not change the exit code of an apply, and causes a line on stderr', async (context) => {
    const shop = await workshop(context)
    shop.declare(...roles)
    const run = await shop.shell('exec "$@" >/dev/full', 'apply', '--yes', '-o', 'json')
    expect(run.stderr).toContain('error: the output cannot be written: no space is left on the disk')
    expect(run.stderr).not.toContain('    at ')
    expect(run.code).toBe(0)
    expect(shop.writes()).toBe(30)
  })

  test('stdout makes a plan fail', async (context) => {
    const shop = await workshop(context)
    shop.declare(...roles)
    const run = await shop.shell('exec "$@" >/dev/full', 'plan', '--exit-code')
    expect(run.stderr).toContain('the output cannot be written')
    expect(run.code).toBe(1)
  })

  test('stderr stops nothing', async (context) => {
    const shop = await workshop(context)
    shop.declare(...roles)
    const run = await shop.shell('exec "$@" 2>/dev/full', 'apply', '--yes')
    expect(run.stdout).toContain('30 applied')
    expect(run.code).toBe(0)
    expect(shop.writes()).toBe(30)
  })

  test('both stops nothing', async (context) => {
    const shop = await workshop(context)
    shop.declare(...roles)
    expect((await shop.shell('exec "$@" >/dev/full 2>&1', 'apply', '--yes')).code).toBe(0)
    expect(shop.writes()).toBe(30)
  })

  test('a file that accepts only a part is reported, and writing does not continue', async (context) => {
    const shop = await workshop(context)
    shop.declare(...roles)
    const whole = await shop.inside('plan', '-o', 'json')
    const run = await shop.shell('ulimit -f 16; exec "$@" >limited', 'plan', '-o', 'json')
    expect(run.stderr).toContain('the output cannot be written: the file would be larger than is allowed')
    expect(run.code).toBe(1)
    const cut = readFileSync(join(shop.dir, 'limited'), 'utf8')
    expect(cut.length).toBeGreaterThan(0)
    expect(whole.stdout.startsWith(cut)).toBe(true)
  })
})

test('a deleted folder is reported in one line', async (context) => {
  const shop = await workshop(context)
  const run = await shop.shell('mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'validate')
  expect([run.code, run.stderr]).toEqual([1, expect.stringMatching(/^error: the folder .* is gone\n {2}hint: .*\n$/)])
})

test('a reader that ends early is no error', async (context) => {
  const shop = await workshop(context)
  shop.declare(...roles)
  const run = await shop.shell('"$@" | true', 'apply', '--yes')
  expect(run.stderr).not.toContain('error')
  expect(shop.writes()).toBe(30)
})

test('a closed terminal interrupts like SIGTERM, however often it is reported', async (context) => {
  const shop = await workshop(context)
  shop.declare(...roles)
  const started = shop.start('apply', '--yes', '-o', 'json')
  await until(started, () => shop.writes() > 2)
  for (let count = 0; count < 3; count += 1) started.child.kill('SIGHUP')
  const run = await started.ended
  expect(run.code).toBe(130)
  expect(JSON.parse(run.stdout)).toMatchObject({ summary: { failed: 0 } })
  expect((await shop.inside('apply', '--yes')).code).toBe(0)
  expect(shop.writes()).toBe(30)
})
