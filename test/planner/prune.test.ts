import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { refusals } from '../../src/policy/refusals.js'
import { document } from '../kit/manifests.js'
import { keyed, planOfSides, verdicts } from './base-plan.js'
import { complaints, words } from './plans.js'

/** What records may authorise, and what not (design §4, Deletes; Adoption and renames). */

const role = (name: string, metadata: object = {}) => document('Role', { name, ...metadata }, {})
const kept = role('kept')
const service = (spec = {}) => document('Service', 'S', spec)
const endpoint = (name: string) => document('Endpoint', { service: 'S', name }, {})
const liveRoles = (...names: readonly (readonly [string, string])[]) => ({
  roles: names.map(([id, name]) => ({ id, name })),
})

describe('an object that was applied and is not in the manifests any more', () => {
  const gone = { base: [kept, role('gone')], desired: [kept], ids: { 'Role/gone': 'r1', 'Role/kept': 'r2' } }

  test('is deleted', () => {
    expect(words(planOfSides({ ...gone, live: liveRoles(['r1', 'gone'], ['r2', 'kept']) }))).toEqual([
      'delete Role/gone',
    ])
  })

  test('stays if somebody deleted it and created another one with the same name', () => {
    const plan = planOfSides({ ...gone, live: liveRoles(['r9', 'gone'], ['r2', 'kept']) })
    expect(words(plan)).toEqual([])
    expect(plan.unmanaged).toMatchObject([{ address: 'Role/gone', id: 'r9' }])
  })

  test('stays if another object has the same name', () => {
    expect(words(planOfSides({ ...gone, live: liveRoles(['r1', 'gone'], ['r9', 'gone'], ['r2', 'kept']) }))).toEqual([])
  })

  test('stays with prune none, and without a base', () => {
    const live = liveRoles(['r1', 'gone'], ['r2', 'kept'])
    expect(words(planOfSides({ ...gone, live, settings: { prune: 'none' } }))).toEqual([])
    expect(words(planOfSides({ ...gone, live, base: undefined }))).toEqual([])
  })

  test('is deleted with prune all, also without a base (A472)', () => {
    const plan = planOfSides({
      ...gone,
      live: liveRoles(['r1', 'gone'], ['r2', 'kept']),
      base: undefined,
      settings: { prune: 'all' },
    })
    expect(words(plan)).toEqual(['delete Role/gone'])
  })

  test('stays if another project claims it, with prune applied and with prune all', () => {
    const live = liveRoles(['r1', 'gone'], ['r2', 'kept'])
    for (const prune of ['applied', 'all'] as const) {
      expect(words(planOfSides({ ...gone, live, claims: ['Role r1'], settings: { prune } }))).toEqual([])
    }
  })

  test('is renamed, not deleted, if a manifest has its name in formerly', () => {
    const desired = [kept, role('new', { formerly: ['gone'] })]
    expect(words(planOfSides({ ...gone, desired, live: liveRoles(['r1', 'gone'], ['r2', 'kept']) }))).toEqual([
      'update Role/new: /name',
    ])
    // Somebody has created an object with the new name meanwhile: the plan must not decide which of the two is meant.
    const plan = planOfSides({ ...gone, desired, live: liveRoles(['r1', 'gone'], ['r5', 'new'], ['r2', 'kept']) })
    expect(words(plan)).toEqual([])
    expect(plan.problems.map(({ code }) => code)).toEqual(['former-name-is-live'])
  })

  test('is not deleted if it was protected', () => {
    const plan = planOfSides({ ...gone, live: liveRoles(['r1', 'gone'], ['r2', 'kept']) })
    const [change] = plan.changes
    if (change?.action !== 'delete') throw new Error('a delete was expected')
    const allowance = {
      replace: true,
      skipBlocked: true,
      take: undefined,
      hazards: [],
      limits: { deletes: 100, changedPercent: 100 },
    }
    const refused = refusals({ ...plan, changes: [{ ...change, protected: true }] }, allowance, 10)
    expect(refused.map(({ code }) => code)).toEqual(['protected'])
  })
})

