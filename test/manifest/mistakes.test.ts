import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { documentOf, errorsOf, manifestsIn, manifestsOf, project, shortly, stream } from './manifests-of.js'

/** One mistake per case: the text, and "severity code file:line:column" of every problem found. */
const head = 'apiVersion: gatewright/v1\n'
const service = (...lines: readonly string[]) =>
  [`${head}kind: Service`, 'metadata: {name: S}', 'spec:', ...lines.map((line) => `  ${line}`), ''].join('\n')

test('for a spec without a space after its colon, the hint shows how to write a field', () => {
  const { problems } = manifestsIn(service('qpsLimitOverall:500'))
  expect(problems).toMatchObject([
    { code: 'wrong-type', hint: 'write the fields of Service, each as key: value with a space after the colon' },
  ])
})

const everything = (text: string, env = {}) => manifestsIn(text, { env }).problems.map(shortly)

describe('documents', () => {
  test.each([
    ['no apiVersion', 'kind: Service\nmetadata: {name: S}\n', ['error unknown-api-version a.yaml:1:1']],
    ['another version', 'apiVersion: gatewright/v2\nkind: Service\n', ['error unknown-api-version a.yaml:1:13']],
    ['a mistyped apiVersion', 'apiVersion: gatewrigth/v1\nkind: Service\n', ['error unknown-api-version a.yaml:1:13']],
    ['unknown kind', `${head}kind: Servce\nmetadata: {name: S}\n`, ['error unknown-kind a.yaml:2:7']],
    ['no kind', `${head}metadata: {name: S}\n`, ['error unknown-kind a.yaml:1:1']],
    ['unknown key', `${head}kind: Role\nmetadata: {name: S}\nspecs: {}\n`, ['error unknown-key a.yaml:4:1']],
    ['a project', `${head}kind: Project\n`, ['error project-among-manifests a.yaml:2:7']],
    ['no name', `${head}kind: Role\nmetadata: {}\n`, ['error missing-name a.yaml:3:11']],
    ['no metadata', `${head}kind: Role\n`, ['error missing-name a.yaml:1:1']],
    ['no parent', `${head}kind: Method\nmetadata: {service: S, name: m}\n`, ['error missing-name a.yaml:3:11']],
    [
      'a parent with an empty name',
      `${head}kind: Method\nmetadata: {service: "", endpoint: {name: ""}, name: m}\n`,
      ['error wrong-type a.yaml:3:21', 'error wrong-type a.yaml:3:42'],
    ],
    [
      'unknown metadata',
      `${head}kind: Role\nmetadata: {name: R, lables: {}}\n`,
      ['error unknown-metadata a.yaml:3:21'],
    ],
    ['a name that is a number', `${head}kind: Role\nmetadata: {name: 5}\n`, ['error wrong-type a.yaml:3:18']],
    ['metadata that is a text', `${head}kind: Endpoint\nmetadata: 5\n`, ['error wrong-type a.yaml:3:11']],
    ['metadata that is empty', `${head}kind: Role\nmetadata:\n`, ['error missing-name a.yaml:3:10']],
    [
      'mistyped metadata',
      `${head}kind: Role\nmetdata: {nmae: R}\n`,
      ['error unknown-key a.yaml:3:1', 'error unknown-metadata a.yaml:3:11'],
    ],
    [
      'two documents in one',
      `${head}kind: Role\nmetadata: {name: R}\n${head}kind: Role\nmetadata: {name: Q}\n`,
      ['error duplicate-key a.yaml:4:1'],
    ],
    ['a duplicate key', `${head}kind: Role\nkind: Role\nmetadata: {name: R}\n`, ['error duplicate-key a.yaml:3:1']],
    ['a mistyped kind', `${head}Kind: Role\nmetadata: {name: R}\n`, ['error unknown-key a.yaml:2:1']],
    ['a spec that is a list', `${head}kind: Role\nmetadata: {name: R}\nspec: [a]\n`, ['error wrong-type a.yaml:4:7']],
    [
      'defaults without content',
      `${head}kind: Service\nmetadata: {name: S, defaults: }\n`,
      ['error wrong-type a.yaml:3:30'],
    ],
    [
      'a star beside other entries, of endpoints and of methods',
      `${head}kind: PlanService\nmetadata: {package: P, plan: G, name: S}\nspec:\n  endpoints: ["*", {name: a, methods: ["*"]}]\n`,
      ['error wrong-type a.yaml:5:15', 'error wrong-type a.yaml:5:40'],
    ],
    ['bad address', `${head}kind: Removed\nmetadata: {address: Service}\n`, ['error bad-address a.yaml:3:21']],
    [
      'an address without parents',
      `${head}kind: Removed\nmetadata: {address: Plan/x}\n`,
      ['error bad-address a.yaml:3:21'],
    ],
  ])('%s', (_, text, expected) => {
    expect(errorsOf(manifestsIn(text))).toEqual(expected)
  })

  test.each([
    ['Environment', '', ['unknown-api-version 1:1', 'environment-among-manifests 1:7']],
    ['Policy', '', ['unknown-api-version 1:1', 'policy-among-manifests 1:7']],
    ['Project', 'apiVersion: gatewrigth/v1\n', ['unknown-api-version 1:13', 'project-among-manifests 2:7']],
    ['Policy', 'apiVersion: kyverno.io/v1\n', ['unknown-api-version 1:13']],
  ])('both mistakes of a %s in the wrong place with %j are reported at once', (kind, version, expected) => {
    const texts = { 'a.yaml': `${version}kind: ${kind}\nmetadata: {name: dev}\n` }
    expect(errorsOf(manifestsOf(texts, { paths: ['a.yaml'] }))).toEqual(
      expected.map((each) => `error ${each.replace(' ', ' a.yaml:')}`),
    )
  })

  test.each([
    ['metadata: {}\nspec: {file: api.yaml}\n', '3:11 this OpenAPI document has no metadata.service'],
    ['metadata: {service: S}\n', '1:1 this OpenAPI document has no spec.file'],
    ['metadata: {service: S}\nspec:\n', '4:6 this OpenAPI document has no spec.file'],
    ['metadata: {service: S}\nspec: {fil: api.yaml}\n', '4:8 spec of OpenAPI has no field "fil"'],
    ['metadata: {service: S}\nsepc: {file: api.yaml}\n', '4:1 a manifest has no key "sepc"'],
    ['metadta: {service: S}\nspec: {file: api.yaml}\n', '3:1 a manifest has no key "metadta"'],
  ])('missing fields of an OpenAPI document are reported once: %j', (text, told) => {
    const api = 'openapi: 3.0.0\ninfo: {title: T, version: "1"}\npaths: {/a: {get: {responses: {}}}}\n'
    const { problems } = manifestsOf(
      { 'a.yaml': `${head}kind: OpenAPI\n${text}`, 'api.yaml': api },
      { paths: ['a.yaml'] },
    )
    expect(
      problems
        .filter(({ severity }) => severity === 'error')
        .map(({ place, message }) => `${place?.line}:${place?.column} ${message}`),
    ).toEqual([told])
  })

  test('pointers to written fields must exist, because otherwise nothing would be masked or ignored', () => {
    const at = (metadata: string, spec: string) =>
      errorsOf(manifestsIn(`${head}kind: Endpoint\nmetadata: {service: S, name: e, ${metadata}}\nspec: {${spec}}\n`))
    const processor = 'processor: {preInputs: {a: b}}'
    expect(at('sensitive: [/processor/preInput]', processor)).toEqual(['error bad-pointer a.yaml:3:45'])
    expect(at('ignore: [/cors/maxAeg]', 'cors: {maxAge: 5}')).toEqual(['error bad-pointer a.yaml:3:42'])
    expect(at('sensitive: [/processor/preInputs/a, /processor/postInputs]', processor)).toEqual([])
    const deeper = errorsOf(
      manifestsIn(
        `${head}kind: Service\nmetadata: {name: S, ignore: [/securityProfile/oauth/grantTypez, /securityProfile/oauth/grantTypes]}\nspec: {}\n`,
      ),
    )
    expect(deeper).toEqual(['error bad-pointer a.yaml:3:30'])
    expect(at('ignore: [/cors/maxAge/x]', 'cors: {maxAge: 5}')).toEqual(['error bad-pointer a.yaml:3:42'])
    const extra = 'extraFields: true, ignore: [/own/inner, /cors/own]'
    expect(at(extra, 'own: {}, cors: {own: 1}')).toEqual([])
  })

  test('a second declaration by an alias is reported as such, because both have the same position', () => {
    const [problem] = manifestsIn(
      `${head}kind: Package\nmetadata: {name: P}\nspec: {plans: [&a {name: G}, *a]}\n`,
    ).problems
    expect(problem).toMatchObject({
      code: 'duplicate-object',
      hint: expect.stringContaining('an alias (*NAME) repeats'),
    })
  })

  test('the reference of a link in a separate document is reported at its name', () => {
    const link = `${head}kind: ServiceRole\nmetadata: {service: S, name: R}\n`
    const places = manifestsIn(`${head}kind: Service\nmetadata: {name: S}\n---\n${link}`).problems.map(
      ({ code, place }) => `${code} ${place?.line}:${place?.column}`,
    )
    expect(places).toEqual(['undeclared-reference 7:30'])
  })

  test('a link is pinned to only one object', () => {
    const link = (id: string) => documentOf('ServiceRole', { service: 'S', name: 'R', id: 'x' }, { id })
    expect(errorsOf(manifestsIn(link('y')))).toEqual(['error name-differs a.yaml:4:13'])
    expect(errorsOf(manifestsIn(link('x')))).toEqual([])
  })

  test('a Removed document with a spec is refused, and is not told that the spec is missing', () => {
    const { problems } = manifestsIn(`${head}kind: Removed\nmetadata: {address: Service/S}\nspec: {a: 1}\n`)
    expect(problems.map(({ message, hint }) => `${message}: ${hint}`)).toEqual([
      'a document of kind Removed has no spec: remove it: metadata.address is all that it has',
    ])
  })

  test('hints suggest the correct word', () => {
    const [problem] = manifestsIn(`${head}kind: Servce\n`).problems
    expect(problem?.hint).toBe('did you mean "Service"?')
    const swapped = manifestsIn(`${head}kind: Role\nmetadata: {nmae: R}\n`).problems
    expect(swapped.map(({ hint }) => hint)).toContain('did you mean "name"?')
    expect(problem?.place?.frame).toBe('  1 | apiVersion: gatewright/v1\n> 2 | kind: Servce\n    |       ^')
  })

  test('a mistyped field is not reported as missing as well', () => {
    const endpoint = '{nmae: e, requestPathAlias: /e, trafficManagerDomian: a.example}'
    expect(everything(service(`endpoints: [${endpoint}]`))).toEqual([
      'error unknown-field a.yaml:5:16',
      'error unknown-field a.yaml:5:47',
    ])
    expect(everything(`${head}kind: Role\nmetadata: {nmae: R}\n`)).toEqual(['error unknown-metadata a.yaml:3:12'])
    const passed = service('endpoints: [{nmae: e, requestPathAlias: /e, trafficManagerDomain: a.example}]')
    expect(everything(passed.replace('name: S', 'name: S, extraFields: true'))).toEqual([
      'error missing-name a.yaml:5:15',
      expect.stringContaining('warning'),
    ])
  })

  test('the word of a kind instead of "name" is reported once, with a suggestion', () => {
    const told = (text: string) =>
      manifestsIn(text)
        .problems.filter(({ severity }) => severity === 'error')
        .map(({ code, place, hint }) => `${code} ${place?.line}:${place?.column} ${hint}`)
    const plan = (services: string) =>
      told(`${head}kind: Plan\nmetadata: {package: P, name: G}\nspec: {services: [${services}]}\n`)
    expect(plan('{service: X}')).toEqual(['unknown-field 4:20 did you mean "name"?'])
    expect(plan('{name: X, endpoints: [{endpoint: e, methods: [{method: m}]}, {nmae: f}]}')).toEqual([
      'unknown-field 4:42 did you mean "name"?',
      'unknown-field 4:66 did you mean "name"?',
      'unknown-field 4:81 did you mean "name"?',
    ])
    expect(plan('{name: X, service: X}')).toEqual(['unknown-field 4:29 known: name, endpoints'])
    expect(plan('{name: X, endpoints: [{name: e, endpoint: e}]}')).toEqual([
      'unknown-field 4:51 known: name, id, methods',
    ])
    expect(told(`${head}kind: Member\nmetadata: {username: m}\n`)).toEqual([
      'unknown-metadata 3:12 did you mean "name"?',
    ])
    expect(told(`${head}kind: Service\nmetadata: {service: S}\nspec: {roles: [{role: R}]}\n`)).toEqual([
      'unknown-metadata 3:12 did you mean "name"?',
      'unknown-field 4:17 did you mean "name"?',
    ])
    expect(told(`${head}kind: Member\nmetadata: {name: m, username: m}\n`)).toEqual([
      'unknown-metadata 3:21 write it in spec',
    ])
  })

  test('hints suggest the only field that begins with the written word', () => {
    const hintOf = (field: string) => manifestsIn(service(`${field}: 5`)).problems[0]?.hint
    expect(hintOf('qpsLimit')).toBe('did you mean "qpsLimitOverall"?')
    expect(hintOf('e')).toMatch(/^known: /)
    const plan = `${head}kind: Plan\nmetadata: {package: P, name: G}\nspec: {qpsLimit: 5}\n`
    const several = manifestsIn(plan).problems.find(({ code }) => code === 'unknown-field')
    expect(several?.hint).toMatch(/^known: /)
  })

  test('a key beside spec that belongs into it is reported so', () => {
    const { problems } = manifestsIn(`${head}kind: Service\nname: S\nmetadata: {name: S}\nversion: "1"\nother: 1\n`)
    expect(problems.map(({ hint }) => hint)).toEqual([
      'write it in metadata',
      'write it in spec',
      'known: apiVersion, kind, metadata, spec',
    ])
  })

  test('hints for fields in metadata say where they belong', () => {
    const inside = '{name: e, metadata: {highSecurity: true}}'
    const text = `${head}kind: Service\nmetadata: {name: S, version: "1", id: i, other: 1}\nspec: {endpoints: [${inside}]}\n`
    const found = manifestsIn(text).problems.filter(({ code }) => code === 'unknown-metadata')
    expect(found.map(({ hint }) => hint)).toEqual([
      'write it in spec',
      expect.stringMatching(/^known: name, labels, id/),
      'write it beside metadata',
    ])
  })

  test('for a project below a folder without one, or in a file with another name, there is advice', () => {
    const { problems } = manifestsOf({ 'shop/gatewright.yaml': `${head}kind: Project\n` })
    expect(problems[0]?.hint).toBe('-C shop works on it; leave this file out of spec.manifests')
    const other = manifestsOf({ 'gatewright.yml': `${head}kind: Project\n` }).problems
    expect(other[0]?.hint).toBe('rename the file to gatewright.yaml: gatewright reads no other name')
  })

  test('numbers are displayed as they are written', () => {
    const text = `${head}kind: Service\nmetadata: {name: S}\nspec: {version: 1.0, qpsLimitOverall: 9007199254740993}\n`
    expect(manifestsIn(text).problems.map(({ message, hint }) => [message, hint])).toEqual([
      ['Service.version takes a text, and the number 1.0 is written', 'put it in quotes: "1.0"'],
      [
        'Service.qpsLimitOverall takes a whole number of at most 9007199254740991, and the number 9007199254740993 is written',
        'write a whole number of at most 9007199254740991',
      ],
    ])
  })

  test('a quoted number is a text: its hint displays it without quotes', () => {
    const text = `${head}kind: Service\nmetadata: {name: S}\nspec: {qpsLimitOverall: "500"}\n`
    const [problem] = manifestsIn(text).problems
    expect(problem?.message).toBe('Service.qpsLimitOverall takes a whole number, and "500" is written')
    expect(problem?.hint).toBe('write 500, without quotes')
    expect(manifestsIn(text.replace('"500"', "'5.0'")).problems[0]?.hint).toBe('write a whole number')
  })

  test('a number of an enum in quotes is a wrong type, and no other number is suggested for an unknown one', () => {
    const of = (seconds: string) =>
      manifestsIn(
        `${head}kind: Endpoint\nmetadata: {service: S, name: e}\nspec: {connectionTimeoutForSystemDomainRequest: ${seconds}}\n`,
      ).problems.flatMap(({ severity, code, message, hint }) => (severity === 'error' ? [[code, message, hint]] : []))
    expect(of('"5"')).toEqual([
      [
        'wrong-type',
        'Endpoint.connectionTimeoutForSystemDomainRequest takes one of 2, 5, 10, 20, 30, 45, 60, and "5" is written',
        'write 5, without quotes',
      ],
    ])
    expect(of('"6"')).toEqual([
      [
        'unknown-value',
        'Endpoint.connectionTimeoutForSystemDomainRequest does not take "6"',
        'known: 2, 5, 10, 20, 30, 45, 60',
      ],
    ])
    expect(of('5')).toEqual([])
  })

  test('hints for metadata among the fields say where it belongs', () => {
    const spec = 'formerly: [Old], endpoints: [{name: e, protect: true}]'
    const { problems } = manifestsIn(`${head}kind: Service\nmetadata: {name: S}\nspec: {${spec}}\n`)
    const hints = problems.filter(({ code }) => code === 'unknown-field').map(({ hint }) => hint)
    expect(hints).toEqual(['write it in metadata: {formerly: …}', 'write it in metadata: {protect: …}'])
  })
})

