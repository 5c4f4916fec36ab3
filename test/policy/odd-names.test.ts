import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

/** Names that JavaScript gives a meaning are names like any others. */
const names = ['constructor', 'toString', 'hasOwnProperty', '__proto__']

const withMember = (name: string, value: Json): JsonObject => JSON.parse(`{"${name}": ${JSON.stringify(value)}}`)

/** The codes of the problems for which a plan is refused under a policy with this rule. */
async function refusals(assert: string, declared: DocumentText): Promise<readonly unknown[] | undefined> {
  const world = embedded()
  world.write(
    'policies/odd.yaml',
    `apiVersion: gatewright/v1\nkind: Policy\nmetadata: {name: odd}\nspec: {rules: [{assert: ${JSON.stringify(assert)}}]}\n`,
  )
  world.declare(declared)
  const { stdout } = await world.run(['plan', '-o', 'json'])
  const { refused } = JSON.parse(stdout) as { readonly refused?: readonly { readonly code: string }[] }
  return refused?.map(({ code }) => code)
}

test.each(names)('a rule is evaluated for an object with a field %s', async (name) => {
  for (const value of ['x', withMember(name, 'y'), [withMember(name, 'z')]]) {
    const fields = { description: 'd', ...withMember(name, value) }
    const service = document('Service', { name: 'S', extraFields: true }, fields)
    const right =
      'after.description == "d" && has(after.description) && !has(before.description) && !has(after.version)'
    expect(await refusals(right, service)).toEqual([])
    expect(await refusals('after.description == "e"', service)).toEqual(['policy-violated'])
  }
})

test.each(names)('a rule is evaluated for an object with a label %s', async (name) => {
  const labels = { team: 'a', ...withMember(name, 'x') }
  const role = document('Role', { name: 'R', labels })
  expect(await refusals('labels.team == "a" && size(labels) == 2', role)).toEqual([])
  expect(await refusals('labels.team == "b"', role)).toEqual(['policy-violated'])
})
