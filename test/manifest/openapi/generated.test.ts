import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/json/json.js'
import type { ManifestInput } from '../../../src/manifest/read.js'
import type { Manifests } from '../../../src/manifest/resource.js'
import { documentOf, manifestsOf, project, shortly, stream } from '../manifests-of.js'

/** The manifests of an OpenAPI file, a service, and a document that brings the two together. */
function withApi(api: Json | string, spec: JsonObject = {}, more: Partial<ManifestInput> = {}): Manifests {
  const text = typeof api === 'string' ? api : JSON.stringify(api, null, 2)
  return manifestsOf(
    {
      'manifests/service.yaml': stream(
        documentOf('Service', { name: 'Shop', defaults: { Endpoint: { trafficManagerDomain: 'api.example.com' } } }),
        documentOf('OpenAPI', { service: 'Shop' }, { file: '../api/shop.yaml', ...spec }),
      ),
      'api/shop.yaml': text,
    },
    { project: { ...project, manifests: ['manifests'] }, ...more },
  )
}

/** What is generated: names to fields, and the names of methods. */
function endpointsOf({ resources }: Manifests): Readonly<Record<string, JsonObject>> {
  const endpoints = resources.filter(({ kind }) => kind === 'Endpoint')
  return Object.fromEntries(
    endpoints.map(({ key, address, fields }) => {
      const methods = resources.filter(({ kind, parent }) => kind === 'Method' && parent === address)
      const { name: _, trafficManagerDomain: __, ...others } = fields
      return [key, { ...others, methods: methods.map((method) => method.key) }]
    }),
  )
}

const messages = ({ problems }: Manifests) => problems.map(shortly)

const api = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1.4' },
  servers: [{ url: 'https://shop.internal.example.com/v1/' }],
  paths,
  ...more,
})

const get = (more: JsonObject = {}): JsonObject => ({ get: { responses: {}, ...more } })

describe('an endpoint for each path', () => {
  test('has path, verbs, back end and methods of the file, and no parameter in its name', () => {
    const manifests = withApi(api({ '/items/{shop}/{shelf}/uploads': { get: {}, post: {} } }))
    expect(messages(manifests)).toEqual([])
    expect(endpointsOf(manifests)).toEqual({
      '/items/{}/{}/uploads': {
        requestPathAlias: '/v1/items/{shop}/{shelf}/uploads',
        outboundRequestTargetPath: '/v1/items/{shop}/{shelf}/uploads',
        supportedHttpMethods: ['get', 'post'],
        systemDomains: ['shop.internal.example.com'],
        apiMethodDetectionKey: '1 4',
        methods: ['items uploads'],
      },
    })
  })

  test('the path / is nothing behind a prefix, and / where nothing else is there', () => {
    const root = api({ '/': get() })
    const [prefixed] = Object.values(endpointsOf(withApi(root, { requestPathAlias: '/shop{path}' })))
    expect(prefixed).toMatchObject({ requestPathAlias: '/shop', methods: [] })
    expect(prefixed).not.toHaveProperty('apiMethodDetectionKey')
    const [bare] = Object.values(endpointsOf(withApi({ ...root, servers: [{ url: '/' }] })))
    expect(bare).toMatchObject({ requestPathAlias: '/', outboundRequestTargetPath: '' })
  })

  test('operations of one path with one x-gatewright-name are one endpoint', () => {
    const manifests = withApi(
      api({
        '/items/{item}': {
          get: { 'x-gatewright-name': 'ReadItem' },
          head: { 'x-gatewright-name': 'ReadItem' },
          put: { 'x-gatewright-name': 'ReplaceItem' },
          delete: {},
        },
      }),
    )
    expect(messages(manifests)).toEqual([])
    const verbs = Object.entries(endpointsOf(manifests)).map(([name, fields]) => [name, fields.supportedHttpMethods])
    expect(verbs).toEqual([
      ['/items/{}', ['delete']],
      ['ReadItem', ['get', 'head']],
      ['ReplaceItem', ['put']],
    ])
  })
})
