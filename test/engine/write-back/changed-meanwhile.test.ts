import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document } from '../../kit/manifests.js'
import { restOf } from '../../kit/rest.js'
import { embedded, type Make, worldIn } from '../../kit/world.js'

/** Somebody saves a file while the program waits for the platform: their text stays. */

const accepted = (reason: string) =>
  `accepted:\n  - {address: Role/Partners, path: /description, git: one, live: two, reason: ${reason}, owner: o, expires: "2026-12-01"}\n`

test.each([
  ['drift', ['drift', '--write']],
  ['export', ['export', '--dir', 'manifests']],
])('manifests, at a %s', async (_, command) => {
  const area = embedded()
  area.declare(document('Role', 'Partners', { description: 'one' }))
  expect((await area.apply()).exitCode).toBe(0)
  const rest = await restOf(area.make)
  const role = (await rest.get('/roles')).find(({ name }) => name === 'Partners')
  await rest.put(`/roles/${role?.id}`, { name: 'Partners', description: 'two' })
  const path = join(area.dir, 'manifests/all.yaml')
  const theirs = readFileSync(path, 'utf8').replace('one', 'three')
  const busy: Make = {
    log: area.make.log,
    fetch: (request) => {
      writeFileSync(path, theirs)
      return area.make.fetch(request)
    },
  }
  const run = await worldIn(area.dir, busy, area.io).run([...command, '-o', 'json'])
  expect(run.stdout).toContain('file-changed')
  expect(run.exitCode).toBe(1)
  expect(readFileSync(path, 'utf8')).toBe(theirs)
})

test('acceptances in a file that is not text are not replaced', async () => {
  const area = embedded()
  area.declare(document('Role', 'Partners', { description: 'one' }))
  expect((await area.apply()).exitCode).toBe(0)
  const rest = await restOf(area.make)
  const role = (await rest.get('/roles')).find(({ name }) => name === 'Partners')
  await rest.put(`/roles/${role?.id}`, { name: 'Partners', description: 'three' })
  const path = join(area.dir, 'gatewright.accepted.yaml')
  const bytes = Buffer.from(`# caf\u00e9\n${accepted('known')}`, 'latin1')
  writeFileSync(path, bytes)
  const run = await area.drift('--accept', '--reason', 'r', '--owner', 'o', '--expires', '2026-12-01')
  expect(run.stdout).toContain('0xe9 in line 1 is no character')
  expect(run.exitCode).toBe(1)
  expect(readFileSync(path).equals(bytes)).toBe(true)
})
