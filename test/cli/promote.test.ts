import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { embedded, type World } from '../kit/world.js'

const header = 'apiVersion: gatewright/v1\nkind: '

const project = `${header}Project
metadata: {name: shop}
spec:
  manifests: [manifests]
  values:
    stage: {type: string, enum: [DEV, PRD]}
    hosts: {type: array, items: {type: string}}
    timeout: 30
    word: {type: string, default: x}
    region: {type: string}
  environments:
    dev:
      values:
        stage: DEV
        hosts: [dev.example.com]
        timeout: 45 # tried since May
        word: "\${env:WORD}"
        region: north
      patches:
        - target: Service/Orders
          merge: {qpsLimitOverall: 7, description: "\${value:stage} orders"}
        - target: {kind: Service, name: O*}
          json: [{op: add, path: /version, value: "2"}]
    prod:
      # where the money is
      values: {stage: PRD, hosts: [api.example.com], timeout: 60} # keep
      patches:
        # the small ones
        - target: Service/Orders
          merge:
            qpsLimitOverall: 5 # was 4
          unset: [/version]
      platform: {area: other}
`

const manifests = `${header}Service
metadata: {name: Orders}
spec: {description: "\${value:region} \${value:hosts}", version: "1", robotsPolicy: "\${value:timeout} \${value:word}"}
`.replace(' ${value:hosts}', '')

function shop(text = project): World {
  const world = embedded({}, { transport: () => Promise.reject(new Error('offline')), env: { WORD: 'canary-word' } })
  world.write('gatewright.yaml', text)
  world.write('manifests/a.yaml', manifests)
  return world
}

const textOf = (world: World, file = 'gatewright.yaml') => readFileSync(join(world.dir, file), 'utf8')

const promoted = project
  .replace('timeout: 60} # keep', 'timeout: 45, word: "${env:WORD}", region: north} # keep')
  .replace(
    '            qpsLimitOverall: 5 # was 4\n          unset: [/version]\n',
    `            qpsLimitOverall: 7 # was 4
            description: "\${value:stage} orders"
        - target:
            kind: Service
            name: O*
          json:
            - {op: add, path: /version, value: "2"}
`,
  )