describe('YAML', () => {
  test.each([
    ['broken', 'a: [1\nb: 2\n', ['error yaml-syntax a.yaml:2:1']],
    ['broken, and found in a folder', `${head}a: [1\nb: 2\n`, ['error yaml-syntax a.yaml:3:1']],
    ['a duplicate key', service('version: a', 'description: b', 'version: c'), ['error duplicate-key a.yaml:7:3']],
    ['a list as a key', service('? [a]', ': b'), ['error complex-key a.yaml:5:5']],
    ['unknown alias', service('version: *x'), ['error yaml-alias a.yaml:5:12']],
    ['circular alias', service('securityProfile: &x {oauth: *x}'), ['error yaml-alias a.yaml:5:31']],
  ])('%s', (_, text, expected) => {
    expect(manifestsOf({ 'a.yaml': text }, { paths: ['a.yaml'] }).problems.map(shortly)).toEqual(expected)
  })

  test('aliases of aliases do not fill the memory', () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}, *l${level}]`,
    )
    const text = [
      `${head}kind: Package`,
      'metadata: {name: P}',
      'spec:',
      '  eav:',
      '    l0: &l0 [x]',
      ...levels.map((line) => `    ${line}`),
    ]
    expect(errorsOf(manifestsIn(`${text.join('\n')}\n`))).toContain('error too-large a.yaml:1:1')
  })

  test('anchors, aliases and merge keys are expanded', () => {
    const text = service(
      'endpoints:',
      '  - &base {name: a, requestProtocol: rest, processor: {adapter: x}}',
      '  - {<<: *base, name: b}',
    )
    const [, , second] = manifestsIn(text).resources
    expect(second?.fields).toEqual({ name: 'b', requestProtocol: 'rest', processor: { adapter: 'x' } })
  })

  test('keys that are numbers become texts, empty documents are ignored, line ends of Windows are allowed', () => {
    const text = `---\r\n---\r\n${head}kind: Package\r\nmetadata: {name: P}\r\nspec:\r\n  eav: {1: x, true: y}\r\n  nearQuotaThreshold: z\r\n`
    const manifests = manifestsIn(text)
    expect(manifests.resources[0]?.fields.eav).toEqual({ '1': 'x', true: 'y' })
    expect(errorsOf(manifests)).toEqual(['error wrong-type a.yaml:8:23'])
  })
})

describe('fields', () => {
  test.each([
    ['unknown', ['descripton: x'], ['error unknown-field a.yaml:5:3']],
    ['a number instead of a text', ['version: 1.10'], ['error wrong-type a.yaml:5:12']],
    ['a text instead of a number', ['qpsLimitOverall: "5"'], ['error wrong-type a.yaml:5:20']],
    ['a fraction', ['qpsLimitOverall: 5.5'], ['error wrong-type a.yaml:5:20']],
    ['a word instead of a boolean', ['rfc3986Encode: yes'], ['error wrong-type a.yaml:5:18']],
    ['a list instead of a text', ['description: [a]'], ['error wrong-type a.yaml:5:16']],
    ['Ign', ['revisionNumber: 5'], ['error ignored-field a.yaml:5:3']],
    ['id', ['id: x'], ['error ignored-field a.yaml:5:3']],
    ['created', ['created: 2027-01-01T00:00:00Z'], ['error ignored-field a.yaml:5:3']],
    ['another name', ['name: T'], ['error name-differs a.yaml:5:9']],
    ['null for a required field', ['name: null'], ['error null-on-required a.yaml:5:3']],
    ['an empty list of error sets', ['errorSets: []'], ['error at-least-one a.yaml:5:3']],
    ['null for the error sets', ['errorSets: null'], ['error at-least-one a.yaml:5:3']],
    ['unknown member', ['securityProfile: {oauth: {acessTokenTtl: 5}}'], ['error unknown-field a.yaml:5:29']],
    ['wrong member', ['securityProfile: {oauth: {accessTokenType: jwt}}'], ['error unknown-value a.yaml:5:46']],
    ['a child without a name', ['endpoints: [{requestProtocol: rest}]'], ['error missing-name a.yaml:5:15']],
    ['a map instead of a list', ['endpoints: {a: {}}'], ['error wrong-type a.yaml:5:14']],
    [
      'unknown enum value',
      ['endpoints:', '  - {name: e, requestProtocol: resst}'],
      ['error unknown-value a.yaml:6:34'],
    ],
    ['capitals', ['endpoints:', '  - {name: e, supportedHttpMethods: [GET]}'], ['error unknown-value a.yaml:6:40']],
    [
      'a number that is not in the enum',
      ['endpoints:', '  - {name: e, connectionTimeoutForSystemDomainRequest: 3}'],
      ['error unknown-value a.yaml:6:58'],
    ],
    [
      'a domain with both words',
      ['endpoints:', '  - {name: e, publicDomains: [{domain: a, address: b}]}'],
      ['error wrong-type a.yaml:6:33'],
    ],
    ['a role without a name', ['roles: [{action: read}]'], ['error missing-name a.yaml:5:11']],
    ['a role with an empty name', ['roles: [""]'], ['error missing-name a.yaml:5:11']],
    [
      'an event with an empty name',
      ['endpoints:', '  - {name: e, scheduledMaintenanceEvent: ""}'],
      ['error wrong-type a.yaml:6:44'],
    ],
    ['a duplicate role', ['roles: [R, {name: R}]'], ['error duplicate-reference a.yaml:5:14']],
    ['child metadata', ['endpoints: [{name: e, metadata: {protected: true}}]'], ['error unknown-metadata a.yaml:5:36']],
    ['ignore', ['endpoints: [{name: e, metadata: {ignore: [/corz]}}]'], ['error bad-pointer a.yaml:5:45']],
    [
      'ignore for a part of a child',
      ['endpoints: [{name: e, metadata: {ignore: [/cache]}}]'],
      ['error bad-pointer a.yaml:5:45'],
    ],
    [
      'sensitive for a field of a child',
      ['endpoints: [{name: e, metadata: {sensitive: [/systemDomainAuthentication/username]}}]'],
      ['error bad-pointer a.yaml:5:48'],
    ],
  ])('%s', (_, lines, expected) => {
    expect(errorsOf(manifestsIn(service(...lines)))).toEqual(expected)
  })

  test.each([
    ['2027-01-01T00:00:00.000+0000', '2027-01-01T00:00:00.000+0000'],
    ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00.000+0000'],
    ['2027-01-01T00:00:00.5+02:00', '2027-01-01T00:00:00.500+0200'],
    ['2027-02-30T00:00:00Z', undefined],
    ['2027-01-01', undefined],
    ['2027-01-01T00:00:00', undefined],
  ])('the datetime %s', (written, expected) => {
    const text = documentOf(
      'ScheduledMaintenanceEvent',
      { name: 'W' },
      { startDateTime: written, endDateTime: written },
    )
    const manifests = manifestsIn(text)
    expect(manifests.resources[0]?.fields.startDateTime).toBe(expected)
    expect(errorsOf(manifests)).toHaveLength(expected === undefined ? 2 : 0)
  })

  test('grant types may have underscores', () => {
    const [, endpoint] = manifestsIn(
      service('endpoints: [{name: e, oauthGrantTypes: [client_credentials, implicit]}]'),
    ).resources
    expect(endpoint?.fields.oauthGrantTypes).toEqual(['client-credentials', 'implicit'])
  })

  test('extraFields passes unknown fields and members with a warning', () => {
    const text = documentOf('Service', { name: 'S', extraFields: true }, { odd: [1], securityProfile: { more: true } })
    const manifests = manifestsIn(text)
    expect(manifests.resources[0]?.fields).toMatchObject({ odd: [1], securityProfile: { more: true } })
    expect(manifests.problems.map((problem) => problem.code)).toEqual(['extra-field', 'extra-field'])
  })

  test('a secret in an extra field is masked, and is reported as missing if it is not set', () => {
    const odd = { inner: 'x-${env:TOKEN}', more: 1 }
    const text = documentOf(
      'Service',
      { name: 'S', extraFields: true, sensitive: ['/own'] },
      { odd, own: 'hidden', flat: '${env:TOKEN}' },
    )
    const read = (env: Readonly<Record<string, string>>) => {
      const { resources, secrets } = manifestsIn(text, { env })
      return [resources[0]?.fields, resources[0]?.sensitive, resources[0]?.unavailable, secrets]
    }
    expect(read({ TOKEN: 'token-1' })).toEqual([
      { name: 'S', odd: { inner: 'x-token-1', more: 1 }, own: 'hidden', flat: 'token-1' },
      ['/flat', '/odd', '/own'],
      [],
      ['hidden', 'token-1'],
    ])
    expect(read({})).toEqual([{ name: 'S', own: 'hidden' }, ['/flat', '/odd', '/own'], ['/flat', '/odd'], ['hidden']])
  })

  test.each([
    ['Service', '/qpsLimitOverall', 'qpsLimitOverall: sesame-1'],
    ['Service', '/securityProfile', 'securityProfile: {oauth: {accessTokenTtl: sesame-1, macAlgorithm: 5}}'],
    ['Package', '/eav', 'eav: {a: sesame-1, b: .inf}'],
    ['Service', '/description', 'description: [sesame-1]'],
  ])('a field in metadata.sensitive is hidden even if it is wrong: %s %s', (kind, pointer, field) => {
    const text = `${head}kind: ${kind}\nmetadata: {name: S, sensitive: [${pointer}]}\nspec:\n  ${field}\n`
    const { problems, secrets } = manifestsIn(text)
    expect(problems.some(({ severity }) => severity === 'error')).toBe(true)
    expect(secrets).toEqual(['sesame-1'])
    expect(problems.map(({ place }) => place?.frame).join('')).not.toContain('sesame')
  })

  test('a secret in metadata or in a name is reported once, and no part of it is displayed, because it may be too short to be masked', () => {
    const pointers =
      '{name: S, ignore: "${env:K}", without: ["${env:K}"], environments: "${env:K}", protect: "${env:K}"}'
    const text = `${head}kind: Service\nmetadata: ${pointers}\nspec: {name: "\${env:K}", roles: ["\${env:K}"]}\n`
    const { problems } = manifestsIn(text, { env: { K: 'k9' } })
    expect(problems.map(shortly)).toEqual(
      ['3:29', '3:51', '3:78', '3:99', '4:14', '4:34'].map((at) => `error secret-name a.yaml:${at}`),
    )
    expect(JSON.stringify(problems)).not.toContain('k9')
  })

  test.each([
    ['.inf', ['error wrong-type a.yaml:5:20']],
    ['{c: .nan}', ['error wrong-type a.yaml:5:24']],
    ['12345678901234567890', ['error wrong-type a.yaml:5:20']],
    ['-9007199254740993', ['error wrong-type a.yaml:5:20']],
    // Like an export of such an answer.
    ['12345678901234567000', []],
    ['1e+21', []],
    ['0.12345678901234567890', []],
    ['"12345678901234567890"', []],
  ])('the number %s inside a free map is sent as it is written, or not at all', (number, expected) => {
    const text = `${head}kind: Package\nmetadata: {name: P}\nspec:\n  eav: {a: {b: [1, ${number}]}}\n`
    expect(everything(text)).toEqual(expected)
  })

  test.each([
    ['9007199254740993', ['error wrong-type a.yaml:4:26']],
    ['-12345678901234567890', ['error wrong-type a.yaml:4:26']],
    ['9007199254740991', []],
    ['12345678901234567000', []],
    ['0.12345678901234567890', []],
    ['1.5e3', []],
  ])('so is %s in a field that allows a fraction', (number, expected) => {
    const metadata = '{service: S, endpoint: e}'
    const text = `${head}kind: Cache\nmetadata: ${metadata}\nspec: {cacheTtlOverride: ${number}}\n`
    expect(errorsOf(manifestsIn(text))).toEqual(expected)
  })

  test('extraFields also applies to children, unless they set it to false', () => {
    const endpoints = [
      { name: 'e', odd: 1, methods: [{ name: 'm', odd: 2 }] },
      { name: 'f', odd: 3, metadata: { extraFields: false } },
    ]
    const { resources, problems } = manifestsIn(documentOf('Service', { name: 'S', extraFields: true }, { endpoints }))
    const odd = resources.flatMap(({ address, fields }) => (fields.odd === undefined ? [] : [[address, fields.odd]]))
    expect(odd).toEqual([
      ['Service/S/Endpoint/e', 1],
      ['Service/S/Endpoint/e/Method/m', 2],
    ])
    const codes = ['extra-field', 'extra-field', 'unknown-field']
    expect(problems.map(({ code }) => code).filter((code) => codes.includes(code))).toEqual(codes)
    const own = [
      { name: 'e', odd: 1, metadata: { extraFields: true } },
      { name: 'f', odd: 3 },
    ]
    const found = manifestsIn(documentOf('Service', { name: 'S' }, { endpoints: own })).problems
    expect(found.map(({ code }) => code).filter((code) => codes.includes(code))).toEqual([
      'extra-field',
      'unknown-field',
    ])
  })

  test('a read-only field is reported with the field to write instead', () => {
    const [problem] = manifestsIn(
      documentOf('PlanService', { package: 'P', plan: 'G', name: 'S' }, { description: 'x' }),
    ).problems.filter(({ severity }) => severity === 'error')
    expect(problem).toMatchObject({
      code: 'read-only-field',
      message: expect.stringContaining('manifest of that service'),
    })
  })

  test('a field that the parent gives may only be repeated', () => {
    expect(errorsOf(manifestsIn(documentOf('Application', { member: 'm', name: 'A' }, { username: 'other' })))).toEqual(
      ['error name-differs a.yaml:4:8'],
    )
  })
})

describe('values', () => {
  const secret = (value: string) => service(`endpoints: [{name: e, systemDomainCredentialSecret: ${value}}]`)

  test('come from variables and files beside the manifest; $${ is literal', () => {
    const text = service(
      'description: "${env:A}-${file:../note.txt}-$${x}"',
      'qpsLimitOverall: ${env:N}',
      'rfc3986Encode: ${env:B}',
    )
    const manifests = manifestsOf(
      { 'm/a.yaml': text, 'note.txt': 'n\r\n' },
      { env: { A: 'a', N: ' 5', B: 'true' }, paths: ['m/a.yaml'] },
    )
    expect(manifests.problems).toEqual([])
    expect(manifests.resources[0]?.sensitive).toEqual(['/description', '/qpsLimitOverall', '/rfc3986Encode'])
    expect(manifests.secrets).toEqual([' 5', 'a', 'true'])
    expect(manifests.resources[0]?.fields).toMatchObject({
      description: 'a-n-${x}',
      qpsLimitOverall: 5,
      rfc3986Encode: true,
    })
  })

  test('a placeholder as a key is not allowed, and is reported once', () => {
    const spec = 'processor: {preInputs: {"${env:X}": a, "a${b}": "${env:X}"}}'
    const { problems, resources } = manifestsIn(
      `apiVersion: gatewright/v1\nkind: Endpoint\nmetadata: {service: S, name: e}\nspec:\n  ${spec}\n`,
      { env: { X: 'x' } },
    )
    expect(problems.map(shortly)).toContain('warning placeholder-in-key a.yaml:5:27')
    expect(problems.filter(({ code }) => code === 'placeholder-in-key')).toHaveLength(1)
    expect(resources[0]?.fields).toMatchObject({ processor: { preInputs: { '${env:X}': 'a', 'a${b}': 'x' } } })
  })

  test.each([
    ['credentials of the program', 'description: "${env:GATEWRIGHT_TOKEN}"', 'error reserved-variable a.yaml:5:17'],
    ['an absolute path', 'description: "${file:/etc/passwd}"', 'error file-outside a.yaml:5:17'],
    ['a path outside the repository', 'description: "${file:../other/x}"', 'error file-outside a.yaml:5:17'],
    ['a file of git itself', 'description: "${file:.git/config}"', 'error file-outside a.yaml:5:17'],
    ['a secret in a name', 'endpoints: [{name: "e ${env:X}"}]', 'error secret-name a.yaml:5:22'],
    ['a secret in a reference', 'roles: ["${env:X}"]', 'error secret-name a.yaml:5:11'],
    ['missing file', 'description: "${file:none.txt}"', 'error missing-value-file a.yaml:5:17'],
    ['unknown placeholder', 'description: "${var:x}"', 'error unknown-placeholder a.yaml:5:17'],
    ['undeclared value', 'description: "${value:x}"', 'error value-unknown a.yaml:5:16'],
    ['unclosed', 'description: "${env:x"', 'error unknown-placeholder a.yaml:5:17'],
    ['a file without a path', 'description: "${file:}"', 'error unknown-placeholder a.yaml:5:17'],
    ['a value without a name', 'description: "${value:}"', 'error unknown-placeholder a.yaml:5:17'],
  ])('%s', (_, line, expected) => {
    expect(errorsOf(manifestsIn(service(line)))).toEqual([expected])
  })

  test.each([
    ['before a brace of another text', 'description: "a ${env:X and {b} c"', ['5:19 unclosed']],
    ['in JSON', `description: '{"a": "\${env:X", "b": "\${file:y", "c": {}}'`, ['5:24 unclosed', '5:40 unclosed']],
    [
      'before another placeholder',
      'description: "${env:X ${var:y} ${env:Z"',
      ['5:17 unclosed', '5:25 unknown', '5:34 unclosed'],
    ],
    ['over lines', 'description: |\n    a\n      b ${env:X\n    {"c": 1}', ['7:9 unclosed']],
    ['over folded lines', 'description: >-\n    a\n    b ${value:X\n    ${file:y', ['7:7 unclosed', '8:5 unclosed']],
    ['in a literal text', 'description: "${env:X:-{}} ${env:X:-{}}"', ['5:17 name', '5:30 name']],
    ['after a literal one', 'description: "$${env:X} ${env:X"', ['5:27 unclosed']],
  ])('a placeholder without its end: %s', (_, line, expected) => {
    const words = { 'this placeholder has no } at its end': 'unclosed', 'this is not a known placeholder': 'unknown' }
    const found = manifestsIn(service(line)).problems.map(
      ({ place, message }) =>
        `${place?.line}:${place?.column} ${Object.entries(words).find(([key]) => key === message)?.[1] ?? 'name'}`,
    )
    expect(found).toEqual(expected)
  })

  test('the text after a placeholder without its end is not displayed', () => {
    const [problem] = manifestsIn(service('description: "a ${env:X\\", {hidden}"')).problems
    expect(problem?.place?.frame).toContain('"a ${env:X***')
  })

  test('an undeclared value is reported at its line in a block text', () => {
    expect(errorsOf(manifestsIn(service('description: |', '  a', '   b ${value:x}')))).toEqual([
      'error value-unknown a.yaml:7:8',
    ])
  })

  test('literal secrets are a warning, or an error, and are collected in both cases', () => {
    expect(everything(secret('hidden'))).toContain('warning clear-secret a.yaml:5:55')
    expect(errorsOf(manifestsIn(secret('hidden'), { clearSecrets: 'error' }))).toEqual([
      'error clear-secret a.yaml:5:55',
    ])
    const manifests = manifestsIn(secret('"${env:X}"'), { env: { X: 'from env' } })
    expect(manifests.secrets).toEqual(['from env'])
    expect(manifests.problems.map(({ code }) => code)).not.toContain('clear-secret')
  })

  test('no message displays a value that came from a placeholder', () => {
    const text = service('qpsLimitOverall: "${env:X}"', 'endpoints: [{name: e, requestProtocol: "${env:X}"}]')
    const { problems } = manifestsIn(text, { env: { X: 'hush-hush' } })
    expect(problems.filter(({ severity }) => severity === 'error')).toHaveLength(2)
    expect(JSON.stringify(problems)).not.toContain('hush-hush')
  })
})

describe('across documents', () => {
  test('an object in two files is reported with both positions', () => {
    const manifests = manifestsOf({ 'b.yaml': service(), 'a.yaml': service() })
    expect(errorsOf(manifests)).toEqual(['error duplicate-object b.yaml:1:1'])
    expect(manifests.problems[0]?.message).toContain('a.yaml:1:1')
    expect(manifests.problems[0]?.related?.[0]?.place).toMatchObject({ file: 'a.yaml', line: 1, column: 1 })
  })

  test('pinning by id is suggested only if the object has its own id', () => {
    const hints = (kind: string, spec: string) => {
      const { problems } = manifestsIn(`${head}kind: ${kind}\nmetadata: {name: S}\nspec: {${spec}}\n`)
      return problems.flatMap(({ code, hint }) => (code === 'duplicate-object' ? [hint] : []))
    }
    expect(hints('Service', 'errorSets: [{name: e}, {name: e}]')).toEqual([expect.stringContaining('metadata.id')])
    expect(hints('Package', 'plans: [{name: Gold, services: [{name: A}, {name: A}]}]')).toEqual(['keep one of the two'])
  })

  test('the children of such an object are not reported as well', () => {
    const text = service('endpoints: [{name: e, methods: [{name: m}]}, {name: f}]')
    expect(errorsOf(manifestsOf({ 'b.yaml': text, 'a.yaml': text }))).toEqual(['error duplicate-object b.yaml:1:1'])
    const twice = service('endpoints: [{name: e, methods: [{name: m}]}, {name: e, methods: [{name: m}, {name: m}]}]')
    expect(errorsOf(manifestsIn(twice))).toEqual([expect.stringMatching(/^error duplicate-object a.yaml:5:/)])
    const alone = documentOf('Endpoint', { service: 'S', name: 'e' })
    expect(errorsOf(manifestsOf({ 'a.yaml': service('endpoints: [{name: e}]'), 'b.yaml': alone }))).toEqual([
      'error duplicate-object b.yaml:1:1',
    ])
  })

  test('missing required fields are a warning, unless the parent gives them', () => {
    const member = documentOf('Member', { name: 'm' }, { email: 'e', applications: ['A'] })
    const found = manifestsIn(member).problems
    expect(found.map(shortly)).toEqual(['warning missing-on-create a.yaml:1:1'])
    expect(found[0]?.message).toBe('Member "m" lacks displayName, externalId, passwdNew')
  })

  test('an object without a known name is not reported with an empty name', () => {
    const { problems } = manifestsIn(service('endpoints: [{name: "${env:X}"}]'))
    const lacking = problems.filter(({ code }) => code === 'missing-on-create')
    expect(lacking.map(({ message }) => message)).toEqual([
      'this Endpoint lacks requestPathAlias, trafficManagerDomain',
    ])
  })

  test('a limit above that of a declared plan', () => {
    const text = (plan: object) =>
      stream(
        documentOf('Plan', { package: 'P', name: 'G' }, plan),
        documentOf('PackageKey', { member: 'm', application: 'A' }, { package: 'P', plan: 'G', rateLimitCeiling: 500 }),
      )
    expect(errorsOf(manifestsIn(text({ rateLimitCeiling: 100 })))).toEqual(['error limit-above-plan a.yaml:9:33'])
    expect(errorsOf(manifestsIn(text({ rateLimitCeiling: 100, rateLimitExempt: true })))).toEqual([])
    expect(errorsOf(manifestsIn(text({ rateLimitCeiling: 500 })))).toEqual([])
    expect(errorsOf(manifestsIn(text({})))).toEqual([])
  })

  test.each([
    ['a ceiling below that of the plan', { rateLimitCeiling: 50 }, { rateLimitCeiling: 100 }, 1],
    ['an exemption', { qpsLimitExempt: true }, {}, 1],
    ['a ceiling, if the plan writes none', { rateLimitCeiling: 50 }, {}, 1],
    ['the ceiling that platforms set by default', { rateLimitCeiling: 5000 }, {}, 0],
    ['the ceiling of the plan itself', { rateLimitCeiling: 100 }, { rateLimitCeiling: 100 }, 0],
    ['a limit of an exempt plan', { rateLimitCeiling: 50 }, { rateLimitCeiling: 100, rateLimitExempt: true }, 0],
  ])('a key with its own limit in a declared plan that allows none: %s', (_, own, plan, count) => {
    const forbidding = { rateLimitKeyOverrideAllowed: false, qpsLimitKeyOverrideAllowed: false, ...plan }
    const text = stream(
      documentOf('Plan', { package: 'P', name: 'G' }, forbidding),
      documentOf('PackageKey', { member: 'm', application: 'A' }, { package: 'P', plan: 'G', ...own }),
    )
    const found = manifestsIn(text).problems.filter(({ code }) => code === 'limit-not-allowed')
    expect(found.map(({ severity }) => severity)).toEqual(Array.from({ length: count }, () => 'warning'))
  })

  test('a percentage above 100, and an event that ends before it starts, are warnings', () => {
    const event = (startDateTime: string, endDateTime: string) =>
      documentOf('ScheduledMaintenanceEvent', { name: 'W' }, { startDateTime, endDateTime })
    const found = (text: string) => manifestsIn(text).problems.map(shortly)
    const threshold = (value: number) => documentOf('Package', { name: 'P' }, { nearQuotaThreshold: value })
    expect(found(threshold(150))).toEqual(['warning out-of-range a.yaml:4:8'])
    expect(found(threshold(100))).toEqual([])
    const late = '2027-01-01T02:00:00.000+0200'
    expect(found(event('2027-01-01T01:00:00.000+0000', late))).toEqual(['warning not-in-order a.yaml:4:55'])
    expect(found(event('2027-01-01T00:00:00.000+0000', late))).toEqual([])
  })

  test('a URL instead of a host is a warning that gives the host, and is reported once', () => {
    const told = (...documents: readonly string[]) =>
      manifestsIn(stream(...documents))
        .problems.filter(({ code }) => code === 'not-a-host' || code === 'uncovered-domain')
        .map(({ code, place, message, hint }) => `${code} ${place?.line}:${place?.column} ${message}: ${hint}`)
    const endpoint = (publicDomains: readonly unknown[]) =>
      documentOf('Endpoint', { service: 'S', name: 'e' }, { publicDomains })
    const instead = (found: string) =>
      `Endpoint.publicDomains takes a host name, and ${found} is written: write the name`
    const domain = documentOf('Domain', { name: 'https://api.example/' })
    expect(told(domain, endpoint(['https://a.api.example', 'b.api.example']))).toEqual([
      'not-a-host 3:19 Domain.domain takes a host name, and "https://api.example/" is written: write the name alone: api.example',
      `not-a-host 9:25 ${instead('"https://a.api.example"')} alone: a.api.example`,
    ])
    expect(
      told(endpoint(['http://a.example:8443/v1?x#y', { domain: 'me:key@a.example' }, ' a.example', '', '{b}.a'])),
    ).toEqual([
      `not-a-host 4:25 ${instead('"http://a.example:8443/v1?x#y"')} alone: a.example:8443`,
      `not-a-host 4:56 ${instead('another address')} alone: a.example`,
      `not-a-host 4:86 ${instead('" a.example"')} alone: a.example`,
      `not-a-host 4:99 ${instead('""')} alone, such as api.example.com`,
      `not-a-host 4:102 ${instead('"{b}.a"')} alone, such as api.example.com`,
    ])
    expect(
      told(endpoint(['a.example', '*.a.example', 'a.example:8443', '[::1]:80', 'localhost', 'münchen.example'])),
    ).toEqual([])
  })

  test('a URL instead of a host is not displayed if it is a secret', () => {
    const text = documentOf('Endpoint', { service: 'S', name: 'e' }, { publicDomains: ['${env:HOST}'] })
    const found = manifestsIn(text, { env: { HOST: 'https://hidden.example' } }).problems
    const told = found.find(({ code }) => code === 'not-a-host')
    expect(told?.message).toBe('Endpoint.publicDomains takes a host name, and another address is written')
    expect(JSON.stringify(told)).not.toContain('hidden')
    expect(manifestsIn(text).problems.map(({ code }) => code)).not.toContain('not-a-host')
  })

  test('references to undeclared objects are a note with similar names', () => {
    const text = stream(documentOf('Role', { name: 'Partners' }), service('roles: [Partner]'))
    const [note] = manifestsIn(text).problems
    expect(note).toMatchObject({ severity: 'note', code: 'undeclared-reference', hint: 'did you mean "Partners"?' })
  })

  test.each([
    ['that cannot be read', { 'roles.yaml': `${head}kind: Role\nmetadata: {name: [R}\n` }, [], 'yaml-syntax'],
    ['that does not exist', {}, ['roles'], 'missing-file'],
  ])('references are not reported as undeclared if a manifest %s may declare them', (_, texts, more, code) => {
    const endpoint = service('roles: [R]', 'endpoints: [{name: e, publicDomains: [a.example.com]}]')
    const all = { 'a.yaml': stream(documentOf('Domain', { name: 'b.example' }), endpoint), ...texts }
    const paths = [...Object.keys(all), ...more]
    const codes = manifestsOf(all, { project: { ...project, manifests: paths } }).problems.map((each) => each.code)
    expect(codes).toContain(code)
    expect(codes).not.toContain('undeclared-reference')
    expect(codes).not.toContain('uncovered-domain')
  })

  test('domains of endpoints should belong to a declared one', () => {
    const endpoint = service('endpoints: [{name: e, publicDomains: [a.example.com, example.com, bexample.com]}]')
    const notes = (text: string) =>
      manifestsIn(text)
        .problems.filter(({ code }) => code === 'uncovered-domain')
        .map(shortly)
    expect(notes(stream(documentOf('Domain', { name: 'example.com' }), endpoint))).toEqual([
      'note uncovered-domain a.yaml:10:69',
    ])
    expect(notes(endpoint)).toEqual([])
  })

  test.each([
    [{ supportedHttpMethods: ['post'] }, ['post a.com /a']],
    [{ supportedHttpMethods: ['put'] }, []],
    [{ supportedHttpMethods: ['post'], publicDomains: ['b.com'] }, []],
    [{ supportedHttpMethods: ['post'], requestPathAlias: '/b' }, []],
    // Without verbs it is another route, as it is for platforms.
    [{ supportedHttpMethods: [] }, []],
  ])('two endpoints for the same calls are a warning: %j', (more, taken) => {
    const here = { publicDomains: ['A.com'], requestPathAlias: '/a', trafficManagerDomain: 'a.com' }
    const fields = { ...here, supportedHttpMethods: ['get', 'post'] }
    const endpoints = [fields, { ...fields, publicDomains: ['a.com'], ...more }]
    const lines = endpoints.map((each, index) => `\n  - ${JSON.stringify({ name: `e${index}`, ...each })}`)
    const { problems } = manifestsIn(service(`endpoints:${lines.join('')}`))
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual(
      taken.map(
        (route) => `same-route: Service/S/Endpoint/e1 takes the calls that Service/S/Endpoint/e0 takes: ${route}`,
      ),
    )
    expect(problems.map(({ place }) => place?.line)).toEqual(taken.map(() => 7))
  })

  test('a Removed object may not be declared, and neither may its children', () => {
    const removed = documentOf('Removed', { address: 'Service/S' }).replace('spec: {}\n', '')
    const alone = documentOf('Endpoint', { service: 'S', name: 'f' })
    const manifests = manifestsIn(stream(removed, service('endpoints: [e]'), alone))
    expect(manifests.removals).toMatchObject([{ address: 'Service/S', kind: 'Service' }])
    expect(errorsOf(manifests)).toEqual([
      'error declared-and-removed a.yaml:5:1',
      'error declared-and-removed a.yaml:11:1',
    ])
  })

  test('a single child that its parent removes with null may not be declared', () => {
    const endpoint = (more: JsonObject) =>
      documentOf(
        'Endpoint',
        { service: 'S', name: 'e' },
        { requestPathAlias: '/a', trafficManagerDomain: 'a.com', ...more },
      )
    const cache = documentOf('Cache', { service: 'S', endpoint: 'e' }, { clientSurrogateControlEnabled: true })
    const found = manifestsIn(stream(endpoint({ cache: null }), cache)).problems.filter(
      ({ severity }) => severity === 'error',
    )
    expect(found).toMatchObject([
      {
        code: 'declared-and-removed',
        message: 'Service/S/Endpoint/e/Cache is declared here, and removed by another document',
        place: { line: 6 },
        related: [{ message: 'removed here', place: { line: 4 } }],
      },
    ])
    expect(errorsOf(manifestsIn(stream(endpoint({ systemDomainAuthentication: null }), cache)))).toEqual([])
  })

  describe('a reference to a Removed object', () => {
    const removed = (address: string) => documentOf('Removed', { address }).replace('spec: {}\n', '')
    const event = (name: string, ...endpoints: readonly object[]) =>
      documentOf('ScheduledMaintenanceEvent', { name }, { endpoints })
    const link = documentOf('PlanService', { package: 'P', plan: 'G', name: 'S' }, { endpoints: ['a'] })
    const told = (...documents: readonly string[]) =>
      manifestsIn(stream(...documents)).problems.flatMap(({ code, message, related = [] }) =>
        code === 'reference-to-removed' ? [message, ...related.map((each) => each.message)] : [],
      )
    const [fromEvent, fromLink] = ['ScheduledMaintenanceEvent/V', 'Package/P/Plan/G/PlanService/S']
    const deleted = 'which a document of kind Removed deletes'

    test.each([
      ['of a link and of its list once', ['Service/S', link], [`${fromLink} refers to Service/S, ${deleted}`]],
      ['to a child', ['Service/S/Endpoint/a', link], [`${fromLink} refers to Service/S/Endpoint/a, ${deleted}`]],
      [
        'of several objects as one problem',
        ['Service/S', event('V', { service: 'S', name: 'a' }, { service: 'S', name: 'b' }), link],
        [`${fromEvent} refers to Service/S, ${deleted}`, `${fromEvent} refers to it`, `${fromLink} refers to it`],
      ],
    ])('is an error: %s', (_, [address = '', ...documents], [first, ...others]) => {
      expect(told(removed(address), ...documents)).toEqual([first, 'removed here', ...others])
    })

    test('is none in an ignored field', () => {
      const spec = { endpoints: [{ service: 'S', name: 'a' }] }
      const ignoring = documentOf('ScheduledMaintenanceEvent', { name: 'V', ignore: ['/endpoints'] }, spec)
      expect(told(removed('Service/S'), ignoring)).toEqual([])
    })

    test('is none if it uses the earlier name of a renamed object: that is reported, with the new name', () => {
      const renamed = documentOf('Service', { name: 'T', formerly: ['S'] })
      const { problems } = manifestsIn(stream(removed('Service/S'), renamed, link))
      expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
        { code: 'former-name-used', hint: 'write "T"' },
      ])
    })

    test('is none if another object is removed, or if the reference pins another one', () => {
      const pinned = event('V', { service: { name: 'S', id: '1' }, name: 'a' })
      expect(told(removed('Service/S/Endpoint/z'), removed('Service/S~2'), pinned, link)).toEqual([])
    })
  })
})

describe('each problem is reported once', () => {
  test('however often aliases and merge keys repeat the mistake', () => {
    const text = service(
      'endpoints:',
      '  - &e {name: a, cors: &c {maxAge: x}, requestPathAlias: "${file:none}", nonsense: 1}',
      '  - {<<: *e, name: b}',
      '  - {name: c, cors: *c}',
    )
    expect(errorsOf(manifestsIn(text))).toEqual([
      'error wrong-type a.yaml:6:38',
      'error missing-value-file a.yaml:6:61',
      'error unknown-field a.yaml:6:76',
    ])
  })

  test('one mistake in YAML is one problem', () => {
    expect(errorsOf(manifestsIn(service('description: a', ' version: b')))).toHaveLength(1)
  })

  test('a file that is named twice is read once', () => {
    const paths = ['a.yaml', './a.yaml', '/projects/shop/a.yaml']
    const files = Object.fromEntries(paths.map((path) => [path.replace(/^\.\//, ''), service('nonsense: 1')]))
    expect(errorsOf(manifestsOf(files, { paths }))).toEqual(['error unknown-field a.yaml:5:3'])
  })
})

describe('files', () => {
  test.each([
    ['a missing file', ['none.yaml'], ['error missing-file']],
    ['an empty folder', ['docs'], ['error missing-file']],
    ['an empty pattern', ['src/**/*.yaml'], ['error missing-file']],
    ['an empty file', ['empty.yaml'], ['error empty-manifests']],
  ])('%s is an error', (_, paths, expected) => {
    const files = { 'a.yaml': service(), 'docs/readme.md': 'x', 'empty.yaml': '# nothing\n' }
    expect(manifestsOf(files, { paths }).problems.map(shortly)).toEqual(expected)
  })

  test.each([
    ['a file', ['m/a.yaml'], ['S']],
    ['a folder', ['./m/'], ['R', 'S']],
    ['a pattern', ['**/*.{yaml,y?l}'], ['R', 'S']],
    ['alternatives', ['m/{a,x}.yaml'], ['S']],
    ['both', ['m', 'm/a.yaml'], ['R', 'S']],
  ])('%s', (_, paths, keys) => {
    const files = { 'm/a.yaml': service(), 'm/n/b.yml': documentOf('Role', { name: 'R' }), 'm/c.txt': 'x' }
    const manifests = manifestsOf(files, { paths })
    expect(errorsOf(manifests)).toEqual([])
    expect(manifests.resources.map(({ key }) => key)).toEqual(keys)
  })

  test('a file that is found in a folder may be something else than a manifest, but a named file may not', () => {
    const files = {
      'a.yaml': service(),
      'k8s.yaml': 'apiVersion: v1\nkind: Service\n',
      'list.yml': '- a\n',
      'helm.yaml': '{{ x }}: [\n',
    }
    expect(manifestsOf(files).problems.map(shortly)).toEqual([
      'note skipped-document k8s.yaml:1:1',
      'note skipped-document list.yml:1:1',
    ])
    expect(errorsOf(manifestsOf(files, { paths: ['k8s.yaml', 'a.yaml'] }))).toEqual([
      'error unknown-api-version k8s.yaml:1:13',
    ])
  })

  test('the project file is not a manifest', () => {
    const files = { 'gatewright.yaml': `${head}kind: Project\n`, 'a.yaml': service() }
    expect(manifestsOf(files, { project: { ...project, file: 'gatewright.yaml' } }).problems).toEqual([])
    expect(errorsOf(manifestsOf(files, { project: { ...project, file: 'gatewright.yaml' }, paths: ['.'] }))).toEqual([])
  })
})

describe('frames', () => {
  const member = (...lines: readonly string[]) =>
    [`${head}kind: Member`, 'metadata: {name: m}', 'spec:', ...lines.map((line) => `  ${line}`), ''].join('\n')
  const shown = (text: string) => JSON.stringify(manifestsIn(text).problems)

  test.each([
    ['in clear', member('passwdNew: hush-hush', 'emial: x')],
    [
      'on one line with other keys',
      member('applications: [{name: A, packageKeys: [{package: P, secret: hush-hush, plann: G}]}]'),
    ],
    ['as a block', member('passwdNew: |', '  hush-hush', '  hush-hush', 'emial: x')],
    ['a number', member('passwdNew: 998877', 'emial: x')],
    ['beside broken YAML', member('passwdNew: hush-hush: [')],
    [
      'an apikey',
      documentOf('PackageKey', { member: 'm', application: 'A' }, { apikey: 'hush-hush', package: 'P', nonsense: 1 }),
    ],
  ])('never display a secret: %s', (_, text) => {
    expect(shown(text)).not.toContain('hush-hush')
    expect(shown(text)).not.toContain('998877')
    expect(shown(text)).toContain('***')
  })

  test.each([
    [
      'a block with a wrongly indented line',
      ['certificate: |', '    HUSH', '  HUSH', '    HUSH', '  type: certificate'],
    ],
    ['a quoted text that is not closed', ['password: "HUSH', '    HUSH', '  type: httpBasic']],
    ['a flow mapping that is not closed', ['type: {', '  a: x, password: HUSH', '  HUSH', 'description: x']],
    ['a secret that aliases repeat', ['username: &a HUSH', 'password: *a', 'nonsense: 1']],
    ['a secret that aliases repeat, beside broken YAML', ['username: &a HUSH', 'password: *a', 'type: [']],
    ['an invalid alias', ['password: *HUSH']],
    ['an invalid tag', ['password: !HUSH', 'type: x']],
    ['an invalid block header', ['password: |HUSH', '  HUSH']],
    ['an invalid placeholder', ['password: "a${HUSH}b"', 'certificate: "a${HUSH"']],
    ['an invalid escape', ['password: "\\xHUSH"']],
    ['a key without a value', ['type: {password, HUSH}']],
    ['a comment', ['password: x #HUSH', '# password: HUSH', 'nonsense: 1']],
    ['a misspelt name', ['passwd: HUSH', 'pass word: HUSH']],
    ['a text beside a placeholder', ['password: "HUSH${env:SET}"', 'nonsense: 1']],
  ])('never display a part of a secret: %s', (_, lines) => {
    const metadata = 'metadata: {service: S, endpoint: e}'
    const text = [`${head}kind: SystemDomainAuthentication`, metadata, 'spec:', ...lines.map((each) => `  ${each}`), '']
    const { problems } = manifestsIn(text.join('\n'), { env: { SET: 'x' } })
    expect(problems.filter(({ severity }) => severity !== 'note')).not.toEqual([])
    expect(JSON.stringify(problems)).not.toContain('HUSH')
  })

  test.each([
    ['on one line', ['metadata: {name: S, sensitive: [/description]}', 'spec:']],
    ['as a list on the next lines', ['metadata:', '  name: S', '  sensitive:', '    - "/description"', 'spec:']],
    ['in another place, such as a comment', ['metadata: {name: S}', '# sensitive: /description', 'spec:']],
  ])('display nothing of unreadable YAML that metadata marks as sensitive: %s', (_, lines) => {
    const text = [`${head}kind: Service`, ...lines, '  description: HUSH', '  version: "b" x', ''].join('\n')
    const frame = manifestsIn(text).problems[0]?.place?.frame ?? ''
    expect(frame).toContain('description: ***')
    expect(frame).not.toContain('HUSH')
  })

  test('display the lines of unreadable YAML that contain no secret', () => {
    const text = service(
      'description: some text',
      'endpoints:',
      '  - name: e',
      '    publicDomains:',
      '      - a.example.com',
      '     - b',
    )
    expect(manifestsIn(text).problems[0]?.place?.frame).toBe(
      ['   9 |         - a.example.com', '> 10 |        - b', '     |        ^'].join('\n'),
    )
  })

  test('display that there is a comment, but not its text', () => {
    const text = `# yaml-language-server: HUSH\n${head}kind: Role\nmetadata: {name: R}\nspec:\n  #\n  nonsense: 1\n`
    const { problems } = manifestsIn(text)
    expect(problems[0]?.place?.frame?.split('\n').slice(0, 2)).toEqual(['  6 |   #', '> 7 |   nonsense: ***'])
    expect(manifestsIn(`# HUSH\n${head}nonsense: 1\n`).problems[0]?.place?.frame).toContain('  1 | #***')
  })

  test.each([
    ['"a # b"', '"a # b"'],
    ["'it''s # b' # HUSH", "'it''s # b' #***"],
    ['"a \\" # b" # HUSH "', '"a \\" # b" #***'],
    ['a, "b # HUSH"', 'a, "b #***'],
  ])('display the text in quotes, but no comment: %s', (written, shown) => {
    const { problems } = manifestsIn(
      `${head}kind: Service\nmetadata: {name: R}\nspec:\n  description: ${written}\n  version: [1]\n`,
    )
    const frames = problems.flatMap(({ place }) => place?.frame ?? []).join('\n')
    expect(frames).toContain(`description: ${shown}\n`)
    expect(frames).not.toContain('HUSH')
  })

  test('have a readable length: of a long line, only the relevant part', () => {
    const many = Array.from({ length: 30_000 }, (_, index) => `"x${index}": ${index}`).join(', ')
    const { problems } = manifestsIn(
      `{"apiVersion": "gatewright/v1", "kind": "Role", "metadata": {"name": "R"}, "spec": {${many}}}`,
    )
    expect(problems).toHaveLength(30_000)
    const frame = problems[20_000]?.place?.frame ?? ''
    const [marked = '', pointer = ''] = frame.split('\n')
    expect(marked.slice(pointer.indexOf('^'))).toMatch(/^"x\d+": \*\*\*, "x/)
    expect(Math.max(...problems.map(({ place }) => place?.frame?.length ?? 0))).toBeLessThan(400)
  })

  test('and still point to the right sign', () => {
    const { problems } = manifestsIn(
      member('applications: [{name: A, packageKeys: [{package: P, secret: hush, plann: G}]}]'),
    )
    const frame = problems.find(({ code }) => code === 'unknown-field')?.place?.frame?.split('\n') ?? []
    expect(frame.at(-1)?.indexOf('^')).toBe(frame.at(-2)?.indexOf('plann'))
  })

  test('point to the stars that hide the mistake', () => {
    const { problems } = manifestsIn(member('passwdNew: "${env:HUSH}"'), { env: {} })
    const frame = problems.find(({ code }) => code === 'secret-unavailable')?.place?.frame?.split('\n') ?? []
    expect(frame.at(-2)).not.toContain('HUSH')
    expect(frame.at(-1)?.indexOf('^')).toBe(frame.at(-2)?.indexOf('***'))
  })
})
