import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { kindsPage } from '../../scripts/reference/kinds-page.js'
import { exampleManifest } from '../../src/catalog/examples.js'
import { kinds } from '../../src/catalog/queries.js'
import { gatewright } from '../cli/run.js'
import { temporaryFolder } from '../kit/folder.js'
import { embedded, environment } from '../kit/world.js'

it.each(kinds.map((kind) => [kind.name, kind] as const))('the example of %s is a valid manifest', async (_, kind) => {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'example.yaml'), stringify(exampleManifest(kind)))
  const given = (name: string | symbol) => (String(name).startsWith('GATEWRIGHT') ? undefined : 'set')
  const env = new Proxy({} as Record<string, string>, {
    get: (_target, name) => given(name),
    getOwnPropertyDescriptor: (_target, name) => ({ value: given(name), configurable: true, enumerable: true }),
  })
  const { stdout, exitCode } = await gatewright(['validate', '-o', 'json'], { cwd: dir, env })
  const found: readonly { readonly severity: string }[] = JSON.parse(stdout).diagnostics
  expect(found.filter(({ severity }) => severity !== 'note')).toEqual([])
  expect(exitCode).toBe(0)
})

it('the platform accepts all examples together, except kinds that it does not offer', async () => {
  const { write, run } = embedded()
  // The example of Service writes its role itself.
  const shown = kinds.filter(({ name }) => name !== 'ServiceRole')
  write('manifests/all.yaml', shown.map((kind) => stringify(exampleManifest(kind))).join('---\n'))
  const env = {
    ...environment,
    MEMBER_PASSWD_NEW: 'a-Pass-0001',
    PACKAGE_KEY_APIKEY: 'k'.repeat(20),
    PACKAGE_KEY_SECRET: 's',
  }
  const { stdout } = await run(['apply', '--yes', '--skip-blocked', '-o', 'json'], { env })
  const failed = JSON.parse(stdout).changes.filter(({ outcome }: { outcome: string }) => outcome === 'failed')
  expect(failed).toEqual([])
})

it('the page has every kind with every field, every operation and every reason', () => {
  const page = kindsPage()
  for (const kind of kinds) {
    const section = page.slice(page.indexOf(`\n## ${kind.name}\n`))
    for (const name of Object.keys(kind.fields)) expect(section).toContain(`| \`${name}\` |`)
    for (const { method, path } of Object.values(kind.operations))
      expect(section).toContain(`| ${method} | \`${path}\` |`)
    for (const reason of Object.values(kind.blocked)) expect(section).toContain(reason)
  }
})
