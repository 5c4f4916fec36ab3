import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DiffDocument } from '../../src/documents/diff.js'
import { filesIn, variablesOf } from '../kit/exports.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { stagedCatalogue, stages } from '../kit/staged.js'
import { embedded, environment, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** A world whose area has these objects, and the project that `export --stages` creates from it. */
async function adopted(
  documents: readonly DocumentText[],
  { on = embedded(), names = stages.join(','), args = [] as readonly string[] } = {},
): Promise<World> {
  on.declare(...documents)
  const run = await on.apply()
  expect([run.exitCode, run.exitCode === 0 ? '' : run.stdout]).toEqual([0, ''])
  await on.run(['export', '--stages', names, '--dir', 'staged', ...args]).then(({ exitCode, stderr }) => {
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('error')])
  })
  return on
}

const inProject = async (on: World, ...args: readonly string[]) => on.run(['-C', 'staged', ...args])

/** Plans of all environments: nothing to change, nothing unknown in a whole list. */
async function plansNothing(on: World, names: readonly string[] = stages): Promise<void> {
  const validated = await inProject(on, 'validate')
  expect(validated).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`for ${names.join(', ')}`) })
  expect(validated.stderr).not.toMatch(/warning|error/)
  for (const name of names) {
    const answer = (await inProject(on, 'plan', '-e', name, '-o', 'json')).json()
    expect([name, answer.changes, answer.unmanaged.filter(({ inList }) => inList)]).toEqual([name, [], []])
    expect((await inProject(on, 'drift', '-e', name)).exitCode).toBe(0)
  }
}

const linesOf = (files: Readonly<Record<string, string>>): number =>
  Object.values(files).reduce((sum, text) => sum + text.split('\n').length - 1, 0)

const makes = [
  ['embedded', () => embedded()],
  [
    'another',
    () => {
      const make = createOtherMake({ defaultErrorSet: 'unless given' })
      return world(make)
    },
  ],
] as const

describe.each(makes)('60 endpoints that are 20 in three stages, on the make "%s"', (_, on) => {
  test('become at most 400 lines, and the plans of all three are empty', async () => {
    const staged = await adopted(stagedCatalogue, { on: on() })
    const files = filesIn(staged, 'staged')
    expect(linesOf(files)).toBeLessThan(300)
    await plansNothing(staged)
    // Desired or live, only values differ, however many objects differ because of them.
    for (const args of [[], ['--live']]) {
      const { stdout } = await inProject(staged, 'diff', '-e', 'DEV', '-e', 'PRD', ...args, '-o', 'json')
      const { differences, layers } = JSON.parse(stdout) as DiffDocument
      expect([differences, [...new Set(layers?.map((layer) => layer.is))]]).toEqual([[], ['value']])
      expect(layers?.length).toBeLessThan(8)
    }
  })
})

test('the project has the vocabulary of its platform: a plan needs no variable for it', async () => {
  const env = { ...environment, GATEWRIGHT_VOCABULARY: 'mashery' }
  const staged = await adopted(stagedCatalogue, { on: embedded({ vocabulary: 'mashery' }, { env }) })
  const { exitCode, stdout, stderr } = await staged.run(['-C', 'staged', 'plan', '-e', 'QA'], { env: environment })
  expect([exitCode, stdout], stderr).toEqual([0, expect.stringContaining('nothing to do')])
})

test('changing a default changes only the endpoints that do not write the field', async () => {
  const staged = await adopted(stagedCatalogue)
  const path = join(staged.dir, 'staged/manifests/services/cat-catalogue-api.yaml')
  const text = readFileSync(path, 'utf8')
  const field = 'connectionTimeoutForSystemDomainResponse'
  writeFileSync(path, text.replace(`${field}: 300`, `${field}: 120`))
  const { changes } = (await inProject(staged, 'plan', '-e', 'QA', '-o', 'json')).json()
  const writers = text.split('\n---\n').filter((each) => each.includes(`\n  ${field}: `))
  expect(changes.length).toBe(20 - writers.length)
  expect(new Set(changes.map(({ fields }) => fields.map((each) => each.path).join()))).toEqual(new Set([`/${field}`]))
})

