import { describe, expect, test } from 'vitest'
import { readProject } from '../../src/manifest/project.js'
import { nearest } from '../../src/problems/suggest.js'
import { plainColours } from '../../src/report/colours.js'
import { problemsText } from '../../src/report/problems.js'
import { nameOfKey } from '../../src/secrets/key-name.js'
import { filesOf, shortly } from './manifests-of.js'

const head = 'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop}\n'
const read = (text: string, env = {}) => readProject({ dir: '.', env }, filesOf({ 'gatewright.yaml': text }))

const defaults = {
  dir: '.',
  manifests: [],
  platform: { concurrency: 8, conventionalOperations: 'use', createPatienceMs: 60_000, vocabulary: 'document' },
  scope: { kinds: [], names: [] },
  prune: 'applied',
  limits: { deletes: 20, changedPercent: 50 },
  secrets: { public: [], env: [], recipients: [] },
  webhooks: [],
  unset: { credentials: [], records: [] },
  records: 'file:.gatewright',
  recordsFrom: 'file',
}

describe('readProject', () => {
  test('without a file, the project has the defaults and the name of the folder', () => {
    expect(readProject({ dir: '.', env: {} }, filesOf({ 'a.yaml': '' }))).toEqual({
      project: { ...defaults, file: undefined, name: 'shop' },
      problems: [],
    })
  })

  test('a small file gets the defaults', () => {
    expect(read(head)).toEqual({
      project: { ...defaults, file: 'gatewright.yaml', name: 'shop', writtenAt: new Map() },
      problems: [],
    })
  })

  test('an environment has a name', () => {
    const files = filesOf({
      'gatewright.yaml': `${head}spec:\n  environments: {"": {}}\n`,
      'other/gatewright.yaml': `${head}spec:\n  environments: [env.yaml]\n`,
      'other/env.yaml': 'apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: ""}\n',
    })
    const found = (dir: string) => readProject({ dir, env: {} }, files).problems.map(shortly)
    expect(found('')).toEqual(['error wrong-type gatewright.yaml:5:18'])
    expect(found('other/')).toEqual(['error wrong-type other/env.yaml:3:18'])
  })

  test('the name of an environment does not look like the exclusion of one', () => {
    const files = filesOf({
      'gatewright.yaml': `${head}spec:\n  environments: {"!prod": {}, a!b: {}}\n`,
      'other/gatewright.yaml': `${head}spec:\n  environments: [env.yaml]\n`,
      'other/env.yaml': 'apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: "!prod"}\n',
    })
    const found = (dir: string) => readProject({ dir, env: {} }, files)
    const message = 'the name of an environment cannot begin with "!", and "!prod" is written'
    expect(found('').problems.map((problem) => [shortly(problem), problem.message])).toEqual([
      ['error wrong-type gatewright.yaml:5:18', message],
    ])
    expect(found('').project.layers?.environments).toEqual(['a!b'])
    expect(found('other/').problems.map((problem) => [shortly(problem), problem.message])).toEqual([
      ['error wrong-type other/env.yaml:3:18', message],
    ])
  })

  test('a recipient that no age key is, is reported, and a secret key is not displayed', () => {
    const good = 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj'
    const found = (recipients: string) =>
      read(`${head}spec:\n  secrets: {recipients: ${recipients}}\n`, { KEY: good, WRONG: 'foo' }).problems
    expect(found(`[${good}, "\${env:KEY}"]`)).toEqual([])
    expect(found(`[age1yubikey1q0wjgr, age1fido2-hmac1q0wjgr, age1pq1q0wjgr]`)).toEqual([])
    expect(found(`[${good}, foo]`).map((problem) => [shortly(problem), problem.message])).toEqual([
      ['error bad-recipient gatewright.yaml:5:90', '"foo" is not an age recipient'],
    ])
    expect(found('"${env:WRONG}"').map(shortly)).toEqual(['error bad-recipient gatewright.yaml:5:25'])
    const secret = `AGE-SECRET-KEY-1${'Q'.repeat(58)}`
    const problems = found(`[${secret}]`)
    expect(problems.map(({ code }) => code)).toEqual(['bad-recipient'])
    expect(problemsText(problems, { colours: plainColours }).output).not.toContain('KEY-1Q')
  })

  test('its problems are in the order of its lines', () => {
    const spec =
      'spec:\n  limits: {deletes: many}\n  patience: 60\n  prune: "${env:UNSET}"\n  platform: {url: 5}\n  scpe: 1\n'
    expect(read(`${head}${spec}`).problems.map(({ place }) => place?.line)).toEqual([5, 6, 7, 8, 9])
  })

  test.each([
    ['platform: {createPatience: 60}', 'a duration, such as 30s, 20m or 2h, and the number 60'],
    ['platform: {createPatience: 1w}', 'a duration, such as 30s, 20m or 2h, and "1w"'],
    ['records: 5', 'file:FOLDER, git, git:REMOTE or postgres://…, and the number 5'],
    ['notify: [{url: "${env:HOOK}", remind: 7}]', 'a duration such as 24h or 7d, or never, and the number 7'],
  ])('for %s there is an example of the correct form', (spec, words) => {
    const { problems } = readProject(
      { dir: '.', env: { HOOK: 'https://x' } },
      filesOf({ 'gatewright.yaml': `${head}spec: {${spec}}\n` }),
    )
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(`takes ${words} is written`)])
  })

  test.each([
    ['spec: {patches: []}', 'write it in environments: {NAME: {patches: …}}'],
    ['spec: {guard: {planned: true}}', 'write it in environments: {NAME: {guard: …}}'],
    ['spec: {url: "https://x"}', 'write it in platform: {url: …}'],
    ['spec: {toString: 1}', expect.stringMatching(/^known: platform, manifests, /)],
    ['spec: {names: [Orders]}', 'write it in scope: {names: …}'],
    ['spec: {prun: none}', 'did you mean "prune"?'],
    ['spec: {limits: {prune: none}}', 'known: deletes, changedPercent'],
    ['platform: {url: "https://x"}', 'write it in spec: {platform: …}'],
    ['spec: {environments: {dev: {url: "https://x"}}}', 'write it in platform: {url: …}'],
    ['spec: {environments: {dev: {policies: [a]}}}', 'write it in spec of the project file'],
  ])('a setting in the wrong place: %s', (text, hint) => {
    const files = filesOf({ 'gatewright.yaml': `${head}${text}\n` })
    const { problems } = readProject({ dir: '.', env: {} }, files)
    expect(problems.map((each) => [each.code, each.hint])).toEqual([['unknown-field', hint]])
  })

  test('a setting in the metadata', () => {
    const { problems } = read('apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: shop, prune: none}\n')
    expect(problems.map(({ hint }) => hint)).toEqual(['write it in spec: {prune: …}'])
  })

  test.each([
    ['platform: {area: 1}', 'put it in quotes: "1"'],
    ['platform: {area: 1.10}', 'put it in quotes: "1.10"'],
    ['platform: {area: yes, url: true}', 'put it in quotes: "true"'],
    ['platform: {area: null}', 'write a text'],
    ['platform: {area: []}', 'write a text'],
    ['platform: {credentials: {apiKey: 12345}}', 'put it in quotes'],
    ['platform: {createPatience: 60}', 'write a duration, such as 30s, 20m or 2h'],
  ])('a text without quotes: %s', (spec, hint) => {
    const { problems } = read(`${head}spec: {${spec}}\n`)
    expect(problems.map((each) => [each.code, each.hint])).toEqual([['wrong-type', hint]])
  })

  test('a name without quotes', () => {
    const { problems } = read('apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: 1}\n')
    expect(problems.map(({ hint }) => hint)).toEqual(['put it in quotes: "1"'])
  })

  test('a credential in clear text is a warning, and not shown', () => {
    const spec = 'spec: {platform: {credentials: {apiKey: "${env:KEY}", apiSecret: s3cret, username: jdoe}}}'
    const { problems } = read(`${head}${spec}\n`, { KEY: 'k' })
    expect(problems.map(shortly)).toEqual(['warning clear-secret gatewright.yaml:4:66'])
    expect(problems.map(({ message }) => message)).toEqual([
      'platform.credentials.apiSecret is a secret and is written here in clear text',
    ])
    const environments = 'spec: {environments: {prod: {platform: {credentials: {password: s3cret}}}, dev: {}}}'
    const inProd = filesOf({ 'gatewright.yaml': `${head}${environments}\n` })
    const found = (environment: string) => readProject({ dir: '.', env: {}, environment }, inProd).problems.map(shortly)
    expect([found('dev'), found('prod')]).toEqual([[], ['warning clear-secret gatewright.yaml:4:65']])
  })

  test('all possible settings', () => {
    const text = `${head}spec:
  manifests: [manifests, ./more/*.yaml]
  platform: {url: "${'${env:URL}'}", area: a, concurrency: "${'${env:N}'}", conventionalOperations: refuse, vocabulary: mashery, requestsPerSecond: 1.5, createPatience: 5s}
  scope: {kinds: [Service], names: [Orders*]}
  prune: none
  limits: {deletes: 0, changedPercent: 10}
  records: postgres://db/x
  environments: {prod: {platform: {url: "${'${env:UNSET}'}", concurrency: "${'${env:UNSET}'}"}, values: {a: 1}, patches: []}}
`
    const files = filesOf({ 'sub/gatewright.yaml': text })
    const { project, problems } = readProject({ dir: 'sub/', env: { URL: 'https://x', N: '4' } }, files)
    expect(project.layers?.environments).toEqual(['prod'])
    expect({ problems, project: { ...project, layers: undefined, writtenAt: undefined } }).toEqual({
      problems: [],
      project: {
        file: 'sub/gatewright.yaml',
        dir: 'sub',
        name: 'shop',
        manifests: ['sub/manifests', 'sub/more/*.yaml'],
        platform: {
          url: 'https://x',
          area: 'a',
          concurrency: 4,
          conventionalOperations: 'refuse',
          requestsPerSecond: 1.5,
          vocabulary: 'mashery',
          createPatienceMs: 5000,
        },
        scope: { kinds: ['Service'], names: ['Orders*'] },
        prune: 'none',
        limits: { deletes: 0, changedPercent: 10 },
        secrets: { public: [], env: [], recipients: [] },
        webhooks: [],
        unset: { credentials: [], records: [] },
        records: 'postgres://db/x',
        recordsFrom: 'file',
      },
    })
  })

  test.each([
    ['postgres://me@db/x', 'file'],
    ['git', 'file'],
    ['postgres://me:$${env:A}@db/x', 'file'],
    ['${env:A}', 'environment'],
    ['postgres://me:${env:A}@db/x', 'file and environment'],
    ['${env:A}${env:A}', 'file and environment'],
  ])('the source of the address of the records: %s', (records, from) => {
    const files = filesOf({ 'gatewright.yaml': `${head}spec:\n  records: "${records}"\n` })
    const fromFile = readProject({ dir: '.', env: { A: 'postgres://db/x' } }, files).project
    expect(fromFile.recordsFrom).toBe(from)
    const env = { A: 'a', GATEWRIGHT_RECORDS: 'git' }
    expect(readProject({ dir: '.', env }, files).project).toMatchObject({ records: 'git', recordsFrom: 'environment' })
  })

  test.each([
    ['broken YAML', 'a: [\nb', ['error yaml-syntax gatewright.yaml:2:1']],
    ['another kind', head.replace('Project', 'Projekt'), ['error unknown-kind gatewright.yaml:2:7']],
    ['another version', head.replace('v1', 'v2'), ['error unknown-api-version gatewright.yaml:1:13']],
    ['no kind', 'apiVersion: gatewright/v1\n', ['error missing-field gatewright.yaml:1:1']],
    ['two documents', `${head}---\n${head}`, ['error unknown-kind gatewright.yaml:5:1']],
    ['nothing', '# nothing\n', ['error unknown-kind gatewright.yaml:1:1']],
    ['unknown field', `${head}spec:\n  prunes: all\n`, ['error unknown-field gatewright.yaml:5:3']],
    ['unknown word', `${head}spec:\n  prune: aplied\n`, ['error unknown-value gatewright.yaml:5:10']],
    ['unknown kind', `${head}spec:\n  scope: {kinds: [Servce]}\n`, ['error unknown-value gatewright.yaml:5:19']],
    ['wrong type', `${head}spec:\n  platform: {concurrency: many}\n`, ['error wrong-type gatewright.yaml:5:27']],
    [
      'not a finite number',
      `${head}spec:\n  platform: {requestsPerSecond: 1e400}\n`,
      ['error wrong-type gatewright.yaml:5:33'],
    ],
    ['wrong list', `${head}spec:\n  manifests: [a, 5]\n`, ['error wrong-type gatewright.yaml:5:18']],
    ['out of range', `${head}spec:\n  limits: {deletes: -1}\n`, ['error invalid-value gatewright.yaml:5:21']],
    ['records', `${head}spec:\n  records: mysql://x\n`, ['error wrong-type gatewright.yaml:5:12']],
    ['records in the home folder', `${head}spec:\n  records: file:~/x\n`, ['error bad-records gatewright.yaml:5:12']],
    ['unset', `${head}spec:\n  platform: {url: "${'${env:X}'}"}\n`, ['error unset-variable gatewright.yaml:5:20']],
  ])('%s', (_, text, expected) => {
    expect(read(text).problems.map(shortly)).toEqual(expected)
  })

  test.each([
    ['another scheme', 'records: mysql://me:hush@x'],
    ['special characters in an address', 'records: mysql://me:hu/sh:hush@x'],
    ['a long one', `records: mysql://me:${'hush'.repeat(50)}@x`],
    ['broken YAML', 'records: postgres://me:hush@x\n  limits: {'],
    ['broken YAML, and no colon', 'records postgres://me:hush@x\n  limits: {'],
    ['a misspelt key', 'recrds: postgres://me:hush@x'],
    ['another key', 'prune: postgres://me:hush@x'],
  ])('no message displays the login of a database: %s', (_, line) => {
    const { problems } = read(`${head}spec:\n  ${line}\n`)
    expect(problems).not.toEqual([])
    expect(JSON.stringify(problems)).not.toContain('hu')
  })

  describe('an unset variable that only connections to the area or to the records need', () => {
    const shop = `${head}spec:
  platform: {url: "https://x.example", credentials: {apiKey: "\${env:KEY}", apiSecret: "a \${env:SECRET}"}}
  records: "postgres://me:\${env:WORD}@db/x"
`
    const unset = ['unset-variable gatewright.yaml:5:63', 'unset-variable gatewright.yaml:5:90'].map(
      (each) => `error ${each}`,
    )

    test('is a note, and an error for those connections', () => {
      const { project, problems } = read(shop, { KEY: '' })
      expect(problems.map(shortly)).toEqual([
        'note secret-unavailable gatewright.yaml:5:63',
        'note secret-unavailable gatewright.yaml:5:90',
        'note secret-unavailable gatewright.yaml:6:27',
      ])
      expect(problems[0]?.message).toBe('the environment variable KEY is not set here')
      expect(project.unset.credentials.map(shortly)).toEqual(unset)
      expect(project.unset.records.map(shortly)).toEqual(['error unset-variable gatewright.yaml:6:27'])
    })

    test('is ignored if another setting takes precedence', () => {
      const { project, problems } = read(shop, { KEY: 'k', SECRET: 's', GATEWRIGHT_RECORDS: 'git' })
      expect([problems, project.unset]).toEqual([[], { credentials: [], records: [] }])
    })

    test('may not be a variable of the program', () => {
      const { problems } = read(shop.replace('KEY', 'GATEWRIGHT_TOKEN').replace('WORD', 'PGPASSWORD'))
      const errors = problems.map(shortly).filter((each) => each.startsWith('error'))
      expect(errors).toEqual([
        'error reserved-variable gatewright.yaml:5:63',
        'error reserved-variable gatewright.yaml:6:27',
      ])
    })
  })

  test('a file that the user names must exist', () => {
    const { problems } = readProject({ dir: '.', file: 'other.yaml', env: {} }, filesOf({ 'a.yaml': '' }))
    expect(problems.map(shortly)).toEqual(['error missing-project'])
  })
})

