import stringWidth from 'fast-string-width'
import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { embedded, environment, testClock, world as worldOf } from '../kit/world.js'

/** The progress of a command, on stderr: no ids, no line for each service, and the number of remaining changes. */

const declared = () => {
  const world = embedded()
  world.declare(
    document('Role', 'R'),
    ...['A', 'B', 'C'].map((name) =>
      document('Service', name, { version: '1', roles: [{ name: 'R', action: 'read' }] }),
    ),
  )
  return world
}

test('outside a terminal there is one line per collection, and the changes are counted', async () => {
  const world = declared()
  const { stderr } = await world.run(['apply', '--yes'])
  expect(stderr).toContain('read services: 3\n')
  expect(stderr).not.toMatch(/read services\//)
  expect(stderr).toMatch(/^1 of (\d+) applied: create .*\n(.*\n)*\1 of \1 applied: /m)
  expect(stderr).not.toContain('throttled 0 times')
})

test('on a terminal there is one line with the count, the total, and the running change', async () => {
  const world = declared()
  let written = ''
  const stderr = { isTTY: true, columns: 80, write: (text: string) => (written += text) }
  await world.run(['apply', '--yes'], { stderr })
  const shown = written.split('\r\u001b[K')
  const applying = shown.filter((line) => line.startsWith('applying: '))
  expect(applying[0]).toMatch(/^applying: 0 of (\d+), 1 under way: create \S+/)
  const [, done, all] = /^applying: (\d+) of (\d+)/.exec(applying.at(-1) ?? '') ?? []
  expect([done, Number(all)]).toEqual([all, expect.any(Number)])
  expect(Number(all)).toBeGreaterThan(0)
  expect(shown.some((line) => /^reading: .*\d+ roles of services/.test(line))).toBe(true)
  expect(written).not.toMatch(/services\//)
})

test('the live line fits on one line even if names are wide, because the next one could not erase the rest', async () => {
  const world = embedded()
  world.declare(...['A', 'B', 'C'].map((name) => document('Role', `${'顧客管理'.repeat(8)}${name}`)))
  let written = ''
  const stderr = { isTTY: true, columns: 80, write: (text: string) => (written += text) }
  await world.run(['apply', '--yes'], { stderr })
  const shown = written.split('\r\u001b[K').filter((line) => line.startsWith('applying: '))
  expect(shown[0]).toContain('create Role/顧客管理')
  expect(Math.max(...shown.map((line) => stringWidth(line.trimEnd())))).toBeLessThan(80)
})

test('a terminal of unknown width is treated as a wide one', async () => {
  const world = declared()
  let written = ''
  const stream = { isTTY: true, columns: 0, write: (text: string) => (written += text) }
  await world.run(['plan'], { stdout: stream, stderr: stream })
  expect(written).toMatch(/^\S*\+ Service\/\S+ +manifests\/all.yaml:\d+\S*$/m)
  expect(written).toContain('reading: 0 services\r')
})

test('a dumb terminal gets separate lines, without control sequences', async () => {
  const world = declared()
  let written = ''
  const stderr = { isTTY: true, columns: 80, write: (text: string) => (written += text) }
  await world.run(['apply', '--yes'], { stderr, env: { ...environment, TERM: 'dumb' } })
  expect(written).toContain('read services: 3\n')
  expect(written).not.toContain('\u001b')
})

test('one request is written in the singular', async () => {
  const world = embedded()
  world.declare(document('Role', 'A'))
  await world.apply()
  expect((await world.run(['apply', '--yes', '-o', 'json'])).stderr).toContain('\nsent 1 request and 1 for the token')
})

test('outside a terminal, a run with very many changes is reported by tenths', async () => {
  const world = embedded()
  world.declare(...Array.from({ length: 300 }, (_, index) => document('Role', `R${index}`)))
  const { stderr } = await world.run(['apply', '--yes'])
  const lines = stderr.split('\n').filter((line) => / of 300 applied: /.test(line))
  expect(lines.map((line) => Number.parseInt(line, 10))).toEqual([30, 60, 90, 120, 150, 180, 210, 240, 270, 300])
})

test('changes that an interrupted run has not started are reported in a sentence', async () => {
  const world = embedded()
  world.declare(...Array.from({ length: 20 }, (_, index) => document('Role', `R${index}`)))
  const stop = new AbortController()
  let written = ''
  const write = (text: string) => {
    written += text
    if (text.startsWith('1 of 20')) stop.abort()
    return true
  }
  expect((await world.run(['apply', '--yes'], { stderr: { write }, signal: stop.signal })).exitCode).toBe(130)
  expect(written).toMatch(/^\d+ of 20 not started: create Role\/R\d+$/m)
})

test.each([true, false])(
  'waiting for a create that may have been carried out is reported at once: terminal %s',
  async (isTTY) => {
    const faulty = { faults: ['status-500:POST /services:1'], autoApprove: true, idSeed: 'test', ...testClock() }
    const world = worldOf(createPlatform(faulty), testClock())
    world.declare(document('Service', 'A'))
    let written = ''
    const stderr = { isTTY, columns: 200, write: (text: string) => (written += text) }
    const { exitCode } = await world.run(['apply', '--yes'], { stderr })
    expect(exitCode).toBe(3)
    const told =
      'waiting: up to 60 s for Service/A, which the platform may still be creating: POST /v3/rest/services was answered 500'
    expect(written.split(told)).toHaveLength(2)
  },
)

test('a create that is found at the first attempt is not awaited', async () => {
  const faulty = { faults: ['after-500:POST /services:1'], autoApprove: true, idSeed: 'test', ...testClock() }
  const world = worldOf(createPlatform(faulty), testClock())
  world.declare(document('Service', 'A'))
  const { exitCode, stderr } = await world.run(['apply', '--yes'])
  expect(exitCode).toBe(0)
  expect(stderr).not.toContain('waiting')
})
