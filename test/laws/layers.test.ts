import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isScalar, LineCounter, parseAllDocuments, visit } from 'yaml'
import type { Json, JsonObject } from '../../src/json/json.js'
import { isObject } from '../../src/json/json.js'
import { renderedDocuments } from '../../src/manifest/compose/rendered.js'
import { KnownReading } from '../../src/manifest/known-reading.js'
import type { ComposedObject } from '../../src/manifest/object-text.js'
import { readProject } from '../../src/manifest/project.js'
import { readManifests } from '../../src/manifest/read.js'
import type { Manifests, Resource } from '../../src/manifest/resource.js'
import { placeOf } from '../../src/manifest/source.js'
import { type DocumentText, manifestText } from '../kit/manifests.js'
import { filesOf } from '../manifest/manifests-of.js'
import { areas, manifestsOf } from './area.js'
import { platform, runs, within } from './within.js'

/** Laws of layers (design §2.1), for areas of all kinds and for small shops with layers of every sort. */

type Texts = Readonly<Record<string, string>>

interface Read extends Manifests {
  readonly objects: readonly ComposedObject[]
}

/** The manifests in some texts, including the project file, for an environment. */
function read(
  texts: Texts,
  env: Readonly<Record<string, string>>,
  placeholders: 'filled in' | 'kept',
  known?: KnownReading,
): Read {
  const files = filesOf(texts)
  const { project, problems } = readProject({ dir: '.', env, environment: 'prod' }, files)
  const objects: ComposedObject[] = []
  const composed = (object: ComposedObject) => objects.push(object)
  const manifests = readManifests({ project, env, files, placeholders, composed, known })
  return { ...manifests, objects, problems: [...problems, ...manifests.problems] }
}

const projectWith = (spec: JsonObject): Texts => ({
  'gatewright.yaml': JSON.stringify({
    ...{ apiVersion: 'gatewright/v1', kind: 'Project', metadata: { name: 'law' } },
    spec: { manifests: ['manifests'], environments: { dev: {}, prod: {} }, ...spec },
  }),
})

const errorsOf = ({ problems }: Manifests) => problems.filter(({ severity }) => severity === 'error')

const fieldsOf = ({ resources }: Manifests): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(resources.filter(({ implicit }) => !implicit).map(({ address, fields }) => [address, fields]))

/** Each document in a separate file. */
const apart = (documents: readonly DocumentText[], nameOf: (index: number) => string): Texts =>
  Object.fromEntries(documents.map((each, index) => [`manifests/${nameOf(index)}.yaml`, manifestText([each])]))

test('layers that set nothing change nothing, in an area of any kinds', () => {
  fc.assert(
    fc.property(areas('known'), (area) => {
      const manifests = { 'manifests/all.yaml': manifestText(manifestsOf(area)) }
      const spec = {
        values: { unused: 1 },
        defaults: {},
        environments: { prod: { patches: [], defaults: {}, values: {} } },
      }
      const plain = read({ ...projectWith({}), ...manifests }, area.env, 'filled in')
      const layered = read({ ...projectWith(spec), ...manifests }, area.env, 'filled in')
      expect(errorsOf(plain)).toEqual([])
      expect(fieldsOf(layered)).toEqual(fieldsOf(plain))
      expect(layered.digest).toBe(plain.digest)
    }),
    runs(10),
  )
})

test('rendered manifests of an area of any kinds mean the same', () => {
  fc.assert(
    fc.property(areas('known'), (area) => {
      const manifests = { 'manifests/all.yaml': manifestText(manifestsOf(area)) }
      const spec = { defaults: { Service: { description: 'usual' }, Endpoint: { cors: { maxAge: 5 } } } }
      const before = read({ ...projectWith(spec), ...manifests }, area.env, 'filled in')
      const { objects } = read({ ...projectWith(spec), ...manifests }, area.env, 'kept')
      const rendered = {
        'manifests/all.yaml': renderedDocuments(objects)
          .map((each) => JSON.stringify(each))
          .join('\n---\n'),
      }
      const after = read({ ...projectWith({}), ...rendered }, area.env, 'filled in')
      expect(errorsOf(after)).toEqual([])
      expect(after.digest).toBe(before.digest)
    }),
    runs(10),
  )
})

