import { describe, expect, test } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import { childFields } from '../../src/catalog/queries.js'
import { listBody } from '../../src/planner/steps/body.js'
import { emptyingSteps, stepsOf } from '../../src/planner/steps/steps.js'
import { document } from '../kit/manifests.js'
import { storefront } from '../kit/storefront.js'
import { planOf, words } from './plans.js'

const endpoints = (...paths: readonly string[]) => ({
  services: [
    {
      id: 's',
      name: 'S',
      endpoints: paths.map((requestPathAlias, index) => ({
        id: `e${index}`,
        name: `e${index}`,
        requestPathAlias,
        publicDomains: [{ domain: 'api.example' }],
        supportedHttpMethods: ['get'],
        methods: [],
      })),
      errorSets: [],
    },
  ],
})
const desired = (...paths: readonly string[]) =>
  paths.map((requestPathAlias, index) =>
    document('Endpoint', { service: 'S', name: `e${index}` }, { requestPathAlias }),
  )

const stepNames = (from: readonly string[], to: readonly string[]) => {
  const plan = planOf(desired(...to), endpoints(...from))
  return stepsOf(plan.changes, { nesting: 'whole trees', prune: 'applied', conventionalOperations: 'use' }).map(
    (step) => step.id,
  )
}

describe('routes', () => {
  test('an endpoint that takes the path of another one waits for it', () => {
    const plan = planOf(desired('/b', '/c'), endpoints('/a', '/b'))
    expect(words(plan)).toEqual([
      'update Service/S/Endpoint/e1: /requestPathAlias',
      'update Service/S/Endpoint/e0: /requestPathAlias',
    ])
    expect(stepNames(['/a', '/b'], ['/b', '/c'])).toHaveLength(2)
  })

  test('two endpoints that swap paths need one step in between', () => {
    expect(stepNames(['/a', '/b'], ['/b', '/a'])).toHaveLength(3)
  })

  test('three endpoints in a circle need one step in between', () => {
    const names = stepNames(['/a', '/b', '/c'], ['/b', '/c', '/a'])
    expect(names).toHaveLength(4)
    expect(names.filter((name) => name.startsWith('temporary'))).toHaveLength(1)
  })
})

test('every change comes after the changes that it needs', () => {
  const { changes } = planOf(
    storefront
      .filter((each) => !['Member', 'Application', 'PackageKey', 'SystemDomainAuthentication'].includes(each.kind))
      .map(withoutSecrets),
  )
  const position = new Map(changes.map((change, index) => [change.address, index]))
  for (const change of changes) {
    for (const address of change.dependsOn) {
      expect(position.get(address), `${change.address} needs ${address}`).toBeLessThan(
        position.get(change.address) ?? -1,
      )
    }
  }
  expect(changes.every((change) => change.action === 'create')).toBe(true)
})

const withoutSecrets = (each: (typeof storefront)[number]) =>
  JSON.parse(JSON.stringify(each).replaceAll(/"\$\{env:\w+\}"/g, '"${env:SECRET}"')) as typeof each

test('the shorthand on an endpoint adds it to the event, whose list keeps the others', () => {
  const event = { id: 'w', name: 'W', startDateTime: '2027-01-01T00:00:00Z', endpoints: [{ id: 'e0', name: 'e0' }] }
  const shorthand = document('Endpoint', { service: 'S', name: 'e1' }, { scheduledMaintenanceEvent: 'W' })
  const plan = planOf([shorthand], { ...endpoints('/a', '/b'), scheduledMaintenanceEvents: [event] })
  expect(words(plan)).toEqual(['update ScheduledMaintenanceEvent/W: /endpoints'])
  expect(plan.changes[0]?.fields[0]).toMatchObject({ before: ['S/e0'], after: ['S/e0', 'S/e1'] })
  const both = {
    ...event,
    endpoints: [
      { id: 'e0', name: 'e0' },
      { id: 'e1', name: 'e1' },
    ],
  }
  expect(words(planOf([shorthand], { ...endpoints('/a', '/b'), scheduledMaintenanceEvents: [both] }))).toEqual([])
})

