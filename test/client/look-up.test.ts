import { describe, expect, it, test } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { answering, client, json } from './support.js'

const pathAndQuery = (url: string): string => decodeURIComponent(url.replace(/^.*\/v3\/rest/, ''))

describe('looking an object up by its name', () => {
  it('compares for equality, because the filter returns every name that contains it', async () => {
    const wire = answering(() =>
      json([
        { id: '1', name: 'Orders API' },
        { id: '2', name: 'Orders' },
        { id: '3', name: 'Orders' },
      ]),
    )
    expect(await client(wire.transport).findByName(catalog.Service, {}, 'Orders')).toEqual([
      { id: '2', name: 'Orders' },
      { id: '3', name: 'Orders' },
    ])
    expect(pathAndQuery(wire.requests[0]?.url ?? '')).toBe(
      '/services?fields=id,name&filter=name:Orders&sort=created:asc&limit=100&offset=0',
    )
  })

  it.each([
    ['Endpoint', { serviceId: 's' }, '/services/s/endpoints?'],
    ['Application', { memberId: 'm' }, '/members/m/applications?'],
    ['Application', {}, '/applications?'],
    ['PackageKey', { memberId: 'm', applicationId: 'a' }, '/applications/a/packageKeys?'],
    ['PlanService', { packageId: 'p', planId: 'g' }, '/packages/p/plans/g/services?'],
  ] as const)('%s, with the ids %j, is searched for in %s', async (kind, ids, path) => {
    const wire = answering(() => json([]))
    await client(wire.transport).findByName(catalog[kind], ids, 'x')
    expect(pathAndQuery(wire.requests[0]?.url ?? '')).toContain(path)
  })

  it.each([
    ['Service', 'Orders, old'],
    ['PackageKey', 'secret-key'],
  ] as const)('%s "%s" is searched for without a filter', async (kind, name) => {
    const wire = answering(() => json([]))
    await client(wire.transport).findByName(catalog[kind], {}, name)
    expect(wire.requests[0]?.url).not.toContain('filter')
  })
})

it('is done without a filter if the platform refuses one', async () => {
  const wire = answering((request) =>
    request.url.includes('filter') ? json({ errorCode: 400 }, 400) : json([{ id: '1', name: 'x' }]),
  )
  expect(await client(wire.transport).findByName(catalog.Service, {}, 'x')).toEqual([{ id: '1', name: 'x' }])
})

test.each([404, 405, 501])('a collection that is answered %i is not taken for an empty one', async (status) => {
  const { findByName, list } = client(answering(() => json({}, status)).transport)
  const told = 'does not list the objects of kind Endpoint there'
  await expect(findByName(catalog.Endpoint, { serviceId: '1' }, 'x')).rejects.toThrow(told)
  await expect(list(catalog.Endpoint, { serviceId: '1' })).rejects.toThrow(told)
  await expect(findByName(catalog.Service, {}, 'x')).rejects.toThrow('kind Service')
})

describe('the ids of a collection', () => {
  it('are the present ones', async () => {
    const wire = answering(() => json([{ id: 'a' }, { id: 7 }]))
    expect(await client(wire.transport).listIds(catalog.Domain, {})).toEqual(['a', '7'])
  })

  it.each([404, 405, 501])('are not offered if the answer is %i', async (status) => {
    const wire = answering(() => json({}, status))
    expect(await client(wire.transport).listIds(catalog.Domain, {})).toBe('not-offered')
  })
})
