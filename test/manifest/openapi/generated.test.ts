import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/json/json.js'
import type { Manifests } from '../../../src/manifest/resource.js'
import { documentOf, manifestsOf, project, resourceAt, shortly } from '../manifests-of.js'
import { api, endpointsOf, get, withApi } from './api.js'

const messages = ({ problems }: Manifests) => problems.map(shortly)

describe('an endpoint for each path', () => {
  test('gets path, verbs, back end and methods from the file, and has no parameter in its name', () => {
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

  test('the path / is empty after a prefix, and / if there is nothing else', () => {
    const root = api({ '/': get() })
    const [prefixed] = Object.values(endpointsOf(withApi(root, { requestPathAlias: '/shop{path}' })))
    expect(prefixed).toMatchObject({ requestPathAlias: '/shop', methods: [] })
    expect(prefixed).not.toHaveProperty('apiMethodDetectionKey')
    const [bare] = Object.values(endpointsOf(withApi({ ...root, servers: [{ url: '/' }] })))
    expect(bare).toMatchObject({ requestPathAlias: '/', outboundRequestTargetPath: '' })
  })

  test('operations of one path with the same x-gatewright-name are one endpoint', () => {
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

describe('one endpoint for each', () => {
  const shop = api({
    '/items': { get: { operationId: 'listItems', tags: ['items'] }, post: { operationId: 'addItem', tags: ['items'] } },
    '/items/{item}/photos': { get: { operationId: 'listPhotos', tags: ['items', 'photos'] } },
    '/shops': { get: { operationId: 'listShops', tags: ['shops'], summary: 'Shops' } },
  })

  test('operation', () => {
    const names = Object.keys(endpointsOf(withApi(shop, { endpoints: 'operation' })))
    expect(names).toEqual(['get /items', 'get /items/{}/photos', 'get /shops', 'post /items'])
  })

  test('tag, the first of each operation: its path is the common beginning of all paths', () => {
    expect(endpointsOf(withApi(shop, { endpoints: 'tag' }))).toMatchObject({
      items: {
        requestPathAlias: '/v1/items',
        supportedHttpMethods: ['get', 'post'],
        apiMethodDetectionKey: '1 3',
        methods: ['items', 'items photos'],
      },
      shops: { requestPathAlias: '/v1/shops' },
    })
  })

  test('file', () => {
    expect(endpointsOf(withApi(shop, { endpoints: 'api', methods: 'operationId' }))).toMatchObject({
      Shop: { requestPathAlias: '/v1', methods: ['addItem', 'listItems', 'listPhotos', 'listShops'] },
    })
  })

  test.each([
    ['{title} {version} {path}', 'Shop 1.4 /items'],
    ['{path} {verbs}', '/items get post'],
    ['{tag}: {operationId}', 'items: listItems'],
  ])('named %s', (name, first) => {
    expect(Object.keys(endpointsOf(withApi(shop, { name }))).sort()[0]).toBe(first)
  })

  test('named by the verbs and the path, with a warning, if an operation lacks the field for the name', () => {
    const manifests = withApi(shop, { name: '{summary}' })
    expect(Object.keys(endpointsOf(manifests))).toEqual(['Shops', 'get /items/{}/photos', 'get post /items'])
    expect(messages(manifests)).toEqual([
      'warning openapi-name-part api/shop.yaml:13:5',
      'warning openapi-name-part api/shop.yaml:27:5',
    ])
  })

  test('methods: none', () => {
    const [first] = Object.values(endpointsOf(withApi(shop, { methods: 'none' })))
    expect(first).not.toHaveProperty('apiMethodDetectionKey')
    expect(first).toMatchObject({ methods: [] })
  })

  test('a key that finds no method in some calls is a warning', () => {
    const paths = { '/items/{item}': get(), '/items/mine': get() }
    expect(messages(withApi(api(paths), { endpoints: 'api' }))).toEqual([
      'warning openapi-detection api/shop.yaml:13:5',
    ])
  })
})

describe('only and except', () => {
  const shop = api({
    '/items': {
      get: { operationId: 'listItems', tags: ['public'] },
      post: { operationId: 'addItem', 'x-internal': true },
    },
    '/shops': { 'x-audience': 'partner', get: { operationId: 'listShops', tags: ['public', 'shops'] } },
    '/shops/{shop}/upload': { post: { operationId: 'upload', 'x-internal': false } },
    '/metrics': { 'x-gatewright-skip': true, get: {} },
    '/health': { get: { 'x-gatewright-skip': true }, head: {} },
  })

  test.each([
    [{}, ['/health', '/items', '/shops', '/shops/{}/upload']],
    [{ only: { tags: ['public'] } }, ['/items', '/shops']],
    [{ only: { tags: ['public'], operationIds: ['*Shops'] } }, ['/shops']],
    [{ only: { paths: ['*/upload'] } }, ['/shops/{}/upload']],
    [{ except: { paths: ['/shops*'] } }, ['/health', '/items']],
    [{ only: { extensions: ['x-internal'] } }, ['/items']],
    [{ except: { extensions: ['x-audience=partner'], operationIds: ['upload'] } }, ['/health', '/items']],
  ])('%j', (spec, names) => {
    expect(Object.keys(endpointsOf(withApi(shop, spec)))).toEqual(names)
  })

  test('an entry that matches no operation is a warning', () => {
    expect(messages(withApi(shop, { except: { tags: ['publik'] } }))).toEqual([
      'warning openapi-selection manifests/service.yaml:9:52',
    ])
  })
})

describe('servers', () => {
  const paths = { '/a': get() }

  test.each([
    [
      'of an OpenAPI 2 file',
      { swagger: '2.0', info: {}, host: 'a.example.com:8443', basePath: '/v2/', paths },
      '/v2/a',
      ['a.example.com:8443'],
    ],
    ['missing in an OpenAPI 2 file', { swagger: '2.0', info: {}, paths }, '/a', undefined],
    ['none', { openapi: '3.2.0', info: {}, paths }, '/a', undefined],
    ['with only a path', { openapi: '3.1.1', servers: [{ url: '/api' }], paths }, '/api/a', undefined],
    [
      'variables',
      {
        openapi: '3.0.0',
        servers: [
          { url: 'https://{env}.example.com/{v}', variables: { env: { default: 'dev' }, v: { default: 'v3' } } },
        ],
        paths,
      },
      '/v3/a',
      ['dev.example.com'],
    ],
    [
      'of the path take precedence over those of the file',
      {
        openapi: '3.0.0',
        servers: [{ url: '//a' }],
        paths: { '/a': { servers: [{ url: '//b/x' }, { url: '//c/x' }], get: {} } },
      },
      '/x/a',
      ['b', 'c'],
    ],
  ])('%s', (_, file, path, hosts) => {
    const manifests = withApi(file)
    expect(messages(manifests)).toEqual([])
    const endpoint = endpointsOf(manifests)['/a']
    expect([endpoint?.requestPathAlias, endpoint?.systemDomains]).toEqual([path, hosts])
  })

  test('are not needed for fields that the document or an extension writes', () => {
    const file = { openapi: '3.0.0', servers: [{ url: 'https://{none}/{none}' }], paths }
    const spec = {
      requestPathAlias: '/x{path}',
      outboundRequestTargetPath: '{path}',
      systemDomains: ['back.example.com'],
    }
    expect(messages(withApi(file, spec))).toEqual([])
    const own = { requestPathAlias: '/y', outboundRequestTargetPath: '/z', systemDomains: ['b.example.com'] }
    expect(messages(withApi({ ...file, 'x-gatewright-endpoint': own }))).toEqual([])
  })
})

describe('extensions', () => {
  test('the nearest one wins, member by member', () => {
    const manifests = withApi(
      api(
        {
          '/a': {
            'x-gatewright-endpoint': { cors: { maxAge: 60 }, requestProtocol: 'soap' },
            get: { 'x-gatewright-endpoint': { requestProtocol: 'rest' } },
          },
        },
        {
          'x-gatewright-endpoint': {
            cors: { domainsAllowed: ['example.com'], maxAge: 5 },
            supportedHttpMethods: ['put'],
          },
        },
      ),
    )
    expect(messages(manifests)).toEqual([])
    expect(endpointsOf(manifests)['/a']).toMatchObject({
      cors: { domainsAllowed: ['example.com'], maxAge: 60 },
      requestProtocol: 'rest',
      supportedHttpMethods: ['put'],
    })
    const { ranges } = resourceAt(manifests, 'Service/Shop/Endpoint/%2Fa')
    expect(ranges.layersAt('/requestProtocol').map(({ layer }) => layer)).toEqual([
      'x-gatewright-endpoint',
      'x-gatewright-endpoint',
    ])
  })

  test('may also write children of an endpoint', () => {
    const own = {
      methods: [{ name: 'token' }],
      apiMethodDetectionKey: '2',
      cache: { clientSurrogateControlEnabled: true },
    }
    const manifests = withApi(api({ '/oauth/token': { post: { 'x-gatewright-endpoint': own } } }))
    expect(endpointsOf(manifests)).toMatchObject({ '/oauth/token': { apiMethodDetectionKey: '2', methods: ['token'] } })
    expect(resourceAt(manifests, 'Service/Shop/Endpoint/%2Foauth%2Ftoken/Cache').kind).toBe('Cache')
  })

  test('earlier paths and earlier names', () => {
    const paths = {
      '/b/{x}': { 'x-gatewright-formerly': ['/a/{x}', 'Old'], get: {} },
      '/c': { get: { 'x-gatewright-name': 'C', 'x-gatewright-formerly': 'B' } },
    }
    const formerly = (name: string | undefined) =>
      withApi(api(paths), name === undefined ? {} : { name })
        .resources.filter(({ kind }) => kind === 'Endpoint')
        .map((each) => [each.key, each.formerly])
    expect(formerly(undefined)).toEqual([
      ['/b/{}', ['/a/{}', 'Old']],
      ['C', ['B']],
    ])
    expect(formerly('DEV {path}')).toEqual([
      ['C', ['B']],
      ['DEV /b/{}', ['DEV /a/{}', 'Old']],
    ])
    const named = { '/c': { get: { 'x-gatewright-name': 'C', 'x-gatewright-formerly': 'B' } } }
    const [only] = withApi(api(named), { name: 'DEV {name}' }).resources.filter(({ kind }) => kind === 'Endpoint')
    expect([only?.key, only?.formerly]).toEqual(['DEV C', ['DEV B']])
  })

  test('placeholders are allowed in extensions, and nowhere else in the file', () => {
    const paths = { '/a': { get: { summary: '${env:NOT_SET}', 'x-gatewright-name': '${env:NAME}' } } }
    const secrets = { public: ['NAME'], env: [], recipients: [] }
    const manifests = withApi(
      api(paths),
      {},
      {
        env: { NAME: 'Lists' },
        project: { file: undefined, dir: '.', manifests: ['manifests'], secrets },
      },
    )
    expect(messages(manifests)).toEqual([])
    expect(Object.keys(endpointsOf(manifests))).toEqual(['Lists'])
  })

  test('placeholders in a merged extension are replaced', () => {
    const file = [
      'openapi: 3.0.3',
      'info: {title: Shop, version: 1.4}',
      'x-common: &common {customRequestAuthenticationAdapter: "${env:ADAPTER}"}',
      'paths:',
      '  /a:',
      '    get: {x-gatewright-endpoint: {<<: *common, requestProtocol: rest}}',
      '',
    ].join('\n')
    const manifests = withApi(file, {}, { env: { ADAPTER: 'signature-check' } })
    expect(messages(manifests)).toEqual([])
    expect(endpointsOf(manifests)['/a']).toMatchObject({ customRequestAuthenticationAdapter: 'signature-check' })
  })

  test('a path may be in another file, or elsewhere in this one', () => {
    const file = api(
      {
        '/a': { $ref: 'paths/a.yaml' },
        '/b': { $ref: '#/components/pathItems/b~1' },
        '/c': { $ref: 'paths/a.yaml', 'x-gatewright-name': 'C' },
      },
      { components: { pathItems: { 'b/': { put: { 'x-gatewright-endpoint': { requestProtocol: 'rest' } } } } } },
    )
    const manifests = withApi(
      file,
      { requestPathAlias: '{path}' },
      {},
      { 'api/paths/a.yaml': 'get:\n  operationId: a\n' },
    )
    expect(messages(manifests)).toEqual([])
    expect(Object.entries(endpointsOf(manifests)).map(([name, each]) => [name, each.supportedHttpMethods])).toEqual([
      ['/a', ['get']],
      ['/b', ['put']],
      ['C', ['get']],
    ])
  })

  test('all paths, and operations, may be in other files too', () => {
    const others = {
      'api/paths.yaml': '/a: {get: {$ref: operations/list.yaml}, post: {tags: [open]}}\n/b: {$ref: b.yaml}\n',
      'api/b.yaml': 'get: {$ref: "#/x-list"}\nx-list: {$ref: "operations/list.yaml#"}\n',
      'api/operations/list.yaml': 'tags: [open]\nx-internal: true\nx-gatewright-endpoint: {requestProtocol: rest}\n',
    }
    const file = api(
      { $ref: 'paths.yaml', '/c': { get: { $ref: '#/x-operations/see' } } },
      { 'x-operations': { see: { tags: ['open'], 'x-gatewright-name': 'See' } } },
    )
    const read = (spec: JsonObject) => withApi(file, spec, {}, others)
    expect(messages(read({}))).toEqual([])
    expect(endpointsOf(read({ only: { tags: ['open'] } }))).toMatchObject({
      See: { supportedHttpMethods: ['get'] },
      '/a': { supportedHttpMethods: ['get', 'post'], requestProtocol: 'rest' },
      '/b': { supportedHttpMethods: ['get'], requestProtocol: 'rest' },
    })
    const outside = endpointsOf(read({ except: { extensions: ['x-internal'] } }))
    expect(outside).toMatchObject({ '/a': { supportedHttpMethods: ['post'] }, See: {} })
    expect(outside).not.toHaveProperty('/b')
  })

  test('fields beside a $ref win member by member, and their placeholders are always replaced', () => {
    const fields = (more: JsonObject) => ({ 'x-gatewright-endpoint': more })
    const file = api({
      '/a': { $ref: '#/components/pathItems/near', ...fields({ cors: { maxAge: 4 } }) },
    })
    const items = {
      near: {
        $ref: 'far.json',
        ...fields({ requestProtocol: '${env:NEAR}', cors: { maxAge: 5, cookiesAllowed: false } }),
      },
    }
    const far = {
      get: {},
      ...fields({
        highSecurity: true,
        requestProtocol: 'soap',
        cors: { cookiesAllowed: true, domainsAllowed: ['${env:FAR}'] },
      }),
    }
    const manifests = withApi(
      { ...file, components: { pathItems: items } },
      {},
      {
        env: { NEAR: 'rest', FAR: 'a.example.com' },
        project: {
          ...project,
          manifests: ['manifests'],
          secrets: { public: ['NEAR', 'FAR'], env: [], recipients: [] },
        },
      },
      { 'api/far.json': JSON.stringify(far) },
    )
    expect(messages(manifests)).toEqual([])
    expect(endpointsOf(manifests)['/a']).toMatchObject({
      highSecurity: true,
      requestProtocol: 'rest',
      cors: { maxAge: 4, cookiesAllowed: false, domainsAllowed: ['a.example.com'] },
    })
  })

  test('the target of a $ref is checked too', () => {
    const others = { 'api/a.yaml': 'get:\n  x-gatewright-nmae: A\n' }
    expect(messages(withApi(api({ '/a': { $ref: 'a.yaml' } }), {}, {}, others))).toContain(
      'error openapi-extension api/a.yaml:2:3',
    )
    const operation = { 'api/a.yaml': 'get: {$ref: get.yaml}\n', 'api/get.yaml': 'x-gatewright-nmae: A\n' }
    expect(messages(withApi(api({ '/a': { $ref: 'a.yaml' } }), {}, {}, operation))).toEqual([
      'error openapi-extension api/get.yaml:1:1',
    ])
  })
})

describe('positions and layers', () => {
  const shop = api({ '/a': get(), '/b': get() })

  test('objects and their fields have positions in the OpenAPI file', () => {
    const { range, ranges } = resourceAt(withApi(shop), 'Service/Shop/Endpoint/%2Fb')
    const at = (pointer: string) => ranges.at(pointer)?.start
    expect(range.source.file).toBe('api/shop.yaml')
    expect(range.source.text.slice(range.start, range.end)).toBe('"/b"')
    expect(at('/requestPathAlias')).toBe(range.start)
    expect(range.source.text.slice(at('/systemDomains'))).toMatch(/^"https:/)
  })

  test('patches of the document apply to generated objects', () => {
    const manifests = withApi(shop, {
      patches: [
        { target: '/b', merge: { requestProtocol: 'soap' } },
        { target: 'Service/*/Endpoint/*/Method/*', expect: 2, merge: { sampleJsonResponse: '{}' } },
      ],
    })
    expect(messages(manifests)).toEqual([])
    expect(endpointsOf(manifests)['/b']).toMatchObject({ requestProtocol: 'soap' })
    expect(resourceAt(manifests, 'Service/Shop/Endpoint/%2Fa/Method/a').fields).toMatchObject({
      sampleJsonResponse: '{}',
    })
  })

  test('metadata of the document applies to each endpoint', () => {
    const metadata = {
      service: 'Shop',
      labels: { team: 'shop' },
      protect: true,
      defaults: {
        Endpoint: { trafficManagerDomain: 'api.example.com', requestProtocol: 'rest' },
        Method: { sampleXmlResponse: '<a/>' },
      },
      without: ['/requestProtocol'],
    }
    const manifests = manifestsOf(
      {
        'manifests/a.yaml': documentOf('OpenAPI', metadata, { file: '../api/shop.json' }),
        'api/shop.json': JSON.stringify(shop),
      },
      { project: { ...project, manifests: ['manifests'] } },
    )
    const { labels, protect, fields, ranges } = resourceAt(manifests, 'Service/Shop/Endpoint/%2Fa')
    expect({ labels, protect }).toEqual({ labels: { team: 'shop' }, protect: true })
    expect(fields).toHaveProperty('trafficManagerDomain', 'api.example.com')
    expect(fields).not.toHaveProperty('requestProtocol')
    expect(ranges.layerAt('/trafficManagerDomain')?.layer).toBe('metadata.defaults of this OpenAPI document')
    const method = resourceAt(manifests, 'Service/Shop/Endpoint/%2Fa/Method/a')
    expect(method.fields).toHaveProperty('sampleXmlResponse', '<a/>')
  })

  test('metadata of one endpoint is in its extension, as in a child of a service', () => {
    const own = { metadata: { protect: true, ignore: '/cors', labels: { team: 'a' }, formerly: 'Old' } }
    const manifests = withApi(api({ '/a': { 'x-gatewright-endpoint': own, get: {} }, '/b': get() }))
    expect(messages(manifests)).toEqual([])
    expect(resourceAt(manifests, 'Service/Shop/Endpoint/%2Fa')).toMatchObject({
      ...{ protect: true, ignore: ['/cors'], labels: { team: 'a' }, formerly: ['Old'] },
    })
    expect(resourceAt(manifests, 'Service/Shop/Endpoint/%2Fb').protect).toBe(false)
    const wrong = { 'x-gatewright-endpoint': { metadata: { protected: true } } }
    expect(messages(withApi(api({ '/a': { ...wrong, get: {} } })))).toEqual([
      'error unknown-metadata api/shop.yaml:16:11',
    ])
  })

  test('an OpenAPI file in the manifest folder is not an error if a document reads it', () => {
    const texts = {
      'a.yaml': documentOf('OpenAPI', { service: 'Shop' }, { file: 'api.yaml' }),
      'api.yaml': JSON.stringify(api({ '/a': { $ref: 'path.yaml' } })),
      'path.yaml': 'get: {}\n',
      'other.yaml': JSON.stringify(shop),
    }
    const named = manifestsOf(texts, { project: { ...project, manifests: ['.'] } })
    expect(messages(named).filter((each) => !each.includes('on-create'))).toEqual([
      'note undeclared-reference a.yaml:3:22',
      'error unknown-api-version other.yaml:1:1',
    ])
    expect(named.problems.find(({ code }) => code === 'unknown-api-version')?.message).toContain(
      'it is an OpenAPI file',
    )
  })
})
