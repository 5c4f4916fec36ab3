import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded } from '../kit/world.js'
import { planOfSides } from './base-plan.js'

/** A live object that nobody applied from here, and that the manifests declare by now. */

const words = 'taken over: nothing in the base says that it was applied from here'

test('is told where taking it over changes it, in every view of the plan', async () => {
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
  // Once it is applied it is ours.
  await world.apply()
  world.declare(document('Service', 'Changed', { description: 'new' }))
  const again = await world.plan('--prune', 'none')
  expect(again.changes.map(({ address, reason }) => [address, reason])).toEqual([['Service/Changed', undefined]])
})

const service = (description: string) => document('Service', 'S', { description })
const live = { services: [{ id: 's1', name: 'S', description: 'live' }] }
const reasonOf = (sides: Partial<Parameters<typeof planOfSides>[0]>): string | undefined =>
  planOfSides({ base: [], live, desired: [service('git')], ...sides }).changes[0]?.reason

test('is one of the same name in the place of the one that was applied, too', () => {
  expect(reasonOf({ base: [service('old')], ids: { 'Service/S': 's0' } })).toBe(words)
  expect(reasonOf({ base: [service('old')], ids: { 'Service/S': 's1' } })).toBeUndefined()
})

test('is what a git reference does not have', () => {
  expect(reasonOf({})).toBe(words)
  expect(reasonOf({ base: [service('old')] })).toBeUndefined()
})

test('is not told without a base: then nobody knows', () => {
  expect(reasonOf({ base: undefined })).toBeUndefined()
})

test('is none where the platform made it itself, with its parent', () => {
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
