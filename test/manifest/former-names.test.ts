import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Siblings that say in `formerly` that they had each other's names. */

const service = (name: string, formerly: readonly string[], more: object = {}) =>
  document('Service', { name, formerly, ...more })

async function told(...documents: readonly ReturnType<typeof document>[]) {
  const area = embedded()
  area.declare(...documents)
  const run = await area.run(['validate', '-o', 'json'])
  return run.json().diagnostics.map(({ code, message }) => `${code}: ${message}`)
}

describe('names that go round in a circle', () => {
  test.each([
    ['two', [service('S', ['T']), service('T', ['S'])], 'Service/S and Service/T'],
    ['three', [service('S', ['T']), service('T', ['U']), service('U', ['S'])], 'Service/S and Service/T'],
    ['two, beside a renamed one', [service('A', ['S']), service('S', ['T']), service('T', ['S'])], 'Service/S and'],
  ])('%s: are told once', async (_, documents, words) => {
    expect(await told(...documents)).toEqual([expect.stringContaining(`names-in-circle: ${words}`)])
  })

  test('a name that is its own former name is told', async () => {
    expect(await told(service('S', ['S']))).toEqual([expect.stringContaining('names-in-circle: Service/S says')])
  })

  test('a row without an end, pinned ones, and children of two parents are none', async () => {
    expect(await told(service('S', ['T']), service('T', ['U']))).toEqual([])
    expect(await told(service('S', ['T'], { id: '1' }), service('T', ['S'], { id: '2' }))).toEqual([])
    const method = (endpoint: string, name: string, former: string) =>
      document('Method', { service: 'S', endpoint, name, formerly: [former] })
    expect(await told(method('a', 'm', 'n'), method('b', 'n', 'm'))).toEqual([
      expect.stringContaining('undeclared-reference'),
      expect.stringContaining('undeclared-reference'),
    ])
  })
})

test.each<readonly [string, () => World]>([
  ['document', () => embedded()],
  ['recorded', () => embedded({ dialect: 'recorded' })],
  ['another make', () => world(createOtherMake())],
])('%s: two services exchange their names if each is pinned', async (_, make) => {
  const area = make()
  area.declare(document('Service', 'S', { description: 'one' }), document('Service', 'T', { description: 'two' }))
  expect((await area.apply()).exitCode).toBe(0)
  const rest = await restOf(area.make)
  const ids = new Map((await rest.get('/services')).map(({ name, id }) => [name, String(id)]))
  const pinned = (name: string, was: string, description: string) =>
    document('Service', { name, id: ids.get(was) ?? '' }, { description })
  area.declare(pinned('S', 'T', 'two'), pinned('T', 'S', 'one'))
  expect((await area.plan()).changes.map(({ action, address }) => `${action} ${address.split('~')[0]}`)).toEqual([
    'update Service/S',
    'update Service/T',
  ])
  expect((await area.apply()).exitCode).toBe(0)
  area.declare(document('Service', 'S', { description: 'two' }), document('Service', 'T', { description: 'one' }))
  expect((await area.plan()).changes).toEqual([])
  const after = await rest.get('/services')
  expect(after.map(({ name, id }) => [name, String(id)]).sort()).toEqual([
    ['S', ids.get('T')],
    ['T', ids.get('S')],
  ])
})
