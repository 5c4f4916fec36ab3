import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { typing } from '../kit/terminal.js'
import { embedded } from '../kit/world.js'

const question = 'Apply 1 change to http://platform.example, area 0000…a4ea (test)? (yes/no): '
const again = 'Please answer yes or no: '

test.each([
  { typed: ['yes'], asked: [question], done: true },
  { typed: ['Y'], asked: [question], done: true },
  { typed: ['no'], asked: [question], done: false },
  { typed: ['maybe', '', 'constructor', 'yes'], asked: [question, again, again, again], done: true },
  { typed: ['perhaps', 'n'], asked: [question, again], done: false },
  { typed: [], asked: [question], done: false },
  { typed: ['hm'], asked: [question, again], done: false },
])('apply, answered $typed', async ({ typed, asked, done }) => {
  const world = embedded()
  world.declare(document('Role', 'R'))
  const { io, shown } = typing(...typed)
  const run = await world.run(['apply', '--quiet'], io)
  expect(run.exitCode).toBe(0)
  expect(shown()).toContain(asked.join(''))
  expect(shown().split('yes or no').length - 1).toBe(asked.length - 1)
  expect(shown().endsWith('Nothing was done.\n')).toBe(!done)
  expect(world.requests().filter(({ method }) => method === 'POST').length).toBe(done ? 1 : 0)
})

test('the answer "no" with -o json is a run that was not started', async () => {
  const world = embedded()
  world.declare(document('Role', 'R'))
  const run = await world.run(['apply', '-o', 'json'], typing('no').io)
  expect([run.exitCode, run.json()]).toMatchObject([
    0,
    {
      ...{ run: null, summary: { applied: 0, notStarted: 1 } },
      changes: [{ address: 'Role/R', action: 'create', id: null, outcome: 'notStarted', error: 'the answer was no' }],
    },
  ])
})

test('a rollback asks as well', async () => {
  const world = embedded()
  world.declare(document('Role', 'R'))
  await world.apply()
  const { io, shown } = typing()
  expect((await world.run(['rollback', 'latest', '--quiet'], io)).exitCode).toBe(0)
  expect(shown()).toContain('Undo 1 change in http://platform.example, area 0000…a4ea (test)? (yes/no): \n')
  expect(shown()).toContain('Nothing was done.')
})

test('init writes nothing if its questions are not all answered, and reports answers that it cannot use', async () => {
  const world = embedded()
  const { io, shown } = typing('shop', '', '', 'exmaple')
  const run = await world.run(['init', '-C', 'new'], io)
  expect(run.exitCode).toBe(0)
  expect(shown()).toContain('"exmaple" is none of them.\nStart with (example, export)')
  expect(shown()).toContain('Nothing was written.')
  expect(existsSync(join(world.dir, 'new'))).toBe(false)
})
