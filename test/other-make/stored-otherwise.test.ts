import { describe, expect, test } from 'vitest'
import { isObject, type Json } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { type World, world } from '../kit/world.js'
import { createOtherMake } from './area.js'
import type { StoreOptions } from './store.js'

/** Platforms that change values when they store them. */

const endpoint = {
  name: 'orders',
  requestPathAlias: '/orders/v1/',
  trafficManagerDomain: 'Api.Example.com',
  publicDomains: ['Api.Example.com', 'b.example.com'],
  supportedHttpMethods: ['get', 'post'],
}

const declared = (service: object, metadata: object = {}): readonly DocumentText[] => [
  document('Domain', 'Example.com'),
  document('Service', { name: 'S', ...metadata }, { description: 'about', ...service, endpoints: [endpoint] }),
  document('ScheduledMaintenanceEvent', 'Night', {
    startDateTime: '2027-01-01T00:00:30.000+0000',
    endDateTime: '2027-01-01T02:00:00.000+0000',
    endpoints: [{ service: 'S', name: 'orders' }],
  }),
]

const inTexts =
  (names: readonly string[], change: (text: string) => string): StoreOptions['stored'] =>
  (value, name) => {
    const changed = (each: Json): Json => {
      if (typeof each === 'string') return change(each)
      if (Array.isArray(each)) return (each as readonly Json[]).map(changed)
      if (!isObject(each)) return each
      return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, changed(inner)]))
    }
    return names.includes(name) ? changed(value) : value
  }

async function exported(area: World): Promise<World> {
  const other = world(area.make)
  const run = await other.run(['export', '--dir', 'manifests'])
  expect(run.exitCode, run.stderr).toBe(0)
  return other
}

const equal: readonly (readonly [string, Partial<StoreOptions>])[] = [
  [
    'host names in small letters',
    {
      stored: inTexts(['domain', 'publicDomains', 'systemDomains', 'trafficManagerDomain'], (text) =>
        text.toLowerCase(),
      ),
    },
  ],
  ['words in capitals', { stored: inTexts(['supportedHttpMethods'], (text) => text.toUpperCase()) }],
  ['datetimes with a blank', { datetimes: '2027-01-01 02:00:00 +02' }],
  ['datetimes in small letters', { datetimes: '2027-01-01t00:00:00z' }],
  ['datetimes without an offset', { datetimes: '2027-01-01T00:00:00' }],
]

