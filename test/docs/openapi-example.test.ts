import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { embedded } from '../kit/world.js'

test('examples/openapi can be applied in both of its stages, and has no problem of any kind', async () => {
  const library = embedded()
  cpSync(join(import.meta.dirname, '../../examples/openapi'), library.dir, { recursive: true })
  expect(await library.run(['validate'])).toMatchObject({ exitCode: 0, stderr: '' })
  for (const stage of ['dev', 'prod']) expect([stage, (await library.apply('-e', stage)).exitCode]).toEqual([stage, 0])
  for (const stage of ['dev', 'prod']) {
    const { changes } = await library.plan('-e', stage)
    expect([stage, changes]).toEqual([stage, []])
  }
  const { stdout } = await library.run(['render', '-e', 'prod', 'Service/Library/Endpoint/PRD ReadBook'])
  expect(stdout).toContain('supportedHttpMethods: [get, head]')
})
