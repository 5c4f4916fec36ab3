import { describe, expect, test, vi } from 'vitest'
import { readProject } from '../../../src/manifest/project.js'
import { readManifests } from '../../../src/manifest/read.js'
import type { Resource } from '../../../src/manifest/resource.js'
import { placeOf } from '../../../src/manifest/source.js'
import { filesOf } from '../manifests-of.js'

/** The objects that result from a project file with this spec, manifests, and an environment. */
function read(spec: string, manifests: string, environment?: string, more: Readonly<Record<string, string>> = {}) {
  const files = filesOf({
    'gatewright.yaml': `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec:\n${spec}`,
    'manifests/a.yaml': manifests,
    ...more,
  })
  const { project, problems } = readProject({ dir: '.', env: { HOST: 'h.example.com' }, environment }, files)
  const result = readManifests({ project, env: { HOST: 'h.example.com' }, files })
  const told = [...problems, ...result.problems].filter(({ code }) => code !== 'missing-on-create')
  return {
    project,
    fields: Object.fromEntries(result.resources.map(({ address, fields }) => [address, fields])),
    resources: result.resources,
    removals: result.removals,
    unusedValues: result.unusedValues,
    problems: told.map(({ code, place }) => `${code} ${place?.file}:${place?.line}:${place?.column}`),
    words: told.map(({ message, hint }) => `${message} | ${hint}`),
  }
}

const header = 'apiVersion: gatewright/v1\nkind: '
const service = (name: string, spec: string, metadata = '') =>
  `${header}Service\nmetadata: {name: "${name}"${metadata}}\nspec: ${spec}\n`

const rangesOf = ({ ranges }: Resource, ...fields: readonly string[]) =>
  fields.map((field) => {
    const range = ranges.at(`/${field}`)
    return range && `${placeOf(range).file}:${placeOf(range).line}:${placeOf(range).column}`
  })

const only = (resources: readonly Resource[], address: string): Resource => {
  const found = resources.find((resource) => resource.address === address)
  if (!found) throw new Error(`no ${address}`)
  return found
}

describe('values', () => {
  const values = `  values:
    text: {type: string, enum: [one, two], default: one}
    list: {type: array, items: {type: string}, default: [a, b]}
    count: 5
    both: "\${value:text} at \${env:HOST}"
`
  test('a number that is one of the allowed values may come from a variable', () => {
    const of = (text: string) => {
      const files = filesOf({
        'gatewright.yaml': `apiVersion: gatewright/v1
kind: Project
spec:
  secrets: {public: [COUNT]}
  values: {count: {type: integer, enum: [5, 10], default: "\${env:COUNT}"}}
`,
        'a.yaml': service('S', '{qpsLimitOverall: "${value:count}"}'),
      })
      const env = { COUNT: text }
      const { resources, problems } = readManifests({
        project: readProject({ dir: '.', env }, files).project,
        env,
        files,
      })
      return [problems.map(({ code }) => code), only(resources, 'Service/S').fields.qpsLimitOverall]
    }
    expect(of('10')).toEqual([[], 10])
    expect(of('7')).toEqual([['unknown-value'], undefined])
  })

  test.each(['1', '0.5', '2'])('a whole number may be the default if %s are allowed as well', (text) => {
    const spec = `  values: {share: {enum: [0.5, 1, 2], default: 1}}\n  environments: {dev: {values: {share: ${text}}}}\n`
    const { problems, fields } = read(spec, service('S', '{description: "at ${value:share}"}'), 'dev')
    expect({ problems, fields }).toEqual({
      problems: [],
      fields: { 'Service/S': { name: 'S', description: `at ${text}` } },
    })
  })

  test('a field that is one placeholder takes the value with its type; also in a text, in a list and in a name', () => {
    const manifest = service(
      '${value:text} API',
      '{qpsLimitOverall: "${value:count}", description: "x ${value:both}", endpoints: [{name: e, supportedHttpMethods: get, publicDomains: [z, "${value:list}"]}]}',
    )
    const { fields, problems } = read(values, manifest)
    expect(problems).toEqual([])
    expect(fields).toEqual({
      'Service/one API': { name: 'one API', description: 'x one at h.example.com', qpsLimitOverall: 5 },
      'Service/one API/Endpoint/e': { name: 'e', publicDomains: ['z', 'a', 'b'], supportedHttpMethods: ['get'] },
    })
  })

  test.each([
    ['undeclared', '"${value:nothing}"', ['value-unknown manifests/a.yaml:4:21']],
    ['a list inside a text', '"x ${value:list}"', ['value-in-text manifests/a.yaml:4:24']],
    ['a list instead of a text', '"${value:list}"', ['wrong-type manifests/a.yaml:4:21']],
  ])('%s', (_, description, expected) => {
    expect(read(values, service('S', `{description: ${description}}`)).problems).toEqual(expected)
  })

  test('that use each other in a circle are reported with the circle', () => {
    const { problems, words } = read(
      '  values: {a: "${value:b}", b: "${value:a}"}\n',
      service('S', '{description: "${value:a}"}'),
    )
    expect(problems).toEqual(['value-circular gatewright.yaml:5:32'])
    expect(words[0]).toContain('a → b → a')
  })

  describe('in a long chain', () => {
    const chain = (count: number, description: string) => {
      const numbers = Array.from({ length: count }, (_, index) => index)
      const lines = numbers.map((index) => `    v${index}: "\${value:v${index + 1}}"\n`).join('')
      return read(`  values:\n${lines}    v${count}: text\n`, service('S', `{description: "${description}"}`))
    }

    test('of 100 are resolved; with one more, the chain is an error', () => {
      const { fields, problems } = chain(99, '${value:v0}')
      expect([fields['Service/S'], problems]).toEqual([{ name: 'S', description: 'text' }, []])
      expect(chain(100, '${value:v0}').problems).toEqual(['too-deep gatewright.yaml:105:10'])
    })

    test.each([
      ['that is used', '${value:v0}', ['too-deep gatewright.yaml:105:10'], 0],
      ['that nothing uses', 'd', [], 5_001],
    ])('never crash the program: 5,000 %s', (_, description, expected, unused) => {
      const { problems, unusedValues } = chain(5_000, description)
      expect(problems).toEqual(expected)
      if (unused > 0) expect(unusedValues).toHaveLength(unused)
    })
  })

  test('are checked against their declaration, at their position', () => {
    const spec = `${values}  environments: {dev: {values: {text: three, count: many, lst: [a]}}}\n`
    const manifest = service('S', '{description: "${value:text}", qpsLimitOverall: "${value:count}"}')
    expect(read(spec, manifest, 'dev').problems).toEqual([
      'unknown-value gatewright.yaml:10:39',
      'wrong-type gatewright.yaml:10:53',
      'value-unknown gatewright.yaml:10:59',
    ])
  })

  test.each(['null', ''])('may have an empty default (%s), which unsets a field', (nothing) => {
    const spec = `  values: {x: {default: ${nothing}}}\n  environments: {dev: {}, qa: {values: {x: q}}}\n`
    const of = (environment: string) => read(spec, service('S', '{description: "${value:x}"}'), environment)
    expect(of('dev')).toMatchObject({ problems: [], fields: { 'Service/S': { description: null } } })
    expect(of('qa')).toMatchObject({ problems: [], fields: { 'Service/S': { description: 'q' } } })
  })

  test('are not allowed in settings of the project, declared or not', () => {
    const spec = `${values}  platform: {area: "\${value:text}"}\n  environments: {dev: {platform: {area: "x \${value:text}"}}}\n`
    for (const environment of [undefined, 'dev']) {
      const { problems, words } = read(spec, service('S', '{}'), environment)
      expect(problems).toEqual([`value-unknown gatewright.yaml:${environment ? '11:44' : '10:21'}`])
      expect(words[0]).toContain('not in settings of the project')
    }
  })

  test('are allowed in the addresses of Removed documents', () => {
    const removed = `${header}Removed\nmetadata: {address: "Service/\${value:text} API"}\n`
    const { removals, problems } = read(values, `${service('A', '{}')}---\n${removed}`)
    expect([removals.map(({ address }) => address), problems]).toEqual([['Service/one API'], []])
    expect(read(values, removed.replace('value:text', 'value:nope')).problems).toEqual([
      'value-unknown manifests/a.yaml:3:30',
    ])
    const ofSecret = read(values, removed.replace('value:text', 'env:HOST'))
    expect([ofSecret.removals, ofSecret.problems]).toEqual([[], ['secret-name manifests/a.yaml:3:21']])
  })

  test('without a default that an environment does not give are reported at their use', () => {
    const spec = '  values: {stage: {type: string}}\n  environments: {dev: {}}\n'
    expect(read(spec, service('S', '{description: "${value:stage}"}'), 'dev').problems).toEqual([
      'value-missing manifests/a.yaml:4:21',
    ])
  })

  test('that are secrets of objects in other environments are not reported as missing', () => {
    const spec = '  environments: {dev: {}, qa: {}}\n'
    const endpoint = (more: string) => `{name: e, requestPathAlias: /e, trafficManagerDomain: a.b, ${more}}`
    const limited = endpoint('metadata: {environments: [qa]}, jsonpCallbackParameter: "${env:UNSET}"')
    const text = service('S', `{endpoints: [${limited}]}`)
    expect(read(spec, text, 'dev').problems).toEqual([])
    expect(read(spec, text, 'qa').problems).toEqual([expect.stringMatching(/^secret-unavailable /)])
  })
})

