import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { planOfSides } from '../planner/base-plan.js'
import { runs } from './within.js'

/**
 * Random (base, live, desired) worlds. The oracle does not use the planner: it is written from the definitions of design §4,
 * "Base and verdicts".
 */

/** A separately managed field, by its path in an endpoint or its service. */
interface FieldUnderTest {
  readonly owner: 'service' | 'endpoint'
  readonly path: readonly string[]
  readonly values: readonly Json[]
}

const fields: readonly FieldUnderTest[] = [
  { owner: 'service', path: ['description'], values: ['one', 'two', 'three', null] },
  { owner: 'service', path: ['qpsLimitOverall'], values: [1, 2, 3, null] },
  { owner: 'service', path: ['securityProfile', 'oauth', 'accessTokenTtl'], values: [1, 2, 3, null] },
  { owner: 'service', path: ['securityProfile', 'oauth', 'refreshTokenTtl'], values: [1, 2, 3, null] },
  { owner: 'endpoint', path: ['cors', 'maxAge'], values: [1, 2, 3, null] },
  { owner: 'endpoint', path: ['cors', 'domainsAllowed'], values: [['a'], ['b'], ['a', 'b'], null] },
  { owner: 'endpoint', path: ['processor', 'preInputs'], values: [{ a: '1' }, { b: '1' }, { a: '1', b: '1' }, null] },
  { owner: 'endpoint', path: ['supportedHttpMethods'], values: [['get'], ['put'], ['get', 'put'], null] },
]

/** undefined: not written, or never set. */
interface Three {
  readonly base: Json | undefined
  readonly live: Json | undefined
  readonly desired: Json | undefined
}

const three = (field: FieldUnderTest): fc.Arbitrary<Three> => {
  const value = fc.constantFrom(undefined, ...field.values)
  return fc.record({ base: value, live: value, desired: value })
}

const same = (left: Json | undefined, right: Json | undefined): boolean =>
  JSON.stringify(left ?? null) === JSON.stringify(right ?? null)

/** The definition of design §4 for one field. */
function oracle({
  base,
  live,
  desired,
}: Three): 'nothing' | 'pending' | 'drift' | 'conflict' | 'unset' | 'handed back' {
  if (desired === undefined) {
    if (base === undefined) return 'nothing'
    if (!same(base, live)) return 'handed back'
    return same(live, null) ? 'nothing' : 'unset'
  }
  if (same(desired, live)) return 'nothing'
  if (base === undefined || same(base, live)) return 'pending'
  return same(base, desired) ? 'drift' : 'conflict'
}

function put(target: Record<string, Json>, [name = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    target[name] = value
    return
  }
  const inner = { ...(target[name] as JsonObject | undefined) }
  put(inner, rest, value)
  target[name] = inner
}

function specs(draws: readonly Three[], side: keyof Three): { service: JsonObject; endpoint: JsonObject } {
  const made: Record<FieldUnderTest['owner'], Record<string, Json>> = { service: {}, endpoint: {} }
  fields.forEach((field, index) => {
    const value = draws[index]?.[side]
    if (value !== undefined) put(made[field.owner], field.path, value)
  })
  return made
}

const documents = ({ service, endpoint }: ReturnType<typeof specs>) => [
  document('Service', 'S', service),
  document('Endpoint', { service: 'S', name: 'e' }, endpoint),
]

const all = fc.tuple(...fields.map(three))

test('every field has the verdict of the definitions', () => {
  fc.assert(
    fc.property(all, fc.constantFrom('records', 'git'), (draws, kept) => {
      const live = specs(draws, 'live')
      const plan = planOfSides({
        base: documents(specs(draws, 'base')),
        desired: documents(specs(draws, 'desired')),
        live: {
          services: [{ id: 's', name: 'S', ...live.service, endpoints: [{ id: 'e', name: 'e', ...live.endpoint }] }],
        },
        ids: kept === 'git' ? {} : { 'Service/S': 's', 'Service/S/Endpoint/e': 'e' },
      })
      const found = new Map(
        plan.changes.flatMap((change) => change.fields.map((field) => [`${change.kind}${field.path}`, field])),
      )
      const released = plan.problems.filter(({ code }) => code === 'handed-back').map(({ message }) => message)
      fields.forEach((field, index) => {
        const draw = draws[index] ?? { base: undefined, live: undefined, desired: undefined }
        const path = `/${field.path.join('/')}`
        const change = found.get(`${field.owner === 'service' ? 'Service' : 'Endpoint'}${path}`)
        const isHandedBack = released.some((message) => message.includes(` ${path},`))
        const expected = oracle(draw)
        const told = isHandedBack ? 'handed back' : (change?.verdict ?? 'nothing')
        const unset = change && change.after === null && draw.desired === undefined ? 'unset' : told
        expect([path, draw, unset]).toEqual([path, draw, expected])
      })
      expect(plan.changes.every((change) => change.action === 'update')).toBe(true)
    }),
    runs(300),
  )
})

test('without a base every difference is only a difference, and nothing is unset or deleted', () => {
  fc.assert(
    fc.property(all, (draws) => {
      const live = specs(draws, 'live')
      const plan = planOfSides({
        base: undefined,
        desired: documents(specs(draws, 'desired')),
        live: {
          services: [
            { id: 's', name: 'S', ...live.service, endpoints: [{ id: 'e', name: 'e', ...live.endpoint }] },
            { id: 't', name: 'T' },
          ],
        },
      })
      const differing = fields.filter((_, index) => {
        const { live: now, desired } = draws[index] ?? {}
        return desired !== undefined && !same(now, desired)
      })
      expect(plan.changes.flatMap((change) => change.fields).map(({ verdict }) => verdict)).toEqual(
        differing.map(() => 'difference'),
      )
      expect(plan.changes.every((change) => change.action === 'update')).toBe(true)
    }),
    runs(150),
  )
})

test('with --take live no field is written that was changed on both sides, and with --take manifest all are', () => {
  fc.assert(
    fc.property(all, fc.constantFrom('live', 'manifest'), (draws, take) => {
      const live = specs(draws, 'live')
      const plan = planOfSides({
        base: documents(specs(draws, 'base')),
        desired: documents(specs(draws, 'desired')),
        live: {
          services: [{ id: 's', name: 'S', ...live.service, endpoints: [{ id: 'e', name: 'e', ...live.endpoint }] }],
        },
        settings: { take },
      })
      const written = plan.changes.flatMap((change) => change.fields.filter(({ verdict }) => verdict === 'conflict'))
      const conflicts = draws.filter((draw) => oracle(draw) === 'conflict')
      expect(written.length).toBe(take === 'live' ? 0 : conflicts.length)
      const left = plan.skipped.flatMap(({ paths }) => paths)
      expect(left.length).toBe(take === 'live' ? conflicts.length : 0)
    }),
    runs(150),
  )
})
