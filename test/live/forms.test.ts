import { expect, test } from 'vitest'
import type { KindName } from '../../src/catalog/types.js'
import { normalize, type RawCollections } from '../../src/client/normalize.js'
import { indexLive, type LiveIndex } from '../../src/live/live-index.js'
import { isAmbiguous } from '../../src/live/names.js'
import { documentForm, liveFields } from '../../src/live/object-form.js'
import type { Problem } from '../../src/problems/problem.js'

/** Names of live objects, and their forms in manifests, records and plans. */

const endpoint = (id: string) => ({ id, name: 'e', requestPathAlias: `/${id}` })
const event = (id: string, endpoints: readonly object[]) => ({ id, name: id, startDateTime: 1_800_000_000, endpoints })
const key = (id: string, packageId: string) => ({ id, apikey: '', package: { id: packageId, name: packageId } })

const areaOf = (raw: object): LiveIndex => indexLive(normalize(raw as RawCollections))

function only(live: LiveIndex, kind: KindName, id: string) {
  const found = live.byId(kind, id)
  if (!found) throw new Error(`no ${kind} ${id}`)
  return found
}

function written(live: LiveIndex, kind: KindName, id: string, children: 'inside' | 'left out' = 'left out') {
  const problems: Problem[] = []
  const report = (problem: Problem): void => {
    problems.push(problem)
  }
  const context = {
    live,
    variables: new Map(),
    fullness: 'short',
    vocabulary: 'document',
    isSecret: () => false,
    report,
  } as const
  const document = documentForm(only(live, kind, id), children, context)
  return { document, codes: problems.map(({ code }) => code), problems: problems.map(({ message }) => message) }
}

test('a reference to one of several objects with a name is written with its id, and displayed by its name', () => {
  const live = areaOf({
    services: [{ id: 's', name: 'S', endpoints: [endpoint('p1'), endpoint('p2')] }],
    scheduledMaintenanceEvents: [event('Night', [{ id: 'p2', name: 'e' }])],
  })
  const object = only(live, 'ScheduledMaintenanceEvent', 'Night')
  expect(liveFields(object, live).endpoints).toEqual([{ service: 'S', name: 'e' }])
  expect(written(live, 'ScheduledMaintenanceEvent', 'Night').document.spec).toEqual({
    startDateTime: '2027-01-15T08:00:00.000+0000',
    endpoints: [{ service: 'S', name: 'e', id: 'p2' }],
  })
})

test('a reference to a missing object is displayed, but not written, and this is reported', () => {
  const live = areaOf({ scheduledMaintenanceEvents: [event('Night', [{ id: 'gone', name: 'e' }, { id: 'lost' }])] })
  const object = only(live, 'ScheduledMaintenanceEvent', 'Night')
  expect(liveFields(object, live).endpoints).toEqual(['e', 'lost'])
  const { document, codes } = written(live, 'ScheduledMaintenanceEvent', 'Night')
  expect(document.spec).not.toHaveProperty('endpoints')
  expect(codes).toEqual(['dangling-reference'])
})

test('a single child is written even if a manifest cannot have all its values, and this is reported', () => {
  const spec = (cache: object) => {
    const live = areaOf({ services: [{ id: 's', name: 'S', endpoints: [{ ...endpoint('p'), cache }] }] })
    const { document, codes } = written(live, 'Service', 's', 'inside')
    return { endpoints: (document.spec as { readonly endpoints: readonly unknown[] }).endpoints, codes }
  }
  const said = spec({ contentCacheKeyHeaders: ['x-new'] })
  expect(said).toMatchObject({ endpoints: [{ name: 'e', cache: {} }], codes: ['value-not-writable'] })
  expect(spec({ contentCacheKeyHeaders: [] }).endpoints[0]).not.toHaveProperty('cache')
})

test('names and texts with a placeholder in them are escaped in manifests, and nowhere else', () => {
  const live = areaOf({ roles: [{ id: 'r', name: 'a ${b}', description: '${env:X} and $${y}' }] })
  expect(liveFields(only(live, 'Role', 'r'), live)).toMatchObject({ name: 'a ${b}', description: '${env:X} and $${y}' })
  const { metadata, spec } = written(live, 'Role', 'r').document
  expect([metadata, spec]).toEqual([{ name: 'a $${b}' }, { description: '$${env:X} and $$${y}' }])
})

test('keys without a value are distinguished by their packages', () => {
  const keys = [key('k1', 'P'), key('k2', 'P'), key('k3', 'Q')]
  const live = areaOf({
    members: [{ id: 'm', username: 'u', applications: [{ id: 'a', name: 'A', packageKeys: keys }] }],
  })
  expect(['k1', 'k2', 'k3'].map((id) => isAmbiguous(only(live, 'PackageKey', id), live))).toEqual([true, true, false])
})

test('texts of a map that are answered as numbers match the texts of a manifest', () => {
  const processor = (preInputs: object) => ({ adapter: 'A', preProcessEnabled: true, preInputs })
  const written = { b: 'true', a: '1', e: '' }
  const answered = { a: 1, b: true, e: null }
  const [one, other] = [written, answered].map((preInputs) =>
    normalize({
      services: [{ id: 's', name: 'S', endpoints: [{ ...endpoint('p'), processor: processor(preInputs) }] }],
    } as RawCollections),
  )
  expect(other).toEqual(one)
})

test('a member that a manifest cannot have is omitted, and this is reported', () => {
  const endpointWith = (processor: object) =>
    written(
      areaOf({ services: [{ id: 's', name: 'S', endpoints: [{ ...endpoint('p'), processor }] }] }),
      'Endpoint',
      'p',
    )
  const odd = endpointWith({ adapter: 'A', preProcessEnabled: 'perhaps', preInputs: { a: { b: 1 } } })
  expect(odd.document.spec).toMatchObject({ processor: { adapter: 'A' } })
  expect(odd.problems).toEqual([
    expect.stringContaining('Service/S/Endpoint/e: the live value of processor.preProcessEnabled is not allowed'),
    expect.stringContaining('Service/S/Endpoint/e: the live value of processor.preInputs is not allowed'),
  ])
  expect(endpointWith({ adapter: 'A', preInputs: { a: 1 } }).problems).toEqual([])
})
