import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import type { Change } from '../../src/planner/plan.js'
import { routed } from '../../src/planner/routes.js'
import { document } from '../kit/manifests.js'
import { planOf } from './plans.js'

/** Which endpoints wait for each other's routes, and the cost of finding it out. */

const endpoint = { requestPathAlias: '/p', trafficManagerDomain: 'example.com', supportedHttpMethods: ['get'] }

const live = (names: readonly string[]): { readonly domains: JsonObject[]; readonly services: JsonObject[] } => ({
  domains: [{ id: 'd', domain: 'example.com' }],
  services: [
    {
      id: 's',
      name: 'Old',
      endpoints: names.map((name) => ({ id: name, name, ...endpoint, publicDomains: [{ address: 'example.com' }] })),
    },
  ],
})

const declared = (service: string, names: readonly string[]) => [
  document('Domain', 'example.com'),
  document('Service', service, {
    endpoints: names.map((name) => ({ name, ...endpoint, publicDomains: ['example.com'] })),
  }),
]

const all = { prune: 'all', scope: { kinds: ['Service'], names: [] } } as const

const needs = (changes: readonly Change[]) =>
  Object.fromEntries(changes.map(({ action, address, dependsOn }) => [`${action} ${address}`, dependsOn]))

describe('endpoints that take the routes of others', () => {
  test('wait for each of these that is deleted by itself', () => {
    const { changes } = planOf(declared('Old', ['c', 'd']), live(['a', 'b']), all)
    expect(needs(changes)).toEqual({
      'delete Service/Old/Endpoint/a': [],
      'delete Service/Old/Endpoint/b': [],
      'create Service/Old/Endpoint/c': ['Service/Old/Endpoint/a', 'Service/Old/Endpoint/b'],
      'create Service/Old/Endpoint/d': ['Service/Old/Endpoint/a', 'Service/Old/Endpoint/b'],
    })
  })

  test('wait for the service with which all of these are deleted', () => {
    const { changes } = planOf(declared('New', ['c', 'd']), live(['a', 'b']), all)
    expect(needs(changes)['create Service/New/Endpoint/c']).toEqual(['Service/New', 'Service/Old'])
    expect(needs(changes)['create Service/New/Endpoint/d']).toEqual(['Service/New', 'Service/Old'])
  })

  test.each([500, 5_000])('look at each holder of a route equally often, with %i holders or with few', (count) => {
    const { changes } = planOf(declared('New', ['c']), live(['a']), all)
    const made = changes.find(({ action, kind }) => action === 'create' && kind === 'Endpoint')
    const goes = changes.find(({ action, kind }) => action === 'delete' && kind === 'Endpoint')
    if (made?.action !== 'create' || goes?.action !== 'delete') throw new Error('no such changes')
    const create: Change = { ...made, dependsOn: ['Service/New'] }
    let looks = 0
    const many = Array.from({ length: count }, (_, index): readonly Change[] => [
      { ...create, address: `Service/New/Endpoint/c${index}` },
      {
        ...goes,
        address: `Service/Old/Endpoint/a${index}`,
        get within() {
          looks += 1
          return 'Service/Old'
        },
      },
    ]).flat()
    const found = routed(many, (text) => text).filter(({ action }) => action === 'create')
    expect(found.map(({ dependsOn }) => dependsOn)).toEqual(
      Array.from({ length: count }, () => [...create.dependsOn, 'Service/Old']),
    )
    // Once to find the needed routes, and once when the change is copied.
    expect(looks / count).toBeLessThanOrEqual(2)
  })
})
