import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded } from '../kit/world.js'
import { planOfSides } from './base-plan.js'

/** A live object that no run of this project has applied, and that the manifests now declare. */

const words = 'taken over: nothing in the base says that it was applied from here'

test('taking over is reported if it changes the object, in every view of the plan', async () => {
  const world = embedded()
  world.declare(document('Service', 'Ours', { description: 'one' }))
  await world.apply()
  const rest = await restOf(world.make)
  for (const name of ['Changed', 'Same']) await rest.post('/services', { name, description: 'by hand' })
  world.declare(
    document('Service', 'Ours', { description: 'two' }),
    document('Service', 'Changed', { description: 'mine' }),
    document('Service', 'Same', { description: 'by hand' }),
  )
  const { changes } = await world.plan()
  expect(changes.map(({ address, reason }) => [address, reason])).toEqual([
    ['Service/Changed', words],
    ['Service/Ours', undefined],
  ])
  const { stdout } = await world.run(['plan', '--report', 'html=plan.html', '--report', 'markdown=plan.md'])
  const texts = ['plan.html', 'plan.md'].map((file) => readFileSync(join(world.dir, file), 'utf8'))
  for (const text of [stdout, ...texts]) expect(text).toContain(words)
  // After the apply, the object is ours.
  await world.apply()
  world.declare(document('Service', 'Changed', { description: 'new' }))
  const again = await world.plan('--prune', 'none')
  expect(again.changes.map(({ address, reason }) => [address, reason])).toEqual([['Service/Changed', undefined]])
})

const service = (description: string) => document('Service', 'S', { description })
const live = { services: [{ id: 's1', name: 'S', description: 'live' }] }
const reasonOf = (sides: Partial<Parameters<typeof planOfSides>[0]>): string | undefined =>
  planOfSides({ base: [], live, desired: [service('git')], ...sides }).changes[0]?.reason

test('taking over is also reported for an object with the same name in place of the applied one', () => {
  expect(reasonOf({ base: [service('old')], ids: { 'Service/S': 's0' } })).toBe(words)
  expect(reasonOf({ base: [service('old')], ids: { 'Service/S': 's1' } })).toBeUndefined()
})

test('taking over is reported for an object that a git reference does not have', () => {
  expect(reasonOf({})).toBe(words)
  expect(reasonOf({ base: [service('old')] })).toBeUndefined()
})

test('taking over is not reported without a base, because nobody knows then', () => {
  expect(reasonOf({ base: undefined })).toBeUndefined()
})

test('taking over is not reported if the platform created the object itself, with its parent', () => {
  const withSet = (more: Record<string, string>) =>
    document('Service', 'S', { errorSets: [{ name: 'Default', ...more }] })
  expect(
    reasonOf({
      base: [document('Service', 'S', {})],
      ids: { 'Service/S': 's1' },
      live: { services: [{ id: 's1', name: 'S', errorSets: [{ id: 'e', name: 'Default', type: 'text/xml' }] }] },
      desired: [withSet({ type: 'application/json' })],
    }),
  ).toBeUndefined()
})