test('the platform’s own member and its applications are never pruned or listed', () => {
  const member = (id: string, username: string) => ({
    id,
    username,
    applications: [{ id: `${id}-a`, name: 'app', username }],
  })
  const plan = planOfSides({
    base: undefined,
    live: { members: [member('m1', 'MasheryInternalOAuth2'), member('m2', 'somebody')] },
    desired: [kept],
    settings: { prune: 'all' },
  })
  expect(words(plan)).toEqual(['create Role/kept', 'delete Member/somebody', 'delete Member/somebody/Application/app'])
  expect(plan.unmanaged).toEqual([])
})

test('the platform’s own member is not deleted even if the records say that it was declared once', () => {
  const plan = planOfSides({
    base: [kept, document('Member', 'MasheryInternalOAuth2', {}), document('Member', 'somebody', {})],
    ids: { 'Role/kept': 'r2', 'Member/MasheryInternalOAuth2': 'm1', 'Member/somebody': 'm2' },
    live: {
      ...liveRoles(['r2', 'kept']),
      members: [
        { id: 'm1', username: 'MasheryInternalOAuth2' },
        { id: 'm2', username: 'somebody' },
      ],
    },
    desired: [kept],
  })
  expect(words(plan)).toEqual(['delete Member/somebody'])
})

describe('the children of a deleted object', () => {
  const base = [kept, service(), endpoint('a')]
  const ids = { 'Service/S': 's', 'Service/S/Endpoint/a': 'e1', 'Role/kept': 'r2' }
  const live = (...endpoints: readonly JsonObject[]) => ({
    ...liveRoles(['r2', 'kept']),
    services: [{ id: 's', name: 'S', endpoints, errorSets: [{ id: 'd', name: 'Default' }] }],
  })

  test('are deleted with it if the records have them or the platform adds them by itself', () => {
    expect(words(planOfSides({ base, ids, desired: [kept], live: live({ id: 'e1', name: 'a' }) }))).toEqual([
      'delete Service/S',
      'delete Service/S/Endpoint/a',
      'delete Service/S/ErrorSet/Default',
    ])
  })

  test('keep it if somebody created one of them by hand, and the plan says why', () => {
    const plan = planOfSides({
      base,
      ids,
      desired: [kept],
      live: live({ id: 'e1', name: 'a' }, { id: 'e2', name: 'by hand' }),
    })
    expect(words(plan)).toEqual(['delete Service/S/Endpoint/a'])
    expect(plan.problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'holds-unrecorded: Service/S stays: it holds Service/S/Endpoint/by hand, which no recorded run has made or taken over',
    ])
  })

  test('are deleted if a Removed document or prune all deletes it, and the plan does not say that it stays', () => {
    const held = live({ id: 'e1', name: 'a', methods: [{ id: 'm', name: 'by hand' }] })
    const removed = document('Removed', { address: 'Service/S' })
    for (const plan of [
      planOfSides({ base, ids, live: held, desired: [kept, removed] }),
      planOfSides({ base, ids, live: held, desired: [kept], settings: { prune: 'all' } }),
    ]) {
      expect(words(plan)).toContain('delete Service/S/Endpoint/a/Method/by hand')
      expect(plan.problems).toEqual([])
    }
  })

  test('are not deleted if another project claims one of them, even with prune all', () => {
    const plan = planOfSides({
      base: undefined,
      desired: [kept],
      live: live({ id: 'e1', name: 'a' }),
      claims: ['Endpoint e1'],
      settings: { prune: 'all' },
    })
    expect(words(plan)).not.toContain('delete Service/S')
    expect(words(plan)).not.toContain('delete Service/S/Endpoint/a')
  })
})

