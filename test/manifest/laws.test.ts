import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Manifests } from '../../src/manifest/resource.js'
import { documentOf, manifestsIn, stream } from './manifests-of.js'

/** Objects with every way in which documents can refer to each other. */
const documents: readonly (readonly [string, object, object])[] = [
  [
    'Service',
    { name: 'S', labels: { a: 'x', b: 'y' } },
    {
      roles: ['B', 'A'],
      description: 'd',
      version: '1',
      endpoints: [{ name: 'e', methods: ['m', 'n'], scheduledMaintenanceEvent: 'W' }],
    },
  ],
  ['Service', { name: 'T', id: 't1' }, { qpsLimitOverall: 5, errorSets: ['x'] }],
  ['ServiceRole', { service: 'S', name: 'C' }, { action: 'read' }],
  ['ServiceRole', { service: 'S', name: 'D' }, { action: 'read' }],
  [
    'Endpoint',
    { service: 'T', name: 'f' },
    { scheduledMaintenanceEvent: 'W', cors: { maxAge: 5, cookiesAllowed: true } },
  ],
  ['Endpoint', { service: 'S', name: 'g' }, { scheduledMaintenanceEvent: 'V', publicDomains: ['a', 'b'] }],
  ['Method', { service: 'T', endpoint: 'f', name: 'm' }, {}],
  [
    'ScheduledMaintenanceEvent',
    { name: 'W' },
    { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2027-01-01T02:00:00Z' },
  ],
  [
    'PackageKey',
    { member: 'm', application: 'A' },
    { apikey: 'aaaaaaaaaaaa0001', package: 'P', plan: 'G', secret: 's' },
  ],
  [
    'PackageKey',
    { member: 'm', application: 'A' },
    { apikey: 'bbbbbbbbbbbb0001', package: 'P', plan: 'G', secret: 's' },
  ],
  ['PlanService', { package: 'P', plan: 'G', name: 'S' }, { endpoints: [{ name: 'e', methods: ['m'] }] }],
  ['Removed', { address: 'Service/Old' }, {}],
]

const meaning = ({ resources, removals, digest, secrets }: Manifests) => ({
  resources: resources.map(({ range: _, ranges: __, ...resource }) => resource),
  removals: removals.map(({ address }) => address),
  digest,
  secrets,
})

const written = (list: typeof documents): string =>
  stream(...list.map(([kind, metadata, spec]) => documentOf(kind, metadata, spec).replace('spec: {}\n', '')))

const shuffledKeys = (value: unknown, order: (keys: string[]) => string[]): unknown => {
  if (Array.isArray(value)) return value.map((item) => shuffledKeys(item, order))
  if (typeof value !== 'object' || value === null) return value
  const entries = new Map(Object.entries(value))
  return Object.fromEntries(order([...entries.keys()]).map((key) => [key, shuffledKeys(entries.get(key), order)]))
}

test('the order of documents does not matter', () => {
  const expected = meaning(manifestsIn(written(documents)))
  expect(expected.resources.length).toBeGreaterThan(documents.length)
  fc.assert(
    fc.property(fc.shuffledSubarray([...documents], { minLength: documents.length }), (shuffled) => {
      expect(meaning(manifestsIn(written(shuffled)))).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})

test('the order of keys does not matter', () => {
  const expected = meaning(manifestsIn(written(documents)))
  fc.assert(
    fc.property(fc.infiniteStream(fc.boolean()), (flips) => {
      const order = (keys: string[]) => (flips.next().value ? keys.reverse() : keys.sort())
      const shuffled = documents.map(
        ([kind, metadata, spec]) =>
          [kind, Object(shuffledKeys(metadata, order)), Object(shuffledKeys(spec, order))] as const,
      )
      expect(meaning(manifestsIn(written(shuffled)))).toEqual(expected)
    }),
    { numRuns: 30 },
  )
})

test('the digest does not depend on secrets, files or spelling, but on everything else', () => {
  const digest = (secret: string, ceiling: number, name = 'e') =>
    manifestsIn(
      stream(
        documentOf(
          'PackageKey',
          { member: 'm', application: 'A' },
          { package: 'P', plan: 'G', secret, rateLimitCeiling: ceiling },
        ),
        documentOf('Endpoint', { service: 'S', name }, { supportedHttpMethods: ['get', 'put'] }),
      ),
    ).digest
  expect(digest('a', 1)).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(digest('a', 1)).toBe(digest('b', 1))
  expect(digest('a', 1)).not.toBe(digest('a', 2))
  expect(digest('a', 1)).not.toBe(digest('a', 1, 'f'))
})

test('for any text, problems are returned and nothing is thrown', () => {
  const words = [
    'apiVersion: gatewright/v1\n',
    'kind: ',
    'Service',
    'PackageKey',
    '\n',
    'metadata: ',
    'spec:',
    '{',
    '}',
    '[',
    ']',
    ' ',
    '  ',
    '- ',
    'name: x',
    'endpoints: ',
    'null',
    '*',
    '&a ',
    '*a',
    '<<: ',
    '${env:X}',
    '"',
    "'",
    ': ',
    '---\n',
    '\t',
    '|\n',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), (parts) => {
      const manifests = manifestsIn(parts.join(''))
      expect(Array.isArray(manifests.problems)).toBe(true)
    }),
    { numRuns: 500 },
  )
})
