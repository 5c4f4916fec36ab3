import { describe, expect, test } from 'vitest'
import type { Plan } from '../../src/planner/plan.js'
import { refusals } from '../../src/policy/refusals.js'
import { makesWith } from '../kit/makes.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { world } from '../kit/world.js'
import { complaints, planOf, words } from './plans.js'

const allowance = {
  replace: false,
  skipBlocked: false,
  take: undefined,
  hazards: [],
  limits: { deletes: 20, changedPercent: 50 },
}
const codes = (plan: Plan, more: Partial<typeof allowance> = {}) =>
  refusals(plan, { ...allowance, ...more }, 100).map((each) => each.code)

const live = {
  services: [
    {
      id: 's',
      name: 'S',
      endpoints: [
        { id: 'e1', name: 'kept', methods: [] },
        { id: 'e2', name: 'extra', methods: [{ id: 'm', name: 'm' }] },
      ],
      errorSets: [{ id: 'd', name: 'Default', errorMessages: [{ id: 'ERR_X' }] }],
    },
    { id: 't', name: 'T', endpoints: [], errorSets: [] },
  ],
  roles: [
    { id: 'r1', name: 'Everyone', isPredefined: true },
    { id: 'r2', name: 'Partners', isPredefined: false },
  ],
}
const wholeList = document('Service', 'S', { endpoints: [{ name: 'kept' }] })

describe('an object that a written list lacks', () => {
  test.each(['none', 'applied'] as const)(
    'stays with prune %s, and is reported as unmanaged and as missing in the list',
    (prune) => {
      const plan = planOf([wholeList], live, { prune })
      expect(words(plan)).toEqual([])
      expect(plan.unmanaged).toMatchObject([
        { address: 'Service/S/Endpoint/extra', inList: true },
        { address: 'Service/T', inList: false },
      ])
    },
  )

  test('is deleted by prune all, with everything in it', () => {
    const plan = planOf([wholeList], live, { prune: 'all', scope: { kinds: ['Endpoint'], names: [] } })
    expect(words(plan)).toEqual(['delete Service/S/Endpoint/extra', 'delete Service/S/Endpoint/extra/Method/m'])
  })
})

describe('prune all', () => {
  test('stays inside the scope', () => {
    const scoped = planOf([wholeList], live, { prune: 'all', scope: { kinds: ['Service'], names: ['T*'] } })
    expect(words(scoped)).toEqual(['delete Service/T'])
  })

  test('does not delete the platform’s own objects or the fixed messages', () => {
    const plan = planOf(
      [document('Service', 'S', {}), document('ErrorSet', { service: 'S', name: 'Default' }, {})],
      live,
      {
        prune: 'all',
      },
    )
    expect(words(plan)).not.toContain('delete Role/Everyone')
    expect(words(plan)).toContain('delete Role/Partners')
    expect(words(plan).filter((each) => each.includes('ErrorMessage'))).toEqual([])
  })
})

describe('kind: Removed', () => {
  const removed = (address: string): DocumentText => document('Removed', { address })

  test('deletes the object and everything in it, whatever prune is', () => {
    expect(words(planOf([removed('Service/S/Endpoint/extra')], live, { prune: 'none' }))).toEqual([
      'delete Service/S/Endpoint/extra',
      'delete Service/S/Endpoint/extra/Method/m',
    ])
  })

  test('changes nothing if the object does not exist any more', () => {
    const plan = planOf([removed('Service/Gone')], live)
    expect(words(plan)).toEqual([])
    expect(plan.problems.every((each) => each.severity !== 'error')).toBe(true)
  })

  test('takes no pattern, and does not report that objects matching one are gone', () => {
    const plan = planOf([removed('Service/*')], live)
    expect(words(plan)).toEqual([])
    expect(plan.problems.filter(({ code }) => code === 'nothing-to-remove')).toMatchObject([
      { severity: 'warning', message: 'no live object has the address Service/*: an address is not a pattern' },
    ])
  })

  test('the id in the address distinguishes two objects with one name, even if only one of them remains', () => {
    const roles = ['r1', 'r2'].map((id) => ({ id, name: 'x' }))
    const unclear = planOf([removed('Role/x')], { roles })
    expect(words(unclear)).toEqual([])
    expect(unclear.problems.map(({ code }) => code)).toEqual(['ambiguous-name'])
    expect(words(planOf([removed('Role/x~r2')], { roles }))).toEqual(['delete Role/x~r2'])
    expect(words(planOf([removed('Role/x~r2')], { roles: roles.slice(1) }))).toEqual(['delete Role/x'])
    expect(words(planOf([removed('Role/x~r2')], { roles: roles.slice(0, 1) }))).toEqual([])
  })

  test('is an error if a manifest declares the object', () => {
    const plan = () => planOf([removed('Service/S'), wholeList], live)
    expect(plan).toThrow(/removed/i)
  })
})

