import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRecords } from '../../src/stores/open.js'
import { document } from '../kit/manifests.js'
import { embedded, environment, testClock } from '../kit/world.js'

/** `--lock-timeout`: the time that a run waits for another one in the area. */

const worker = { who: 'ci@runner', host: 'runner', pid: 42 }

/** An area with another run; `pauses` is called before each attempt to get the lock. */
async function busy(pause: (count: number, release: () => Promise<void>) => Promise<void>) {
  const clock = testClock()
  let pauses = 0
  let release = (): Promise<void> => Promise.resolve()
  const sleep = async (ms: number, signal?: AbortSignal) => {
    pauses += 1
    await pause(pauses, () => release())
    signal?.throwIfAborted()
    await clock.sleep(ms)
  }
  const world = embedded({}, { now: clock.now, sleep })
  world.declare(document('Role', 'Partners'))
  const records = await openRecords('file:.gatewright', { dir: world.dir, now: clock.now })
  const key = { url: environment.GATEWRIGHT_URL, area: environment.GATEWRIGHT_AREA, project: 'test' }
  const taken = await records.lock(key, worker, 'r1')
  if (taken.is !== 'taken') throw new Error('the lock is held')
  release = () => taken.lock.release()
  return { world, close: () => records.close(), pauses: () => pauses }
}

test('a run starts when the other one has ended, and reports once for whom it waits', async () => {
  const { world, close } = await busy(async (count, release) => {
    if (count === 3) await release()
  })
  const run = await world.run(['apply', '--yes', '--lock-timeout', '1m'])
  expect(run.exitCode, run.stderr).toBe(0)
  expect(run.stderr.split('waiting: for the lock, which ci@runner holds (run r1, process 42 on runner)')).toHaveLength(
    2,
  )
  await close()
})

test('another run that does not end in time is reported, and nothing is done', async () => {
  const { world, close, pauses } = await busy(() => Promise.resolve())
  const run = await world.run(['apply', '--yes', '--lock-timeout', '7'])
  expect(run.exitCode).toBe(1)
  expect(run.stderr).toContain('ci@runner has been applying to this area')
  expect(pauses()).toBe(4)
  await close()
})

test('without it, the program does not wait', async () => {
  const { world, close, pauses } = await busy(() => Promise.resolve())
  const run = await world.run(['apply', '--yes'])
  expect(run.exitCode).toBe(1)
  expect(run.stderr).toContain('--lock-timeout')
  expect(pauses()).toBe(0)
  await close()
})

test.each(['', '{"state":"he'])('a lock file with the text %j says that a minute is enough', async (text) => {
  const { world, close } = await busy((_, release) => release())
  expect((await world.run(['apply', '--yes', '--lock-timeout', '1m'])).exitCode).toBe(0)
  await close()
  const records = join(world.dir, '.gatewright')
  const locks = readdirSync(records, { recursive: true, encoding: 'utf8' }).filter((each) => /lock\.\d+$/.test(each))
  expect(locks).toHaveLength(1)
  const [last = ''] = locks
  const next = join(
    records,
    last.replace(/\d+$/, (number) => `${Number(number) + 1}`),
  )
  writeFileSync(next, text)
  const run = await world.run(['apply', '--yes'])
  expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('does not say by whom')])
  expect(run.stderr).toContain('hint: try again in a minute, or wait (--lock-timeout 2m)')
  const waiting = await world.run(['apply', '--yes', '--lock-timeout', '4s'])
  expect(waiting.stderr).toContain('waiting: for the lock, which an unknown run holds')
  utimesSync(next, 0, 0)
  expect((await world.run(['apply', '--yes'])).exitCode).toBe(0)
})

test('a rollback waits as well', async () => {
  const { world, close } = await busy((_, release) => release())
  expect((await world.run(['apply', '--yes', '--lock-timeout', '1m'])).exitCode).toBe(0)
  await close()
  const records = await openRecords('file:.gatewright', { dir: world.dir, now: () => 0 })
  const key = { url: environment.GATEWRIGHT_URL, area: environment.GATEWRIGHT_AREA, project: 'test' }
  const taken = await records.lock(key, worker, 'r2')
  const run = await world.run(['rollback', 'latest', '--yes', '--lock-timeout', '2s'])
  expect(run.exitCode).toBe(1)
  expect(run.stderr).toContain('waiting: for the lock')
  if (taken.is === 'taken') await taken.lock.release()
  expect(
    (await world.run(['rollback', 'latest', '--yes', '--lock-timeout', '2s', '--allow', 'IRREVERSIBLE'])).exitCode,
  ).toBe(0)
  await records.close()
})

test('a rollback that has waited reads the changes of the other run', async () => {
  let otherRun = () => Promise.resolve()
  const { world, close } = await busy(async (count, release) => {
    await (count === 1 ? release() : otherRun())
  })
  expect((await world.run(['apply', '--yes', '--lock-timeout', '1m'])).exitCode).toBe(0)
  await close()
  const records = await openRecords('file:.gatewright', { dir: world.dir, now: () => 0 })
  const key = { url: environment.GATEWRIGHT_URL, area: environment.GATEWRIGHT_AREA, project: 'test' }
  const taken = await records.lock(key, worker, 'r2')
  otherRun = async () => {
    await records.keep({ ...key, project: 'other' }, await records.receipts(key), [])
    if (taken.is === 'taken') await taken.lock.release()
  }
  const run = await world.run(['rollback', 'latest', '--yes', '--lock-timeout', '1m', '--allow', 'IRREVERSIBLE'])
  expect(run.stderr).toContain('Role/Partners stays: another project or environment has applied it as well')
  expect(world.requests().filter(({ method }) => method === 'DELETE')).toEqual([])
  await records.close()
})

test('Ctrl-C ends the waiting', async () => {
  const interruption = new AbortController()
  const { world, close } = await busy(() => {
    interruption.abort()
    return Promise.resolve()
  })
  const run = await world.run(['apply', '--yes', '--lock-timeout', '1m'], { signal: interruption.signal })
  expect(run.exitCode).toBe(130)
  expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  await close()
})
