import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { asList, isObject, type Json, type JsonObject } from '../../src/json/json.js'
import { git } from '../kit/git.js'
import { document, manifestText, projectText } from '../kit/manifests.js'
import { petstoreManifests, petstores } from '../kit/petstore.js'
import { restOf } from '../kit/rest.js'
import { stagedCatalogue, stages } from '../kit/staged.js'
import { embedded, isWrite, type World } from '../kit/world.js'
import { makes } from '../other-make/worlds.js'

/** An OpenAPI file is read in every run: its objects are planned, applied, compared and pruned like any other object. */

const api = petstores['3.0'] ?? ''

function declare(on: World, text = api, spec: JsonObject = {}, metadata: JsonObject = {}): World {
  on.write('openapi/petstore.yaml', text)
  on.write('manifests/all.yaml', petstoreManifests(spec, metadata))
  return on
}

async function applied(on: World = embedded(), spec: JsonObject = {}): Promise<World> {
  const run = await declare(on, api, spec).apply()
  expect([run.exitCode, run.exitCode === 0 ? '' : run.stdout]).toEqual([0, ''])
  return on
}

const actions = async (on: World, ...args: readonly string[]) =>
  (await on.plan(...args)).changes.map(({ action, address }) => `${action} ${address}`)

describe.each(makes)('the petstore on the make "%s"', (_, on) => {
  test.each(Object.entries(petstores))('of OpenAPI %s: plan, apply, an empty plan, no drift', async (__, text) => {
    const shop = declare(on(), text)
    expect((await shop.plan()).changes.map(({ action }) => action)).not.toContain('blocked')
    expect((await shop.apply()).exitCode).toBe(0)
    const { changes, unmanaged } = await shop.plan()
    expect([changes, unmanaged.filter(({ inList }) => inList)]).toEqual([[], []])
    expect((await shop.drift()).exitCode).toBe(0)
    // The formats are equivalent: each gives the same objects.
    for (const other of Object.values(petstores)) {
      declare(shop, other)
      expect((await shop.plan()).changes).toEqual([])
    }
  })
})

describe('an operation', () => {
  test('that is removed is deleted depending on prune', async () => {
    const shop = await applied()
    declare(shop, api.replace(/ {2}\/store\/orders:[\s\S]*?(?=\n\w)/, ''))
    expect(await actions(shop)).toEqual([
      'delete Service/Petstore/Endpoint/%2Fstore%2Forders',
      'delete Service/Petstore/Endpoint/%2Fstore%2Forders/Method/store orders',
    ])
    expect(await actions(shop, '--prune', 'none')).toEqual([])
    declare(shop, api.replace(/ {4}delete:[\s\S]*?(?= {2}\/)/, ''))
    expect((await shop.plan()).changes).toMatchObject([
      {
        action: 'update',
        address: 'Service/Petstore/Endpoint/%2Fpets%2F{}',
        fields: [{ path: '/supportedHttpMethods', after: ['get'] }],
      },
    ])
  })

  test('at another path is a possible rename, which x-gatewright-formerly confirms', async () => {
    const shop = await applied()
    const moved = api.replace('/pets/{petId}/photos:', '/pets/{petId}/pictures:')
    declare(shop, moved)
    const run = await shop.run(['plan'])
    expect(run.exitCode).toBe(5)
    expect(run.stdout).toContain('openapi/petstore.yaml:36:3: error: ')
    expect(run.stdout).toContain('write x-gatewright-formerly: "/pets/{}/photos"')
    declare(shop, moved.replace('pictures:', 'pictures:\n    x-gatewright-formerly: /pets/{petId}/photos'))
    expect(await actions(shop)).toEqual([
      'update Service/Petstore/Endpoint/%2Fpets%2F{}%2Fpictures',
      'create Service/Petstore/Endpoint/%2Fpets%2F{}%2Fpictures/Method/pets pictures',
      'delete Service/Petstore/Endpoint/%2Fpets%2F{}%2Fpictures/Method/pets photos',
    ])
    expect((await shop.apply()).exitCode).toBe(0)
    expect(await actions(shop)).toEqual([])
  })

  test('at another path, named after its stage: the earlier path confirms the rename in every stage', async () => {
    const spec = { name: 'DEV {path} (new)' }
    const shop = await applied(embedded(), spec)
    declare(shop, api.replace('/pets/{petId}/photos:', '/pets/{petId}/pictures:'), spec)
    expect((await shop.run(['plan'])).stdout).toContain('write x-gatewright-formerly: "/pets/{}/photos";')
  })

  test('with another name for its parameter is the same operation', async () => {
    const shop = await applied()
    declare(shop, api.replaceAll('{petId}', '{id}'))
    const { changes } = await shop.plan()
    expect([...new Set(changes.map(({ action }) => action))]).toEqual(['update'])
  })

  test('named after its operationId keeps its endpoint at another path', async () => {
    const spec = { endpoints: 'operation', name: '{operationId}' }
    const shop = await applied(embedded(), spec)
    declare(shop, api.replace('/store/orders:', '/orders:'), spec)
    expect(await actions(shop)).toEqual([
      'update Service/Petstore/Endpoint/placeOrder',
      'create Service/Petstore/Endpoint/placeOrder/Method/orders',
      'delete Service/Petstore/Endpoint/placeOrder/Method/store orders',
    ])
  })
})

