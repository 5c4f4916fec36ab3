import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Json, JsonObject } from '../../src/json/json.js'
import { petstoreManifests } from '../kit/petstore.js'
import type { Make, World } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { applied, platform, runs, within } from './within.js'

/** Laws of OpenAPI files (design §2.3), for random files and random documents that take endpoints from them. */

const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const rarely = <Value>(value: fc.Arbitrary<Value>) => fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, value)

const without = (value: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, inner]])))

const segment = fc.constantFrom(
  'pets',
  'orders',
  'x.y',
  'a b',
  'straße',
  'v1',
  '{id}',
  '{petId}',
  'files-{id}',
  '*',
  'a:b',
)
const path = fc.array(segment, { minLength: 0, maxLength: 3 }).map((parts) => `/${parts.join('/')}`)

const servers = fc.constantFrom<Json>(
  [{ url: 'https://one.backend.example/v1' }],
  [{ url: 'https://two.backend.example' }, { url: 'https://two.backend.example/' }],
  [{ url: 'http://{stage}.backend.example/', variables: { stage: { default: 'three' } } }],
)

const extension = fc
  .record({
    connectionTimeoutForSystemDomainRequest: some(fc.constantFrom<Json>(2, 5)),
    cors: some(fc.constantFrom<Json>({ maxAge: 5 }, { allDomainsEnabled: true }, null)),
    publicDomains: some(fc.constantFrom<Json>(['api.example.com'], ['api.example.com', 'www.example.com'])),
    metadata: some(fc.constantFrom<Json>({ labels: { team: 'a' } }, { ignore: ['/cors'] })),
  })
  .map(without)

const named = {
  'x-gatewright-endpoint': some(extension),
  'x-gatewright-name': some(fc.constantFrom('one', 'two', 'a/b', 'ü')),
  'x-gatewright-skip': rarely(fc.constantFrom(true, false)),
  servers: rarely(servers),
}

const operation = fc
  .record({
    operationId: some(fc.stringMatching(/^[a-z]{4}$/)),
    summary: some(fc.constantFrom('a summary', 'ein ${kind:x} Text', '# no remark')),
    tags: some(fc.constantFrom<Json>(['public'], ['public', 'other'], ['other'])),
    ...named,
  })
  .map(without)

const verb = fc.constantFrom('get', 'post', 'put', 'delete', 'patch', 'head', 'options')

const item = fc
  .record({ verbs: fc.uniqueArray(verb, { minLength: 1, maxLength: 3 }), own: fc.record(named).map(without) })
  .chain(({ verbs, own }) =>
    fc.tuple(...verbs.map(() => operation)).map(
      (operations): JsonObject => ({
        ...own,
        ...Object.fromEntries(verbs.map((each, index) => [each, operations[index] ?? {}])),
      }),
    ),
  )

const file = fc
  .record({
    version: fc.constantFrom('3.0.3', '3.1.0', '3.2.0'),
    servers,
    own: some(extension),
    paths: fc.uniqueArray(fc.tuple(path, item), {
      minLength: 1,
      maxLength: 4,
      selector: ([each]) => each.replaceAll(/\{[^}]*\}/g, '{}'),
    }),
  })
  .map(
    ({ version, own, paths, ...rest }): JsonObject => ({
      ...{ openapi: version, info: { title: 'Petstore', version: '1.0' }, ...rest },
      ...(own && { 'x-gatewright-endpoint': own }),
      paths: Object.fromEntries(paths),
    }),
  )

const patch = fc.constantFrom<Json>(
  { target: '*', expect: '0+', merge: { connectionTimeoutForSystemDomainResponse: 60 } },
  { target: '*/pets*', expect: '0+', merge: { cors: null }, unset: ['/publicDomains'] },
  { target: '*', expect: '0+', json: [{ op: 'add', path: '/requestProtocol', value: 'soap' }] },
)

