import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { embedded } from '../../kit/world.js'

test.each([
  ['none', undefined],
  ['schemas', '../schemas/gatewright.schema.json'],
  ['node_modules/gatewright/schemas', '../node_modules/gatewright/schemas/gatewright.schema.json'],
])('an export names a schema only if it exists: %s', async (folder, named) => {
  const world = embedded({ seed: { roles: [{ id: 'r1', name: 'Partners' }] } })
  if (named !== undefined) {
    mkdirSync(join(world.dir, folder), { recursive: true })
    writeFileSync(join(world.dir, folder, 'gatewright.schema.json'), '{}')
  }
  const { stdout } = await world.run(['export', '--dir', 'manifests', '-o', 'json'])
  const [first = ''] = readFileSync(join(world.dir, String(JSON.parse(stdout).files[0].path)), 'utf8').split('\n')
  expect(first).toBe(named === undefined ? 'apiVersion: gatewright/v1' : `# yaml-language-server: $schema=${named}`)
})
