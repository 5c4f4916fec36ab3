import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { DiffDocument } from '../../src/documents/diff.js'
import { embedded, type Run, type World } from '../kit/world.js'

const header = 'apiVersion: gatewright/v1\nkind: '

const project = (environments: string, more = '') => `${header}Project
metadata: {name: shop}
spec:
  manifests: [manifests]
  values:
    stage: {type: string, enum: [DEV, PRD]}
    hosts: {type: array, items: {type: string}}
    base: example.com
    timeout: 30
${more}  environments:
${environments}`

const dev = '    dev: {values: {stage: DEV, hosts: ["dev.${value:base}"]}}\n'
const prod = '    prod: {values: {stage: PRD, hosts: [api.example.com], timeout: 60}}\n'

const manifests = `${header}Service
metadata: {name: Orders, defaults: {Endpoint: {publicDomains: "\${value:hosts}"}}}
spec: {description: "orders of \${value:stage}"}
---
${header}Endpoint
metadata: {service: Orders, name: "\${value:stage} orders"}
spec:
  requestPathAlias: /orders
  connectionTimeoutForSystemDomainRequest: "\${value:timeout}"
  cors: {allDomainsEnabled: true, maxAge: 100}
---
${header}Endpoint
metadata: {service: Orders, name: plain}
spec: {requestPathAlias: /plain, connectionTimeoutForSystemDomainRequest: "\${value:timeout}"}
---
${header}Package
metadata: {name: Partners}
spec:
  plans:
    - name: Gold
      services: [{name: Orders, endpoints: [{name: "\${value:stage} orders"}, plain]}]
`

function shop(environments = dev + prod, text = manifests, more = ''): World {
  const world = embedded({}, { transport: () => Promise.reject(new Error('offline')) })
  world.write('gatewright.yaml', project(environments, more))
  world.write('manifests/a.yaml', text)
  return world
}

const diff = (world: World, ...args: readonly string[]) => world.run(['diff', '-e', 'dev', '-e', 'prod', ...args])
const schema = JSON.parse(readFileSync(new URL('../../schemas/diff-document.schema.json', import.meta.url), 'utf8'))
const validate = new Ajv2020().compile(schema)

function diffIn(run: Run): DiffDocument {
  const document = JSON.parse(run.stdout) as DiffDocument
  expect([validate(document), validate.errors]).toEqual([true, null])
  return document
}

const layersIn = async (world: World) =>
  (diffIn(await diff(world, '-o', 'json')).layers ?? []).map((layer) => [
    layer.is,
    layer.name,
    layer.fields,
    layer.count,
  ])