describe('a child without an id of its own', () => {
  const cache = document('Cache', { service: 'S', endpoint: 'a' }, { clientSurrogateControlEnabled: true })
  const base = [service(), endpoint('a'), cache]
  const live = (id: string) => ({
    services: [
      {
        id: 's',
        name: 'S',
        endpoints: [{ id, name: 'a', cache: { clientSurrogateControlEnabled: true } }],
        errorSets: [{ id: 'd', name: 'Default' }],
      },
    ],
  })
  const sides = {
    base,
    desired: [service(), endpoint('a')],
    ids: { 'Service/S': 's', 'Service/S/Endpoint/a': 'e1', 'Service/S/Endpoint/a/Cache': '' },
  }

  test('goes if its parent is the one that was applied', () => {
    expect(words(planOfSides({ ...sides, live: live('e1') }))).toEqual(['delete Service/S/Endpoint/a/Cache'])
    expect(words(planOfSides({ ...sides, live: live('e9') }))).toEqual([])
  })
})

describe('fields', () => {
  const live = { services: [{ id: 's', name: 'S', description: 'x', qpsLimitOverall: 5 }] }
  const base = [service({ description: 'x', qpsLimitOverall: 5 })]

  test('that are no longer written are unset only on the same object that was applied', () => {
    const sides = { base, desired: [service({ qpsLimitOverall: 5 })], live }
    expect(verdicts(planOfSides({ ...sides, ids: { 'Service/S': 's' } }))).toEqual(['pending /description'])
    const another = planOfSides({ ...sides, ids: { 'Service/S': 'elsewhere' } })
    expect(verdicts(another)).toEqual([])
    expect(another.problems.map(({ code }) => code)).toEqual(['handed-back'])
  })

  test('of an object field that is removed as a whole are compared as a whole', () => {
    const cors = (value: JsonObject | null) => document('Endpoint', { service: 'S', name: 'e' }, { cors: value })
    const at = (maxAge: number) => ({
      services: [{ id: 's', name: 'S', endpoints: [{ id: 'e', name: 'e', cors: { maxAge } }] }],
    })
    expect(verdicts(planOfSides({ base: [cors({ maxAge: 1 })], desired: [cors(null)], live: at(1) }))).toEqual([
      'pending /cors',
    ])
    expect(verdicts(planOfSides({ base: [cors({ maxAge: 1 })], desired: [cors(null)], live: at(2) }))).toEqual([
      'conflict /cors',
    ])
    expect(verdicts(planOfSides({ base: [cors(null)], desired: [cors({ maxAge: 3 })], live: at(2) }))).toEqual([
      'conflict /cors/maxAge',
    ])
  })
})

describe('secrets', () => {
  const sda = document(
    'SystemDomainAuthentication',
    { service: 'S', endpoint: 'e' },
    {
      type: 'httpBasic',
      username: 'u',
      password: '${env:PASSWORD}',
    },
  )
  const live = (password?: string | null) => ({
    services: [
      {
        id: 's',
        name: 'S',
        endpoints: [
          {
            id: 'e',
            name: 'e',
            systemDomainAuthentication: {
              type: 'httpBasic',
              username: 'u',
              ...(password === undefined ? {} : { password }),
            },
          },
        ],
      },
    ],
  })
  const told = (then: string, now: string | null | undefined, desired: string, fingerprint = keyed) => {
    const documents = [service(), endpoint('e'), sda]
    const known = planOfSides({ base: undefined, desired: documents, live: live('x'), env: { PASSWORD: desired } })
    expect(known.problems.filter(({ severity }) => severity === 'error')).toEqual([])
    const base = [
      service(),
      endpoint('e'),
      document(
        'SystemDomainAuthentication',
        { service: 'S', endpoint: 'e' },
        { type: 'httpBasic', username: 'u', password: then },
      ),
    ]
    const plan = planOfSides({ base, desired: documents, live: live(now), env: { PASSWORD: desired }, fingerprint })
    return [...verdicts(plan), ...plan.problems.filter(({ code }) => code === 'cannot-verify').map(({ code }) => code)]
  }

  test.each([
    ['one', 'one', 'one', []],
    ['one', 'one', 'two', ['pending /password']],
    ['one', 'two', 'one', ['drift /password']],
    ['one', 'two', 'three', ['conflict /password']],
    ['one', null, 'one', ['drift /password']],
    ['one', undefined, 'one', []],
    ['one', undefined, 'two', ['pending /password']],
  ] as const)('applied as %s, live %s, desired %s', (then, now, desired, expected) => {
    expect(told(then, now, desired)).toEqual(expected)
  })

  test.each([
    ['one', 'one', 'one', []],
    ['one', 'one', 'two', ['unverifiable /password']],
    ['one', undefined, 'two', ['cannot-verify']],
  ] as const)('without a key: applied as %s, live %s, desired %s', (then, now, desired, expected) => {
    expect(told(then, now, desired, () => undefined)).toEqual(expected)
  })
})