test.each(equal)('%s are equal to the sent values', async (_, options) => {
  const area = world(createOtherMake(options))
  area.declare(...declared({}))
  expect((await area.apply()).exitCode).toBe(0)
  expect((await area.plan()).changes).toEqual([])
  expect((await area.drift()).json().changes).toEqual([])
  expect((await (await exported(area)).plan()).changes).toEqual([])
  area.declare(...declared({ description: 'more' }))
  const edited = await area.apply()
  expect(edited.json().changes).toMatchObject([{ address: 'Service/S', outcome: 'applied' }])
  expect((await area.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
  area.declare(...declared({}))
  expect((await area.plan()).changes).toEqual([])
  expect((await area.drift()).json().changes).toEqual([])
})

/** The sent value, the stored value, and whether the stored value stays the same when it is sent again. */
const otherwise: readonly (readonly [string, (text: string) => string, string, 'stays' | 'changes again'])[] = [
  ['line ends become LF', (text) => text.replaceAll('\r\n', '\n'), 'one\r\ntwo', 'stays'],
  ['line ends become CRLF', (text) => text.replaceAll(/\r?\n/g, '\r\n'), 'one\ntwo', 'stays'],
  ['blanks at the end go', (text) => text.trimEnd(), 'one \n', 'stays'],
  ['Unicode is composed', (text) => text.normalize('NFC'), 'e\u0301', 'stays'],
  ['texts are cut off', (text) => text.slice(0, 3), 'long text', 'stays'],
  ['texts are escaped as in HTML', (text) => text.replaceAll('&', '&amp;'), 'R & D', 'changes again'],
]

describe.each(otherwise)('%s', (_, change, description, whenSent) => {
  const quirky = () => world(createOtherMake({ stored: inTexts(['description'], change) }))

  test('is reported by apply and by the plan after it, and is nobody’s drift', async () => {
    const area = quirky()
    area.declare(...declared({ description }))
    for (const time of ['first', 'second']) {
      const run = await area.apply()
      expect(run.exitCode, time).toBe(3)
      const told = run.json().diagnostics.filter(({ code }) => code === 'change-not-kept')
      expect(told).toMatchObject([
        {
          message: expect.stringMatching(/did not keep \/description$/),
          hint: expect.stringContaining('metadata.ignore'),
        },
      ])
      const { changes } = await area.plan()
      expect(changes).toMatchObject([
        {
          address: 'Service/S',
          reason: 'the last apply sent the same /description, and the platform stored what is live now',
          fields: [{ path: '/description', after: description, verdict: 'pending' }],
        },
      ])
      expect(changes[0]?.fields).toHaveLength(1)
      const drift = await area.drift()
      expect([drift.exitCode, drift.json().changes[0]?.side]).toEqual([0, 'manifest'])
    }
  })

  test('is not reported any more after the manifest has another value', async () => {
    const area = quirky()
    area.declare(...declared({ description }))
    await area.apply()
    area.declare(...declared({ description: `${description}, edited` }))
    expect((await area.plan()).changes.map(({ reason }) => reason)).toEqual([undefined])
  })

  test('either advice of the hint ends it', async () => {
    const area = quirky()
    area.declare(...declared({ description }))
    await area.apply()
    area.declare(...declared({ description }, { ignore: ['/description'] }))
    expect((await area.plan()).changes).toEqual([])
    expect((await area.apply()).exitCode).toBe(0)
    expect((await area.drift()).json().changes).toEqual([])
    area.declare(...declared({ description: change(description) }))
    expect((await area.plan()).changes).toEqual([])
    const fresh = quirky()
    fresh.declare(...declared({ description: change(description) }))
    expect((await fresh.apply()).exitCode).toBe(whenSent === 'stays' ? 0 : 3)
  })

  test('an export has the stored value, and its plan is empty', async () => {
    const area = quirky()
    area.declare(...declared({ description }))
    await area.apply()
    expect((await (await exported(area)).plan()).changes).toEqual([])
  })

  test('another field can be changed and changed back', async () => {
    const area = quirky()
    area.declare(...declared({ description }))
    await area.apply()
    area.declare(...declared({ description, version: '2' }))
    const run = await area.apply()
    expect(run.json().changes).toMatchObject([
      { outcome: 'notKept', error: expect.stringMatching(/keep \/description$/) },
    ])
    expect((await area.plan()).changes[0]?.fields.map(({ path }) => path)).toEqual(['/description'])
    await area.run(['rollback', 'latest', '--yes'])
    area.declare(...declared({ description }))
    const drift = await area.drift()
    expect(drift.json().changes.map(({ side }) => side)).toEqual(['manifest'])
    expect(drift.exitCode).toBe(0)
  })
})

/** A name that is sent, and the change before it is stored. */
const names: readonly (readonly [string, (text: string) => string, string])[] = [
  ['trimmed', (text) => text.trim(), 'S '],
  ['composed', (text) => text.normalize('NFC'), 'Cafe\u0301'],
  ['escaped as in HTML', (text) => text.replaceAll('&', '&amp;'), 'R & D'],
]

describe.each(names)('a name that is %s', (_, change, name) => {
  const quirky = () => {
    const make = createOtherMake({ stored: inTexts(['name', 'description'], change) })
    return Object.assign(world(make), { store: make.store })
  }
  const named = (text: string, version = '1') => [
    document('Role', text),
    document('Service', text, {
      description: text,
      version,
      errorSets: [{ name: text, type: 'text/xml', errorMessages: [] }],
    }),
  ]

  test('is nobody’s drift, and neither are other fields of the object that are stored differently; an edit is drift', async () => {
    const area = quirky()
    area.declare(...named(name))
    expect((await area.apply()).exitCode).toBe(3)
    const looked = await area.drift()
    expect([looked.exitCode, looked.json().changes.map(({ address, side }) => [address, side])]).toEqual([
      0,
      ['Role', 'Service']
        .map((kind) => [`${kind}/${name}`, 'manifest'])
        .concat([[`Service/${name}/ErrorSet/${name}`, 'manifest']]),
    ])
    expect((await area.run(['plan'])).stderr).toContain('stored-otherwise')
    for (const { values } of area.store.all('services')) values.version = '7'
    const edited = await area.drift()
    const drifted = edited.json().changes.flatMap(({ fields }) => fields)
    expect([edited.exitCode, drifted.filter(({ verdict }) => verdict === 'drift').map(({ path }) => path)]).toEqual([
      2,
      ['/version'],
    ])
    area.declare(...named(change(name), '7'))
    expect((await area.plan()).changes).toEqual([])
    expect((await area.apply()).exitCode).toBe(0)
    expect((await area.drift()).json().changes).toEqual([])
  })

  test('of a renamed object is reported with the name to write', async () => {
    const area = quirky()
    area.declare(document('Service', 'Before', { description: 'about' }))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(document('Service', { name, formerly: ['Before'] }, { description: 'about' }))
    const renamed = await area.apply()
    expect(renamed.exitCode).toBe(3)
    expect(renamed.json().changes[0]?.error).toContain(JSON.stringify(change(name)))
    expect(area.store.all('services')).toHaveLength(1)
    const looked = await area.drift()
    expect([looked.exitCode, looked.json().changes.map(({ side }) => side)]).toEqual([0, ['manifest']])
  })
})