const spec = fc
  .record({
    endpoints: some(fc.constantFrom('path', 'operation', 'tag', 'api')),
    name: some(
      fc.constantFrom('{verbs} {path}', '{title} {path}', '{path} {name}', '{operationId}', 'v{version} {tag}'),
    ),
    methods: some(fc.constantFrom('segments', 'operationId', 'none')),
    requestPathAlias: some(fc.constantFrom('/shop{path}', '{server.path}{path}', '{path}')),
    only: rarely(fc.constantFrom<Json>({ tags: ['public'] }, { paths: ['/*'] })),
    except: rarely(fc.constantFrom<Json>({ paths: ['/orders/*/*'] }, { paths: ['*{*}*'] })),
    patches: some(fc.array(patch, { minLength: 1, maxLength: 2 })),
  })
  .map(without)

const makes: Readonly<Record<string, () => Make>> = {
  document: () => platform(),
  recorded: () => platform({ dialect: 'recorded' }),
  another: () => createOtherMake(),
}

const changesOf = async (world: World) => {
  const { changes, diagnostics } = await world.plan()
  expect((diagnostics ?? []).filter(({ severity }) => severity === 'error')).toEqual([])
  return changes
}

/** The shop without the document that takes endpoints from the file. */
const alone = (): string => petstoreManifests().split('---\napiVersion: gatewright/v1\nkind: OpenAPI')[0] ?? ''

test('the objects of an OpenAPI file are applied completely, and are the same in any form', async () => {
  await fc.assert(
    fc.asyncProperty(file, spec, fc.constantFrom(...Object.keys(makes)), async (api, written, make) => {
      const on = makes[make] ?? platform
      await within(on(), { objects: [], env: {} }, async (world) => {
        world.write('openapi/petstore.yaml', stringify(api))
        world.write('manifests/all.yaml', petstoreManifests(written))
        const validated = await world.run(['validate', '-o', 'json'])
        expect([0, 1]).toContain(validated.exitCode)
        expect(validated.stdout).not.toContain('internal-error')
        fc.pre(validated.exitCode === 0)
        await applied(world)
        expect(await changesOf(world)).toEqual([])
        expect((await world.drift()).exitCode).toBe(0)

        const { paths, ...rest } = api
        const backwards = Object.fromEntries(Object.entries(paths ?? {}).reverse())
        world.write('openapi/petstore.yaml', JSON.stringify({ paths: backwards, ...rest }))
        expect(await changesOf(world), 'as JSON').toEqual([])

        const rendered = await world.run(['render'])
        expect((await world.run(['import', 'openapi', 'openapi/petstore.yaml', '--dir', 'manifests'])).exitCode).toBe(0)
        world.write('manifests/all.yaml', alone())
        expect(await changesOf(world), 'imported').toEqual([])

        rmSync(join(world.dir, 'manifests'), { recursive: true })
        world.write('manifests/all.yaml', rendered.stdout)
        expect(await changesOf(world), 'rendered').toEqual([])
      })
    }),
    runs(6),
  )
})

test('a changed OpenAPI file is applied completely', async () => {
  await fc.assert(
    fc.asyncProperty(
      file,
      spec,
      file,
      spec,
      fc.constantFrom(...Object.keys(makes)),
      async (api, written, next, then, make) => {
        const on = makes[make] ?? platform
        await within(on(), { objects: [], env: {} }, async (world) => {
          const declared = async (text: JsonObject, own: JsonObject) => {
            world.write('openapi/petstore.yaml', stringify(text))
            world.write('manifests/all.yaml', petstoreManifests(own))
            return (await world.run(['validate'])).exitCode === 0
          }
          fc.pre(await declared(api, written))
          await applied(world)
          fc.pre(await declared(next, then))
          await applied(world, '--allow', 'ID_CHANGE', '--allow', 'TRAFFIC_STOP')
          expect(await changesOf(world)).toEqual([])
          expect((await world.drift()).exitCode).toBe(0)
        })
      },
    ),
    runs(4),
  )
})