describe('the last child of a kind of which its parent must have one', () => {
  const set = (...names: readonly string[]) =>
    document('Service', 'S', { errorSets: names.map((name) => ({ name, type: 'text/json' })) })
  const area = (...names: readonly string[]) => ({
    services: [{ id: 's', name: 'S', endpoints: [], errorSets: names.map((name) => ({ id: `set-${name}`, name })) }],
  })
  const ids = { 'Service/S': 's', 'Service/S/ErrorSet/A': 'set-A', 'Service/S/ErrorSet/B': 'set-B' }

  test('is released if no manifest writes any of them any more, and the others are deleted', () => {
    const plan = planOfSides({ base: [set('A', 'B')], live: area('A', 'B'), desired: [document('Service', 'S')], ids })
    expect(words(plan)).toEqual(['delete Service/S/ErrorSet/B'])
    expect(complaints(plan)).toEqual([expect.stringMatching(/^last-one-stays: Service\/S\/ErrorSet\/A /)])
    const next = planOfSides({ base: [set('A')], live: area('A'), desired: [document('Service', 'S')], ids })
    expect(words(next)).toEqual([])
  })

  test.each([
    ['A', 'applied', 'with records', ['last-one-stays']],
    ['B', 'applied', 'with records', ['last-one-stays']],
    ['A', 'all', 'with records', ['last-one-stays']],
    ['A', 'all', 'without records', []],
  ] as const)(
    'stays if a Removed document names %s, which is deleted (prune: %s, %s)',
    (name, prune, records, codes) => {
      const plan = planOfSides({
        base: records === 'with records' ? [set('A', 'B')] : undefined,
        live: area('A', 'B'),
        desired: [document('Service', 'S'), document('Removed', { address: `Service/S/ErrorSet/${name}` })],
        ids,
        settings: { prune },
      })
      expect(words(plan)).toEqual([`delete Service/S/ErrorSet/${name}`])
      expect(plan.problems.map(({ code }) => code)).toEqual(codes)
    },
  )

  test('also stays if its parent is not deleted because somebody has added something to it', () => {
    const base = [kept, service(), document('ErrorSet', { service: 'S', name: 'A' }, {}), endpoint('e')]
    const live = {
      roles: [{ id: 'r2', name: 'kept' }],
      services: [
        {
          ...{ id: 's1', name: 'S', errorSets: [{ id: 'es1', name: 'A', errorMessages: [] }] },
          endpoints: [{ id: 'e1', name: 'e', methods: [{ id: 'm9', name: 'by hand' }] }],
        },
      ],
    }
    const ids = { 'Role/kept': 'r2', 'Service/S': 's1', 'Service/S/ErrorSet/A': 'es1', 'Service/S/Endpoint/e': 'e1' }
    const plan = planOfSides({ base, desired: [kept], live, ids })
    expect(words(plan)).toEqual([])
    expect(plan.problems.map(({ code }) => code).sort()).toEqual([
      ...['holds-unrecorded', 'holds-unrecorded', 'last-one-stays'],
    ])
  })

  test('is deleted if another one exists, or with its parent', () => {
    const other = planOfSides({ base: [set('A')], live: area('A', 'theirs'), desired: [document('Service', 'S')], ids })
    expect(words(other)).toEqual(['delete Service/S/ErrorSet/A'])
    const all = planOfSides({ base: [set('A')], live: area('A'), desired: [document('Role', 'R')], ids })
    expect(words(all)).toContain('delete Service/S')
    expect(complaints(all)).toEqual([])
  })
})
