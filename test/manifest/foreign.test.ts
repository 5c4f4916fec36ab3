import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gatewright } from '../cli/run.js'
import { temporaryFolder } from '../kit/folder.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded } from '../kit/world.js'

/** Files in the manifest folders that are not manifests, or not correct ones. */

type Files = Readonly<Record<string, string | Buffer>>

async function validated(files: Files, ...args: readonly string[]) {
  const cwd = temporaryFolder()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(cwd, path, '..'), { recursive: true })
    writeFileSync(join(cwd, path), content)
  }
  const run = await gatewright(['validate', '-o', 'json', ...args], { cwd })
  const { diagnostics } = JSON.parse(run.stdout) as {
    diagnostics: { code: string; message: string; hint?: string; line?: number }[]
  }
  return diagnostics
}

const service =
  '{"apiVersion": "gatewright/v1", "kind": "Service", "metadata": {"name": "A"}, "spec": {"description": "a"}}'
const answer = '{"id": "1", "name": "A", "created": "2027-01-01T00:00:00Z"}'

describe('a platform answer', () => {
  test.each([
    ['an object', answer],
    ['a list', `[${answer}]`],
    ['a snapshot', '{"services": [], "members": []}'],
  ])('%s, named on the command line: says how to make manifests of it', async (_, text) => {
    expect(await validated({ 'a.json': text }, '-f', 'a.json')).toContainEqual(
      expect.objectContaining({
        code: 'unknown-api-version',
        message: 'the document has no apiVersion: it looks like an answer of the platform',
        hint: 'gatewright export --dir manifests writes the live area as manifests',
      }),
    )
  })

  test.each(['a.json', 'a.yaml'])('in %s, found in a folder: is skipped with a message', async (file) => {
    expect(await validated({ [file]: answer })).toContainEqual(
      expect.objectContaining({
        code: 'skipped-document',
        message: 'skipped: it looks like an answer of the platform',
      }),
    )
  })
})

test.each([
  ['v1', 'write apiVersion: gatewright/v1; a file of another tool does not belong here'],
  ['gatewright', 'write apiVersion: gatewright/v1'],
  ['Gatewright/v1', 'write apiVersion: gatewright/v1'],
  ['gatewright/v2', 'write apiVersion: gatewright/v1'],
])('a named file with the apiVersion %s is distinguished from an older or newer manifest', async (apiVersion, hint) => {
  const text = `apiVersion: ${apiVersion}\nkind: Service\nmetadata: {name: A}\n`
  expect(await validated({ 'a.yaml': text }, '-f', 'a.yaml')).toContainEqual(
    expect.objectContaining({ code: 'unknown-api-version', message: `the apiVersion is "${apiVersion}"`, hint }),
  )
})

test.each([
  [
    'with its members in any order',
    '{"spec": {}, "metadata": {"name": "A"}, "kind": "Service", "apiVersion": "gatewright/v1"}',
    [],
  ],
  ['as YAML', 'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: A}\n', []],
  ['without its apiVersion', '{"metadata": {"name": "A"}, "kind": "Service"}', ['unknown-api-version']],
  ['without its apiVersion, as YAML', 'metadata: {name: A}\nkind: Service\n', ['unknown-api-version']],
])('a manifest in a .json file that is found in a folder counts: %s', async (_, text, codes) => {
  const second = 'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: A}\n'
  const found = await validated({ 'a.json': text, 'b.yaml': second })
  expect(found.map(({ code }) => code)).toEqual(codes.length === 0 ? ['duplicate-object'] : codes)
})

test('for one of our kinds with another apiVersion, the message gives ours', async () => {
  expect(await validated({ 'a.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: A}\n' })).toContainEqual(
    expect.objectContaining({
      code: 'skipped-document',
      hint: 'if it is a manifest of gatewright, write apiVersion: gatewright/v1',
    }),
  )
})

test.each([
  ['a.json', `[${service}]`],
  ['a.yaml', `- ${service}\n- ${service}\n`],
])('a list of manifests in %s is never skipped, but an error', async (file, text) => {
  const told = expect.objectContaining({ code: 'wrong-type', hint: expect.stringContaining('---') })
  expect(await validated({ [file]: text })).toContainEqual(told)
  expect(await validated({ [file]: text }, '-f', file)).toContainEqual(told)
})