describe('defaults', () => {
  const defaults = `  defaults:
    Endpoint: {requestProtocol: rest, cors: {maxAge: 5, cookiesAllowed: true}}
  environments:
    dev: {defaults: {Endpoint: {requestProtocol: soap}}}
`
  test('of project, environment and ancestors are overridden by written members, one by one', () => {
    const manifest = service(
      'S',
      '{endpoints: [{name: a, cors: {maxAge: 7}}, {name: b, metadata: {without: [/cors]}, requestProtocol: xml-rpc}]}',
      ', defaults: {Endpoint: {requestProtocol: other, apiKeyValueLocationKey: k}}',
    )
    const { fields, problems } = read(defaults, manifest, 'dev')
    expect(problems).toEqual([])
    expect(fields['Service/S/Endpoint/a']).toMatchObject({
      cors: { maxAge: 7, cookiesAllowed: true },
      requestProtocol: 'other',
    })
    expect(fields['Service/S/Endpoint/b']).toEqual({
      name: 'b',
      requestProtocol: 'xml-rpc',
      apiKeyValueLocationKey: 'k',
    })
  })

  test('also apply to stand-alone children', () => {
    const alone = `${header}Endpoint\nmetadata: {service: S, name: e}\nspec: {apiKeyValueLocationKey: k}\n`
    const manifest = `${alone}---\n${service('S', '{}', ', defaults: {Endpoint: {highSecurity: true}}')}`
    expect(read(defaults, manifest).fields['Service/S/Endpoint/e']).toMatchObject({
      highSecurity: true,
      requestProtocol: 'rest',
      apiKeyValueLocationKey: 'k',
    })
  })

  test('are the reported position of their fields', () => {
    const manifest = service('S', '{endpoints: [{name: a, cors: {maxAge: 7}}]}')
    expect(
      rangesOf(
        only(read(defaults, manifest).resources, 'Service/S/Endpoint/a'),
        'requestProtocol',
        'cors',
        'cors/maxAge',
        'cors/cookiesAllowed',
      ),
    ).toEqual(['gatewright.yaml:6:16', 'manifests/a.yaml:4:30', 'manifests/a.yaml:4:37', 'gatewright.yaml:6:57'])
  })

  test.each([
    ['a field that the kind does not have', '{Endpoint: {requestProtocl: rest}}', 'unknown-field gatewright.yaml:5:25'],
    ['a kind that does not exist', '{Endpont: {type: a}}', 'unknown-kind gatewright.yaml:5:14'],
    ['objects', '{Service: {endpoints: [a]}}', 'layer-creates gatewright.yaml:5:24'],
    ['a name', '{Service: {name: x}}', 'layer-names gatewright.yaml:5:24'],
    ['the wrong type', '{Service: {qpsLimitOverall: x}}', 'wrong-type gatewright.yaml:5:41'],
  ])('%s in defaults: an error at the default', (_, written, expected) => {
    expect(read(`  defaults: ${written}\n`, service('S', '{}')).problems).toEqual([expected])
  })
})

