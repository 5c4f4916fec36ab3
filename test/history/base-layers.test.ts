import { expect, test } from 'vitest'
import { git } from '../kit/git.js'
import { document, projectText } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

const project = (limit: number) =>
  projectText(`  values: {limit: 1}
  environments: {dev: {values: {limit: ${limit}}}}
`)

test('the values of a base are those of its commit: a value that was raised only in git has not drifted', async () => {
  const world = embedded()
  world.write('gatewright.yaml', project(5))
  world.declare(document('Service', 'S', { qpsLimitOverall: '${value:limit}' }))
  expect((await world.run(['apply', '-e', 'dev', '--yes'])).exitCode).toBe(0)
  git(world.dir, 'init', '--quiet')
  git(world.dir, 'add', 'gatewright.yaml', 'manifests')
  git(world.dir, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'applied')
  world.write('gatewright.yaml', project(9))
  const { stdout } = await world.run(['plan', '-e', 'dev', '--base', 'HEAD', '-o', 'json'])
  const { changes } = JSON.parse(stdout) as { readonly changes: readonly { readonly fields: readonly object[] }[] }
  expect(changes.map(({ fields }) => fields)).toEqual([
    [expect.objectContaining({ path: '/qpsLimitOverall', before: 5, after: 9, verdict: 'pending' })],
  ])
})

test('a commit whose environments extend each other in a circle can still be a base, so that the next commit can correct it', async () => {
  const world = embedded()
  const guards = (ofDev: string) =>
    projectText(`  environments: {dev: {guard: ${ofDev}}, prod: {guard: {after: dev}}}
`)
  world.write('gatewright.yaml', guards('{after: prod}'))
  world.declare(document('Role', 'Testers'))
  git(world.dir, 'init', '--quiet')
  git(world.dir, 'add', 'gatewright.yaml', 'manifests')
  git(world.dir, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'applied')
  world.write('gatewright.yaml', guards('{}'))
  const planned = await world.plan('-e', 'dev', '--base', 'HEAD')
  expect(planned.diagnostics.filter(({ code }) => code === 'no-base')).toEqual([])
})
