import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, type World } from '../kit/world.js'

const secrets = { TEXT: 'hush-hush-text', BEARER: 'hush-hush-bearer', PASSWORD: 'hush-hush-word', KEY: 'hush-hush-key' }
const all = { ...environment, ...secrets }

const domain = document('Domain', 'example.com')
const service = (spec: object = {}) =>
  document('Service', 'S', {
    description: 'by ${env:TEXT}',
    endpoints: [
      {
        name: 'e',
        requestPathAlias: '/e',
        trafficManagerDomain: 'example.com',
        publicDomains: ['example.com'],
        processor: { adapter: 'a', preInputs: { authorization: 'Bearer ${env:BEARER}', as: 'gateway' } },
        systemDomainAuthentication: { type: 'httpBasic', username: 'gateway', password: '${env:PASSWORD}' },
      },
    ],
    ...spec,
  })

const codes = (run: { readonly diagnostics: readonly { readonly code: string }[] }) =>
  run.diagnostics.map(({ code }) => code)

async function appliedWorld(): Promise<World> {
  const world = embedded({}, { env: all })
  world.declare(domain, service())
  expect((await world.apply()).exitCode).toBe(0)
  expect((await world.plan()).changes).toEqual([])
  return world
}

test('a value from the environment is sent as it is, and displayed as a secret', async () => {
  const world = await appliedWorld()
  const [live] = await (await restOf(world.make)).get('/services?fields=id,description')
  expect(live?.description).toBe('by hush-hush-text')
  const next = { env: { ...all, TEXT: 'another-text' } }
  const plan = (await world.run(['plan', '-o', 'json'], next)).json()
  expect(plan.changes).toMatchObject([
    {
      fields: [
        { path: '/description', before: '(sensitive)', after: '(sensitive)', sensitive: true, verdict: 'pending' },
      ],
    },
  ])
  const text = await world.run(['plan'], next)
  expect(text.stdout + text.stderr).not.toMatch(/hush-hush|another-text/)
})

test('a value that was applied as a secret stays a secret when it is written literally, or not any more', async () => {
  const world = await appliedWorld()
  for (const spec of [{ description: 'open' }, { description: null }]) {
    world.declare(domain, service(spec))
    const run = await world.run(['plan', '-o', 'json'], { env: { ...environment, ...secrets, TEXT: 'x' } })
    expect(run.json().changes[0]?.fields).toMatchObject([
      { path: '/description', before: '(sensitive)', sensitive: true },
    ])
    expect(run.stdout + run.stderr).not.toContain('hush-hush-text')
  }
})

test('explain hides a secret in a member of a member, and nothing else', async () => {
  const world = embedded({}, { env: { ...environment, TTL: '482113' } })
  const oauth = { accessTokenTtl: '${env:TTL}', secureTokensEnabled: true }
  world.declare(document('Service', 'S', { securityProfile: { oauth } }))
  const { stdout } = await world.run(['explain', 'Service/S', '-o', 'json'])
  expect(JSON.parse(stdout).fields).toMatchObject([
    { path: '/name' },
    { path: '/securityProfile/oauth/accessTokenTtl', value: '(sensitive)', sensitive: true },
    { path: '/securityProfile/oauth/secureTokensEnabled', value: true, sensitive: false },
  ])
  expect(stdout).not.toContain('482113')
  const shown = await world.run(['explain', 'Service/S'])
  expect(shown.stdout).toContain('securityProfile/oauth/accessTokenTtl  (sensitive)\n')
})

test('explain hides the value of a secret field wherever it is written, like a plan', async () => {
  const world = embedded()
  world.project(`  values: {word: canary-of-all, other: "x \${value:word}"}
  environments:
    prod:
      values: {word: canary-in-prod}
      patches:
        - {target: Service/S, merge: {version: "2", description: what has more than sixty characters and is cut there canary-in-prod}}
`)
  world.declare(
    document('Service', 'S', { description: '${value:other}', version: 'canary-in-prod' }),
    document('Service', 'T', { description: '${value:other}' }),
    document('Member', 'm', { email: 'a@example.com', displayName: 'M', passwdNew: '${value:word}' }),
  )
  const fieldsOf = async (name: string) => {
    const texts = await world.run(['explain', `Service/${name}`, '-e', 'prod'])
    const { stdout } = await world.run(['explain', `Service/${name}`, '-e', 'prod', '-o', 'json'])
    expect([texts.exitCode, texts.stdout + texts.stderr + stdout]).toEqual([0, expect.not.stringContaining('canary')])
    return JSON.parse(stdout).fields.slice(1)
  }
  expect(await fieldsOf('S')).toMatchObject([
    { path: '/description', value: '(sensitive)', sensitive: true, layers: [{}, { text: '${value:other}' }] },
    { path: '/version', value: '2', sensitive: false, layers: [{ text: '"2"' }, { layer: 'manifest' }] },
  ])
  expect(await fieldsOf('T')).toMatchObject([
    {
      value: '(sensitive)',
      layers: [{ text: '${value:other}', values: [{ name: 'other', text: '"x ${value:word}"' }, { name: 'word' }] }],
    },
  ])
})