test('a falling limit of a plan is written after the limits of its keys, a rising one before', () => {
  const live = (plan: number, key: number) => ({
    packages: [{ id: 'p', name: 'P', plans: [{ id: 'g', name: 'G', qpsLimitCeiling: plan, services: [] }] }],
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
                apikey: 'k',
                qpsLimitCeiling: key,
                package: { id: 'p', name: 'P' },
                plan: { id: 'g', name: 'G' },
              },
            ],
          },
        ],
      },
    ],
  })
  const documents = (plan: number, key: number) => [
    document('Plan', { package: 'P', name: 'G' }, { qpsLimitCeiling: plan }),
    document('PackageKey', { member: 'm', application: 'a' }, { package: 'P', plan: 'G', qpsLimitCeiling: key }),
  ]
  const kinds = (from: number, to: number) =>
    planOf(documents(to, to), live(from, from)).changes.map((change) => change.kind)
  expect(kinds(5, 9)).toEqual(['Plan', 'PackageKey'])
  expect(kinds(9, 5)).toEqual(['PackageKey', 'Plan'])
})

test('messages of a set that lacks one are written together, because the full list must not undo an update beside it', () => {
  const live = {
    services: [
      {
        id: 's',
        name: 'S',
        errorSets: [
          { id: 'd', name: 'Default', errorMessages: [{ id: 'ERR_X', status: 'old', responseBody: 'kept' }] },
        ],
      },
    ],
  }
  const message = (name: string) =>
    document('ErrorMessage', { service: 'S', errorSet: 'Default', name }, { status: `new ${name}` })
  const steps = (...names: readonly string[]) =>
    stepsOf(planOf(names.map(message), live).changes, {
      nesting: 'whole trees',
      prune: 'applied',
      conventionalOperations: 'use',
    })
  expect(steps('ERR_X').map(({ work }) => work)).toEqual(['update'])
  const [step, ...more] = steps('ERR_X', 'ERR_NEW')
  expect(more).toEqual([])
  expect(step).toMatchObject({
    work: 'list',
    operation: { method: 'PUT', path: '/services/{serviceId}/errorSets/{errorSetId}' },
  })
  const wire = { idOf: () => '', domainMember: 'domain' } as const
  expect(listBody(step?.members ?? [], wire)).toEqual({
    errorMessages: [
      { id: 'ERR_X', status: 'new ERR_X', responseBody: 'kept' },
      { id: 'ERR_NEW', status: 'new ERR_NEW' },
    ],
  })
})

test('two services that share a role are deleted without waiting for each other, and before the role', () => {
  const roles = [{ id: 'r', name: 'Partners', action: 'read' }]
  const live = {
    roles: [{ id: 'r', name: 'Partners' }],
    services: ['one', 'two'].map((name) => ({ id: name, name, roles, errorSets: [], endpoints: [] })),
  }
  const plan = planOf([document('Domain', 'example.com')], live, { prune: 'all' })
  const deletes = plan.changes.filter((change) => change.action === 'delete')
  expect(deletes.map(({ address, dependsOn }) => [address, dependsOn])).toEqual([
    ['Service/one', []],
    ['Service/two', []],
    ['Role/Partners', ['Service/one', 'Service/two']],
  ])
})

test('contents that are deleted first are each looked at equally often, however many there are', () => {
  const methods = [{ id: 'm', name: 'm' }]
  const paths = Array.from({ length: 800 }, (_, index) => `/p${index}`)
  const live = endpoints(...paths)
  const services = live.services.map((each) => ({
    ...each,
    endpoints: each.endpoints.map((endpoint) => ({ ...endpoint, methods })),
    errorSets: [{ id: 'x', name: 'x' }],
  }))
  const { changes } = planOf([document('Domain', 'example.com', {})], { services }, { prune: 'all' })
  let looks = 0
  const deletes = changes.flatMap((change) => {
    if (change.action !== 'delete') return []
    const { address } = change
    const counting = {
      ...change,
      get address() {
        looks += 1
        return address
      },
    }
    return [counting]
  })
  const root = deletes.find(({ kind }) => kind === 'Service')
  if (!root) throw new Error('no delete of the service')
  const lists = childFields(catalog.Service).filter(({ field }) => field === 'endpoints')
  const inside = deletes.filter((each) => each !== root)
  const steps = emptyingSteps([root, ...inside], lists, { conventionalOperations: 'use' })
  const members = steps.map((step) => step.members.map(({ kind }) => kind).join(' '))
  expect(members).toEqual([...paths.map(() => 'Endpoint Method'), 'Service ErrorSet'])
  expect(looks / deletes.length).toBeLessThanOrEqual(10)
})
