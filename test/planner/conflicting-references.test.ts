import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { makes } from '../other-make/worlds.js'

/**
 * A list of references that was changed both in git and on the platform: the applied list is reported with the names of the
 * other two.
 */

const shop = (roles: readonly string[], methods: readonly string[], action: string) => [
  document('Domain', 'example.com'),
  ...['Partners', 'Staff'].map((name) => document('Role', name)),
  document('Service', 'S', {
    roles: [{ name: 'Partners', action }],
    endpoints: [
      {
        ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
        methods: [{ name: 'list' }, { name: 'place' }],
      },
    ],
  }),
  document('Package', 'P', {
    plans: [{ name: 'Gold', services: [{ name: 'S', endpoints: [{ name: 'e', methods }] }] }],
  }),
  document('Member', 'acme', {
    ...{ email: 'a@example.com', displayName: 'Acme', externalId: '1', passwdNew: 'welcome-0001' },
    roles,
  }),
]

test.each(makes)('on the make "%s"', async (_, make) => {
  const world = make()
  world.declare(...shop(['Partners'], ['list'], 'read'))
  const run = await world.apply()
  expect(run.exitCode, run.stdout + run.stderr).toBe(0)
  const rest = await restOf(world.make)
  const [[service], [pack], [member]] = [
    await rest.get('/services'),
    await rest.get('/packages'),
    await rest.get('/members'),
  ]
  const [plan] = await rest.get(`/packages/${String(pack?.id)}/plans`)
  const roles = await rest.get('/roles')
  const partners = roles.find(({ name }) => name === 'Partners')?.id ?? null
  await rest.put(`/services/${String(service?.id)}`, { roles: [{ id: partners, action: 'write' }] })
  await rest.put(`/members/${String(member?.id)}`, { roles: [] })
  await rest.put(`/packages/${String(pack?.id)}/plans/${String(plan?.id)}/services/${String(service?.id)}`, {
    endpoints: [],
  })
  world.declare(...shop(['Staff'], ['list', 'place'], 'admin'))
  const { changes } = await world.plan()
  expect(changes.flatMap(({ fields }) => fields.map(({ applied, after }) => [applied, after]))).toEqual([
    [[{ name: 'Partners', action: 'read' }], [{ name: 'Partners', action: 'admin' }]],
    [[{ name: 'e', methods: ['list'] }], [{ name: 'e', methods: ['list', 'place'] }]],
    [['Partners'], ['Staff']],
  ])
})
