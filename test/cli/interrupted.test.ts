import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document, manifestText, projectText } from '../kit/manifests.js'
import { petstores } from '../kit/petstore.js'
import { embedded, world } from '../kit/world.js'

test.each([
  ['validate'],
  ['render'],
  ['plan', '--snapshot', 'area.json'],
  ['diff', 'manifests', 'same'],
  ['policy', 'test'],
  ['schema'],
  ['schema', 'Service'],
])('a command that waits for nothing notices an interruption: %s %s %s', async (...args) => {
  const world = embedded()
  world.declare(document('Service', 'S'))
  world.write('area.json', '{"services": []}')
  world.write('same/all.yaml', manifestText([document('Service', 'S')]))
  world.write(
    'policies/p.yaml',
    'apiVersion: gatewright/v1\nkind: Policy\nmetadata: {name: p}\nspec: {rules: [{assert: "true", level: warning}]}\n',
  )
  expect((await world.run(args)).exitCode).toBe(0)
  const interruption = new AbortController()
  // Like a signal of the process, it arrives when the program waits, and not before.
  setImmediate(() => interruption.abort())
  const run = await world.run(args, { signal: interruption.signal })
  expect([run.exitCode, run.stdout, run.stderr]).toEqual([130, '', 'interrupted\n'])
})

test.each([
  ['validate', '-o', 'json'],
  ['plan', '--output=json'],
  ['drift', '-ojson'],
])('an interrupted command with JSON output writes one object: %s', async (...args) => {
  const world = embedded()
  world.declare(document('Service', 'S'))
  const interruption = new AbortController()
  setImmediate(() => interruption.abort())
  const run = await world.run([...args, '--report', 'json=report.json'], { signal: interruption.signal })
  expect([run.exitCode, run.stderr]).toEqual([130, 'interrupted\n'])
  expect(JSON.parse(run.stdout)).toEqual({
    format: 'gatewright.diagnostics/1',
    diagnostics: [{ code: 'interrupted', severity: 'error', message: 'the command was interrupted' }],
  })
  expect(existsSync(join(world.dir, 'report.json'))).toBe(false)
})

const project = projectText(`  values: {word: {type: string, default: x}}
  environments:
    dev: {values: {word: y}}
    prod: {}
`)

test.each([
  ['import', 'openapi', 'api.yaml', '--dir', 'manifests'],
  ['promote', 'dev', 'prod', '--write'],
])('a command that writes files notices an interruption, and writes none: %s', async (...args) => {
  const world = embedded()
  world.write('gatewright.yaml', project)
  world.write('api.yaml', petstores['3.0'] ?? '')
  world.declare(document('Service', 'S', { description: '${value:word}' }))
  const files = () =>
    ['gatewright.yaml', ...readdirSync(join(world.dir, 'manifests')).map((name) => `manifests/${name}`)].map((path) => [
      path,
      readFileSync(join(world.dir, path), 'utf8'),
    ])
  const before = files()
  const interruption = new AbortController()
  setImmediate(() => interruption.abort())
  const run = await world.run(args, { signal: interruption.signal })
  expect([run.exitCode, run.stderr]).toEqual([130, 'interrupted\n'])
  expect(files()).toEqual(before)
  expect((await world.run(args)).exitCode).toBe(0)
  expect(files()).not.toEqual(before)
})

test('an apply that is interrupted during its last request says that its result was not checked', async () => {
  const interruption = new AbortController()
  const { make } = embedded()
  const fetch = (request: Request) => {
    if (request.method === 'POST' && request.url.endsWith('/roles')) interruption.abort()
    return make.fetch(request)
  }
  const here = world({ ...make, fetch })
  here.declare(document('Role', 'R'))
  const run = await here.run(['apply', '--yes', '--report', 'markdown=run.md'], { signal: interruption.signal })
  expect(run.exitCode).toBe(130)
  expect(run.stdout).toContain('Apply: 1 applied; ')
  const words = 'interrupted: every change is made, and the area was not read again to check them'
  expect(run.stderr).toContain(`warning: ${words}`)
  expect(readFileSync(join(here.dir, 'run.md'), 'utf8')).toContain(words)
})
