import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/json/json.js'
import { plainColours } from '../../../src/report/colours.js'
import { problemsText } from '../../../src/report/problems.js'
import { documentOf, shortly, stream } from '../manifests-of.js'
import { withApi } from './api.js'

interface Broken {
  readonly file?: string
  readonly spec?: JsonObject
  readonly others?: Readonly<Record<string, string>>
  /** The position of the first error, and words of it. */
  readonly found: readonly [place: string, words: string]
}

/** A file of OpenAPI 3 with these lines below `paths:`. */
const paths = (...lines: readonly string[]): string =>
  ['openapi: 3.1.0', 'info: {title: Shop, version: 1.4}', 'paths:', ...lines.map((line) => `  ${line}`), ''].join('\n')

const fine = paths('/a:', '  get: {}')

const broken: Readonly<Record<string, Broken>> = {
  'no file of that name': {
    spec: { file: '../api/other.yaml' },
    found: ['error openapi-file manifests/service.yaml:9:15', 'the OpenAPI file ../api/other.yaml cannot be read'],
  },
  'no file at all': {
    spec: { file: null },
    found: ['error wrong-type manifests/service.yaml:9:15', 'spec.file takes a text'],
  },
  'an address': {
    spec: { file: 'https://api.example.com/openapi.yaml' },
    found: ['error openapi-file manifests/service.yaml:9:15', 'nothing is fetched from a network'],
  },
  'a file beside the repository': {
    spec: { file: '../../other/openapi.yaml' },
    found: ['error file-outside manifests/service.yaml:9:15', '../../other/openapi.yaml'],
  },
  'an unknown word for the endpoints to make': {
    spec: { endpoints: 'paths' },
    found: ['error unknown-value manifests/service.yaml:9:46', 'spec.endpoints does not take "paths"'],
  },
  'an unknown part of names': {
    spec: { name: '{titel} {path}' },
    found: ['error openapi-name manifests/service.yaml:9:41', 'there is no {titel}'],
  },
  'an unknown part of paths': {
    spec: { requestPathAlias: '/two/{tag}{path}' },
    found: ['error openapi-name manifests/service.yaml:9:53', 'there is no {tag}'],
  },
  'a parameter of the OpenAPI file in a written path': {
    spec: { outboundRequestTargetPath: '/two/{order_id}' },
    found: ['error openapi-name manifests/service.yaml:9:62', 'there is no {order_id}'],
  },
  'broken YAML': {
    file: 'openapi: 3.0.0\npaths: {/a: {get: {}}\n',
    found: ['error yaml-syntax api/shop.yaml:2:22', ''],
  },
  'an empty file': { file: '# nothing\n', found: ['error openapi-version api/shop.yaml:1:1', 'the file is empty'] },
  'a list': { file: '- a\n', found: ['error openapi-version api/shop.yaml:1:1', 'but a list'] },
  'two documents': {
    file: `${fine}---\n${fine}`,
    found: ['error openapi-version api/shop.yaml:7:1', 'this is a second one'],
  },
  'something else': {
    file: 'asyncapi: 3.0.0\nchannels: {}\n',
    found: ['error openapi-version api/shop.yaml:1:1', 'the file says no version of OpenAPI'],
  },
  'a version that is not read': {
    file: fine.replace('3.1.0', '4.0.0'),
    found: ['error openapi-version api/shop.yaml:1:10', 'version 4.0.0 of OpenAPI'],
  },
  'an old version': {
    file: 'swagger: "1.2"\npaths: {}\n',
    found: ['error openapi-version api/shop.yaml:1:10', 'version 1.2 of OpenAPI'],
  },
  'no paths': {
    file: 'openapi: 3.1.0\ninfo: {title: Shop}\nwebhooks: {}\n',
    found: ['error openapi-empty manifests/service.yaml:9:15', 'gives no endpoint'],
  },
  'paths that are a list': {
    file: paths('- /a'),
    found: ['error openapi-broken api/shop.yaml:4:3', 'paths is a list'],
  },
  'a path without its slash': {
    file: paths('a:', '  get: {}'),
    found: ['error openapi-broken api/shop.yaml:4:3', 'the path a has no / in front'],
  },
  'a brace that does not close': {
    file: paths('/a/{b:', '  get: {}'),
    found: ['error openapi-broken api/shop.yaml:4:3', 'the path /a/{b has braces that do not close, or hold no name'],
  },
  'a path that is a text': {
    file: paths('/a: get'),
    found: ['error openapi-broken api/shop.yaml:4:7', 'the path /a is a text'],
  },
  'a verb that is a list': {
    file: paths('/a:', '  get: []'),
    found: ['error openapi-broken api/shop.yaml:5:10', 'get is a list'],
  },
  'a misspelt verb': {
    file: paths('/a:', '  pots: {}'),
    found: ['error openapi-verb api/shop.yaml:5:5', '"pots" is not a verb'],
  },
  'a verb that the platform does not have': {
    file: paths('/a:', '  get: {}', '  trace: {}'),
    found: ['error openapi-verb api/shop.yaml:6:5', 'the platform has no verb trace'],
  },
  'a further verb of OpenAPI 3.2': {
    file: paths('/a:', '  get: {}', '  additionalOperations:', '    COPY: {}'),
    found: ['error openapi-verb api/shop.yaml:7:7', 'the platform has no verb copy'],
  },
  'a $ref without a target': {
    file: paths("/a: {$ref: '#/components/pathItems/a'}"),
    found: ['error openapi-reference api/shop.yaml:4:14', '"#/components/pathItems/a" leads to nothing'],
  },
  'a $ref that is a name': {
    file: paths("/a: {$ref: '#a'}"),
    found: ['error openapi-reference api/shop.yaml:4:14', '"#a" leads to nothing'],
  },
  'a $ref of an operation without a target': {
    file: paths('/a: {get: {$ref: "#/components/x"}}'),
    found: ['error openapi-reference api/shop.yaml:4:20', '"#/components/x" leads to nothing'],
  },
  'a $ref of all paths without a target': {
    file: paths('$ref: "#/components/x"'),
    found: ['error openapi-reference api/shop.yaml:4:9', '"#/components/x" leads to nothing'],
  },
  'a $ref of an operation to itself': {
    file: paths('/a: {get: {$ref: "#/paths/~1a/get"}}'),
    found: [
      'error openapi-reference api/shop.yaml:4:20',
      'api/shop.yaml#/paths/~1a/get → api/shop.yaml#/paths/~1a/get',
    ],
  },
  'a $ref to a missing file': {
    file: paths('/a: {$ref: a.yaml}'),
    found: ['error openapi-file api/shop.yaml:4:14', 'the OpenAPI file a.yaml cannot be read'],
  },
  'a $ref out of the repository': {
    file: paths('/a: {$ref: ../../../a.yaml}'),
    found: ['error file-outside api/shop.yaml:4:14', '../../../a.yaml'],
  },
  'a $ref to an address': {
    file: paths('/a: {$ref: "http://api.example.com/a.yaml"}'),
    found: ['error openapi-file api/shop.yaml:4:14', 'nothing is fetched from a network'],
  },
  'a $ref to itself': {
    file: paths("/a: {$ref: '#/paths/~1a'}"),
    found: ['error openapi-reference api/shop.yaml:4:14', 'api/shop.yaml#/paths/~1a → api/shop.yaml#/paths/~1a'],
  },
  'files that refer to each other': {
    file: paths('/a: {$ref: a.yaml}'),
    others: { 'api/a.yaml': '$ref: b.yaml\n', 'api/b.yaml': '$ref: "a.yaml#"\n' },
    found: ['error openapi-reference api/b.yaml:1:7', 'api/a.yaml# → api/b.yaml# → api/a.yaml#'],
  },
  'an unknown extension': {
    file: paths('/a:', '  get:', '    x-gatewright-endpiont: {}'),
    found: ['error openapi-extension api/shop.yaml:6:7', 'there is no extension x-gatewright-endpiont'],
  },
  'an extension with the name of an inherited property': {
    file: paths('/a:', '  get:', '    x-gatewright-constructor: {}'),
    found: ['error openapi-extension api/shop.yaml:6:7', 'there is no extension x-gatewright-constructor'],
  },
  'an extension with the name of an inherited property, at a place without extensions': {
    file: paths('/a:', '  get:', '    responses: {x-gatewright-toString: 1}'),
    found: ['error openapi-extension api/shop.yaml:6:19', 'there is no extension x-gatewright-toString'],
  },
  'an extension of a parameter': {
    file: paths('/a:', '  get:', '    parameters:', '      - x-gatewright-skip: true'),
    found: ['error openapi-extension api/shop.yaml:7:11', 'x-gatewright-skip means nothing here'],
  },
  'a name for the whole file': {
    file: `x-gatewright-name: Shop\n${fine}`,
    found: ['error openapi-extension api/shop.yaml:1:1', 'x-gatewright-name means nothing here'],
  },
  'a field that no endpoint has': {
    file: paths('/a:', '  x-gatewright-endpoint: {timeout: 5}', '  get: {}'),
    found: ['error unknown-field api/shop.yaml:5:29', 'Endpoint has no field "timeout"'],
  },
  'a value that no endpoint has': {
    file: paths('/a:', '  get:', '    x-gatewright-endpoint: {requestProtocol: http2}'),
    found: ['error unknown-value api/shop.yaml:6:48', 'Endpoint.requestProtocol does not take "http2"'],
  },
  'a name among the fields': {
    file: paths('/a:', '  x-gatewright-endpoint: {name: a}', '  get: {}'),
    found: ['error openapi-extension api/shop.yaml:5:29', 'x-gatewright-endpoint'],
  },
  'an empty name': {
    file: paths('/a:', '  get: {x-gatewright-name: " "}'),
    found: ['error wrong-type api/shop.yaml:5:30', 'x-gatewright-name takes a name'],
  },
  'operations of one endpoint that contradict each other': {
    file: paths(
      '/a:',
      '  get: {x-gatewright-endpoint: {requestProtocol: rest}}',
      '  put: {x-gatewright-endpoint: {requestProtocol: soap}}',
    ),
    found: ['error openapi-extension api/shop.yaml:6:35', 'two operations of the endpoint "/a" give requestProtocol'],
  },
  'two endpoints with the same name': {
    file: paths('/a/{b}:', '  get: {}', '/a/{c}:', '  put: {}'),
    found: ['error openapi-name api/shop.yaml:6:3', 'two endpoints get the name "/a/{}"'],
  },
  'one verb, path and domain twice': {
    file: paths('/a/{b}:', '  get: {operationId: one}', '/a/{c}:', '  get: {operationId: two}'),
    spec: { name: '{operationId}' },
    found: ['error openapi-route api/shop.yaml:6:3', 'two endpoints answer get /a/{c}'],
  },
  'a server with a variable that has no default': {
    file: `${fine}servers: [{url: "https://{region}.example.com/v1"}]\n`,
    found: ['error openapi-server api/shop.yaml:6:17', 'the server’s url has {region}'],
  },
  'a server that is not a url': {
    file: `${fine}servers: [{url: api.example.com}]\n`,
    found: ['error openapi-server api/shop.yaml:6:17', '"api.example.com" is not the url of a server'],
  },
  'a server without a url': {
    file: `${fine}servers: [{description: none}]\n`,
    found: ['error openapi-broken api/shop.yaml:6:11', 'a server is a mapping with a url'],
  },
  'servers with different paths': {
    file: `${fine}servers: [{url: "https://a.example.com/v1"}, {url: "https://b.example.com/v2"}]\n`,
    found: ['error openapi-server api/shop.yaml:6:17', 'different paths: /v1, /v2'],
  },
  'operations of one endpoint at different hosts': {
    file: paths(
      '/a:',
      '  get: {servers: [{url: "https://a.example.com"}]}',
      '  put: {servers: [{url: "https://b.example.com"}]}',
    ),
    found: ['error openapi-server api/shop.yaml:6:27', 'different hosts: a.example.com, b.example.com'],
  },
  'a missing tag, if endpoints are made from tags': {
    file: fine,
    spec: { endpoints: 'tag' },
    found: ['error openapi-operation api/shop.yaml:5:5', 'the operation has no tag'],
  },
  'a missing operationId, if methods are named after it': {
    file: fine,
    spec: { methods: 'operationId' },
    found: ['error openapi-operation api/shop.yaml:5:5', 'the operation has no operationId'],
  },
  'a selection of nothing': {
    file: fine,
    spec: { only: { tags: ['public'] } },
    found: ['error openapi-empty manifests/service.yaml:9:15', 'gives no endpoint'],
  },
  'a selection by something else': {
    file: fine,
    spec: { only: { tag: ['public'] } },
    found: ['error unknown-field manifests/service.yaml:9:42', 'spec.only has no field "tag"'],
  },
  'a patch without a matching object': {
    file: fine,
    spec: { patches: [{ target: '*/upload', merge: { requestProtocol: 'rest' } }] },
    found: ['error patch-no-target manifests/service.yaml:9:55', 'no object of this OpenAPI document matches */upload'],
  },
  'a patch of an unknown field': {
    file: fine,
    spec: { patches: [{ target: '/a', merge: { protocol: 'rest' } }] },
    found: ['error unknown-field manifests/service.yaml:9:69', 'Endpoint has no field "protocol"'],
  },
}

