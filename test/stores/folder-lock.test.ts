import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { lockHolder, takeLock } from '../../src/stores/folder/lock.js'
import { lifeOf, ownMark } from '../../src/stores/liveness.js'
import { temporaryFolder } from '../kit/folder.js'

const patience = { heartbeatMs: 5, staleMs: 60_000 }
const worker = { who: 'me', host: 'here', pid: 1 }
const take = (folder: string, run: string, more = patience) => takeLock(folder, { worker, run, since: 0 }, more)

/** Only the clock is fixed: timers run. It shows this number of milliseconds after now. */
function clockOf(): (milliseconds: number) => void {
  const start = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  return (milliseconds) => vi.setSystemTime(start + milliseconds)
}

/** A lock file that somebody else has written, this number of seconds ago. */
function foreign(folder: string, content: string, secondsAgo: number): void {
  const file = join(folder, 'lock.7')
  writeFileSync(file, content)
  const time = Date.now() / 1000 - secondsAgo
  utimesSync(file, time, time)
}

const claimOf = (process: object): string =>
  JSON.stringify({
    state: 'held',
    claim: { heldBy: { who: 'they', host: 'there', pid: 9 }, since: 5, run: 'x', process },
  })

const elsewhere = { machine: 'another', pid: 9, born: '1' }

it('the lock of a holder on another machine is valid while it is renewed, and for one more minute', async () => {
  const folder = temporaryFolder()
  foreign(folder, claimOf(elsewhere), 50)
  expect(await take(folder, 'r')).toMatchObject({ is: 'held', by: { heldBy: { who: 'they' }, since: 5, run: 'x' } })
  foreign(folder, claimOf(elsewhere), 70)
  expect((await take(folder, 'r')).is).toBe('taken')
})

it('a process of this machine with the same number as another holder is not taken for it', async () => {
  const folder = temporaryFolder()
  const own = await ownMark()
  foreign(folder, claimOf(own), 1_000)
  expect((await take(folder, 'r')).is).toBe('held')
  if (own.born === '') return
  expect(await lifeOf({ ...own, born: `${own.born}0` })).toBe('dead')
  foreign(folder, claimOf({ ...own, born: `${own.born}0` }), 0)
  expect((await take(folder, 'r')).is).toBe('taken')
})

it('a file that cannot be read counts as held for a minute', async () => {
  const folder = temporaryFolder()
  foreign(folder, '{"state":', 50)
  expect(await take(folder, 'r')).toMatchObject({ is: 'held', by: { heldBy: { who: 'somebody' } } })
  foreign(folder, '{"state":', 70)
  expect((await take(folder, 'r')).is).toBe('taken')
})

it.each(['9007199254740991', '9007199254740993', '99999999999999999999999'])(
  'after lock.%s there is no next number, and this is reported',
  async (number) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, `lock.${number}`), '{"state":"released"}\n')
    await expect(take(folder, 'r')).rejects.toThrow(`lock.${number} is damaged`)
    await expect(lockHolder(folder, patience)).rejects.toThrow('is damaged')
  },
)

it('the holder renews the lock again and again', async () => {
  const folder = temporaryFolder()
  const taking = await take(folder, 'r')
  if (taking.is !== 'taken') throw new Error('held')
  const file = join(folder, 'lock.1')
  const text = readFileSync(file, 'utf8')
  utimesSync(file, 0, 0)
  await expect.poll(() => readdirSync(folder).length).toBe(1)
  await expect.poll(() => statSync(file).mtimeMs).toBeGreaterThan(Date.now() - 10_000)
  expect(readFileSync(file, 'utf8')).toBe(text)
  await taking.lock.release()
})

it('a holder whose lock was taken over is informed, and releases nothing', async () => {
  const folder = temporaryFolder()
  const taking = await take(folder, 'r')
  if (taking.is !== 'taken') throw new Error('held')
  foreign(folder, claimOf(elsewhere), 0)
  await expect.poll(() => taking.lock.lost.aborted).toBe(true)
  await taking.lock.release()
  expect((await take(folder, 'r')).is).toBe('held')
})

it('a holder that slept does not have the lock before a heartbeat has seen that nobody took it', async () => {
  const folder = temporaryFolder()
  const after = clockOf()
  const taking = await take(folder, 'r', { ...patience, heartbeatMs: 60_000 })
  if (taking.is !== 'taken') throw new Error('held')
  const { lock } = taking
  after(29_000)
  expect(await lock.isHeld()).toBe(true)
  const file = join(folder, 'lock.1')
  utimesSync(file, 0, 0)
  after(59_000)
  expect(await lock.isHeld()).toBe(true)
  expect(statSync(file).mtimeMs).toBeGreaterThan(0)
  after(90_000)
  foreign(folder, claimOf(elsewhere), 0)
  expect(await lock.isHeld()).toBe(false)
  expect(lock.lost.aborted).toBe(true)
  await lock.release()
})

it('a holder that cannot renew the lock has it for half of the time until others may take it', async () => {
  const folder = temporaryFolder()
  const after = clockOf()
  const taking = await take(folder, 'r', { ...patience, heartbeatMs: 60_000 })
  if (taking.is !== 'taken') throw new Error('held')
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  after(29_000)
  expect(await taking.lock.isHeld()).toBe(true)
  after(30_100)
  expect(await taking.lock.isHeld()).toBe(false)
  after(0)
  expect(await taking.lock.isHeld()).toBe(false)
  await taking.lock.release()
})

it('one small file remains, however often the lock was taken', async () => {
  const folder = temporaryFolder()
  for (let round = 1; round <= 5; round += 1) {
    const taking = await take(folder, `r${round}`)
    if (taking.is !== 'taken') throw new Error('held')
    await taking.lock.release()
  }
  expect(readdirSync(folder)).toEqual(['lock.5'])
  expect(existsSync(join(folder, 'lock.1'))).toBe(false)
})

it('a released lock stays released, even if a heartbeat was running', async () => {
  const folder = temporaryFolder()
  for (let round = 1; round <= 60; round += 1) {
    const taking = await take(folder, `r${round}`, { ...patience, heartbeatMs: 1 })
    if (taking.is !== 'taken') throw new Error(`held in round ${round}`)
    await new Promise((resolve) => setTimeout(resolve, 3))
    await taking.lock.release()
    const [file = ''] = readdirSync(folder)
    expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toEqual({ state: 'released' })
  }
})
