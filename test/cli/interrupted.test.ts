import { expect, test } from 'vitest'
import { document, manifestText } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

test.each([
  ['validate'],
  ['render'],
  ['validate', '-o', 'json'],
  ['plan', '--snapshot', 'area.json'],
  ['diff', 'manifests', 'same'],
])('a command that waits for nothing hears of an interruption: %s %s %s', async (...args) => {
  const world = embedded()
  world.declare(document('Service', 'S'))
  world.write('area.json', '{"services": []}')
  world.write('same/all.yaml', manifestText([document('Service', 'S')]))
  expect((await world.run(args)).exitCode).toBe(0)
  const interruption = new AbortController()
  // As a signal of the process, it comes when the program waits, and not before.
  setImmediate(() => interruption.abort())
  const run = await world.run(args, { signal: interruption.signal })
  expect([run.exitCode, run.stdout, run.stderr]).toEqual([130, '', 'interrupted\n'])
})