test.each(Object.entries(broken))('%s', (_, { file = fine, spec, others, found: [place, words] }) => {
  const { problems } = withApi(file, spec, {}, others)
  const found = problems.map((problem) => ({ at: shortly(problem), words: problem.message }))
  expect(found).toContainEqual({ at: place, words: expect.stringContaining(words) })
  // No folder beside the repository can be allowed for this.
  expect(problems.every(({ hint }) => hint !== undefined && !hint.includes('--allow-file'))).toBe(true)
})

test.each([
  'swagger: "2.0"\nhost: u:sesame@h\npaths: {/a: {get: {}}}\n',
  `${fine}servers: [{url: "u:sesame@h"}]\n`,
  `${fine}servers:\n  - url: "//u:sesame@h/x"\n`,
])('no login in an address is displayed: %j', (file) => {
  const { problems } = withApi(file)
  expect(problems.map(({ code }) => code)).toContain('openapi-server')
  expect(problemsText(problems, { colours: plainColours }).output).not.toContain('sesame')
})

test('each circle of $ref is reported once, however many paths lead into it', () => {
  const file = paths(
    ...["/a: {$ref: '#/paths/~1b'}", "/b: {$ref: '#/paths/~1a'}", "/c: {$ref: '#/paths/~1a'}"],
    ...["/d: {$ref: '#/paths/~1d'}", "/e: {$ref: '#/paths/~1d'}"],
  )
  const circles = withApi(file).problems.filter(({ code }) => code === 'openapi-reference')
  const step = (name: string) => `api/shop.yaml#/paths/~1${name}`
  expect(circles.map((problem) => [shortly(problem), problem.message])).toEqual([
    [
      'error openapi-reference api/shop.yaml:5:14',
      `a $ref leads back to itself: ${step('a')} → ${step('b')} → ${step('a')}`,
    ],
    ['error openapi-reference api/shop.yaml:7:14', `a $ref leads back to itself: ${step('d')} → ${step('d')}`],
  ])
})