describe('diff of two environments', () => {
  it('displays values on one line each, whatever the objects are called', async () => {
    const { exitCode, stdout, stderr } = await diff(shop())
    expect([exitCode, stderr]).toEqual([2, ''])
    expect(stdout).toBe(`- a: dev
+ b: prod

~ value hosts: ["dev.\${value:base}"] → [api.example.com] (2 fields of 2 objects; gatewright.yaml:12:39 and 13:40)
~ value stage: DEV → PRD (3 fields of 3 objects; gatewright.yaml:12:27 and 13:28)
~ value timeout: 30 → 60 (2 fields of 2 objects; gatewright.yaml:10:14 and 13:68)

Diff: 3 layers differ.
`)
  })

  it('fits 80 columns, except for wider words', async () => {
    const name = 'only one of the environments has it'
    const one = `${header}Endpoint\nmetadata: {service: Orders, name: ${name}, environments: [prod]}\n`
    const world = shop(dev + prod, `${manifests}---\n${one}spec: {requestPathAlias: /one}\n`)
    const stream = { isTTY: true, columns: 80 }
    for (const args of [
      ['diff', '-e', 'dev', '-e', 'prod'],
      ['explain', 'Service/Orders/Endpoint/plain', '-e', 'prod'],
    ]) {
      let text = ''
      const write = (part: string) => (text += part)
      await world.run(args, { stdout: { ...stream, write }, env: { NO_COLOR: '1' } })
      expect(text).toMatch(/\n {4,6}\S/)
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
    }
  })

  it('displays the value that other values use', async () => {
    const world = shop(
      '    dev: {values: {stage: DEV, hosts: ["a.${value:base}"], base: one.example}}\n' +
        '    prod: {values: {stage: DEV, hosts: ["a.${value:base}"], base: two.example}}\n',
    )
    expect(await layersIn(world)).toEqual([['value', 'base', ['/publicDomains'], 2]])
  })

  it('reports no difference if the environments have the same result, however it is written', async () => {
    const world = shop(
      `${dev}    prod: {platform: {area: other}, values: {stage: DEV, hosts: ["dev.\${value:base}"], timeout: 30}}\n`,
    )
    expect(await diff(world)).toMatchObject({ exitCode: 0, stdout: '- a: dev\n+ b: prod\n\nDiff: no differences.\n' })
  })

  it('displays a patch and a default on one line, with fields and positions, on the side that has them', async () => {
    const same = 'values: {stage: DEV, hosts: [x]}'
    const world = shop(`    dev:
      ${same}
      defaults: {Endpoint: {numberOfHttpRedirectsToFollow: 3}}
    prod:
      ${same}
      defaults: {Endpoint: {numberOfHttpRedirectsToFollow: 4, requestProtocol: rest}}
      patches:
        - target: Service/Orders/Endpoint/*
          merge: {connectionTimeoutForSystemDomainRequest: 10}
        - target: Service/Orders/Endpoint/DEV orders
          merge: {cors: {maxAge: 7}}
          unset: [/requestPathAlias]
        - target: Service/Orders
          json: [{op: replace, path: /description, value: other}]
`)
    const { stdout, stderr } = await diff(world)
    expect(stderr).toBe('')
    expect(stdout.split('\n').slice(3)).toEqual([
      '~ default Endpoint.numberOfHttpRedirectsToFollow: 3 → 4 (2 fields of 2 objects; gatewright.yaml:14:29 and 17:29)',
      '+ defaults of environment prod: Endpoint.requestProtocol: rest (2 fields of 2 objects; gatewright.yaml:17:63)',
      '+ patches[2] of environment prod: Service/Orders (description of 1 object; gatewright.yaml:24:11)',
      '+ patches[0] of environment prod: Service/Orders/Endpoint/* (connectionTimeoutForSystemDomainRequest of 2 objects; gatewright.yaml:19:11)',
      '+ patches[1] of environment prod: Service/Orders/Endpoint/DEV orders (cors.maxAge, requestPathAlias of 1 object; gatewright.yaml:21:11)',
      '',
      'Diff: 5 layers differ.',
      '',
    ])
  })

  it('displays the value if the patches of both use it with the same text', async () => {
    const own = (timeout: number) =>
      `{values: {stage: DEV, hosts: [x], timeout: ${timeout}}, patches: [{target: Service/Orders, merge: {description: "in \${value:timeout} s"}}]}`
    const world = shop(`    dev: ${own(20)}\n    prod: ${own(30)}\n`)
    expect(await layersIn(world)).toEqual([
      ['value', 'timeout', ['/description', '/connectionTimeoutForSystemDomainRequest'], 3],
    ])
  })

  it('displays an object that only one of them has: with the patch that omits it, or with metadata.environments', async () => {
    const same = 'values: {stage: DEV, hosts: [x]}'
    const more = `---
${header}Role
metadata: {name: Testers, environments: [dev]}
---
${header}Service
metadata: {name: Sandbox}
spec: {endpoints: [{name: e, cache: {cacheTtlOverride: 5}, methods: [{name: m}]}, {name: f, metadata: {environments: ["!dev"]}}]}
`
    const world = shop(
      `    dev: {${same}}
    prod:
      ${same}
      patches:
        - {target: Package/*, omit: true}
        - {target: Service/Sandbox/Endpoint/e, merge: {cache: null}}
`,
      manifests + more,
    )
    const run = await diff(world)
    expect(run.stderr).toBe('')
    expect(run.stdout.split('\n').slice(3)).toEqual([
      '+ patches[0] of environment prod: Package/* (leaves out 3 objects; gatewright.yaml:16:11)',
      '+ patches[1] of environment prod: Service/Sandbox/Endpoint/e (leaves out 1 object; gatewright.yaml:17:11)',
      '',
      '- Role/Testers, metadata.environments at manifests/a.yaml:29:41',
      '+ Service/Sandbox/Endpoint/f, metadata.environments at manifests/a.yaml:34:118',
      '',
      'Diff: 2 layers differ, 1 only in a, 1 only in b.',
      '',
    ])
    const { stdout: markdown } = await diff(world, '-o', 'markdown')
    expect(markdown).toContain('- `+ patches[0] of environment prod: Package/*` (leaves out 3 objects;')
    expect(markdown).toContain('**only in a** `Role/Testers` · `metadata.environments at manifests/a.yaml:29:41`')
    await diff(world, '--report', 'html=diff.html')
    const page = readFileSync(join(world.dir, 'diff.html'), 'utf8')
    expect(page).toContain('<code class="does">+ patches[0] of environment prod: Package/*</code>')
    expect(page).toContain('<code class="place">metadata.environments at manifests/a.yaml:29:41</code>')
    const { differences, layers } = diffIn(await diff(world, '-o', 'json'))
    expect(differences[0]).toEqual({
      ...{ address: 'Role/Testers', kind: 'Role', in: 'a', fields: [] },
      limited: { file: 'manifests/a.yaml', line: 29, column: 41 },
    })
    expect(layers?.[0]?.omitted).toEqual([
      'Package/Partners',
      'Package/Partners/Plan/Gold',
      'Package/Partners/Plan/Gold/PlanService/Orders',
    ])
  })

  it('displays differences without a layer field by field: two documents of one object', async () => {
    const one = (environment: string, version: string) => `---
${header}Service
metadata: {name: Twice, environments: [${environment}]}
spec: {version: "${version}", description: same}
`
    const world = shop(dev + prod, `${manifests}${one('dev', '1')}${one('prod', '2')}`)
    const run = await diff(world)
    expect(run.stdout).toContain('~ Service/Twice\n    version  "1" → "2"\n')
    expect(run.stdout).toContain('3 layers differ, 1 object differs otherwise.')
  })

  it('includes references to objects with different names in the effects of the name', async () => {
    const event = `---
${header}ScheduledMaintenanceEvent
metadata: {name: Night}
spec: {startDateTime: 2027-01-01T00:00:00.000+0000, endDateTime: 2027-01-01T02:00:00.000+0000}
---
${header}Endpoint
metadata: {service: Orders, name: "\${value:stage} night"}
spec: {requestPathAlias: /night, scheduledMaintenanceEvent: Night}
`
    const { differences, layers } = diffIn(await diff(shop(dev + prod, manifests + event), '-o', 'json'))
    expect(differences).toEqual([])
    expect(layers?.map(({ name, objects }) => [name, objects])).toContainEqual([
      'stage',
      [
        'Package/Partners/Plan/Gold/PlanService/Orders',
        'ScheduledMaintenanceEvent/Night',
        'Service/Orders',
        'Service/Orders/Endpoint/DEV night',
        'Service/Orders/Endpoint/DEV orders',
      ],
    ])
  })

  it('includes the names of parents that no manifest declares', async () => {
    const lone = `${header}Endpoint
metadata: {service: "\${value:stage} Old", name: e}
spec: {requestPathAlias: "/\${value:timeout}/\${value:hosts}"}
`.replace('/${value:hosts}', '')
    const { differences, layers } = diffIn(await diff(shop(dev + prod, lone), '-o', 'json'))
    expect(differences).toEqual([])
    expect(layers?.map(({ name, fields }) => [name, fields])).toEqual([
      ['stage', ['/metadata/service']],
      ['timeout', ['/requestPathAlias']],
    ])
  })

  it('displays no secret, and the placeholders of values as they are written', async () => {
    const world = shop(
      '    dev: {values: {stage: DEV, hosts: [x], word: "${env:DEV_WORD}"}}\n    prod: {values: {stage: DEV, hosts: [x], word: canary-clear}}\n',
      `${header}Member
metadata: {name: m}
spec: {email: m@example.com, displayName: M, passwdNew: "\${value:word}"}
`,
      '    word: {type: string}\n',
    )
    for (const form of ['text', 'json', 'markdown']) {
      const run = await world.run(['diff', '-e', 'dev', '-e', 'prod', '-o', form], { env: { DEV_WORD: 'canary-dev' } })
      expect(run.exitCode).toBe(2)
      expect(run.stdout).toContain('word')
      expect(run.stdout + run.stderr).not.toContain('canary')
    }
  })

  it('reports how many secrets it could not compare, and no difference if one side is not set here', async () => {
    const world = shop(
      '    dev: {values: {stage: DEV, hosts: [x], word: "${env:DEV_WORD}"}}\n    prod: {values: {stage: DEV, hosts: [x], word: "${env:PRD_WORD}"}}\n',
      `${header}Service
metadata: {name: S}
spec: {description: "\${env:SHARED}", version: "\${value:word}"}
---
${header}Role
metadata: {name: R}
`,
      '    word: {type: string}\n',
    )
    const note = 'note: 1 secret field could not be compared: what the manifests write there is not set here'
    for (const env of [{}, { DEV_WORD: 'a-word' }, { PRD_WORD: 'a-word' }]) {
      const run = await world.run(['diff', '-e', 'dev', '-e', 'prod'], { env })
      expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining(note)])
    }
    const none = await world.run(['diff', '-e', 'dev', '-e', 'prod', '--select', 'Role/R'])
    expect([none.exitCode, none.stderr]).toEqual([0, ''])
    const set = await world.run(['diff', '-e', 'dev', '-e', 'prod'], {
      env: { DEV_WORD: 'a-word', PRD_WORD: 'b-word' },
    })
    expect([set.exitCode, set.stderr]).toEqual([2, ''])
    const same = await world.run(['diff', '-e', 'dev', '-e', 'prod'], { env: { DEV_WORD: 'word', PRD_WORD: 'word' } })
    expect([same.exitCode, same.stderr]).toEqual([0, ''])
  })

  it('also reports a secret that only one side writes', async () => {
    const prod = `    prod:
      values: {stage: DEV, hosts: [x]}
      patches: [{target: Service/S, merge: {version: "\${env:PRD_WORD}"}}]
`
    const world = shop(
      `    dev: {values: {stage: DEV, hosts: [x]}}\n${prod}`,
      `${header}Service\nmetadata: {name: S}\nspec: {description: x}\n`,
    )
    for (const sides of [
      ['dev', 'prod'],
      ['prod', 'dev'],
    ]) {
      const run = await world.run(['diff', ...sides.flatMap((side) => ['-e', side])])
      expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining('note: 1 secret field could not be')])
    }
  })

  it('accepts a selection with either address, and refuses an impossible pair', async () => {
    const world = shop()
    for (const name of ['DEV', 'PRD']) {
      const { layers } = diffIn(await diff(world, '-o', 'json', '--select', `Service/Orders/Endpoint/${name} orders`))
      expect(layers?.map((layer) => [layer.name, layer.count])).toEqual([
        ['hosts', 1],
        ['stage', 1],
        ['timeout', 1],
      ])
    }
    expect((await diff(world, '--select', 'Service/Othr')).stderr).toContain('nothing-selected')
    for (const args of [
      ['-e', 'dev'],
      ['-e', 'dev', '-e', 'prod', 'x', 'y'],
      ['-e', 'dev', '-e', 'prod', '-e', 'dev'],
    ]) {
      expect((await world.run(['diff', ...args])).stderr).toContain('diff compares two sides [usage]')
    }
    expect((await world.run(['diff', '-e', 'dev', '-e', 'prd'])).stderr).toContain('did you mean "prod"?')
    const plan = await world.run(['plan', '-e', 'dev', '-e', 'prod'])
    expect([plan.exitCode, plan.stderr]).toEqual([1, expect.stringContaining('-e names more than one environment')])
  })

  it('can be written as Markdown', async () => {
    const { stdout } = await diff(shop(), '-o', 'markdown')
    expect(stdout).toContain('### Diff: `dev` (a) and `prod` (b)')
    expect(stdout).toContain('- `~ value timeout: 30 → 60` (2 fields of 2 objects; gatewright.yaml:10:14 and 13:68)')
  })
})