test.each([
  ['acme-shop-key-0001', undefined, 'P #0001'],
  ['abcdef', undefined, 'P #ef'],
  ['ab', undefined, 'P'],
  [undefined, 'k', 'P'],
  ['', 'k', 'P'],
])('the name of a package key: %s with %s is %s', (apikey, fingerprintKey, expected) => {
  expect(nameOfKey('P', apikey, fingerprintKey)).toBe(expected)
})

test('the fingerprint of a package key is the same for the same key and value', () => {
  const name = nameOfKey('P', 'acme-shop-key-0001', 'k')
  expect(name).toMatch(/^P #0001-[0-9a-f]{8}$/)
  expect(nameOfKey('P', 'acme-shop-key-0001', 'k')).toBe(name)
  expect(nameOfKey('P', 'acme-shop-kex-0001', 'k')).not.toBe(name)
  expect(nameOfKey('P', 'acme-shop-key-0001', 'l')).not.toBe(name)
})

test.each([
  ['descripton', 'description'],
  ['request_path_alias', 'requestPathAlias'],
  ['zzz', undefined],
])('nearest(%s) is %s', (word, expected) => {
  expect(nearest(word, ['description', 'requestPathAlias', 'name'])).toBe(expected)
})

test('a number instead of a login is not displayed', () => {
  const problems = read(`${head}spec: {platform: {credentials: {apiKey: 8675309}}}`).problems
  expect(problems.map(({ message }) => message)).toEqual([
    'spec.platform.credentials.apiKey takes a text, and a number is written',
  ])
  expect(problems[0]?.place?.frame).toContain('***')
  expect(problems[0]?.place?.frame).not.toContain('8675309')
})