const number = fc.constantFrom<Json>(1, 2, '${value:age}')
const word = fc.constantFrom<Json>('one', 'two', '${value:word}', 'a ${value:word}')
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

/** Fields of a service and of an endpoint, any of them omitted. */
const serviceFields = fc.record({ description: maybe(word), version: maybe(word), qpsLimitOverall: maybe(number) })
const cors = fc.record({ maxAge: maybe(number), cookiesAllowed: maybe(fc.boolean()) })
const endpointFields = fc.record({
  ...{ cors: maybe(cors), requestProtocol: maybe(fc.constantFrom('rest', 'soap')) },
  ...{ numberOfHttpRedirectsToFollow: maybe(number), highSecurity: maybe(fc.boolean()) },
})
const defaults = fc.record({ Service: maybe(serviceFields), Endpoint: maybe(endpointFields) })

const shops = fc.record({
  services: fc.array(
    fc.record({
      fields: serviceFields,
      endpoints: fc.array(fc.record({ fields: endpointFields, isApart: fc.boolean(), without: fc.boolean() }), {
        maxLength: 3,
      }),
      defaults: maybe(fc.record({ Endpoint: endpointFields })),
      serves: fc.constantFrom([], [], ['prod'], ['dev']),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  project: defaults,
  environment: defaults,
  values: fc.record({ word: fc.constantFrom('W', 'X'), age: fc.constantFrom(3, 4) }),
  patches: fc.array(
    fc.oneof(
      fc.record({ target: fc.constantFrom('Service/S0', 'Service/*'), merge: serviceFields }),
      fc.record({ target: fc.constantFrom('Service/*/Endpoint/e0', 'Service/S1/Endpoint/*'), merge: endpointFields }),
      fc.record({ target: fc.constant('Service/*/Endpoint/*'), unset: fc.constant(['/cors/maxAge']) }),
      fc.record({
        target: fc.constant('Service/*'),
        json: fc.constant([{ op: 'add', path: '/version', value: 'patched' }]),
      }),
      fc.record({ target: fc.constantFrom('Service/S1', 'Service/*/Endpoint/e1'), omit: fc.constant(true) }),
    ),
    { maxLength: 3 },
  ),
})

type Shop = typeof shops extends fc.Arbitrary<infer Value> ? Value : never

/** Without omitted fields. */
const written = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

function documentsOf({ services }: Shop, nameOf = (index: number) => `S${index}`): readonly DocumentText[] {
  return services.flatMap(({ fields, endpoints, defaults: own, serves }, index): readonly DocumentText[] => {
    const name = nameOf(index)
    const all = endpoints.map((each, at) => {
      const left = each.without && each.fields.cors === undefined ? { without: ['/cors'] } : {}
      return { ...each, name: `e${at}`, left, spec: { ...written(each.fields), requestPathAlias: `/s${index}e${at}` } }
    })
    const inline = all
      .filter(({ isApart }) => !isApart)
      .map((each) => ({ name: each.name, ...each.spec, metadata: each.left }))
    const environments = serves.length === 0 ? {} : { environments: serves }
    return [
      {
        kind: 'Service',
        metadata: { name, ...environments, ...(own && { defaults: written(own) }) },
        spec: { ...written(fields), endpoints: inline },
      },
      ...all
        .filter(({ isApart }) => isApart)
        .map(
          (each): DocumentText => ({
            kind: 'Endpoint',
            metadata: { service: name, name: each.name, ...environments, ...each.left },
            spec: each.spec,
          }),
        ),
    ]
  })
}

const anyNumber = (patches: readonly object[]): readonly Json[] =>
  patches.map((each) => written({ ...each, expect: '0+' }))

/** The project file of a shop, with exactly these layers. */
const layersOf = (shop: Shop, { patches = shop.patches }: { readonly patches?: readonly object[] } = {}): Texts =>
  projectWith({
    values: { word: 'V', age: 9 },
    defaults: written(shop.project),
    environments: {
      dev: {},
      prod: { values: shop.values, defaults: written(shop.environment), patches: anyNumber(patches) },
    },
  })

const withoutLayers = projectWith({ values: { word: 'V', age: 9 }, environments: { dev: {}, prod: {} } })

const addressesOf = (manifests: Manifests) => Object.keys(fieldsOf(manifests))

test('in a shop with layers, the order and the names of files do not matter, and rendered manifests mean the same', () => {
  fc.assert(
    fc.property(shops, fc.infiniteStream(fc.nat(1e6)), (shop, numbers) => {
      const layers = layersOf(shop)
      const whole = read({ ...layers, 'manifests/all.yaml': manifestText(documentsOf(shop)) }, {}, 'filled in')
      expect(errorsOf(whole)).toEqual([])
      const names = documentsOf(shop).map((_, index) => `${numbers.next().value}-${index}`)
      const split = read({ ...layers, ...apart(documentsOf(shop), (index) => names[index] ?? '') }, {}, 'filled in')
      expect(fieldsOf(split)).toEqual(fieldsOf(whole))
      expect(split.digest).toBe(whole.digest)
      expect(whole.objects.length > 0).toBe(addressesOf(whole).length > 0)
      if (whole.objects.length === 0) return
      const rendered = renderedDocuments(whole.objects).map((each) => JSON.stringify(each))
      const again = read({ ...withoutLayers, 'manifests/all.yaml': rendered.join('\n---\n') }, {}, 'filled in')
      expect(errorsOf(again)).toEqual([])
      expect(again.digest).toBe(whole.digest)
    }),
    runs(40),
  )
})

test('reading with the help of an earlier reading gives the same result as without it', () => {
  fc.assert(
    fc.property(shops, shops, fc.boolean(), (before, other, hasSameLayers) => {
      const services = before.services.map((each, index) => (index % 2 === 0 ? each : (other.services[index] ?? each)))
      const after = { ...(hasSameLayers ? before : other), services }
      const texts = (shop: Shop) => ({ ...layersOf(shop), ...apart(documentsOf(shop), (index) => `${index}`) })
      const known = new KnownReading()
      read(texts(before), {}, 'filled in', known)
      const found = read(texts(after), {}, 'filled in', known)
      const alone = read(texts(after), {}, 'filled in')
      expect(fieldsOf(found)).toEqual(fieldsOf(alone))
      expect(found.digest).toBe(alone.digest)
      const told = (read: Manifests) => errorsOf(read).map(({ message }) => message)
      expect(told(found)).toEqual(told(alone))
    }),
    runs(40),
  )
})

/** Whether every written value is there, member by member. */
const holds = (upper: Json | undefined, writtenValue: Json): boolean =>
  isObject(writtenValue) && isObject(upper)
    ? Object.entries(writtenValue).every(([key, value]) => value !== undefined && holds(upper[key], value))
    : JSON.stringify(upper) === JSON.stringify(writtenValue)

test('no default overrides a written value, and no layer creates an object', () => {
  fc.assert(
    fc.property(shops, (shop) => {
      const manifests = { 'manifests/all.yaml': manifestText(documentsOf(shop)) }
      const values = { values: { word: shop.values.word, age: shop.values.age } }
      const plain = read({ ...projectWith({ ...values }), ...manifests }, {}, 'filled in')
      const withDefaults = read({ ...layersOf(shop, { patches: [] }), ...manifests }, {}, 'filled in')
      const [before, after] = [documentFields(plain), fieldsOf(withDefaults)]
      expect(Object.keys(after)).toEqual(Object.keys(before))
      for (const [address, fields] of Object.entries(before)) {
        for (const [name, value] of Object.entries(fields)) {
          if (value !== undefined)
            expect([address, name, holds(after[address]?.[name], value)]).toEqual([address, name, true])
        }
      }
      const known = addressesOf(withDefaults)
      expect(
        addressesOf(read({ ...layersOf(shop), ...manifests }, {}, 'filled in')).filter((each) => !known.includes(each)),
      ).toEqual([])
    }),
    runs(40),
  )

  /** The fields that the documents themselves write: without defaults of parents. */
  function documentFields(manifests: Read): Readonly<Record<string, JsonObject>> {
    const own = manifests.objects.map(({ address, text }) => {
      const names = text.entries.filter(({ layer }) => layer === undefined).map(({ key }) => key)
      const fields = fieldsOf(manifests)[address] ?? {}
      return [address, Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))] as const
    })
    return Object.fromEntries(own.sort(([left], [right]) => (left < right ? -1 : 1)))
  }
})

/** Every field, and every member of one, except the name, which may be in metadata. */
const leavesOf = ({ fields }: Resource): readonly (readonly [string, Json])[] =>
  Object.entries(fields).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    if (name === 'name') return []
    if (!isObject(value)) return value === undefined ? [] : [[`/${name}`, value]]
    return Object.entries(value).flatMap(([member, inner]) =>
      inner === undefined ? [] : [[`/${name}/${member}`, inner] as const],
    )
  })