const mixed: readonly DocumentText[] = [
  document('Domain', 'example.com'),
  ...stages.map((stage) => document('Domain', `${stage.toLowerCase()}.shop.example`)),
  ...stages.map((stage) => document('Role', `${stage} Testers`, { description: `They test in ${stage}` })),
  document('Role', 'Partners'),
  document('Role', 'QA Lead'),
  document('Role', 'DEV and QA'),
  // The same three endpoints, one of which does not exist in production yet; a fourth has no stage.
  document('Service', 'Orders', {
    endpoints: [
      ...stages.map((stage) => ({
        name: `${stage} orders`,
        requestPathAlias: `/${stage.toLowerCase()}/orders`,
        trafficManagerDomain: `${stage.toLowerCase()}.shop.example`,
        inboundSslRequired: stage === 'PRD',
        methods: [{ name: 'list' }, ...(stage === 'DEV' ? [{ name: 'debug' }] : [])],
      })),
      ...stages.slice(0, 2).map((stage) => ({
        name: `${stage} returns`,
        requestPathAlias: `/${stage.toLowerCase()}/returns`,
        trafficManagerDomain: `${stage.toLowerCase()}.shop.example`,
      })),
      { name: 'health', requestPathAlias: '/health', trafficManagerDomain: 'example.com' },
    ],
  }),
  ...stages.map((stage, index) =>
    document('Package', `${stage} Partner Access`, {
      description: `For partners, ${stage}`,
      plans: [
        {
          name: 'Gold',
          rateLimitCeiling: 1000 * (index + 1),
          rateLimitPeriod: 'day',
          services: [{ name: 'Orders', endpoints: [{ name: `${stage} orders`, methods: ['list'] }] }],
        },
      ],
    }),
  ),
]

describe('an area with more kinds than endpoints', () => {
  test('is written as a person would write it, and its plans are empty', async () => {
    const staged = await adopted(mixed)
    const files = filesIn(staged, 'staged')
    expect(files).toMatchInlineSnapshot(`
      {
        "gatewright.yaml": "apiVersion: gatewright/v1
      kind: Project
      metadata: {name: staged}
      spec:
        manifests: [manifests]
        platform: {url: http://platform.example, area: 00000000-0000-4000-8000-00000000a4ea}
        values:
          stage: {type: string, enum: [DEV, QA, PRD]}
          stageLower: {type: string}
          rateLimitCeiling: {type: integer}
          inboundSslRequired: {type: boolean}
        environments:
          DEV: {values: {stage: DEV, stageLower: dev, rateLimitCeiling: 1000, inboundSslRequired: false}}
          QA: {values: {stage: QA, stageLower: qa, rateLimitCeiling: 2000, inboundSslRequired: false}}
          PRD: {values: {stage: PRD, stageLower: prd, rateLimitCeiling: 3000, inboundSslRequired: true}}
      ",
        "manifests/domains.yaml": "apiVersion: gatewright/v1
      kind: Domain
      metadata: {name: "\${value:stageLower}.shop.example"}
      ---
      apiVersion: gatewright/v1
      kind: Domain
      metadata: {name: example.com}
      ",
        "manifests/packages/partner-access.yaml": "apiVersion: gatewright/v1
      kind: Package
      metadata: {name: "\${value:stage} Partner Access"}
      spec:
        description: "For partners, \${value:stage}"
        plans:
          - name: Gold
            selfServiceKeyProvisioningEnabled: true
            qpsLimitExempt: false
            rateLimitCeiling: "\${value:rateLimitCeiling}"
            rateLimitExempt: false
            services: [{name: Orders, endpoints: [{name: "\${value:stage} orders", methods: [list]}]}]
      ",
        "manifests/roles.yaml": "apiVersion: gatewright/v1
      kind: Role
      metadata: {name: QA Lead, environments: [QA]}
      ---
      apiVersion: gatewright/v1
      kind: Role
      metadata: {name: "\${value:stage} Testers"}
      spec:
        description: "They test in \${value:stage}"
      ---
      apiVersion: gatewright/v1
      kind: Role
      metadata: {name: DEV and QA}
      ---
      apiVersion: gatewright/v1
      kind: Role
      metadata: {name: Partners}
      ",
        "manifests/services/orders.yaml": "apiVersion: gatewright/v1
      kind: Service
      metadata:
        name: Orders
        defaults:
          Endpoint:
            publicDomains: null
            supportedHttpMethods: null
            allowMissingApiKey: false
            highSecurity: false
            outboundRequestTargetPath: null
            systemDomains: null
      ---
      apiVersion: gatewright/v1
      kind: Endpoint
      metadata: {service: Orders, name: "\${value:stage} orders"}
      spec:
        requestPathAlias: "/\${value:stageLower}/orders"
        trafficManagerDomain: "\${value:stageLower}.shop.example"
        inboundSslRequired: "\${value:inboundSslRequired}"
        methods: [{name: debug, metadata: {environments: [DEV]}}, {name: list}]
      ---
      apiVersion: gatewright/v1
      kind: Endpoint
      metadata: {service: Orders, name: "\${value:stage} returns", environments: [DEV, QA]}
      spec:
        requestPathAlias: "/\${value:stageLower}/returns"
        trafficManagerDomain: "\${value:stageLower}.shop.example"
        inboundSslRequired: false
      ---
      apiVersion: gatewright/v1
      kind: Endpoint
      metadata: {service: Orders, name: health}
      spec:
        requestPathAlias: /health
        trafficManagerDomain: example.com
        inboundSslRequired: false
      ",
      }
    `)
    await plansNothing(staged)
  })
})

