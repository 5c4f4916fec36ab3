import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

const project = `apiVersion: gatewright/v1
kind: Project
metadata: {name: shop}
spec:
  manifests: [manifests]
  values: {everywhere: a, inProd: 5, nowhere: x, stage: {type: string}}
  environments:
    dev: {values: {stage: DEV}}
    prod:
      values: {stage: PRD}
      patches: [{target: "Service/* API", merge: {qpsLimitOverall: "\${value:inProd}"}}]
`

function shop(text = project) {
  const world = embedded()
  world.write('gatewright.yaml', text)
  world.declare(document('Service', '${value:stage} API', { description: '${value:everywhere}' }))
  return world
}

const codesOf = (stdout: string) =>
  (JSON.parse(stdout) as { readonly diagnostics: readonly { code: string; message: string }[] }).diagnostics.map(
    ({ code, message }) => `${code}: ${message}`,
  )

test('validate checks every environment, and tells a value that none of them uses', async () => {
  const { exitCode, stdout } = await shop().run(['validate', '-o', 'json'])
  expect([exitCode, codesOf(stdout)]).toEqual([0, ['value-unused: nothing uses the value "nowhere"']])
})

test('of one environment, or of a part of the manifests, it says nothing of values', async () => {
  for (const words of [
    ['-e', 'dev'],
    ['-f', 'manifests'],
  ]) {
    expect(codesOf((await shop().run(['validate', ...words, '-o', 'json'])).stdout)).toEqual([])
  }
})

test('what is wrong in one environment alone names it', async () => {
  const world = shop(project.replace('{stage: DEV}', '{}').replace(', nowhere: x', ''))
  const { exitCode, stdout } = await world.run(['validate', '-o', 'json'])
  expect([exitCode, codesOf(stdout)]).toEqual([
    1,
    [expect.stringMatching(/^value-missing: environment dev gives no value "stage".* \(in dev\)$/)],
  ])
})

test('commands that go to an area want one of the environments', async () => {
  const { exitCode, stdout } = await shop().run(['plan', '-o', 'json'])
  expect([exitCode, codesOf(stdout)]).toEqual([1, [expect.stringContaining('environment-not-chosen')]])
})