describe('protect and limits', () => {
  const keys = {
    packages: ['A', 'B'].map((name) => ({ id: name, name, plans: [{ id: `${name}1`, name: 'G', services: [] }] })),
    members: [
      {
        id: 'm',
        username: 'm',
        applications: [
          {
            id: 'a',
            name: 'a',
            packageKeys: [
              {
                id: 'k',
                apikey: 'key-value-0001',
                secret: 'live-secret',
                package: { id: 'A', name: 'A' },
                plan: { id: 'A1', name: 'G' },
              },
            ],
          },
        ],
      },
    ],
  }
  const moved = (metadata = {}) =>
    document(
      'PackageKey',
      { member: 'm', application: 'a', ...metadata },
      { apikey: 'key-value-0001', package: 'B', plan: 'G' },
    )

  test('a key moves to another package by a replace that keeps its value and secret', () => {
    const plan = planOf([moved()], keys, { allowReplace: true })
    const [change] = plan.changes
    expect(change).toMatchObject({ action: 'replace', reason: 'package cannot be changed' })
    expect(change?.action === 'replace' && change.values).toMatchObject({
      apikey: { value: 'key-value-0001' },
      secret: { value: 'live-secret' },
      plan: { entry: { target: { is: 'live', id: 'B1' } } },
    })
    expect(codes(plan)).toContain('replace-not-allowed')
  })

  test('an object that is not in the records is not replaced, unless that is allowed', () => {
    expect(words(planOf([moved()], keys))).toEqual([expect.stringMatching(/^blocked replace .*PackageKey\/B #0001/)])
  })

  test('a key whose answer lacks its package is not replaced, because it may be in that package', () => {
    const untold: typeof keys = JSON.parse(
      JSON.stringify(keys, (name, value) => (name === 'package' ? undefined : value)),
    )
    const { changes } = planOf([moved()], untold, { allowReplace: true })
    expect(changes.map(({ action }) => action)).toEqual(['update'])
  })

  test('a protected object is not replaced even if replacing is allowed', () => {
    const plan = planOf([moved({ protect: true })], keys, { allowReplace: true })
    expect(codes(plan, { replace: true })).toContain('protected')
  })

  test('more deletes than the limit are refused', () => {
    const many = {
      services: Array.from({ length: 21 }, (_, index) => ({
        id: `x${index}`,
        name: `X${index}`,
        endpoints: [],
        errorSets: [],
      })),
    }
    const plan = planOf([document('Service', 'X0', {})], many, { prune: 'all' })
    expect(codes(plan)).toEqual([])
    expect(codes(plan, { limits: { deletes: 19, changedPercent: 50 } })).toEqual(['limit-deletes'])
  })
})

describe('blocked', () => {
  test('an email template can only be read', () => {
    const template = document(
      'EmailTemplate',
      { emailTemplateSet: '7', name: 'welcome' },
      { from: 'a@b', subject: 'new' },
    )
    const plan = planOf([template], {
      emailTemplateSets: [{ id: '7', emailTemplates: [{ id: 't', type: 'welcome', from: 'a@b', subject: 'old' }] }],
    })
    expect(words(plan)).toEqual(['blocked update EmailTemplateSet/7/EmailTemplate/welcome'])
    expect(codes(plan)).toEqual(['blocked'])
    expect(codes(plan, { skipBlocked: true })).toEqual([])
  })

  test('an error message cannot be deleted', () => {
    const plan = planOf([document('Removed', { address: 'Service/S/ErrorSet/Default/ErrorMessage/ERR_X' })], live)
    expect(words(plan)).toEqual(['blocked delete Service/S/ErrorSet/Default/ErrorMessage/ERR_X'])
  })

  test('the last error set is not deleted before another one exists', () => {
    expect(words(planOf([document('Removed', { address: 'Service/S/ErrorSet/Default' })], live))).toEqual([
      'blocked delete Service/S/ErrorSet/Default',
    ])
    const plan = planOf([document('Service', 'S', { errorSets: [{ name: 'own' }] })], live, {
      prune: 'all',
      scope: { kinds: ['ErrorSet'], names: [] },
    })
    expect(words(plan)).toEqual(['create Service/S/ErrorSet/own', 'delete Service/S/ErrorSet/Default'])
    expect(plan.changes[1]?.dependsOn).toEqual(['Service/S/ErrorSet/own'])
  })

  test('conventionalOperations: refuse blocks operations whose shape the document does not give, and changes that need them', () => {
    const endpoint = document(
      'Endpoint',
      { service: 'T', name: 'e' },
      {
        requestPathAlias: '/e',
        trafficManagerDomain: 't',
        methods: [{ name: 'm' }],
      },
    )
    const refused = planOf([endpoint], live, { conventionalOperations: 'refuse' })
    expect(words(refused)).toEqual([
      'blocked create Service/T/Endpoint/e',
      'blocked create Service/T/Endpoint/e/Method/m',
    ])
    expect(
      words(
        planOf(
          [document('Service', 'U', { endpoints: [{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 't' }] })],
          live,
          { conventionalOperations: 'refuse' },
        ),
      ),
    ).toEqual(['create Service/U', 'create Service/U/Endpoint/e'])
  })

  test('a service that a plan still uses is not deleted', () => {
    const used = {
      ...live,
      packages: [{ id: 'p', name: 'P', plans: [{ id: 'g', name: 'G', services: [{ id: 't', name: 'T' }] }] }],
    }
    const plan = planOf([document('Removed', { address: 'Service/T' })], used)
    expect(words(plan)).toEqual(['blocked delete Service/T'])
    expect(plan.changes[0]?.reason).toContain('Package/P/Plan/G')
    const both = [
      document('Removed', { address: 'Service/T' }),
      document('Removed', { address: 'Package/P/Plan/G/PlanService/T' }),
    ]
    expect(words(planOf(both, used))).toEqual(['delete Package/P/Plan/G/PlanService/T', 'delete Service/T'])
  })

  test('an error set is not deleted if a remaining endpoint answers with it', () => {
    const endpoint = { id: 'e1', name: 'kept', methods: [], errorSet: { id: 'x', name: 'json' } }
    const errorSets = ['json', 'other'].map((name) => ({ id: name === 'json' ? 'x' : 'y', name, errorMessages: [] }))
    const used = { services: [{ id: 's', name: 'S', endpoints: [endpoint], errorSets }] }
    const removed = document('Removed', { address: 'Service/S/ErrorSet/json' })
    const plan = planOf([removed], used)
    expect(words(plan)).toEqual(['blocked delete Service/S/ErrorSet/json'])
    expect(plan.changes[0]?.reason).toBe('Service/S/Endpoint/kept still uses it')
    const withIt = [removed, document('Removed', { address: 'Service/S/Endpoint/kept' })]
    expect(words(planOf(withIt, used))).toEqual(['delete Service/S/Endpoint/kept', 'delete Service/S/ErrorSet/json'])
    const changed = document('Endpoint', { service: 'S', name: 'kept' }, { jsonpCallbackParameter: 'callback' })
    expect(words(planOf([removed, changed], used))).toEqual([
      'update Service/S/Endpoint/kept: /jsonpCallbackParameter',
      'blocked delete Service/S/ErrorSet/json',
    ])
    for (const errorSet of ['other', null]) {
      const letsGo = document('Endpoint', { service: 'S', name: 'kept' }, { errorSet })
      expect(words(planOf([removed, letsGo], used))).toEqual([
        'update Service/S/Endpoint/kept: /errorSet',
        'delete Service/S/ErrorSet/json',
      ])
    }
  })
})

test('a good plan has no complaints', () => {
  expect(complaints(planOf([wholeList], live))).toEqual([])
})

describe('an object that somebody has edited since it was applied', () => {
  const applied = document('Service', 'S', { description: 'ours', version: '1', roles: [{ name: 'Partners' }] })
  const role = document('Role', 'Partners')

  test.each(makesWith())('is deleted with its service, and the plan reports it (%s)', async (_, make) => {
    const platform = make()
    const area = world(platform)
    area.declare(applied, role)
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(role)
    const reasons = async () =>
      (await area.plan()).changes.flatMap((each) => (each.address === 'Service/S' ? [each.reason] : []))
    expect(await reasons()).toEqual(['removed from the manifests'])
    const rest = await restOf(platform)
    const [service] = await rest.get('/services')
    await rest.put(`/services/${service?.id}`, { description: 'in use after all', qpsLimitOverall: 5 })
    expect(await reasons()).toEqual([
      expect.stringMatching(
        /^removed from the manifests; edited on the platform since it was applied.*: \/description$/,
      ),
    ])
    expect((await area.apply()).exitCode).toBe(0)
  })
})