test('drift of a secret is reported without either value', async () => {
  const world = await appliedWorld()
  const rest = await restOf(world.make)
  const [live] = await rest.get('/services?fields=id')
  await rest.put(`/services/${String(live?.id)}`, { description: 'somebody elses' })
  const drift = await world.drift()
  expect(drift.json().changes).toMatchObject([{ side: 'live', fields: [{ path: '/description', sensitive: true }] }])
  expect(drift.stdout).not.toContain('somebody elses')
})

/** The output of commands that display live values, and the files that they write. */
async function shownBy(world: World, env: Readonly<Record<string, string>>) {
  const commands = ['get Service -o json', 'get Service S', 'get Endpoint -o yaml', 'snapshot --out area.json']
  const texts: string[] = []
  for (const command of [...commands, 'export --dir elsewhere']) {
    const { exitCode, stdout, stderr } = await world.run(command.split(' '), { env })
    expect(exitCode).toBe(0)
    texts.push(stdout, stderr)
  }
  const files = ['area.json', 'elsewhere/services/s.yaml'].map((file) => readFileSync(join(world.dir, file), 'utf8'))
  return { files: files.join('\n'), all: [...texts, ...files].join('\n') }
}

test.each([
  ['is not set here', environment],
  ['has another value now', { ...all, TEXT: 'another-text', BEARER: 'another-bearer' }],
])('the live value of a secret that %s is in no output, but the text around it is', async (_, env) => {
  const world = await appliedWorld()
  const shown = await shownBy(world, env)
  expect(shown.all).not.toContain('hush-hush')
  expect(shown.files).toMatch(/username: gateway$/m)
  // Nothing can be reported about values that a snapshot omits.
  expect((await world.run(['diff', 'area.json', 'live'], { env })).exitCode).toBe(0)
})

test('the live value of a secret that no manifest has any more is in no output, because the records know it', async () => {
  const world = await appliedWorld()
  world.declare(domain, document('Service', 'S', { description: 'open' }))
  expect((await shownBy(world, environment)).all).not.toContain('hush-hush')
})

