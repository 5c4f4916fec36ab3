import { expect, test } from 'vitest'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { type World, world } from '../kit/world.js'

/** A route of a live endpoint that no manifest declares (A349). */

const service = (name: string, ...endpoints: readonly object[]) =>
  document('Service', name, {
    endpoints: endpoints.map((own) => ({
      ...{ trafficManagerDomain: 'example.com', publicDomains: ['example.com'], supportedHttpMethods: ['get'] },
      ...own,
    })),
  })
const domain = document('Domain', 'example.com')
const theirs = service('Theirs', { name: 'theirs', requestPathAlias: '/taken' })

const told = async (area: World, ...args: readonly string[]) =>
  (await area.plan(...args)).diagnostics.flatMap(({ code, message }) => (code === 'route-taken' ? [message] : []))

test.each(makesWith())('on the make "%s" plan reports the taken route', async (_, make) => {
  const other = world(make())
  other.declare(domain, theirs)
  expect((await other.apply()).exitCode).toBe(0)
  const own = world(other.make, other.io)
  const words = (name: string, verb = 'get') =>
    `Service/Own/Endpoint/${name} takes the calls that Service/Theirs/Endpoint/theirs takes, which is not declared here: ${verb} example.com /taken`
  own.declare(domain, service('Own', { name: 'new', requestPathAlias: '/taken' }))
  expect(await told(own)).toEqual([words('new')])

  // Another verb, path or domain is another route.
  own.declare(
    domain,
    service(
      'Own',
      { name: 'a', requestPathAlias: '/taken', supportedHttpMethods: ['post'] },
      { name: 'b', requestPathAlias: '/free' },
    ),
  )
  expect(await told(own)).toEqual([])
  expect((await own.apply()).exitCode).toBe(0)

  // So is an endpoint that moves there, but not one that is already there.
  own.declare(domain, service('Own', { name: 'b', requestPathAlias: '/taken' }))
  expect(await told(own)).toEqual([words('b')])

  // An endpoint that is deleted leaves its route, and a declared one is reported elsewhere.
  expect(await told(own, '--prune', 'all')).toEqual([])
  own.declare(domain, service('Own', { name: 'b', requestPathAlias: '/taken' }), theirs)
  expect(await told(own)).toEqual([])
})

test.each(makesWith())(
  'on the make "%s" the order of lists does not change which route is reported',
  async (_, make) => {
    const domains = ['a.example.com', 'b.example.com']
    const other = world(make())
    const publicDomains = (list: readonly string[]) => ({ requestPathAlias: '/taken', publicDomains: list })
    other.declare(domain, service('Theirs', { name: 'theirs', ...publicDomains(domains) }))
    expect((await other.apply()).exitCode).toBe(0)
    const own = world(other.make, other.io)
    const tells = async (list: readonly string[]) => {
      own.declare(domain, service('Own', { name: 'new', ...publicDomains(list) }))
      return await told(own)
    }
    expect(await tells([...domains].reverse())).toEqual(await tells(domains))
  },
)