describe('refuses', () => {
  const refused = async (on: World, ...args: readonly string[]) => {
    const { exitCode, stderr } = await on.run(['export', '--dir', 'staged', ...args])
    const [message = '', hint = ''] = stderr.split('\n').filter((line) => /^(error| {2}hint):/.test(line))
    return [exitCode, `${message}${hint}`]
  }

  test.each([
    ['DEV', /one stage alone has no other/],
    ['DEV,,QA', /"" cannot be the name of an environment/],
    ['!DEV,QA', /"!DEV" cannot be the name/],
    ['DEV,dev', /two of them are the same word/],
    ['DEV,QA,STAGE', /no object has the word STAGE in its name/],
    ['DEV,n.ght', /no object has the word n.ght in its name.*write a stage as in the names/],
    ['DEV,qa', /no object has the word qa in its name.*there are names with "QA"/],
    ['crew,team', /no two objects have the same name except for the words crew, team/],
  ])('--stages %s', async (names, words) => {
    const on = embedded()
    on.declare(...['DEV crew', 'QA crew', 'night team'].map((name) => document('Role', name)))
    await on.apply()
    expect(await refused(on, '--stages', names)).toEqual([1, expect.stringMatching(words)])
  })

  test('a folder that has files, or that the project reads', async () => {
    const on = embedded()
    on.write('staged/notes.txt', 'mine')
    const stages = ['--stages', 'DEV,QA']
    expect(await refused(on, ...stages)).toEqual([1, expect.stringMatching(/staged is not empty/)])
    expect(await refused(on, ...stages, '--dir', 'manifests/staged')).toEqual([
      1,
      expect.stringMatching(/manifests\/staged is among the manifests of gatewright.yaml/),
    ])
    expect(await refused(on, ...stages, '--prune')).toEqual([1, expect.stringMatching(/--prune has no effect/)])
    expect(await refused(on, ...stages, '--into', 'manifest')).toEqual([
      1,
      expect.stringMatching(/--into has no effect/),
    ])
  })
})

test('secrets are values of each environment, each from a variable', async () => {
  const member = (stage: string) =>
    document('Member', `${stage} shop`, { email: 'a@b.example', displayName: stage, externalId: 'x', passwdNew: 'p' })
  const on = await adopted(['DEV', 'QA'].map(member), { names: 'DEV,QA', args: ['--with-secrets'] })
  const files = filesIn(on, 'staged')
  expect(files['manifests/members/shop.yaml']).toContain('passwdNew: "${value:passwdNew}"')
  expect(files['gatewright.yaml']).toContain('passwdNew: "${env:DEV_SHOP_PASSWD_NEW}"')
  await plansNothing(on, ['DEV', 'QA'])
})