test('the message about a path that is written twice has the path', () => {
  const { problems } = withApi(paths('/orders/{id}:', '  get: {}', '/orders/{id}:', '  put: {}'))
  expect(problems.map((problem) => [shortly(problem), problem.message])).toContainEqual([
    'error duplicate-key api/shop.yaml:6:3',
    'the key "/orders/{id}" is written twice in one mapping',
  ])
})

test('each endpoint that answers the same calls as another one is reported', () => {
  const file = paths(
    ...['/a/{b}:', '  get: {operationId: a1}', '  put: {operationId: a1}', '/a/{c}:', '  get: {operationId: a2}'],
    ...['  put: {operationId: a2}', '/b/{b}:', '  get: {operationId: b1}', '/b/{c}:', '  get: {operationId: b2}'],
  )
  const { problems } = withApi(file, { name: '{operationId}' })
  expect(problems.map(shortly)).toEqual([
    'error openapi-route api/shop.yaml:7:3',
    'error openapi-route api/shop.yaml:12:3',
  ])
})

test('a file that cannot be read is not reported to give no endpoints as well', () => {
  expect(withApi(paths('- /a')).problems.map(shortly)).toEqual(['error openapi-broken api/shop.yaml:4:3'])
})

test('a path whose $ref leads to nothing is not reported as missing elsewhere', () => {
  const patches = [{ target: '/a', merge: { requestProtocol: 'rest' } }]
  const dangling = ['error openapi-reference api/shop.yaml:4:14']
  expect(withApi(paths('/a: {$ref: "#/none"}'), { patches }).problems.map(shortly)).toEqual(dangling)
  expect(withApi(paths('/a: {$ref: "#/none"}', '/b: {get: {}}'), { patches }).problems.map(shortly)).toEqual(dangling)
})