describe('promote', () => {
  it('displays what it would copy, and omits values that every environment gives', async () => {
    const world = shop()
    const run = await world.run(['promote', 'dev', 'prod'])
    expect([run.stderr, run.exitCode]).toEqual(['', 0])
    expect(textOf(world)).toBe(project)
    expect(run.stdout.split('\n').slice(0, 14)).toEqual([
      'Promote dev to prod, in gatewright.yaml',
      '',
      '~ value timeout',
      '+ value word',
      '+ value region',
      '~ patch Service/Orders',
      '+ patch Service, O*',
      '',
      '--- gatewright.yaml',
      '+++ gatewright.yaml',
      '@@ -25,10 +25,15 @@',
      '     prod:',
      '       # where the money is',
      '-      values: {stage: PRD, hosts: [api.example.com], timeout: 60} # keep',
    ])
    expect(run.stdout).toMatch(
      /\n\nNot copied, because every environment has its own: stage, hosts\.\n5 changes; --write writes them\.\n$/,
    )
  })

  it('writes them with --write: comments and order stay, placeholders are copied as they are written; then nothing is left', async () => {
    const world = shop()
    const run = await world.run(['promote', 'dev', 'prod', '--write', '-o', 'json'])
    expect([run.stderr, run.exitCode]).toEqual(['', 0])
    expect(textOf(world)).toBe(promoted)
    expect(JSON.parse(run.stdout)).toMatchObject({
      ...{ format: 'gatewright.promotion/1', from: 'dev', to: 'prod', own: ['stage', 'hosts'] },
      files: [{ path: 'gatewright.yaml', action: 'updated' }],
      changes: [
        { is: 'value', name: 'timeout', before: 60, after: 45 },
        { is: 'value', name: 'word', after: '${env:WORD}' },
        { is: 'value', name: 'region', after: 'north' },
        { is: 'patch', name: 'Service/Orders', before: { target: 'Service/Orders', unset: ['/version'] } },
        { is: 'patch', name: 'Service, O*' },
      ],
    })
    const again = await world.run(['promote', 'dev', 'prod', '--write'])
    expect(again.stdout).toContain(
      'Not copied, because every environment has its own: stage, hosts.\nNothing to copy.\n',
    )
    expect((await world.run(['validate'])).stderr).not.toContain('error')
  })

  it('displays the same for a file with CR LF line ends', async () => {
    const [unix, windows] = [shop(), shop(project.replaceAll('\n', '\r\n'))]
    const shown = await windows.run(['promote', 'dev', 'prod'])
    expect(shown.stdout).toBe((await unix.run(['promote', 'dev', 'prod'])).stdout)
  })

  it('copies selected values, even if every environment gives them', async () => {
    const world = shop()
    const shown = await world.run(['promote', 'dev', 'prod', '--select', 'hosts', '-o', 'json'])
    const { changes, own } = JSON.parse(shown.stdout) as {
      readonly changes: readonly { readonly name: string }[]
      readonly own: readonly string[]
    }
    expect([changes.map(({ name }) => name), own]).toEqual([['hosts'], ['stage']])
    const run = await world.run([
      'promote',
      'dev',
      'prod',
      '--write',
      '--select',
      'hosts',
      '--select',
      'Service/*',
      '--select',
      'region',
    ])
    expect([run.stderr, run.exitCode]).toEqual(['', 0])
    expect(textOf(world)).toContain('values: {stage: PRD, hosts: [dev.example.com], timeout: 60, region: north} # keep')
    expect(textOf(world)).toContain('qpsLimitOverall: 7 # was 4')
    expect(textOf(world)).not.toContain('name: O*\n        - ')
    const wrong = await world.run(['promote', 'dev', 'prod', '--select', 'host'])
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('did you mean "hosts"?')])
  })

  it('writes into the file of an environment, and into one that is still empty', async () => {
    const inFiles = project.replace(/ {2}environments:[\s\S]*/, '  environments: [environments/*.yaml]\n')
    const world = shop(inFiles)
    const dev = 'spec:\n  values: {stage: DEV, hosts: [a], region: north, timeout: 45}\n'
    world.write('environments/dev.yaml', `${header}Environment\nmetadata: {name: dev}\n${dev}`)
    world.write('environments/prod.yaml', `# ours\n${header}Environment\nmetadata: {name: prod} # the real one\n`)
    const run = await world.run(['promote', 'dev', 'prod', '--write'])
    expect([run.stderr, run.exitCode]).toEqual(['', 0])
    expect(textOf(world)).toBe(inFiles)
    expect(textOf(world, 'environments/prod.yaml')).toBe(`# ours
${header}Environment
metadata: {name: prod} # the real one
spec:
  values:
    stage: DEV
    hosts: [a]
    region: north
    timeout: 45
`)
  })

  it('removes entries in brackets beside comments, and adds others there', async () => {
    const prod = `    prod:
      values: {
        word: {
          one: 1, # the first
          # about two
          two: 2,
          three: 3
          }
        }
`
    const text = project
      .replace('word: {type: string, default: x}', 'word: {default: {}}')
      .replace('word: "${env:WORD}"', 'word: {one: 1, four: 4}')
      .replace(/ {6}patches:[\s\S]*?(?= {4}prod:)/, '')
      .replace(/ {4}prod:\n[\s\S]*$/, prod)
    const world = shop(text)
    world.write('manifests/a.yaml', `${header}Role\nmetadata: {name: Testers}\n`)
    const run = await world.run(['promote', 'dev', 'prod', '--write', '--select', 'word'])
    expect([run.exitCode, run.stderr]).toEqual([0, ''])
    expect(textOf(world).slice(text.indexOf('    prod:'))).toBe(
      prod.replace('one: 1,', 'one: 1, four: 4,').replace('          two: 2,\n          three: 3\n', ''),
    )
  })

  it('writes nothing that makes the other environment invalid', async () => {
    const text = project.replace('target: {kind: Service, name: O*}', 'target: Service/DEV*')
    const world = shop(text)
    world.write(
      'manifests/b.yaml',
      `${header}Service\nmetadata: {name: "\${value:stage} only"}\nspec: {version: "1"}\n`,
    )
    const run = await world.run(['promote', 'dev', 'prod', '--write'])
    expect([run.exitCode, run.stdout]).toEqual([1, ''])
    expect(run.stderr).toContain('environment prod would not be valid any more: nothing is written [promotion-breaks]')
    expect(run.stderr).toContain('no object of environment prod matches Service/DEV* [patch-no-target]')
    expect(textOf(world)).toBe(text)
    expect((await world.run(['promote', 'dev', 'prod', '--write', '--select', 'timeout'])).exitCode).toBe(0)
  })

  it.each([
    ['block', ['', ''], 0],
    ['flow', ['', ''], 0],
    ['block', ['A', 'D'], 1],
    ['flow', ['A', 'D'], 1],
  ])('inserts a patch before later ones, because the last one takes precedence (%s, %j)', async (form, around, at) => {
    const own = (name: string, limit: number) => ({ target: `Service/${name}`, merge: { qpsLimitOverall: limit } })
    const lines = (patches: readonly object[], remark: string): string =>
      form === 'flow'
        ? `      patches: ${JSON.stringify(patches)}\n`
        : `      patches: # kept\n${patches.map((each) => `        # ${remark}\n        - ${JSON.stringify(each)}\n`).join('')}`
    const [first, last] = around.map((name) => (name === '' ? [] : [own(name, 1)]))
    const dev = [...(first ?? []), own('*', 10), own('Orders', 50), own('B', 7), ...(last ?? [])]
    const prod = [...(first ?? []), own('Orders', 50), ...(last ?? [])]
    const names = ['A', 'B', 'D', 'Orders'].map((name) => `${header}Service\nmetadata: {name: ${name}}\n`)
    const text = `${header}Project\nmetadata: {name: shop}\nspec:\n  manifests: [manifests]\n  environments:\n    dev:\n${lines(dev, 'dev')}    prod:\n${lines(prod, 'prod')}`
    const world = shop(text)
    world.write('manifests/a.yaml', names.join('---\n'))
    const run = await world.run(['promote', 'dev', 'prod', '--write'])
    expect([run.exitCode, run.stderr]).toEqual([0, ''])
    const written = textOf(world)
    expect(written.startsWith(text.slice(0, text.indexOf('    prod:')))).toBe(true)
    expect(written.match(/# (?:prod|kept)/g)).toEqual(text.match(/# (?:prod|kept)/g))
    const { patches } = parse(written).spec.environments.prod
    expect(patches).toEqual(dev)
    expect(patches[at]).toEqual(own('*', 10))
    const limits = async (name: string) => (await world.run(['render', '-e', name])).stdout.match(/qps.*/g)
    expect(await limits('prod')).toEqual(await limits('dev'))
    expect((await world.run(['promote', 'dev', 'prod'])).stdout).toContain('Nothing to copy.')
  })

  it('inserts a patch after those of its target, so that a second run changes nothing', async () => {
    const patch = (name: string, limit: number) => ({ target: `Service/${name}`, merge: { qpsLimitOverall: limit } })
    const environments = {
      dev: { patches: [patch('Orders', 1), patch('Orders', 2), patch('*', 3)] },
      prod: { patches: [patch('*', 30), patch('Orders', 10)] },
    }
    const spec = JSON.stringify({ manifests: ['manifests'], environments })
    const world = shop(`${header}Project\nmetadata: {name: shop}\nspec: ${spec}\n`)
    world.write('manifests/a.yaml', `${header}Service\nmetadata: {name: Orders}\n`)
    expect((await world.run(['promote', 'dev', 'prod', '--write'])).exitCode).toBe(0)
    const { patches } = parse(textOf(world)).spec.environments.prod
    expect(patches).toEqual([patch('*', 3), patch('Orders', 1), patch('Orders', 2)])
    expect((await world.run(['promote', 'dev', 'prod'])).stdout).toContain('Nothing to copy.')
  })

  it('does not say that there is nothing to copy if an alias prevents it', async () => {
    const text = project
      .replace(/ {2}environments:[\s\S]*/, '')
      .concat(
        '  environments:\n' +
          '    dev: {values: {stage: DEV, hosts: [a], region: north, timeout: 45}}\n' +
          '    qa: {values: &usual {stage: PRD, hosts: [a], region: south}}\n' +
          '    prod: {values: *usual}\n',
      )
    const world = shop(text)
    for (const args of [[], ['--write']]) {
      const run = await world.run(['promote', 'dev', 'prod', ...args])
      expect([run.exitCode, textOf(world)]).toEqual([0, text])
      expect(run.stderr).toMatch(/^warning: .*value timeout.*\[not-promoted\]$/m)
      expect(run.stdout).not.toContain('Nothing to copy')
      expect(run.stdout).toMatch(/\nNothing is copied: write the differences by hand\.\n$/)
    }
  })

  it('refuses an impossible pair of environments', async () => {
    const world = shop()
    expect((await world.run(['promote', 'dev', 'dev'])).stderr).toContain('[usage]')
    expect((await world.run(['promote', 'dev', 'prd'])).stderr).toContain('did you mean "prod"?')
  })

  it('displays no literal secret in the file', async () => {
    const world = shop(project.replace('word: "${env:WORD}"', 'word: canary-clear'))
    world.write(
      'manifests/a.yaml',
      `${header}Member
metadata: {name: m}
spec: {email: m@example.com, displayName: "\${value:region}", passwdNew: "\${value:word}"}
`,
    )
    world.write('gatewright.yaml', textOf(world).replaceAll(/ {6}patches:\n(?: {8}.*\n)+/g, ''))
    for (const form of ['text', 'json']) {
      const run = await world.run(['promote', 'dev', 'prod', '-o', form])
      expect([run.exitCode, run.stdout.includes('word')]).toEqual([0, true])
      expect(run.stdout + run.stderr).not.toContain('canary')
    }
  })
})