describe('patches', () => {
  const patched = (patches: string) => `  environments:\n    dev:\n      patches:\n${patches}    prod: {}\n`
  const manifest = service('S', '{version: "1", description: d, endpoints: [{name: upload, publicDomains: [a, b]}]}')

  test('a json patch can address a key of a free map that is a number, which is not a list index', () => {
    const spec = patched(
      '        - {target: Package/P, json: [{op: replace, path: /eav/2024, value: b}]}\n' +
        '        - {target: Package/P, json: [{op: replace, path: /eav/7/0, value: b}]}\n' +
        '        - target: Service/S/Endpoint/e\n' +
        '          json: [{op: add, path: /processor/preInputs/1, value: b}]\n',
    )
    const written =
      'apiVersion: gatewright/v1\nkind: Package\nmetadata: {name: P}\nspec: {eav: {2024: a, 7: [a]}}\n---\n' +
      service('S', '{endpoints: [{name: e, processor: {preInputs: {1: a}}}]}')
    expect(read(spec, written, 'dev').problems).toEqual(['bad-patch gatewright.yaml:9:38'])
    const { problems, fields } = read(spec.replace(/.*\/eav\/7.*\n/, ''), written, 'dev')
    expect(problems).toEqual([])
    expect(fields['Package/P']).toMatchObject({ eav: { 2024: 'b', 7: ['a'] } })
    expect(fields['Service/S/Endpoint/e']).toMatchObject({ processor: { preInputs: { 1: 'b' } } })
  })

  test('merge, unset and json change the fields of one environment, and are their reported position', () => {
    const spec = patched(
      '        - {target: Service/S, merge: {description: m}, unset: [/version]}\n' +
        '        - target: "*/*/Endpoint/up*"\n' +
        '          json: [{op: test, path: /publicDomains/1, value: b}, {op: replace, path: /publicDomains/1, value: c}]\n',
    )
    const broken = read(spec, manifest, 'dev')
    expect(broken.problems).toEqual(['bad-address gatewright.yaml:9:19'])
    const { fields, problems, resources } = read(spec.replace('*/*', 'Service/*'), manifest, 'dev')
    expect(problems).toEqual([])
    expect(fields['Service/S']).toEqual({ name: 'S', description: 'm' })
    expect(fields['Service/S/Endpoint/upload']).toMatchObject({ publicDomains: ['a', 'c'] })
    expect(rangesOf(only(resources, 'Service/S'), 'description')).toEqual(['gatewright.yaml:8:39'])
    expect(read(spec.replace('*/*', 'Service/*'), manifest, 'prod').fields['Service/S']).toEqual({
      name: 'S',
      version: '1',
      description: 'd',
    })
  })

  test('omit removes an object with all its children', () => {
    const alone = `---\n${header}Method\nmetadata: {service: S, endpoint: upload, name: m}\n`
    const spec = patched('        - {target: Service/S, omit: true}\n')
    expect(Object.keys(read(spec, manifest + alone, 'dev').fields)).toEqual([])
    expect(Object.keys(read(spec, manifest + alone, 'prod').fields)).toHaveLength(3)
  })

  test('that name one address are not compared with every object', () => {
    const compared = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `s${index}`)
      const patches = names
        .map((name) => `        - {target: Service/${name}, merge: {version: of ${name}}}\n`)
        .join('')
      const any = '        - {target: "Service/s1*", merge: {version: later}}\n'
      const manifests = names.map((name) => service(name, '{description: d}')).join('---\n')
      const splits = vi.spyOn(String.prototype, 'split')
      const { fields, problems } = read(`  environments:\n    dev:\n      patches:\n${patches}${any}`, manifests, 'dev')
      const calls = splits.mock.calls.length
      splits.mockRestore()
      expect(problems).toEqual([])
      expect([fields['Service/s1'], fields['Service/s2']]).toMatchObject([{ version: 'later' }, { version: 'of s2' }])
      return calls
    }
    expect(compared(400) / compared(100)).toBeLessThan(5)
  })

  describe('that match nothing are checked if their target gives the kind:', () => {
    test.each([
      ['an unknown field', 'Service/No*', 'merge: {vresion: "1"}', ['unknown-field']],
      ['a wrong type', 'Service/No*', 'merge: {qpsLimitOverall: many}', ['wrong-type']],
      [
        'a value that is not in the enum',
        'Service/S/Endpoint/no',
        'merge: {supportedHttpMethods: [gte]}',
        ['unknown-value'],
      ],
      ['a number out of range', '{kind: Package, name: no}', 'merge: {nearQuotaThreshold: 900}', ['out-of-range']],
      ['members of objects', 'Service/No', 'merge: {endpoints: []}', ['layer-creates']],
      ['a name', 'Service/No', 'json: [{op: replace, path: /name, value: x}]', ['layer-names']],
      [
        'a field that JSON Patch writes',
        'Service/No',
        'json: [{op: add, path: /qpsLimitOverall, value: x}]',
        ['wrong-type'],
      ],
      ['a pointer to nothing', 'Service/No', 'unset: [/vresion]', ['bad-pointer']],
      ['nothing if the kind is not known', '{name: no}', 'merge: {vresion: "1"}', []],
      [
        'nothing if everything is right',
        'Service/S/Endpoint/no',
        'merge: {cache: null, publicDomains: a.example.com}',
        [],
      ],
    ])('%s', (_, target, change, codes) => {
      const { problems } = read(patched(`        - {target: ${target}, expect: 0+, ${change}}\n`), manifest, 'dev')
      expect(problems.map((each) => each.split(' ')[0])).toEqual(codes)
      for (const each of problems) expect(each).toMatch(/ gatewright\.yaml:8:[1-9]\d/)
    })
  })

  test.each([
    'kind: Service, labels: {team: "${value:no}"}',
    'kind: Service, labels: {team: 1}',
    'kind: Service, name: "${value:no}"',
    'kind: "${value:no}", name: S',
  ])('a target that cannot be read does not match more objects: {%s}', (target) => {
    const spec = patched(`        - {target: {${target}}, expect: 0, merge: {version: "9"}}\n`)
    const { problems, fields } = read(spec, service('S', '{description: x}', ', labels: {team: a}'), 'dev')
    expect(problems).toHaveLength(1)
    expect(fields).toEqual({ 'Service/S': { name: 'S', description: 'x' } })
  })

  test.each([
    ['its environment', ', environments: [prod]', ''],
    ['another patch', '', '        - {target: Service/Open, omit: true}\n'],
  ])('may write unknown fields of an object with extraFields, if %s leaves it out', (_, environments, omits) => {
    const open = service('Open', '{description: x}', `${environments}, extraFields: true`)
    const change = 'merge: {newField: 5}, unset: [/otherField]'
    const spec = patched(`${omits}        - {target: Service/Open, expect: 0+, ${change}}\n`)
    const { problems } = read(spec, [manifest, open].join('---\n'), 'dev')
    const codes = problems.map((each) => each.split(' ')[0])
    expect(codes).toEqual([...(omits === '' ? [] : ['patch-no-effect']), 'extra-field'])
  })

  test('may write unknown fields if the object with extraFields may be in a file that cannot be read', () => {
    const spec = patched('        - {target: Service/Open, expect: 0+, merge: {newField: 5}}\n')
    const { problems } = read(spec, manifest, 'dev', { 'manifests/b.yaml': 'apiVersion: gatewright/v1\nkind: [' })
    const codes = problems.filter((each) => !each.includes('b.yaml')).map((each) => each.split(' ')[0])
    expect(codes).toEqual(['extra-field'])
    expect(problems).toHaveLength(2)
  })

  describe('are applied in order:', () => {
    const inside = service('S', '{endpoints: [{name: e, methods: [{name: m}], cache: {cacheTtlOverride: 5}}]}')
    const alone = [
      service('S', '{}'),
      `${header}Endpoint\nmetadata: {service: S, name: e}\nspec: {methods: [{name: m}], cache: {cacheTtlOverride: 5}}\n`,
    ].join('---\n')
    const merge = (target: string, fields = '{sampleXmlResponse: x}') =>
      `        - {target: ${target}, expect: 1, merge: ${fields}}\n`
    const omit = (target: string) => `        - {target: ${target}, omit: true}\n`
    const noTarget = 'patch-no-target gatewright.yaml:'
    test.each([
      ['an object that a later patch omits is found', merge('Service/S', '{version: "2"}') + omit('Service/S'), []],
      [
        'a child of an object that a later patch omits is found',
        merge('Service/S/Endpoint/e', '{requestPathAlias: /x}') + omit('Service/S'),
        [],
      ],
      [
        'a grandchild of an object that a later patch omits is found',
        merge('Service/*/Endpoint/*/Method/m') + omit('Service/S'),
        [],
      ],
      [
        'a child that an earlier patch omits is found by a later omit',
        merge('Service/S/Endpoint/e', '{requestPathAlias: /x}') + omit('Service/S/Endpoint/e') + omit('Service/S'),
        [],
      ],
      [
        'a failed test operation is reported even if the object is omitted later',
        `        - {target: Service/S/Endpoint/e, json: [{op: test, path: /name, value: x}]}\n${omit('Service/S')}`,
        ['patch-failed gatewright.yaml:8:49'],
      ],
      [
        'a child of an object that an earlier patch omits is not found',
        omit('Service/S') + merge('Service/S/Endpoint/e', '{requestPathAlias: /x}'),
        [`${noTarget}9:20`],
      ],
      [
        'a child of an object that an earlier patch omits is not found, even if an ancestor is omitted later',
        omit('Service/S/Endpoint/e') + merge('Service/S/Endpoint/e/Method/m') + omit('Service/S'),
        [`${noTarget}9:20`],
      ],
    ])('%s', (_, patches, told) => {
      for (const manifests of [inside, alone]) {
        const { problems, fields } = read(patched(patches), manifests, 'dev')
        expect(problems).toEqual(told)
        expect(Object.keys(fields)).toEqual([])
      }
    })

    test.each([
      ['merge', '{cache: null}'],
      ['json', '[{op: add, path: /cache, value: null}]'],
    ])('a single child that a later patch removes by %s is found', (word, change) => {
      const cache = merge('Service/S/Endpoint/e/Cache', '{cacheTtlOverride: 9}')
      const taken = `        - {target: Service/S/Endpoint/e, ${word}: ${change}}\n`
      expect(read(patched(cache + taken), inside, 'dev').problems).toEqual([])
      expect(read(patched(taken + cache), inside, 'dev').problems).toEqual([`${noTarget}9:20`])
    })

    test('a mistake in a patch is reported even if a later one omits its objects', () => {
      const wrong = merge('Service/S', '{version: [1]}') + omit('Service/S')
      expect(read(patched(wrong), inside, 'dev').problems).toEqual(['wrong-type gatewright.yaml:8:59'])
    })

    test.each([
      ['patches of the document find endpoints that an environment omits', [], omit('Service/S/Endpoint/*'), []],
      ['patches of the document find endpoints of a service that an environment omits', [], omit('Service/S'), []],
      [
        'earlier patches of the environment find objects that it omits',
        [],
        merge('Service/S/Endpoint/*/Method/*') + omit('Service/S'),
        [],
      ],
      [
        'later patches of the environment do not find objects that it omits',
        [],
        omit('Service/S') + merge('Service/S/Endpoint/*/Method/*'),
        [`${noTarget}9:20`],
      ],
      [
        'patches of the environment do not find objects that the document omits',
        ['{target: "*", omit: true}'],
        merge('Service/S/Endpoint/*/Method/*'),
        [`${noTarget}8:20`],
      ],
      [
        'later patches of the document do not find objects that it omits',
        ['{target: "*", omit: true}', '{target: Service/*/Endpoint/*/Method/*, merge: {sampleXmlResponse: y}}'],
        omit('Service/S'),
        ['patch-no-target manifests/a.yaml:9:75'],
      ],
      [
        'a mistake in a patch of the document is reported even if the environment omits its objects',
        ['{target: Service/*/Endpoint/*/Method/*, merge: {sampleXmlResponse: [1]}}'],
        omit('Service/S'),
        ['wrong-type manifests/a.yaml:9:179'],
      ],
    ])('generated objects: %s', (_, own, patches, told) => {
      const method = '{target: Service/*/Endpoint/*/Method/*, merge: {sampleJsonResponse: x}}'
      const generated = `${header}OpenAPI\nmetadata: {service: S}\nspec: {file: ../api/o.json, patches: [${[...(own.length > 1 ? [] : [method]), ...own].join(', ')}]}\n`
      const file = { openapi: '3.0.0', info: { title: 'T', version: '1' }, paths: { '/up': { post: {} } } }
      const api = { 'api/o.json': JSON.stringify({ ...file, servers: [{ url: 'https://a.example.com' }] }) }
      const { problems } = read(patched(patches), `${service('S', '{}')}---\n${generated}`, 'dev', api)
      expect(problems).toEqual(told)
    })

    test('a child in a document of another environment is not found', () => {
      const other = service('S', '{endpoints: [{name: e}]}', ', environments: [prod]')
      const spec = patched(merge('Service/S/Endpoint/e', '{requestPathAlias: /x}') + omit('Service/S'))
      const both = [other, service('S', '{version: "1"}', ', environments: [dev]')]
      for (const manifests of [both, both.reverse()])
        expect(read(spec, manifests.join('---\n'), 'dev').problems).toEqual([`${noTarget}8:20`])
    })
  })

  test('a placeholder in a JSON Patch gives the same value as elsewhere', () => {
    const spec = `  secrets: {public: [HOST]}
  values: {count: {type: integer, default: "\${env:HOST}"}}
${patched('        - {target: Service/S, json: [{op: add, path: /qpsLimitOverall, value: "${value:count}"}]}\n')}`
    const files = filesOf({
      'gatewright.yaml': `apiVersion: gatewright/v1\nkind: Project\nspec:\n${spec}`,
      'manifests/a.yaml': manifest,
    })
    const env = { HOST: '7' }
    const { project } = readProject({ dir: '.', env, environment: 'dev' }, files)
    const { resources, problems } = readManifests({ project, env, files })
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(only(resources, 'Service/S').fields.qpsLimitOverall).toBe(7)
  })

  test('an unknown value in a JSON Patch is reported once', () => {
    const spec = patched(
      '        - {target: Service/S, json: [{op: add, path: /qpsLimitOverall, value: "${value:typo}"}]}\n',
    )
    expect(read(spec, manifest, 'dev').problems).toEqual(['value-unknown gatewright.yaml:8:79'])
  })

  test.each([
    ['Service/Cache', 'description'],
    ['Service/Cache/Endpoint/Cache', 'requestPathAlias'],
    ['Service/Cache/Endpoint/Cache/Cache', 'contentCacheKeyHeaders'],
  ])('an object may have the name of a kind of single children: %s', (address, field) => {
    const spec = patched(`        - {target: ${address}, merge: {${field}: accept}}\n`)
    const { fields, problems } = read(spec, service('Cache', '{endpoints: [{name: Cache, cache: {}}]}'), 'dev')
    expect(problems).toEqual([])
    expect(Object.keys(fields[address] ?? {})).toContain(field)
  })

  test.each([
    ['{target: "Service/${env:K}", merge: {version: "2"}}', ['secret-name gatewright.yaml:8:20']],
    ['{target: {kind: Service, name: "${env:K}"}, merge: {version: "2"}}', ['secret-name gatewright.yaml:8:42']],
    ['{target: {labels: {a: "${env:K}"}}, merge: {version: "2"}}', ['secret-name gatewright.yaml:8:33']],
    ['{target: Service/S, unset: ["/${env:K}"]}', ['secret-name gatewright.yaml:8:39']],
    ['{target: Service/S, json: [{op: remove, path: "/${env:K}"}]}', ['secret-name gatewright.yaml:8:57']],
    [
      '{target: Service/S, json: [{op: copy, from: "/${env:K}", path: /description}]}',
      ['secret-name gatewright.yaml:8:55'],
    ],
  ])('the target of a patch may not contain a secret, and none is displayed: %s', (patch, expected) => {
    const files = filesOf({
      'gatewright.yaml': `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\nspec:\n${patched(`        - ${patch}\n`)}`,
      'a.yaml': manifest,
    })
    for (const env of [{ K: 'k9' }, {}]) {
      const { project } = readProject({ dir: '.', env, environment: 'dev' }, files)
      const { problems } = readManifests({ project, env, files })
      const errors = problems.filter(({ severity }) => severity === 'error')
      expect(errors.map(({ code, place }) => `${code} ${place?.file}:${place?.line}:${place?.column}`)).toEqual(
        expected,
      )
      expect(JSON.stringify(problems)).not.toContain('k9')
    }
  })

  test.each(['constructor', 'toString'])('an attribute may be called %s', (name) => {
    const application = (attribute: string) =>
      `${header}Application\nmetadata: {member: m, name: A}\nspec: {description: d${attribute}}\n`
    const found = (operation: string, attribute: string) => {
      const spec = patched(`        - {target: Member/m/Application/A, json: [${operation}]}\n`)
      const { fields, problems } = read(spec, application(attribute), 'dev')
      return [problems.filter((each) => !each.startsWith('undeclared')), fields['Member/m/Application/A']]
    }
    expect(found(`{op: add, path: /${name}, value: x}`, '')).toEqual([[], { name: 'A', description: 'd', [name]: 'x' }])
    expect(found(`{op: remove, path: /${name}}`, `, ${name}: x`)).toEqual([[], { name: 'A', description: 'd' }])
  })

  test.each([
    ['matches nothing', '{target: Service/T, merge: {version: "2"}}', 'patch-no-target gatewright.yaml:8:20'],
    ['may match nothing', '{target: Service/T, expect: "0+", merge: {version: "2"}}', undefined],
    [
      'matches another number of objects',
      '{target: Service/S, expect: 2, merge: {version: "2"}}',
      'patch-target-count gatewright.yaml:8:39',
    ],
    ['changes nothing', '{target: Service/S, merge: {version: "1"}}', 'patch-no-effect gatewright.yaml:8:11'],
    ['writes a wrong type', '{target: Service/S, merge: {qpsLimitOverall: x}}', 'wrong-type gatewright.yaml:8:56'],
    ['writes an unknown field', '{target: Service/S, merge: {qpsLimit: 1}}', 'unknown-field gatewright.yaml:8:39'],
    ['creates', '{target: Service/S, merge: {endpoints: []}}', 'layer-creates gatewright.yaml:8:39'],
    ['renames', '{target: {kind: Service}, merge: {name: x}}', 'layer-names gatewright.yaml:8:45'],
    [
      'tests and finds another value',
      '{target: Service/S, json: [{op: test, path: /version, value: "9"}]}',
      'patch-failed gatewright.yaml:8:38',
    ],
    [
      'changes a list entry without a test',
      '{target: Service/*/Endpoint/*, json: [{op: remove, path: /publicDomains/0}]}',
      'bad-patch gatewright.yaml:8:49',
    ],
    ['says nothing', '{target: Service/S}', 'bad-patch gatewright.yaml:8:11'],
    [
      'changes an object that it omits',
      '{target: Service/S, omit: true, merge: {version: "9"}}',
      'patch-no-effect gatewright.yaml:8:37',
    ],
  ])('a patch that %s', (_, patch, expected) => {
    expect(read(patched(`        - ${patch}\n`), manifest, 'dev').problems).toEqual(
      expected === undefined ? [] : [expected],
    )
  })

  test.each([
    ['1+', []],
    ['0+', []],
    ['2', []],
    ['1', ['patch-target-count gatewright.yaml:8:41']],
    ['3+', ['patch-target-count gatewright.yaml:8:41']],
  ])('a patch of one of two objects may expect %s', (count, problems) => {
    const spec = patched(`        - {target: "Service/*", expect: "${count}", merge: {version: "2"}}\n`)
    expect(read(spec, `${manifest}---\n${service('T', '{version: "1"}')}`, 'dev').problems).toEqual(problems)
  })

  test('a patch of a pinned object gives its address, with the id', () => {
    const spec = patched('        - {target: Service/S~one, merge: {version: "2"}}\n')
    const pinned = ['one', 'two'].map((id) => service('S', '{version: "1"}', `, id: ${id}`)).join('---\n')
    const { fields, problems } = read(spec, pinned, 'dev')
    expect(problems).toEqual([])
    expect([fields['Service/S~one']?.version, fields['Service/S~two']?.version]).toEqual(['2', '1'])
  })

  test('`*` never matches the endpoints of a service', () => {
    const spec = patched('        - {target: "Service/*", merge: {version: "2"}}\n')
    const { fields, problems } = read(spec, manifest, 'dev')
    expect(problems).toEqual([])
    expect(fields['Service/S']).toMatchObject({ version: '2' })
  })
})