test('the same is true for objects without ids: each is known by its address', async () => {
  const users = { USER_A: 'hush-hush-user-a', USER_B: 'hush-hush-user-b' }
  const world = embedded({}, { env: { ...environment, ...users } })
  const endpoint = (name: string, more: object) => ({
    ...{ name, requestPathAlias: `/${name}`, trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
    ...more,
  })
  const known = (name: string, user: string) =>
    endpoint(name, { systemDomainAuthentication: { type: 'httpBasic', username: `\${env:${user}}` } })
  world.declare(domain, document('Service', 'S', { endpoints: [known('a', 'USER_A'), known('b', 'USER_B')] }))
  expect((await world.apply()).exitCode).toBe(0)
  world.declare(domain, document('Service', 'S', { endpoints: [endpoint('a', {}), endpoint('b', {})] }))
  const shown = await world.run(['get', 'SystemDomainAuthentication', '-o', 'json'], { env: environment })
  expect(shown.stdout).toContain('httpBasic')
  expect(shown.stdout).not.toContain('hush-hush')
})

test('without its secrets, validate, plan and drift do everything that they can', async () => {
  const world = await appliedWorld()
  const without = { env: environment }
  const validated = await world.run(['validate', '-o', 'json'], without)
  expect(validated.exitCode).toBe(0)
  expect(codes(validated.json())).toEqual(['secret-unavailable', 'secret-unavailable', 'secret-unavailable'])
  for (const command of ['plan', 'drift']) {
    const run = await world.run([command, '-o', 'json'], without)
    expect(run.exitCode).toBe(0)
    expect(run.json().changes).toEqual([])
    // People who read the text see it as well: an edit of such a field would not be in it.
    expect((await world.run([command], without)).stderr).toContain(
      'note: 3 placeholders stand for secrets not set here',
    )
  }
  // CI systems give an empty text for a secret that a job may not read.
  const empty = { env: { ...environment, TEXT: '', BEARER: '', PASSWORD: '' } }
  expect((await world.run(['plan', '-o', 'json'], empty)).json().changes).toEqual([])
})

test('a create displays each field once, even if a secret in it is not set here', async () => {
  const world = embedded({}, { env: environment })
  world.declare(domain, service())
  const { changes } = await world.plan()
  const [endpoint] = changes.filter(({ kind }) => kind === 'Endpoint')
  const paths = endpoint?.fields.map(({ path }) => path) ?? []
  expect(paths).toEqual([...new Set(paths)])
  expect(paths).toEqual(expect.arrayContaining(['/processor/adapter', '/processor/preInputs']))
  expect(paths).not.toContain('/processor')
})

test('drift of a secret that is not set here is found by its fingerprint', async () => {
  const world = await appliedWorld()
  const rest = await restOf(world.make)
  const [live] = await rest.get('/services?fields=id')
  await rest.put(`/services/${String(live?.id)}`, { description: 'somebody elses' })
  const run = await world.run(['drift', '-o', 'json'], { env: environment })
  expect(run.exitCode).toBe(2)
  expect(run.json().changes).toMatchObject([{ fields: [{ path: '/description', unavailable: true }] }])
  const { stdout } = await world.run(['drift'], { env: environment })
  expect(stdout).toContain('git (sensitive, not set here) → live (sensitive)')
  const applied = await world.run(['apply', '--yes', '-o', 'json'], { env: environment })
  expect(applied.exitCode).toBe(5)
  expect(codes(applied.json())).toContain('secret-needed')
})

test.each([
  ['a value', '${value:word}', ''],
  ['a value in a text', 'by ${value:word}', ''],
  ['a value inside a value', '${value:other}', ''],
  ['a value with a text', '${value:text}', ''],
  ['a default', undefined, ''],
  ['merge of a patch', 'x', '{target: Service/S, merge: {description: "${env:TEXT}"}}'],
  ['a JSON Patch', 'x', '{target: Service/S, json: [{op: replace, path: /description, value: "by ${env:TEXT}"}]}'],
  [
    'a copy by a JSON Patch',
    '${env:TEXT}',
    '{target: Service/S, json: [{op: copy, from: /description, path: /version}]}',
  ],
])(
  '%s that contains a secret is secret, and is neither sent nor cleared if the secret is not set',
  async (_, text, patch) => {
    const world = embedded({}, { env: { ...all, GATEWRIGHT_ENV: 'dev' } })
    world.project(`  values: {word: "\${env:TEXT}", other: "\${value:word}", text: "by \${env:TEXT}"}
  defaults: {Service: {description: "\${value:word}"}}
  environments: {dev: {patches: [${patch}]}}
`)
    world.declare(document('Service', 'S', text === undefined ? {} : { description: text }))
    const without = { env: { ...environment, GATEWRIGHT_ENV: 'dev' } }
    const sendsNothing = async (exitCode: number) => {
      expect(await world.run(['apply', '--yes'], without)).toMatchObject({ exitCode })
      expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
    }
    await sendsNothing(5)
    expect((await world.apply()).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
    world.requests()
    const run = await world.run(['plan', '-o', 'json'], without)
    expect([run.exitCode, run.json().changes]).toEqual([0, []])
    await sendsNothing(0)
    const [live] = await (await restOf(world.make)).get('/services?fields=id,description,version')
    expect(JSON.stringify(live)).toContain('hush-hush-text')
    const shown = await world.run(['explain', 'Service/S', '-o', 'json'])
    expect(shown.stdout).not.toContain('hush')
  },
)

test('an edit beside a secret that is not set here is planned, and apply refuses it before anything is sent', async () => {
  const world = await appliedWorld()
  const without = { env: environment }
  const run = (spec: object, command: readonly string[]) => {
    world.declare(domain, service(spec))
    return world.run([...command, '-o', 'json'], without)
  }
  expect((await run({}, ['plan'])).json().changes).toEqual([])
  const edited = { description: 'for ${env:TEXT}' }
  const plan = await run(edited, ['plan'])
  expect([plan.exitCode, plan.json().changes]).toMatchObject([
    0,
    [{ fields: [{ path: '/description', unavailable: true, verdict: 'pending' }] }],
  ])
  world.requests()
  const applied = await run(edited, ['apply', '--yes'])
  expect([applied.exitCode, codes(applied.json())]).toEqual([5, expect.arrayContaining(['secret-needed'])])
  expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  // If the secret is set, it is done, and this is the new state.
  expect((await world.apply()).exitCode).toBe(0)
  expect((await run(edited, ['plan'])).json().changes).toEqual([])
})

test('a field that no update compares is no change either if its secret is not set', async () => {
  const declared = (word: string, text: string) => [
    document('Member', 'm', {
      email: 'm@x.example',
      displayName: 'M',
      externalId: '1',
      passwdNew: `${word} \${env:TEXT}`,
    }),
    document('Role', { name: 'R', ignore: ['/description'] }, { description: `${text} \${env:BEARER}` }),
  ]
  const world = embedded({}, { env: all })
  world.declare(...declared('one', 'one'))
  expect((await world.apply()).exitCode).toBe(0)
  world.declare(...declared('two', 'two'))
  const rest = await restOf(world.make)
  const [role] = await rest.get('/roles?fields=id,name&filter=name:R')
  await rest.put(`/roles/${String(role?.id)}`, { name: 'R', description: 'by hand' })
  for (const env of [all, environment]) {
    const { exitCode, json } = await world.run(['drift', '-o', 'json'], { env })
    expect([exitCode, json().changes]).toEqual([0, []])
  }
})

test('a create is planned without its secrets, and apply refuses it before anything is sent', async () => {
  const world = embedded({}, { env: environment })
  world.declare(domain, service())
  const plan = await world.plan()
  expect(plan.changes.map(({ action }) => action)).toContain('create')
  const { stdout } = await world.run(['plan'])
  expect(stdout).toMatch(/processor\.adapter +[^( ]/)
  for (const name of ['description', 'processor\\.preInputs', 'password']) {
    expect(stdout).toMatch(new RegExp(`${name} +\\(sensitive, not set here\\)\n`))
  }
  expect((await world.run(['plan', '-o', 'markdown'])).stdout).toContain('+ password: (sensitive, not set here)')
  world.requests()
  const run = await world.apply()
  expect(run.exitCode).toBe(5)
  expect(codes(run.json())).toContain('secret-needed')
  expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
})

test('a missing secret is not unset on the platform, and other changes of its object are applied', async () => {
  const world = await appliedWorld()
  world.declare(domain, service({ version: '2' }))
  const run = await world.run(['apply', '--yes', '-o', 'json'], { env: environment })
  expect(run.exitCode).toBe(0)
  const [live] = await (await restOf(world.make)).get('/services?fields=id,description,version')
  expect(live).toMatchObject({ description: 'by hush-hush-text', version: '2' })
  expect((await world.plan()).changes).toEqual([])
})

test('keys whose values are not set are not created twice and not deleted', async () => {
  const key = (name: string) => ({ package: 'P', plan: 'L', secret: '${env:BEARER}', apikey: `\${env:${name}}` })
  const member = (...keys: readonly ReturnType<typeof key>[]) =>
    document('Member', 'm', {
      email: 'm@example.com',
      displayName: 'm',
      externalId: '1',
      passwdNew: '${env:PASSWORD}',
      applications: [{ name: 'a', packageKeys: keys }],
    })
  const pack = document('Package', 'P', { plans: [{ name: 'L' }] })
  const world = embedded({}, { env: { ...all, ONE: 'hush-one-1111', TWO: 'hush-two-2222' } })
  world.declare(pack, member(key('ONE'), key('TWO')))
  const applied = await world.apply()
  expect(applied.exitCode, applied.stdout).toBe(0)
  const run = await world.run(['plan', '-o', 'json'], { env: environment })
  expect(run.json().changes).toEqual([])
  expect(codes(run.json())).toContain('secret-not-verified')
  const one = await world.run(['plan', '-o', 'json'], { env: { ...environment, ONE: 'hush-one-1111' } })
  expect(one.json().changes).toEqual([])
})

test('public variables are displayed, others must be listed if there is a list, and a field can be masked by hand', async () => {
  const world = embedded({}, { env: all })
  const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
  world.write('gatewright.yaml', `${project}  secrets: {public: [TEXT], env: [ORDERS_*]}\n`)
  world.declare(document('Service', 'S ${env:TEXT}', { description: 'by ${env:TEXT}', version: '${env:PASSWORD}' }))
  expect(codes((await world.run(['validate', '-o', 'json'])).json())).toEqual(['variable-not-allowed'])
  world.declare({
    ...document('Service', 'S ${env:TEXT}', { description: 'by ${env:TEXT}', version: 'hand-made' }),
    metadata: { name: 'S ${env:TEXT}', sensitive: ['/version'] },
  })
  const plan = await world.run(['plan', '-o', 'json'])
  expect(plan.stdout).toContain('by hush-hush-text')
  expect(plan.stdout).not.toContain('hand-made')
})

test('file paths are relative to the manifest, however the project is named', async () => {
  const world = embedded({}, { env: environment })
  world.write('manifests/note.txt', 'shown')
  world.write('openapi.yaml', 'openapi: 3.0.0\npaths: {/a: {get: {}}}\n')
  world.write(
    'manifests/api.yaml',
    'apiVersion: gatewright/v1\nkind: OpenAPI\nmetadata: {service: S}\nspec: {file: ../openapi.yaml}\n',
  )
  for (const [path, expected] of [
    ['note.txt', []],
    [join(world.dir, 'manifests/note.txt'), ['file-outside']],
  ] as const) {
    world.declare(document('Service', 'S', { description: `\${file:${path}}` }))
    for (const args of [[], ['-C', world.dir], ['-f', join(world.dir, 'manifests')]]) {
      const run = await world.run(['validate', '-o', 'json', ...args])
      const errors = run.json().diagnostics.filter(({ severity }) => severity === 'error')
      expect(
        errors.map(({ code }) => code),
        args.join(' '),
      ).toEqual(expected)
    }
  }
})

test('files are read only in the repository, whatever links point to, or in allowed folders, as secrets', async () => {
  const world = embedded({}, { env: environment })
  const outside = join(world.dir, '..', `${world.dir.split('/').at(-1)}-mounted`)
  mkdirSync(outside, { recursive: true })
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  writeFileSync(join(outside, 'token'), 'hush-mounted-token')
  mkdirSync(join(world.dir, '.git'))
  writeFileSync(join(world.dir, '.git/config'), 'hush-git')
  mkdirSync(join(world.dir, 'manifests'), { recursive: true })
  symlinkSync(join(outside, 'token'), join(world.dir, 'manifests/link'))
  writeFileSync(join(world.dir, 'manifests/note.txt'), 'shown')
  const validated = async (path: string, ...args: readonly string[]) => {
    world.declare(document('Service', 'S', { description: `\${file:${path}}` }))
    return codes((await world.run(['validate', '-o', 'json', ...args])).json())
  }
  expect(await validated('note.txt')).toEqual([])
  for (const path of ['link', '/etc/passwd', '../../x', '../.git/config', join(outside, 'token')]) {
    expect(await validated(path), path).toEqual(['file-outside'])
  }
  expect(await validated(join(outside, 'token'), '--allow-file', outside)).toEqual([])
  expect(await validated(join(outside, 'gone'), '--allow-file', outside)).toEqual(['secret-unavailable'])
  for (const [name, bytes] of Object.entries({ large: Buffer.alloc(2 ** 20 + 1, 'x'), bytes: Buffer.of(0xff, 0xfe) })) {
    writeFileSync(join(outside, name), bytes)
    expect(await validated(join(outside, name), '--allow-file', outside), name).toEqual(['missing-value-file'])
  }
  world.declare(document('Service', 'S', { description: `\${file:${join(outside, 'token')}}` }))
  const plan = await world.run(['plan', '-o', 'json', '--allow-file', outside])
  expect(plan.json().changes[0]?.fields).toMatchObject([
    { path: '/name' },
    { path: '/description', after: '(sensitive)' },
  ])
  expect(plan.stdout).not.toContain('hush-mounted')
})

test('the line break at the end of a file does not belong to its text', async () => {
  const world = embedded()
  const outside = `${world.dir}-mounted`
  mkdirSync(outside, { recursive: true })
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  writeFileSync(join(outside, 'token'), 'hush-mounted\r\n')
  writeFileSync(join(outside, 'nothing'), '\n')
  world.write('manifests/terms.txt', 'one\n\ntwo\n')
  const role = (name: string, description: string) => document('Role', name, { description })
  const allowed = ['--allow-file', outside] as const
  world.declare(role('A', `\${file:${join(outside, 'token')}}`), role('B', 'says: ${file:terms.txt}'))
  expect((await world.run(['apply', '--yes', ...allowed])).exitCode).toBe(0)
  const roles = await (await restOf(world.make)).get('/roles?fields=name,description')
  expect(roles.slice(-2).map(({ description }) => description)).toEqual(['hush-mounted', 'says: one\n\ntwo'])
  world.declare(role('A', `\${file:${join(outside, 'nothing')}}`))
  expect(codes((await world.run(['validate', '-o', 'json', ...allowed])).json())).toEqual(['secret-unavailable'])
})