describe('JSON', () => {
  test('is read as manifests, also with tabs', async () => {
    expect(await validated({ 'a.json': service })).toEqual([])
    expect(await validated({ 'a.json': service.replaceAll(', ', ',\n\t') })).toEqual([])
    expect(await validated({ 'm/a.json': service }, '-f', 'm')).toEqual([])
  })

  test('of other programs is skipped without a message', async () => {
    const others = {
      'package.json': '{"name": "x", "version": "1.0.0"}',
      'tsconfig.json': '{ // comment\n}',
      'x/list.json': '[1]',
      'schemas/role.schema.json': readFileSync('schemas/role.schema.json', 'utf8'),
    }
    expect(await validated({ ...others, 'a.json': service })).toEqual([])
    expect(await validated({ ...others, 'a.json': service }, '-f', '.')).toEqual([])
    const project = 'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: x}\nspec: {manifests: [.]}\n'
    expect(await validated({ ...others, 'gatewright.yaml': project, 'a.json': service })).toEqual([])
    expect(await validated(others, '-f', 'x', '-f', 'x/*.json')).toMatchObject([{ code: 'wrong-type' }])
  })

  test('that names a JSON Schema, and has keys of a manifest, is not taken for a schema', async () => {
    const schema = '"$schema": "https://json-schema.org/draft/2020-12/schema"'
    const of = async (text: string) => (await validated({ 'a.json': text })).map(({ code }) => code)
    expect(await of(service.replace('{', `{${schema}, `))).toContain('unknown-key')
    expect(await of(`{${schema}, "kind": "Service", "metadata": {}}`)).toContain('unknown-api-version')
    expect(await of(`{${schema}, "kind": "Servce", "metadata": {"name": "A"}}`)).toContain('skipped-document')
  })

  test('is applied, and keeps its format when drift is written into it', async () => {
    const world = embedded()
    world.write('manifests/a.json', `${service}\n`)
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [found] = await rest.get('/services')
    await rest.put(`/services/${String(found?.id)}`, { name: 'A', description: 'b: c' })
    expect((await world.run(['drift', '--write'])).exitCode).toBe(0)
    expect(JSON.parse(readFileSync(join(world.dir, 'manifests/a.json'), 'utf8'))).toMatchObject({
      spec: { description: 'b: c' },
    })
    expect((await world.plan()).changes).toEqual([])
  })
})

describe('a file that is not text', () => {
  const latin = Buffer.from('apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Caf\xe9}\n', 'latin1')

  test.each<[string, Buffer, string, number]>([
    ['Latin-1', latin, 'it is not UTF-8 text: the byte 0xe9 in line 3 is no character', 3],
    ['UTF-16', Buffer.from('\ufeffapiVersion', 'utf16le'), 'it is not UTF-8 text: it is UTF-16', 1],
    ['UTF-16 without a byte order mark', Buffer.from('apiVersion', 'utf16le'), 'it is not UTF-8 text: it is UTF-16', 1],
    [
      'UTF-16 with the other byte order',
      Buffer.from('apiVersion', 'utf16le').swap16(),
      'it is not UTF-8 text: it is UTF-16',
      1,
    ],
    ['binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0xff]), 'it is not UTF-8 text: it is a binary file', 1],
  ])('%s: is reported with its line and advice', async (_, bytes, reason, line) => {
    expect(await validated({ 'a.yaml': bytes })).toContainEqual(
      expect.objectContaining({
        code: 'not-text',
        message: `a.yaml cannot be read: ${reason}`,
        hint: 'save it as UTF-8, or take it out of the manifests',
        line,
      }),
    )
  })

  test.each(['gatewright.yaml', 'prod.yaml', 'policies/p.yaml'])(
    '%s is reported with its line as well',
    async (file) => {
      const spec = 'spec: {manifests: [a.yaml], environments: [prod.yaml]}'
      const texts = {
        'a.yaml': 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: R}\n',
        'gatewright.yaml': `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: p}\n${spec}\n`,
        'prod.yaml': 'apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: prod}\n',
      }
      const message = `${file} cannot be read: it is not UTF-8 text: the byte 0xe9 in line 3 is no character`
      expect(await validated({ ...texts, [file]: latin })).toContainEqual(
        expect.objectContaining({ code: 'not-text', message, hint: 'save it as UTF-8', file, line: 3 }),
      )
    },
  )
})

test('a line that is indented too deep is reported as such, at its position', async () => {
  const text =
    'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: A}\nspec:\n  description: x\n   version: "1"\n'
  expect(await validated({ 'a.yaml': text })).toContainEqual(
    expect.objectContaining({
      code: 'yaml-syntax',
      line: 6,
      message: expect.stringContaining('it is indented deeper than the one before'),
    }),
  )
  const less = text.replace('   version', ' version')
  expect(await validated({ 'a.yaml': less })).toContainEqual(
    expect.objectContaining({
      code: 'yaml-syntax',
      line: 6,
      message: expect.stringMatching(/does not fit the lines above it$/),
    }),
  )
})

test('-f alone deletes nothing', async () => {
  const world = embedded()
  world.declare(document('Role', 'A'), document('Role', 'B'))
  expect((await world.apply()).exitCode).toBe(0)
  world.write('manifests/all.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: A}\n')
  expect((await world.plan('-f', 'manifests')).changes).toEqual([])
  expect((await world.plan('-f', 'manifests', '--prune', 'applied')).changes).toMatchObject([{ address: 'Role/B' }])
})
