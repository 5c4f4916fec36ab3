import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { document, manifestText } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { canaries, storefront } from '../kit/storefront.js'
import { embedded, environment, type Run, type World } from '../kit/world.js'

const env = { ...environment, ...canaries }

async function shop(): Promise<World> {
  const world = embedded({}, { env })
  world.declare(...storefront)
  expect((await world.apply()).exitCode).toBe(0)
  await world.run(['snapshot', '--out', 'area.json'])
  world.requests()
  return world
}

interface Diff {
  readonly format: string
  readonly summary: { readonly onlyInA: number; readonly onlyInB: number; readonly different: number }
  readonly differences: readonly { readonly address: string; readonly in: string; readonly fields: readonly object[] }[]
}

const diffIn = (run: Run): Diff => JSON.parse(run.stdout) as Diff

const sides = ['area.json', 'live', 'manifests', '.', 'http://platform.example']

describe('diff', () => {
  it('of any two sides is empty after an apply, and sends only GET', async () => {
    const world = await shop()
    for (const [a, b] of sides.flatMap((first) => sides.map((second) => [first, second] as const))) {
      const { exitCode, stdout, stderr } = await world.run(['diff', a, b, '--quiet'])
      const last = stdout.slice(stdout.indexOf('\n\n'))
      const told =
        a === 'area.json' || b === 'area.json'
          ? /^warning: 4 secret fields .* area\.json has none .*\n.*\n\n1 warning\n$/
          : /^$/
      expect([exitCode, last, stderr], `${a} ${b}`).toEqual([
        0,
        '\n\nDiff: no differences.\n',
        expect.stringMatching(told),
      ])
    }
    expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('names the area of a live side', async () => {
    const world = await shop()
    const target = { url: 'http://platform.example', area: '00000000-0000-4000-8000-00000000a4ea', project: 'test' }
    const { stdout } = await world.run(['diff', 'live', 'manifests', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ a: 'live', b: 'manifests', targets: { a: target } })
    const area = 'http://platform.example, area 0000…a4ea (test)'
    for (const [b, shown] of [
      ['live', `live: ${area}`],
      ['http://platform.example', area],
    ] as const) {
      const text = await world.run(['diff', 'area.json', b, '--quiet'])
      expect(text.stdout).toContain(`- a: area.json\n+ b: ${shown}\n`)
    }
    const markdown = await world.run(['diff', 'area.json', 'live', '-o', 'markdown'])
    expect(markdown.stdout).toContain(`(a) and \`live: ${area}\` (b)`)
  })

  it('reads a folder of a project with environments for the selected one', async () => {
    const world = embedded()
    const head =
      'apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: test}\nspec:\n  values: {word: {type: string}}\n'
    world.write('gatewright.yaml', `${head}  environments: {dev: {values: {word: a}}, prod: {values: {word: b}}}\n`)
    world.declare(document('Role', 'R', { description: '${value:word}' }))
    expect((await world.apply('-e', 'dev')).exitCode).toBe(0)
    const codes = ['dev', 'prod'].map(async (name) => (await world.run(['diff', '.', 'live', '-e', name])).exitCode)
    expect(await Promise.all(codes)).toEqual([0, 2])
    expect((await world.run(['diff', '.', 'live'])).exitCode).toBe(1)
  })

  it('reads a folder and a file with the layers of the project that includes them, and any other without layers', async () => {
    const world = embedded()
    world.project(`  values: {word: {type: string}}
  environments: {dev: {values: {word: a}, patches: [{target: Service/S, merge: {description: patched}}]}}
`)
    world.declare(document('Service', 'S', { version: '${value:word}', description: 'plain' }))
    expect((await world.apply('-e', 'dev')).exitCode).toBe(0)
    const codeOf = async (side: string) => (await world.run(['diff', side, 'live', '-e', 'dev'])).exitCode
    expect([await codeOf('manifests'), await codeOf('manifests/all.yaml'), await codeOf('.')]).toEqual([0, 0, 0])
    expect((await world.run(['export', '--dir', 'exported', '-e', 'dev'])).exitCode).toBe(0)
    expect(await codeOf('exported')).toBe(0)
    world.write('exported/services/s.yaml', manifestText([document('Service', 'S', { description: 'plain' })]))
    expect(await codeOf('exported')).toBe(2)
  })

  it('reports differences by address and field, in both directions, and exits with 2', async () => {
    const world = await shop()
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services?filter=name:Orders')
    await rest.put(`/services/${String(service?.id)}`, { qpsLimitOverall: 7 })
    await rest.post('/services', { name: 'Strange' })
    for (const before of ['area.json', 'manifests']) {
      const there = diffIn(await world.run(['diff', before, 'live', '-o', 'json']))
      expect(there.format).toBe('gatewright.diff/1')
      expect(there.differences.find(({ in: where }) => where === 'both')).toEqual({
        address: 'Service/Orders API',
        kind: 'Service',
        in: 'both',
        fields: [{ path: '/qpsLimitOverall', a: 500, b: 7, sensitive: false }],
      })
      expect(there.differences.filter(({ in: where }) => where === 'b').map(({ address }) => address)).toContain(
        'Service/Strange',
      )
      const back = diffIn(await world.run(['diff', 'live', before, '-o', 'json']))
      expect(back.summary).toEqual({ ...there.summary, onlyInA: there.summary.onlyInB, onlyInB: 0 })
      expect(back.differences.find(({ in: where }) => where === 'both')?.fields).toEqual([
        { path: '/qpsLimitOverall', a: 7, b: 500, sensitive: false },
      ])
    }
    const text = await world.run(['diff', 'area.json', 'live', '--quiet'])
    expect(text.exitCode).toBe(2)
    expect(text.stdout).toMatch(/^~ Service\/Orders API\n {4}qpsLimitOverall {2}500 → 7$/m)
    expect(text.stdout).toMatch(/^\+ Service\/Strange \(with \d+ objects in it\)$/m)
    const markdown = await world.run(['diff', 'area.json', 'live', '-o', 'markdown'])
    expect(markdown.stdout).toContain('- qpsLimitOverall: 500\n+ qpsLimitOverall: 7')
    expect((await world.run(['diff', 'area.json', 'live', '--select', 'Package/*'])).exitCode).toBe(0)
  })

  it('reports a selection without a match as an error, and one without a difference as empty', async () => {
    const world = embedded()
    world.declare(document('Role', 'Same'), document('Role', 'Other', { description: 'a' }))
    await world.apply()
    await world.run(['snapshot', '--out', 'area.json'])
    for (const [a, b] of [
      ['area.json', 'live'],
      ['manifests', 'live'],
      ['live', 'manifests'],
      ['manifests', 'manifests'],
    ] as const) {
      const chosen = await world.run(['diff', a, b, '--select', 'Role/Same'])
      expect([a, b, chosen.stderr, chosen.exitCode]).toEqual([a, b, chosen.stderr, 0])
      const wrong = await world.run(['diff', a, b, '--select', 'Role/Same', '--select', 'Role/Othr'])
      expect([a, b, wrong.exitCode, wrong.stdout]).toEqual([a, b, 1, ''])
      expect(wrong.stderr).toContain('nothing is selected by "Role/Othr" [nothing-selected]')
      expect(wrong.stderr).toContain('did you mean "Role/Other"?')
    }
  })

  it('compares two folders of manifests without a request', async () => {
    const world = embedded({}, { transport: () => Promise.reject(new Error('offline')) })
    world.write('a/one.yaml', manifestText([document('Role', 'Old'), document('Service', 'S', { version: '1' })]))
    world.write('b/one.yaml', manifestText([document('Service', 'S', { version: '2', description: 'new' })]))
    const { differences } = diffIn(await world.run(['diff', 'a', 'b', '-o', 'json']))
    expect(differences.map(({ address, in: where }) => `${where} ${address}`)).toEqual(['a Role/Old', 'both Service/S'])
    expect(differences[1]?.fields).toEqual([
      { path: '/version', a: '1', b: '2', sensitive: false },
      { path: '/description', b: 'new', sensitive: false },
    ])
  })

  it('displays no secret, only that it differs', async () => {
    const world = await shop()
    const rest = await restOf(world.make)
    const [key] = await rest.get('/packageKeys')
    await rest.put(`/packageKeys/${String(key?.id)}`, { secret: 'canary-other-secret' })
    for (const form of ['text', 'json', 'markdown']) {
      const { stdout } = await world.run(['diff', 'manifests', 'live', '-o', form])
      expect(stdout).toContain('(sensitive)')
      expect(stdout).not.toContain('canary')
    }
  })

  it('reports how many secrets could not be compared: those that a file omits, and those that are not set here', async () => {
    const world = embedded()
    const endpoint = (password: string) => ({
      name: 'e',
      requestPathAlias: '/e',
      trafficManagerDomain: 'api.example.com',
      systemDomainAuthentication: { type: 'httpBasic', username: 'u', password },
    })
    const set = { env: { ...environment, PASSWORD: 'a-secret', OTHER: 'another' } }
    const member = { email: 'a@b.example', displayName: 'A', externalId: 'x', passwdNew: '${env:PASSWORD}' }
    const service = document('Service', 'S', { endpoints: [endpoint('${env:PASSWORD}')] })
    world.declare(service, document('Role', 'R'), document('Member', 'm', member))
    world.write('other/all.yaml', manifestText([document('Service', 'S', { endpoints: [endpoint('${env:OTHER}')] })]))
    await world.run(['apply', '--yes'], set)
    await world.run(['snapshot', '--out', 'one.json'], set)
    await world.run(['snapshot', '--out', 'two.json'], set)
    const leftOut = (file: string) => `warning: 1 secret field could not be compared: the snapshot ${file} has none`
    const unset = 'note: 1 secret field could not be compared: what the manifests write there is not set here'
    const told = async (sides: readonly string[], more = {}) =>
      (await world.run(['diff', ...sides, '--quiet'], more)).stderr
        .split(/ \[.*|\n/)
        .filter((line) => line.includes('compared:'))
    expect(await told(['manifests', 'live'])).toEqual([unset])
    expect(await told(['manifests', 'live'], set)).toEqual([])
    expect(await told(['manifests', 'live', '--select', 'Role/R'])).toEqual([])
    expect(await told(['manifests', 'other'])).toEqual([unset])
    expect(await told(['one.json', 'manifests'], set)).toEqual([leftOut('one.json')])
    expect(await told(['live', 'one.json'])).toEqual([leftOut('one.json')])
    expect(await told(['one.json', 'two.json'])).toEqual([leftOut('one.json'), leftOut('two.json')])
    expect(await told(['one.json', 'two.json', '--select', 'Role/R'])).toEqual([])
  })

  it('compares the email templates of a live area next to all its other objects', async () => {
    const template = { id: 't1', type: 'keyActivated', from: 'portal@example.com', subject: 'Active' }
    const world = embedded({
      seed: {
        roles: [{ id: 'r1', name: 'R', description: 'one' }],
        packages: [{ id: 'p1', name: 'P', plans: [{ id: 'l1', name: 'L', emailTemplateSetId: 7 }] }],
        emailTemplateSets: [{ id: 7, emailTemplates: [template] }],
      },
    })
    await world.run(['snapshot', '--out', 'area.json'])
    expect(diffIn(await world.run(['diff', 'area.json', 'live', '-o', 'json'])).differences).toEqual([])
    const text = readFileSync(join(world.dir, 'area.json'), 'utf8')
    world.write('area.json', text.replace('"one"', '"two"').replace('"Active"', '"Now active"'))
    const { differences } = diffIn(await world.run(['diff', 'area.json', 'live', '-o', 'json']))
    expect(differences).toMatchObject([
      { address: 'EmailTemplateSet/7/EmailTemplate/keyActivated', in: 'both', fields: [{ path: '/subject' }] },
      { address: 'Role/R', in: 'both', fields: [{ path: '/description' }] },
    ])
  })

  it('refuses an invalid side, with a reason', async () => {
    const world = embedded()
    expect((await world.run(['diff', 'nowhere', 'live'])).stderr).toContain('there is no file or folder "nowhere"')
    expect((await world.run(['diff', 'env:prod', 'live'])).stderr).toContain('there is no environment "prod"')
    expect((await world.run(['diff', 'live'])).exitCode).toBe(1)
  })
})

it.each(['text', 'json', 'markdown'])('a number from a variable is masked: -o %s', async (form) => {
  const world = embedded({}, { env: { ...environment, LIMIT: '635241' } })
  world.declare(document('Service', 'Orders', { qpsLimitOverall: 600 }))
  expect((await world.apply()).exitCode).toBe(0)
  await world.run(['snapshot', '--out', 'area.json'])
  world.declare(document('Service', 'Orders', { qpsLimitOverall: '${env:LIMIT}' }))
  expect((await world.apply()).exitCode).toBe(0)
  const { exitCode, stdout } = await world.run(['diff', 'area.json', 'live', '-o', form])
  expect([exitCode, stdout]).toEqual([2, expect.stringMatching(/qpsLimitOverall[\s\S]*sensitive/)])
  expect(stdout).not.toContain('635241')
})