test('one route twice in one file is reported once, as an error', () => {
  const fields = 'x-gatewright-endpoint: {publicDomains: [p.example.com]}'
  const file = paths('/a: {get: {}}', '/b: {get: {}}').replace('paths:', `${fields}\npaths:`)
  const patches = [{ target: '/b', merge: { requestProtocol: 'rest' } }]
  expect(withApi(file, { requestPathAlias: '/same', patches }).problems.map(shortly)).toEqual([
    'error openapi-route api/shop.yaml:6:3',
  ])
})

test('two documents that give the same endpoints are reported at the documents, once for each endpoint', () => {
  const second = documentOf('OpenAPI', { service: 'Shop' }, { file: '../api/shop.yaml', only: { paths: ['/a'] } })
  const file = paths('/a: {get: {}}', '/b: {get: {}}')
  const { problems } = withApi(file, {}, {}, { 'manifests/zz.yaml': stream(second) })
  expect(problems.map((problem) => [shortly(problem), problem.message, problem.hint])).toEqual([
    [
      'error duplicate-object manifests/zz.yaml:1:1',
      'Service/Shop/Endpoint/%2Fa is declared twice: here and at manifests/service.yaml:6:1',
      'keep one of the two: spec.only and spec.except choose the operations that each document takes',
    ],
  ])
})

test('frames display the selected part, and no secret', () => {
  const { problems } = withApi(fine, {
    only: { tags: ['public'] },
    patches: [{ target: '*/a', merge: { systemDomainAuthentication: { password: 'hush-hush' } } }],
  })
  expect(problems.map(({ code }) => code)).toContain('openapi-selection')
  const { output } = problemsText(problems, { colours: plainColours })
  expect(output).toContain('{"file":"../api/shop.yaml","only":{"tags":["public"]},')
  expect(output).not.toContain('hush-hush')
})

test('two paths that share a path item with a name are reported once', () => {
  const { problems } = withApi(
    paths('/a: &shared', '  get: {x-gatewright-name: Dx}', '/b: *shared').replace('info', 'servers: []\ninfo'),
  )
  expect(problems.filter(({ severity }) => severity === 'error').map(shortly)).toEqual([
    'error openapi-name api/shop.yaml:6:5',
  ])
})