test.each(makes)('so are the keys of its applications, on the make "%s"', async (_, on) => {
  const key = (stage: string) => ({
    package: 'Gold',
    plan: 'Basic',
    apikey: `key-of-${stage}-1`,
    secret: `of-${stage}-2`,
  })
  const member = (stage: string) =>
    document('Member', `${stage} shop`, {
      email: 'a@b.example',
      displayName: stage,
      externalId: 'x',
      passwdNew: `of ${stage}`,
      applications: [{ name: 'Shop', packageKeys: [key(stage)] }],
    })
  const gold = document('Package', 'Gold', { plans: [{ name: 'Basic' }] })
  const documents = [gold, ...['DEV', 'QA'].map(member)]
  const staged = await adopted(documents, { on: on(), names: 'DEV,QA', args: ['--with-secrets'] })
  const files = filesIn(staged, 'staged')
  expect(files['manifests/members/shop.yaml']).toContain('apikey: "${value:apikey}"')
  expect(files['gatewright.yaml']).toMatch(/apikey: "\$\{env:QA_\w+_APIKEY\}"/)
  const env = { ...environment, ...(await variablesOf(staged.make)) }
  for (const name of ['DEV', 'QA']) {
    const run = await staged.run(['-C', 'staged', 'plan', '-e', name, '-o', 'json'], { env })
    expect([name, run.exitCode, run.json().changes]).toEqual([name, 0, []])
  }
})

test('hosts that always differ in the same word share one value for it', async () => {
  const zones = { DEV: 'dev', QA: 'staging' } as const
  const endpoint = (stage: 'DEV' | 'QA', name: string) => ({
    name: `${stage} ${name}`,
    requestPathAlias: `/${stage}/${name}`,
    trafficManagerDomain: `${name}.${zones[stage]}.example.com`,
  })
  const endpoints = (['DEV', 'QA'] as const).flatMap((stage) =>
    ['orders', 'returns', 'stock'].map((name) => endpoint(stage, name)),
  )
  const on = await adopted([document('Service', 'Shop', { endpoints })], { names: 'DEV,QA' })
  const files = filesIn(on, 'staged')
  expect(files['gatewright.yaml']).toContain('DEV: {values: {stage: DEV, trafficManagerDomainStage: dev}}')
  expect(files['manifests/services/shop.yaml']).toContain('orders.${value:trafficManagerDomainStage}.example.com')
  expect(files['manifests/services/shop.yaml']).toContain('requestPathAlias: "/${value:stage}/orders"')
  await plansNothing(on, ['DEV', 'QA'])
})

test.each(makes)(
  'a value object that only some stages have takes no member of a default, on the make "%s"',
  async (_, on) => {
    const endpoint = (name: string, more: object) => ({
      name,
      requestPathAlias: `/${name}`,
      trafficManagerDomain: 'api.example.com',
      ...more,
    })
    const plain = ['a', 'b', 'c', 'd'].map((name) =>
      endpoint(name, { cors: { subDomainMatchingAllowed: true, maxAge: 9 } }),
    )
    const services = ['Shop', 'Stock'].map((name) =>
      document('Service', name, {
        endpoints: plain.map((each) => ({ ...each, requestPathAlias: `/${name}/${each.name}` })),
      }),
    )
    const staged = document('Service', 'Staged', {
      endpoints: [endpoint('DEV e', {}), endpoint('QA e', { cors: { maxAge: 7 } })],
    })
    const world = await adopted([...services, staged], { on: on(), names: 'DEV,QA' })
    expect(filesIn(world, 'staged')['gatewright.yaml']).toContain('subDomainMatchingAllowed: true')
    await plansNothing(world, ['DEV', 'QA'])
  },
)