/** The scalar at the position of a field, read by another parser, with its values replaced. */
function valueAt(texts: Texts, { ranges }: Resource, path: string, shop: Shop): Json | undefined {
  const range = ranges.at(path)
  if (!range) return undefined
  const { file, line, column } = placeOf(range)
  const lines = new LineCounter()
  let found: Json | undefined
  for (const document of parseAllDocuments(texts[file] ?? '', { lineCounter: lines })) {
    const isThere = (offset: number | undefined): boolean => {
      const at = lines.linePos(offset ?? 0)
      return at.line === line && at.col === column
    }
    visit(document, {
      Pair: (_, { key, value }) => {
        if (isScalar(key) && isThere(key.range?.[0]) && isScalar(value)) found = value.value as Json
      },
      // An operation of a JSON Patch.
      Map: (_, node) => {
        if (isThere(node.range?.[0]) && node.has('op')) found = node.get('value') as Json
      },
    })
  }
  if (found === '${value:age}') return shop.values.age
  return typeof found === 'string' ? found.replaceAll('${value:word}', shop.values.word) : found
}

test('the origin of a field is the position of its value', () => {
  fc.assert(
    fc.property(shops, (shop) => {
      const texts: Texts = { ...layersOf(shop), 'manifests/all.yaml': manifestText(documentsOf(shop)) }
      const { resources } = read(texts, {}, 'filled in')
      for (const resource of resources) {
        for (const [path, value] of leavesOf(resource)) {
          expect([resource.address, path, valueAt(texts, resource, path, shop)]).toEqual([
            resource.address,
            path,
            value,
          ])
        }
      }
    }),
    runs(40),
  )
})