describe('the output for people', () => {
  test('plans, drift and errors give positions in the OpenAPI file, with the layer that wins', async () => {
    const shop = declare(embedded())
    const answer = JSON.parse((await shop.run(['plan', '-o', 'json'])).stdout)
    const change = answer.changes.find((each: { address: string }) => each.address.endsWith('Endpoint/%2Fpets'))
    expect(change).toMatchObject({ source: { file: 'openapi/petstore.yaml', line: 8 } })
    const field = change.fields.find((each: { path: string }) => each.path === '/systemDomains')
    expect(field).toMatchObject({ source: { file: 'openapi/petstore.yaml', line: 6 }, origin: 'OpenAPI' })
    const { stdout } = await shop.run(['explain', 'Service/Petstore/Endpoint/%2Fpets'])
    expect(stdout).toContain('OpenAPI, openapi/petstore.yaml:8:3: /pets')
    expect(stdout).toMatch(/^name {2}\S+\n {2}OpenAPI, /m)
    expect(stdout).toContain('metadata.defaults of Service/Petstore, manifests/all.yaml')
  })

  test('render writes the objects, and the rendered manifests have the same plan', async () => {
    const shop = await applied()
    const { stdout } = await shop.run(['render'])
    shop.write('manifests/all.yaml', stdout)
    expect(stdout).not.toContain('kind: OpenAPI')
    expect(await actions(shop)).toEqual([])
  })

  test('validate counts the objects, and names the OpenAPI file', async () => {
    const shop = declare(embedded())
    expect(await shop.run(['validate'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 files') })
  })
})

test('--base takes the OpenAPI file of that commit', async () => {
  const shop = await applied()
  git(shop.dir, 'init', '-q')
  git(shop.dir, 'add', 'manifests', 'openapi', 'gatewright.yaml')
  git(shop.dir, 'commit', '-qm', 'as it is')
  git(shop.dir, 'clean', '-qfdx')
  declare(shop, api.replace(/ {2}\/store\/orders:[\s\S]*?(?=\n\w)/, ''))
  expect(await actions(shop, '--base', 'HEAD')).toEqual([
    'delete Service/Petstore/Endpoint/%2Fstore%2Forders',
    'delete Service/Petstore/Endpoint/%2Fstore%2Forders/Method/store orders',
  ])
})

test('a saved plan is stale if the OpenAPI file has changed', async () => {
  const shop = declare(embedded())
  expect((await shop.run(['plan', '--out', 'plan.json'])).exitCode).toBe(0)
  declare(shop, api.replace('/store/orders:', '/orders:'))
  const run = await shop.run(['apply', 'plan.json', '--yes', '-o', 'json'])
  expect([run.exitCode, shop.make.log.some(isWrite)]).toEqual([4, false])
})

describe('drift --write', () => {
  async function drifted(on: World): Promise<World> {
    const rest = await restOf(on.make)
    const [service] = await rest.get('/services?fields=id,endpoints.id,endpoints.name')
    const endpoints = asList(service?.endpoints ?? []).filter(isObject)
    const found = endpoints.find(({ name }) => name === '/store/orders' || name === 'DEV /store/orders')
    await rest.put(`/services/${service?.id}/endpoints/${found?.id}`, {
      connectionTimeoutForSystemDomainResponse: 120,
      requestProtocol: 'soap',
    })
    return on
  }

  test('writes nothing into an OpenAPI file, and says what to do instead', async () => {
    const on = await drifted(await applied())
    const run = await on.run(['drift', '--write'])
    expect(run.stdout + run.stderr).toContain('the object is generated from openapi/petstore.yaml')
    expect(run.stdout + run.stderr).toContain('or write a patch in manifests/all.yaml')
    declare(on)
    expect((await on.plan()).changes).toMatchObject([{ action: 'update' }])
  })

  test('names the layer that gave a value', async () => {
    const patches = [{ target: '/store/orders', merge: { connectionTimeoutForSystemDomainResponse: 60 } }]
    const { stderr } = await (await drifted(await applied(embedded(), { patches }))).run(['drift', '--write'])
    expect(stderr).toMatch(
      /connectionTimeoutForSystemDomainResponse: 60\n[^\n]*\n +hint: change it here, or write a patch/,
    )
  })

  test('writes a patch of the selected environment', async () => {
    const on = embedded()
    on.write('gatewright.yaml', twoEnvironments)
    declare(on, api, { name: '${value:stage} {path}' })
    expect((await on.apply('-e', 'dev')).exitCode).toBe(0)
    await drifted(on)
    const run = await on.run(['drift', '--write', '-e', 'dev'])
    expect(run.stdout + run.stderr).not.toContain('generated from')
    expect((await on.drift('-e', 'dev')).exitCode).toBe(0)
    const { changes } = await on.plan('-e', 'dev')
    expect(changes).toEqual([])
  })
})

const twoEnvironments = projectText(`  limits: {deletes: 10000, changedPercent: 100}
  values: {stage: {type: string}, backend: {type: string, default: petstore.backend.example}}
  environments:
    dev: {values: {stage: DEV}}
    qa:
      values: {stage: QA, backend: qa.backend.example}
      patches: [{target: "Service/Petstore/Endpoint/QA %2Fpets", merge: {connectionTimeoutForSystemDomainResponse: 900}}]
`)

describe('environments', () => {
  const spec = {
    name: '${value:stage} {path}',
    requestPathAlias: '/${value:stage}{path}',
    systemDomains: ['${value:backend}'],
  }

  test('may share an area: values, defaults and patches apply to generated objects', async () => {
    const on = embedded()
    on.write('gatewright.yaml', twoEnvironments)
    declare(on, api, spec)
    expect((await on.run(['validate'])).stdout).toContain('for dev, qa')
    for (const name of ['dev', 'qa']) expect((await on.apply('-e', name)).exitCode).toBe(0)
    for (const name of ['dev', 'qa']) expect([name, await actions(on, '-e', name)]).toEqual([name, []])
    const { stdout } = await on.run(['diff', '-e', 'dev', '-e', 'qa', '-o', 'json'])
    const { differences, layers } = JSON.parse(stdout)
    expect(differences).toEqual([])
    expect(layers.map((each: { is: string; name: string }) => `${each.is} ${each.name}`).sort()).toEqual([
      'patch Service/Petstore/Endpoint/QA %2Fpets',
      'value backend',
      'value stage',
    ])
  })

  test('a document may be limited to some', async () => {
    const on = embedded()
    on.write('gatewright.yaml', twoEnvironments.replace(/\n {6}patches.*\n/, '\n'))
    declare(on, api, spec, { environments: ['qa'] })
    const endpoints = async (name: string) =>
      (await on.plan('-e', name)).changes.filter(({ kind }) => kind === 'Endpoint').length
    expect([await endpoints('dev'), await endpoints('qa')]).toEqual([0, 4])
  })
})

describe('60 endpoints that are 20 in three stages', () => {
  const service = stagedCatalogue.find(({ kind }) => kind === 'Service')
  const endpoints = asList(service?.spec?.endpoints ?? []).filter(isObject)
  const prefix = 'DEV (CAT) Catalogue API '
  const common: JsonObject = {
    apiKeyValueLocationKey: 'x-api-key',
    apiKeyValueLocations: ['request-header'],
    connectionTimeoutForSystemDomainRequest: 5,
    connectionTimeoutForSystemDomainResponse: 300,
    dropApiKeyFromIncomingCall: true,
    outboundTransportProtocol: 'http',
    requestAuthenticationType: 'apiKey',
    requestProtocol: 'rest',
  }

  /** The fields of an endpoint of the stage DEV that differ from the rule and the defaults. */
  function ownFields(endpoint: JsonObject): JsonObject {
    const { name, requestPathAlias, outboundRequestTargetPath, supportedHttpMethods, ...others } = endpoint
    const isLogin = String(name).endsWith('Login')
    const values: Readonly<Record<string, Json>> = {
      publicDomains: ['${value:login}'],
      trafficManagerDomain: '${value:login}',
      systemDomains: ['${value:loginBackend}'],
    }
    return Object.fromEntries([
      ...Object.entries(others).flatMap(([key, value]): [string, Json][] => {
        if (key in values) return isLogin && values[key] ? [[key, values[key]]] : []
        if (key === 'processor' || JSON.stringify(value) === JSON.stringify(common[key])) return []
        return [[key, value]]
      }),
      ...(others.processor ? [] : [['processor', null] as [string, Json]]),
      ...(others.methods ? [] : [['methods', []] as [string, Json]]),
    ])
  }

  function openApi(): JsonObject {
    const paths: Record<string, Record<string, Json>> = {}
    for (const endpoint of endpoints.filter(({ name }) => String(name).startsWith('DEV '))) {
      const path = String(endpoint.outboundRequestTargetPath) || '/'
      const item = paths[path] ?? {}
      paths[path] = item
      for (const [index, verb] of asList(endpoint.supportedHttpMethods ?? []).entries()) {
        const fields = index === 0 ? { 'x-gatewright-endpoint': ownFields(endpoint) } : {}
        item[String(verb)] = { 'x-gatewright-name': String(endpoint.name).slice(prefix.length), ...fields }
      }
    }
    return { openapi: '3.1.0', info: { title: 'Catalogue', version: '1.0' }, paths }
  }

  const project = stringify({
    apiVersion: 'gatewright/v1',
    kind: 'Project',
    metadata: { name: 'test' },
    spec: {
      manifests: ['manifests'],
      values: Object.fromEntries(
        ['stage', 'api', 'login', 'backend', 'loginBackend'].map((name) => [name, { type: 'string' }]),
      ),
      environments: Object.fromEntries(
        stages.map((stage) => {
          const of = (name: string) => endpoints.find((each) => each.name === `${stage} (CAT) Catalogue API ${name}`)
          const [items, login] = [of('ListItems'), of('Login')]
          const values = {
            stage,
            api: items?.trafficManagerDomain,
            login: login?.trafficManagerDomain,
            backend: asList(items?.systemDomains ?? [])[0],
            loginBackend: asList(login?.systemDomains ?? [])[0],
          }
          return [stage, { values }]
        }),
      ),
    },
  })

  test.each(makes)('in one OpenAPI file have an empty plan in all three, on the make "%s"', async (_, on) => {
    const area = on()
    area.declare(...stagedCatalogue)
    expect((await area.apply()).exitCode).toBe(0)
    const manifests = manifestText([
      ...stagedCatalogue.filter(({ kind }) => kind !== 'Service'),
      document(
        'Service',
        {
          name: '(CAT) Catalogue API',
          defaults: {
            Endpoint: {
              ...common,
              publicDomains: ['${value:api}'],
              trafficManagerDomain: '${value:api}',
              processor: {
                adapter: 'com.example.plugins.AddHeader',
                preProcessEnabled: true,
                preInputs: {
                  'x-forwarded-host': '${value:api}/cat',
                  'x-forwarded-port': '443',
                  'x-forwarded-proto': 'https',
                },
              },
            },
          },
        },
        { description: 'Items of shops', version: '1.0' },
      ),
    ])
    const generator = {
      apiVersion: 'gatewright/v1',
      kind: 'OpenAPI',
      metadata: { service: '(CAT) Catalogue API' },
      spec: {
        file: '../openapi.yaml',
        name: '${value:stage} (CAT) Catalogue API {name}',
        requestPathAlias: '/cat{path}',
        outboundRequestTargetPath: '{path}',
        systemDomains: ['${value:backend}'],
      },
    }
    area.write('gatewright.yaml', project)
    area.write('manifests/all.yaml', `${manifests}---\n${stringify(generator)}`)
    writeFileSync(join(area.dir, 'openapi.yaml'), stringify(openApi()))
    for (const stage of stages) {
      const { changes, unmanaged } = await area.plan('-e', stage)
      expect([stage, changes, unmanaged.filter(({ inList }) => inList)]).toEqual([stage, [], []])
    }
    expect(parse(project).spec.environments).toHaveProperty('PRD')
  })
})