describe('environments', () => {
  test('a Removed document may be limited to an environment as well', () => {
    const removed = (limits: string) =>
      `${header}Removed\nmetadata: {address: "Service/${'${value:old}'}", environments: ${limits}}\n`
    const spec = '  values: {old: Old}\n  environments: {dev: {}, prod: {values: {old: Older}}}\n'
    const of = (limits: string, environment: string) => {
      const manifest = `${service('S', '{description: "${value:old}"}')}---\n${removed(limits)}`
      const { removals, problems } = read(spec, manifest, environment)
      return [removals.map(({ address }) => address), problems]
    }
    for (const limits of ['[dev]', 'dev', '"!prod"']) {
      expect([of(limits, 'dev'), of(limits, 'prod')]).toEqual([
        [['Service/Old'], []],
        [[], []],
      ])
    }
    expect(of('[prod, dev]', 'prod')).toEqual([['Service/Older'], []])
    expect(of('[deve]', 'dev')).toEqual([[], ['unknown-environment manifests/a.yaml:8:60']])
    expect(of('[dev, "!dev"]', 'dev')).toEqual([[], ['in-no-environment manifests/a.yaml:8:60']])
  })

  test('can limit documents and inline children', () => {
    const spec = '  environments: {dev: {}, prod: {}}\n'
    const manifest = `${service('S', '{endpoints: [{name: a}, {name: b, metadata: {environments: [dev]}}]}')}---\n${header}Role\nmetadata: {name: Testers, environments: ["!prod"]}\n`
    expect(Object.keys(read(spec, manifest, 'dev').fields)).toHaveLength(4)
    expect(Object.keys(read(spec, manifest, 'prod').fields)).toEqual(['Service/S', 'Service/S/Endpoint/a'])
    expect(read(spec, manifest.replace('!prod', '!prd'), 'prod').problems).toEqual([
      'unknown-environment manifests/a.yaml:8:42',
    ])
  })

  test('do not need values that only objects of other environments use', () => {
    const spec = '  values: {host: {type: string}}\n  environments: {dev: {values: {host: d.example.com}}, prod: {}}\n'
    const endpoint = (environments: string) =>
      `{name: e, trafficManagerDomain: "\${value:host}"${environments === '' ? '' : `, metadata: {environments: ${environments}}`}}`
    const manifest = (outer: string, inner: string) =>
      `${service('A', '{endpoints: []}')}---\n${service('B', `{endpoints: [${endpoint(inner)}]}`, outer)}`
    for (const text of [manifest(', environments: [dev]', ''), manifest('', '["!prod"]'), manifest('', 'dev')]) {
      expect(read(spec, text, 'prod').problems).toEqual([])
      expect(read(spec, text, 'dev').fields).toMatchObject({
        'Service/B/Endpoint/e': { trafficManagerDomain: 'd.example.com' },
      })
    }
    // If two objects use it and one of them is desired there, it is needed, whatever their order.
    for (const [first, second] of [
      ['[dev]', '[prod]'],
      ['[prod]', '[dev]'],
    ] as const) {
      const text = service('A', `{endpoints: [${endpoint(first)}, ${endpoint(second)}]}`)
      expect(read(spec, text, 'prod').problems).toEqual([expect.stringContaining('value-missing manifests/a.yaml')])
    }
  })

  describe('and OpenAPI files', () => {
    const document = (metadata: string, spec: string) =>
      `${service('Shop', '{}')}---\n${header}OpenAPI\nmetadata: {service: Shop${metadata}}\nspec: {file: ../api.yaml${spec}}\n`
    const file = (paths: string) => ({
      'api.yaml': `openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: ${paths}\n`,
    })
    const fine = file('{/a: {get: {}}, /b: {x-gatewright-endpoint: {metadata: {environments: [dev]}}, get: {}}}')
    const patches =
      ', patches: [{target: /a, merge: {highSecurity: true}}, {target: /b, merge: {highSecurity: true}}, {target: {kind: Method, name: b}, merge: {sampleXmlResponse: <b/>}}]'

    test.each(['dev', 'prod'])(
      'do not report a patch target as missing that another document generates: in %s',
      (environment) => {
        const of = (metadata: string) =>
          read('  environments: {dev: {}, prod: {}}\n', document(metadata, patches), environment, fine)
        expect(of('').problems).toEqual([])
        expect(of(', environments: [dev]').problems).toEqual([])
        expect(Object.keys(of(', environments: [dev]').fields)).toHaveLength(environment === 'dev' ? 5 : 1)
      },
    )

    test.each([
      ['no such file', '', {}, 'openapi-file'],
      ['a broken path', '', file('{/a: [get], /b: {get: {}}}'), 'openapi-broken'],
      ['a misspelt key', ', nam: x, name: 5', fine, 'unknown-field'],
    ])('do not report a patch target as missing if it is not generated because of %s', (_, spec, files, code) => {
      const layers =
        '  manifests: [manifests]\n  environments: {dev: {patches: [{target: Service/Shop/Endpoint/%2Fa, merge: {inboundSslRequired: true}}]}}\n'
      const patch = ', patches: [{target: /a, merge: {highSecurity: true}}]'
      const [first, ...others] = read(layers, document('', patch + spec), 'dev', files).problems
      expect(first).toMatch(new RegExp(`^${code} `))
      expect(others.filter((each) => each.startsWith('patch'))).toEqual([])
    })
  })

  describe('do not need values that are used only by objects', () => {
    const layers = (prod: string) =>
      `  values: {host: {type: string}, hosts: {type: array}}\n  environments: {dev: {values: {host: d.example.com, hosts: [d.example.com]}}, prod: {${prod}}}\n`
    const lacking =
      '{trafficManagerDomain: "${value:host}", publicDomains: ["${value:hosts}"], systemDomains: ["x.${value:host}", "${env:NOT_SET}"], cors: {domainsAllowed: ["${value:host}"]}}'
    const alone = (metadata = '') => `${header}Endpoint\nmetadata: {service: A, name: e${metadata}}\nspec: ${lacking}\n`
    const inline = `{endpoints: [{name: e, systemDomainAuthentication: {password: "\${env:NOT_SET}"}, ${lacking.slice(1)}]}`
    const omit = (target: string) => layers(`patches: [{target: ${target}, omit: true}]`)
    test.each([
      ['inside an object of another environment', layers(''), [service('A', '{}', ', environments: [dev]'), alone()]],
      ['that a patch omits', omit('Service/A/Endpoint/e'), [service('A', '{}'), alone()]],
      ['inside an object that a patch omits', omit('Service/A'), [service('A', '{}'), alone()]],
      ['written inside an object that a patch omits', omit('Service/A'), [service('A', inline)]],
      ['written inside another object, if a patch omits them', omit('Service/A/Endpoint/e'), [service('A', inline)]],
    ])('%s', (_, spec, documents) => {
      expect(read(spec, documents.join('---\n'), 'prod').problems).toEqual([])
      expect(read(spec, documents.join('---\n'), 'dev').problems.map((each) => each.split(' ')[0])).not.toContain(
        'value-missing',
      )
      const told = read(`${spec}`, [...documents, service('B', '{description: "${value:host}"}')].join('---\n'), 'prod')
      expect(told.problems).toEqual([expect.stringContaining('value-missing manifests/a.yaml')])
    })

    test('a missing value is reported for each field that uses it', () => {
      const spec = layers('patches: [{target: Service/A/Endpoint/e, merge: {trafficManagerDomain: p.example.com}}]')
      for (const documents of [[service('A', '{}'), alone()], [service('A', inline)]]) {
        const { problems, fields } = read(spec, documents.join('---\n'), 'prod')
        expect([...new Set(problems.map((each) => each.split(' ')[0]))].sort()).toEqual([
          'secret-unavailable',
          'value-missing',
        ])
        // Each value at its first use, but not if a patch has overridden it.
        const missing = problems.filter((each) => each.startsWith('value-missing'))
        const text = documents.join('---\n').split('\n')
        const written = missing.map((each) => {
          const [, line = 0, column = 0] = /:(\d+):(\d+)$/.exec(each)?.map(Number) ?? []
          return text[line - 1]?.slice(column - 1, column + 15)
        })
        expect(written).toEqual(['"${value:hosts}"]'.slice(0, 16), '${value:host}", '])
        expect(fields['Service/A/Endpoint/e']).toMatchObject({ trafficManagerDomain: 'p.example.com' })
      }
    })
  })

  test.each([
    ['miss', 'value-missing'],
    ['typo', 'value-unknown'],
  ])('an unknown value for a whole spec is reported once: %s', (name, code) => {
    const spec =
      '  values: {miss: {type: object}}\n  environments: {dev: {values: {miss: {description: d}}}, prod: {}}\n'
    const text = service('A', `"\${value:${name}}"`)
    expect(read(spec, text, 'prod').problems).toEqual([`${code} manifests/a.yaml:4:7`])
    if (name === 'miss') expect(read(spec, text, 'dev').fields['Service/A']).toEqual({ name: 'A', description: 'd' })
  })

  test('can also limit objects by a value: all problems of their objects are reported', () => {
    const spec =
      '  values: {host: {type: string}, at: {type: array, default: [prod]}}\n  environments: {dev: {values: {host: d}}, prod: {}}\n'
    const text = service('A', '{description: "${value:host}"}', ', environments: "${value:at}"')
    expect(read(spec, text, 'prod').problems).toEqual([expect.stringContaining('value-missing manifests/a.yaml')])
    expect(read(spec, text, 'dev')).toMatchObject({ fields: {}, problems: [] })
    const others = service('A', '{description: "${value:host}"}', ', environments: ["${value:at}", "!prod"]')
    expect(read(spec, others.replace('value:at}', 'value:typo}'), 'prod').problems).toEqual([
      expect.stringContaining('value-unknown manifests/a.yaml'),
    ])
  })

  test('may give an empty value that is used in texts of other environments', () => {
    const spec = '  values: {x: }\n  environments: {dev: {values: {x: d}}, prod: {values: {x: null}}}\n'
    const text = (outer: string) => service('A', '{description: "of ${value:x}"}', outer)
    expect(read(spec, text(', environments: [dev]'), 'prod').problems).toEqual([])
    expect(read(spec, text(', environments: [dev]'), 'dev').fields).toMatchObject({
      'Service/A': { description: 'of d' },
    })
    expect(read(spec, text(''), 'prod').problems).toEqual([expect.stringContaining('value-in-text manifests/a.yaml')])
  })

  test.each([
    ['a secret that is not set here', 'secret-unavailable', 'x: "${env:NOT_SET}"', 'dev: {}, prod: {}'],
    ['a value that it does not give', 'value-missing', 'x: "of ${value:y}", y: ', 'dev: {values: {y: d}}, prod: {}'],
    ['nothing', 'value-in-text', 'x: "of ${value:y}", y: ', 'dev: {values: {y: d}}, prod: {values: {y: null}}'],
  ])('report a value with %s in it only if an object of theirs uses it', (_, code, values, environments) => {
    const spec = `  values: {${values}}\n  environments: {${environments}}\n`
    const of = (name: string, environment: string, value = 'x') =>
      service(name, `{description: "\${value:${value}}"}`, `, environments: [${environment}]`)
    const told = (...documents: readonly string[]) =>
      read(spec, documents.join('---\n'), 'prod').problems.map((each) => each.replace(/:.*/, ''))
    expect(told(of('A', 'dev'))).toEqual([])
    const once = [`${code} gatewright.yaml`]
    expect(told(of('A', 'dev'), of('B', 'prod'), of('C', 'prod'))).toEqual(once)
    expect(told(of('A', 'prod'), of('B', 'dev'))).toEqual(once)
    // It is not reported for a value that only the objects of other environments use.
    if (code === 'value-missing')
      expect(told(of('A', 'dev'), of('B', 'prod', 'y'))).toEqual(['value-missing manifests/a.yaml'])
  })

  test('may each have a separate document for one object, with its children', () => {
    const endpoint = (name: string, method: string) =>
      `{name: e, methods: [{name: ${method}}], metadata: {environments: [${name}]}}`
    const spec = '  environments: {dev: {}, prod: {}}\n'
    const text = service('A', `{endpoints: [${endpoint('dev', 'd')}, ${endpoint('prod', 'p')}]}`)
    expect(Object.keys(read(spec, text, 'dev').fields)).toEqual([
      'Service/A',
      'Service/A/Endpoint/e',
      'Service/A/Endpoint/e/Method/d',
    ])
    expect(Object.keys(read(spec, text, 'prod').fields)).toEqual([
      'Service/A',
      'Service/A/Endpoint/e',
      'Service/A/Endpoint/e/Method/p',
    ])
  })

  test('omitting one document of an object does not omit the children in another one, whatever their order', () => {
    const spec =
      '  values: {stage: {type: string}}\n  environments: {dev: {values: {stage: DEV}}, prod: {values: {stage: PRD}}}\n'
    const stages = `${service('${value:stage} A', '{}')}---\n${header}Endpoint\nmetadata: {service: "\${value:stage} A", name: e}\nspec: {}\n`
    const onlyDev = service('PRD A', '{endpoints: [{name: d}]}', ', environments: [dev]')
    for (const text of [`${stages}---\n${onlyDev}`, `${onlyDev}---\n${stages}`]) {
      expect(Object.keys(read(spec, text, 'prod').fields)).toEqual(['Service/PRD A', 'Service/PRD A/Endpoint/e'])
      expect(Object.keys(read(spec, text, 'dev').fields)).toHaveLength(4)
    }
  })

  test('may be in separate files, which are not manifests', () => {
    const file = `${header}Environment\nmetadata: {name: dev}\nspec: {platform: {area: there}, prune: none, values: {v: 2}}\n`
    const spec =
      '  values: {v: 1}\n  platform: {url: "https://x.example.com", area: here}\n  environments: environments/*.yaml\n'
    const { project, fields, problems } = read(spec, service('S', '{qpsLimitOverall: "${value:v}"}'), 'dev', {
      'environments/dev.yaml': file,
    })
    expect(problems).toEqual([])
    expect(project.platform).toMatchObject({ url: 'https://x.example.com', area: 'there' })
    expect(project.prune).toBe('none')
    expect(fields['Service/S']).toMatchObject({ qpsLimitOverall: 2 })
  })

  test('a placeholder of an environment that is not selected need not be set', () => {
    const spec = '  environments: {dev: {}, prod: {platform: {url: "${env:UNSET}"}, values: {}}}\n'
    expect(read(spec, service('S', '{}'), 'dev').problems).toEqual([])
    expect(read(spec, service('S', '{}'), 'prod').problems).toEqual(['unset-variable gatewright.yaml:5:51'])
  })

  test('a reference to an object that an environment leaves out is reported as that, and not as a misspelt name', () => {
    const spec = '  environments: {dev: {}, prod: {patches: [{target: Service/A, omit: true}]}}\n'
    const manifests = [
      service('A', '{}'),
      service('B', '{}', ', environments: [dev]'),
      service('C', '{}'),
      `${header}Package\nmetadata: {name: P}\nspec: {plans: [{name: G, services: [A, B, C, D]}]}\n`,
    ].join('---\n')
    expect(read(spec, manifests, 'prod').words.map((each) => each.split(' | ')[0])).toEqual([
      'Service/A is left out in this environment: it must exist on the platform',
      'Service/B is left out in this environment: it must exist on the platform',
      'no manifest declares Service/D: it must exist on the platform',
    ])
  })

  test('an undeclared environment', () => {
    expect(read('  environments: {dev: {}}\n', service('S', '{}'), 'deve').words).toEqual([
      'there is no environment "deve" | did you mean "dev"?',
    ])
  })
})