describe('objects that a stage lacks', () => {
  const words = { DEV: 'one', QA: 'two' } as const
  const both = ['DEV', 'QA'] as const
  /** Production has the package, but not the field. */
  const packages = [
    ...both.map((stage) => document('Package', `${stage} crew`, { notifyAdminEmails: words[stage] })),
    document('Package', 'PRD crew'),
  ]
  const roles = (names: readonly string[], before: string) =>
    names.flatMap((name) =>
      both.map((stage) => document('Role', `${stage} ${name}`, { description: `${before}${words[stage]}` })),
    )
  const endpoints = (stage: 'DEV' | 'QA') =>
    ['x', 'y', 'z'].map((name) => ({
      name: `${stage} ${name}`,
      requestPathAlias: `/${stage}/${name}`,
      trafficManagerDomain: 'example.com',
      apiKeyValueLocationKey: words[stage],
    }))
  const atHost = (...services: readonly DocumentText[]) => [document('Domain', 'example.com'), ...services]

  test('may still use values inside their texts', async () => {
    const on = await adopted([...packages, ...roles(['team'], 'of ')], { args: ['--full'] })
    const files = filesIn(on, 'staged')
    expect(files['gatewright.yaml']).toContain('PRD: {values: {stage: PRD, notifyAdminEmails: null}}')
    expect(files['manifests/roles.yaml']).toContain('description: "of ${value:notifyAdminEmails}"')
    await plansNothing(on)
  })

  test.each([
    ['without that value', [...roles(['a', 'b', 'c'], ''), document('Role', 'PRD lead')], []],
    ['with an empty value inside a text', [...packages, ...roles(['a', 'b', 'c'], 'of ')], ['--full']],
    [
      'without that value, in an object that all stages share',
      atHost(document('Service', 'Shop', { endpoints: both.flatMap(endpoints) }), document('Role', 'PRD lead')),
      [],
    ],
  ] as const)('have no value in the defaults of a stage %s', async (_, documents, args) => {
    const on = await adopted(documents, { args })
    await plansNothing(on)
    const files = Object.values(filesIn(on, 'staged')).join('')
    expect(files.match(/"(?:of )?\$\{value:(?!stage)\w+\}"/g)).toHaveLength(args.length === 0 ? 3 : 4)
  })

  test('have a default if the stage lacks the object', async () => {
    const service = (stage: 'DEV' | 'QA') => document('Service', `${stage} shop`, { endpoints: endpoints(stage) })
    const on = await adopted(atHost(...both.map(service), document('Role', 'PRD lead')))
    expect(filesIn(on, 'staged')['manifests/services/shop.yaml']?.match(/\$\{value:apiKey\w+\}/g)).toHaveLength(1)
    await plansNothing(on)
  })
})

test('names that a reader should check are reported', async () => {
  const on = embedded()
  on.declare(...['DEV crew', 'QA crew', 'QA lead', 'DEV and QA'].map((name) => document('Role', name)))
  await on.apply()
  const { stderr } = await on.run(['export', '--stages', 'DEV,QA', '--dir', 'staged'])
  expect(stderr).toContain(
    'warning: in every environment, since the name has the words of several stages: Role/DEV and QA',
  )
  expect(stderr).toContain('note: in one environment only, since the other stages have no such object: Role/QA lead')
})

test.each([[['PRE-PROD', 'PROD']], [['PROD', 'NON-PROD', 'TEST']], [['PROD', 'NON-PROD', 'PROD-EU']]])(
  'a stage whose word contains that of another one is recognized: %j',
  async (names) => {
    const hostOf = (name: string) => `${name.toLowerCase()}.example.com`
    const on = await adopted(
      names.flatMap((name) => [
        document('Domain', { name: hostOf(name) }),
        document('Service', `Orders ${name}`, { description: `of ${name}`, endpoints: [{ name, ...at(name) }] }),
      ]),
      { names: names.join(',') },
    )
    function at(name: string) {
      const host = hostOf(name)
      return { requestPathAlias: `/${host}`, trafficManagerDomain: `api.${host}`, publicDomains: [`api.${host}`] }
    }
    const files = filesIn(on, 'staged')
    expect(Object.keys(files)).toEqual(['gatewright.yaml', 'manifests/domains.yaml', 'manifests/services/orders.yaml'])
    expect(files['manifests/services/orders.yaml']).toContain('metadata: {name: "Orders ${value:stage}"}')
    await plansNothing(on, names)
  },
)

test('a name with a stage, and with a stage that contains it, has the words of both', async () => {
  const on = embedded()
  on.declare(...['PROD a', 'PRE-PROD a', 'PROD after PRE-PROD'].map((name) => document('Role', name)))
  await on.apply()
  const { stderr } = await on.run(['export', '--stages', 'PROD,PRE-PROD', '--dir', 'staged'])
  expect(stderr).toContain(
    'warning: in every environment, since the name has the words of several stages: Role/PROD after PRE-PROD [',
  )
})