test('of two environments in one area, neither plans to delete objects of the other', async () => {
  await fc.assert(
    fc.asyncProperty(shops, fc.constantFrom('applied', 'all'), fc.nat(2), async (shop, prune, gone) => {
      const area = { objects: [], env: {} }
      await within(platform(), area, async (world) => {
        const both = { ...shop, patches: [] }
        world.write(
          'gatewright.yaml',
          projectWith({
            limits: { deletes: 1000, changedPercent: 100 },
            values: { word: 'V', age: 9, stage: { type: 'string' } },
            environments: { dev: { values: { stage: 'DEV' } }, prod: { values: { stage: 'PRD' } } },
          })['gatewright.yaml'] ?? '',
        )
        const named = documentsOf(both, (index) => `\${value:stage} S${index}`)
        const plain = named
          .filter(({ kind }) => kind === 'Service')
          .map((each) => ({ ...each, spec: { description: 'd' } }))
        world.declare(...plain, { kind: 'Role', metadata: { name: 'Shared' } })
        for (const name of ['dev', 'prod']) expect((await world.apply('-e', name)).exitCode).toBe(0)
        world.declare(...plain.filter((_, index) => index !== gone), { kind: 'Role', metadata: { name: 'Shared' } })
        for (const [name, other] of [
          ['dev', 'PRD'],
          ['prod', 'DEV'],
        ] as const) {
          const { changes } = await world.plan('-e', name, '--prune', prune)
          const deletes = changes.filter(({ action }) => action === 'delete').map(({ address }) => address)
          expect(
            deletes.filter((address) => address.startsWith(`Service/${other}`) || address.startsWith('Role/')),
          ).toEqual([])
        }
      })
    }),
    runs(4),
  )
})
