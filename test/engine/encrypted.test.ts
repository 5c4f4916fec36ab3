import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { fixture } from '../kit/fixture.js'
import { restOf } from '../kit/rest.js'
import { ageKey, otherKey, otherRecipient, recipient, sealedAge, sealedSops } from '../kit/sealed.js'
import { embedded, environment, type World } from '../kit/world.js'

const withKey = { ...environment, SOPS_AGE_KEY: ageKey }

/** A service with this description, and an endpoint with this password. */
const manifest = (description: string, password = '"x"') => `# kept as it is
apiVersion: gatewright/v1
kind: Domain
metadata: {name: example.com}
---
apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec:
  description: ${description} # of whom it is
  endpoints:
    - name: e
      requestPathAlias: /e
      trafficManagerDomain: example.com
      publicDomains: [example.com]
      systemDomainAuthentication: {type: httpBasic, username: gateway, password: ${password}}
`

const sopsPassword = '"${sops:../secrets/orders.enc.yaml#/orders/password}"'

function declared(description: string, password?: string): World {
  const world = embedded({}, { env: withKey })
  world.write('manifests/all.yaml', manifest(description, password))
  for (const name of ['orders.enc.yaml', 'orders.enc.json', 'orders.enc.env', 'pgp.enc.yaml', 'clear.yaml']) {
    world.write(`secrets/${name}`, fixture(`sops/${name}`))
  }
  return world
}

const codes = (run: { readonly diagnostics: readonly { readonly code: string }[] }) =>
  run.diagnostics.map(({ code }) => code)

async function live(world: World): Promise<unknown> {
  const fields = 'description,endpoints.systemDomainAuthentication.password'
  const [service] = await (await restOf(world.make)).get(`/services?fields=${fields}`)
  return service
}

test('values of sops and age are sent decrypted, and displayed as secrets', async () => {
  const world = declared(`"key=${await sealedAge('hush-hush-text')};"`, sopsPassword)
  expect((await world.apply()).exitCode).toBe(0)
  expect(await live(world)).toMatchObject({
    description: 'key=hush-hush-text;',
    endpoints: [{ systemDomainAuthentication: { password: 's3cret-of-the-backend' } }],
  })
  expect((await world.plan()).changes).toEqual([])
  world.write('manifests/all.yaml', manifest(await sealedAge('another-text'), sopsPassword))
  const plan = await world.run(['plan'])
  expect(plan.stdout).toContain('description  (sensitive) → (sensitive)')
  expect(plan.stdout + plan.stderr).not.toMatch(/hush-hush|another-text|s3cret/)
})

test.each([
  ['${sops:../secrets/orders.enc.json#/orders/tokens/1}', 'second-token-value'],
  ['${sops:../secrets/orders.enc.env#/ACME_KEY}', 'acme-key-value'],
  ['${sops:../secrets/orders.enc.yaml#/other/café~1x~0y}', 'accent-value'],
])('%s means one value of a file', async (placeholder, text) => {
  const world = declared(`"${placeholder}"`)
  expect((await world.apply()).exitCode).toBe(0)
  expect(await live(world)).toMatchObject({ description: text })
})

test('values, defaults and patches may be encrypted', async () => {
  const world = declared('"${value:text}"')
  const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
  world.write('gatewright.yaml', `${project}  values: {text: "${await sealedAge('hush-hush-value')}"}\n`)
  expect((await world.apply()).exitCode).toBe(0)
  expect(await live(world)).toMatchObject({ description: 'hush-hush-value' })
  expect((await world.run(['render'])).stdout).not.toContain('hush-hush')
})

describe('in the extensions of an OpenAPI file', () => {
  const api = (password: string) => `openapi: 3.0.3
info: {title: S, version: '1'}
servers: [{url: https://back.example.com}]
x-gatewright-endpoint:
  trafficManagerDomain: example.com
  publicDomains: [example.com]
paths:
  /orders:
    x-gatewright-endpoint:
      systemDomainAuthentication: {type: httpBasic, username: gateway, password: ${password}}
    get: {operationId: listOrders, responses: {200: {description: fine}}}
`
  async function declaredByApi(password: string): Promise<World> {
    const world = declared('"of S"')
    const [domain = ''] = manifest('').split('---')
    const head = 'apiVersion: gatewright/v1\nkind:'
    const service = `${head} Service\nmetadata: {name: S}\nspec: {description: "${await sealedAge('hush-hush-text')}"}\n`
    const generator = `${head} OpenAPI\nmetadata: {service: S}\nspec: {file: ../openapi/api.yaml}\n`
    world.write('manifests/all.yaml', [domain, service, generator].join('---\n'))
    world.write('openapi/api.yaml', api(password))
    return world
  }

  test.each([
    ['sops', () => sopsPassword, 's3cret-of-the-backend'],
    ['age', async () => `"${await sealedAge('hush-hush-password')}"`, 'hush-hush-password'],
  ])('a value of %s is sent, and is never displayed', async (_, placeholder, text) => {
    const world = await declaredByApi(await placeholder())
    const plan = await world.run(['plan', '-o', 'json'])
    expect(plan.exitCode).toBe(0)
    expect(plan.stdout + plan.stderr).not.toMatch(/hush-hush|s3cret/)
    expect((await world.apply()).exitCode).toBe(0)
    expect(await live(world)).toMatchObject({ endpoints: [{ systemDomainAuthentication: { password: text } }] })
    expect((await world.plan()).changes).toEqual([])
  })

  test('a missing value of a file is reported at its position in the OpenAPI file', async () => {
    const world = await declaredByApi('"${sops:../secrets/orders.enc.yaml#/orders/none}"')
    const { exitCode, stdout } = await world.run(['validate', '-o', 'json'])
    expect(exitCode).toBe(1)
    const [told] = (JSON.parse(stdout) as { diagnostics: { file: string; line: number }[] }).diagnostics
    expect(told).toMatchObject({ file: 'openapi/api.yaml', line: 10 })
  })
})

describe('without a key', () => {
  const without = { env: environment }

  test('validate and plan continue, and apply refuses before it sends anything', async () => {
    const world = declared(await sealedAge('hush-hush-text'), sopsPassword)
    const validated = await world.run(['validate', '-o', 'json'], without)
    expect(validated.exitCode).toBe(0)
    expect(codes(validated.json())).toEqual(['secret-unavailable', 'secret-unavailable'])
    const [age, sops] = validated.json().diagnostics
    expect(age?.message).toContain('this value is not open here: there is no age key (SOPS_AGE_KEY, SOPS_AGE_KEY_FILE')
    expect(sops?.message).toContain('secrets/orders.enc.yaml is not open here: there is no age key')
    expect((await world.run(['plan', '-o', 'json'], without)).exitCode).toBe(0)
    world.requests()
    const applied = await world.run(['apply', '--yes', '-o', 'json'], without)
    expect(applied.exitCode).toBe(5)
    expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test.each(['${age:c2VjcmV0}', '${age:not Base64}', '${age:AGE}'])(
    '%s is an error: age never wrote it',
    async (sealed) => {
      const { exitCode, stdout } = await declared(sealed, sopsPassword).run(['validate', '-o', 'json'], without)
      expect(exitCode).toBe(1)
      expect(stdout).toContain('"secret-tampered"')
    },
  )

  test('applied values are compared by fingerprint if possible, and no change is planned', async () => {
    const world = declared(await sealedAge('hush-hush-text'), sopsPassword)
    await world.apply()
    expect((await world.run(['plan', '-o', 'json'], without)).json().changes).toEqual([])
  })

  test('SOPS_AGE_KEY_CMD is not run, and a note says so', async () => {
    const world = declared(sopsPassword)
    const env = { ...environment, SOPS_AGE_KEY_CMD: 'false' }
    expect((await world.run(['validate'], { env })).stdout).toContain('SOPS_AGE_KEY_CMD is not run')
  })

  test('an incomplete key counts as no key, and no error is reported in the manifests', async () => {
    const world = declared(await sealedAge('hush-hush-text'))
    const cut = (/AGE-SECRET-KEY-\w+/.exec(ageKey)?.[0] ?? '').slice(0, -3)
    const run = await world.run(['validate'], { env: { ...environment, SOPS_AGE_KEY: cut } })
    expect(run.exitCode).toBe(0)
    const text = (run.stdout + run.stderr).replaceAll(/\s+/g, ' ')
    expect(text).toContain('one that was found is cut short or mistyped')
    expect(text).not.toContain(cut.slice(20))
  })

  test('a key file that age encrypted with a passphrase counts as no key, and the note does not say that it is missing', async () => {
    const world = declared(sopsPassword)
    writeFileSync(join(world.dir, 'key.age'), Buffer.from('age-encryption.org/v1\n-> scrypt AA 18\n\xff\xfe', 'latin1'))
    const env = { ...environment, SOPS_AGE_KEY_FILE: join(world.dir, 'key.age') }
    const { diagnostics } = (await world.run(['validate', '-o', 'json'], { env })).json()
    expect(diagnostics[0]?.message).toContain('the file of SOPS_AGE_KEY_FILE holds no age key')
  })

  test('a key file works as well: that of SOPS_AGE_KEY_FILE, and the default one', async () => {
    const world = declared(await sealedAge('hush-hush-text'), sopsPassword)
    world.write('home/.config/sops/age/keys.txt', ageKey)
    world.write('keys', ageKey)
    for (const more of [{ SOPS_AGE_KEY_FILE: join(world.dir, 'keys') }, { HOME: join(world.dir, 'home') }]) {
      const run = await world.run(['validate', '-o', 'json'], { env: { ...environment, ...more } })
      expect(codes(run.json())).toEqual([])
    }
  })
})

describe('is refused, with file and line, and none of it is displayed', () => {
  const problem = async (world: World) => {
    const run = await world.run(['validate', '-o', 'json'])
    expect(run.exitCode).toBe(1)
    expect((await world.run(['plan', '-o', 'json'])).exitCode).toBe(1)
    expect(run.stdout).not.toMatch(/s3cret|token-value/)
    const [found] = run.json().diagnostics
    return { ...found, all: run.json().diagnostics.length }
  }

  test('a file that was changed', async () => {
    const world = declared('"x"', sopsPassword)
    const text = fixture('sops/orders.enc.yaml')
    world.write('secrets/orders.enc.yaml', text.replace(/( {4}port: ).*/, '$18443'))
    expect(await problem(world)).toMatchObject({
      code: 'secret-tampered',
      message: 'secrets/orders.enc.yaml:5: the value of orders/port is not encrypted, and must be',
      file: 'manifests/all.yaml',
      line: 16,
      all: 1,
    })
  })

  test('an inline value that was changed', async () => {
    const sealed = await sealedAge('hush-hush-text')
    expect(await problem(declared(sealed.replace(/.{8}\}$/, 'AAAAAAA=}')))).toMatchObject({
      code: 'secret-tampered',
      line: 10,
    })
  })

  test('a file with other recipients: the message names sops exec-env', async () => {
    const found = await problem(declared('"${sops:../secrets/pgp.enc.yaml#/orders/password}"'))
    expect(found).toMatchObject({ code: 'sops-keys', hint: expect.stringContaining('sops exec-env') })
    expect(found.message).toContain('PGP')
  })

  test.each([
    ['${sops:../secrets/orders.enc.yaml#/orders/pasword}', 'sops-value', 'did you mean "/orders/password"?'],
    ['${sops:../secrets/orders.enc.yaml#/orders}', 'sops-value', undefined],
    ['${sops:../secrets/orders.enc.yaml#/orders/empty}', 'sops-value', undefined],
    ['${sops:../secrets/orders.enc.yaml}', 'sops-value', undefined],
    ['${sops:../secrets/clear.yaml#/orders/password}', 'sops-unreadable', undefined],
    ['${sops:../secrets/none.yaml#/a}', 'missing-value-file', undefined],
    ['${sops:../../outside.yaml#/a}', 'file-outside', undefined],
    ['${sops:/etc/passwd#/a}', 'file-outside', undefined],
  ])('%s', async (placeholder, code, hint) => {
    const found = await problem(declared(`"${placeholder}"`))
    expect(found).toMatchObject({ code, ...(hint === undefined ? {} : { hint }) })
  })

  test('a placeholder in a setting of the project', async () => {
    const world = declared('"x"')
    const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
    world.write('gatewright.yaml', `${project}  records: "\${sops:secrets/orders.enc.yaml#/orders/password}"\n`)
    expect(await problem(world)).toMatchObject({ code: 'secret-in-settings' })
  })

  test('a placeholder in a name', async () => {
    const world = declared('"x"')
    world.write('manifests/all.yaml', manifest('"x"').replace('name: S', `name: "${await sealedAge('hush-hush')}"`))
    expect(await problem(world)).toMatchObject({ code: 'secret-name' })
  })
})

describe('secret encrypt', () => {
  const encrypt = (world: World, text: string | Buffer, ...more: readonly string[]) =>
    world.run(['secret', 'encrypt', ...more], { stdin: Readable.from([text]) })

  test('prints a placeholder for its input, for the given recipients or those of the project', async () => {
    const world = declared('"x"')
    const told = await encrypt(world, 'hush-hush-text\n', '--recipient', otherRecipient, '--recipient', recipient)
    expect(told.exitCode).toBe(0)
    const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
    world.write('gatewright.yaml', `${project}  secrets: {recipients: [${recipient}]}\n`)
    const named = await encrypt(world, 'hush-hush-text\n')
    for (const run of [told, named]) {
      expect(run.stdout).toMatch(/^\$\{age:[A-Za-z0-9+/]+=*\}\n$/)
      world.write('manifests/all.yaml', manifest(run.stdout.trim()))
      expect((await world.apply()).exitCode).toBe(0)
      expect(await live(world)).toMatchObject({ description: 'hush-hush-text' })
    }
  })

  test('accepts any text except the last line end', async () => {
    const world = declared('"x"')
    const { stdout } = await encrypt(world, ' two\nlines é\n\n', '--recipient', recipient)
    world.write('manifests/all.yaml', manifest(stdout.trim()))
    await world.apply()
    expect(await live(world)).toMatchObject({ description: ' two\nlines é\n' })
  })

  test('refuses a text that no manifest can have, and does not change it', async () => {
    const world = declared('"x"')
    const bytes = await encrypt(world, Buffer.from([0x73, 0xff, 0x74]), '--recipient', recipient)
    expect([bytes.exitCode, bytes.stderr]).toEqual([1, expect.stringContaining('it is not text in UTF-8')])
    const large = await encrypt(world, 'a'.repeat(2 ** 20 + 1), '--recipient', recipient)
    expect([large.exitCode, large.stderr]).toEqual([1, expect.stringContaining('it is larger than 1 MB')])
  })

  test('refuses an empty text, no recipients, and a key that is no recipient, of which only the beginning is displayed', async () => {
    const world = declared('"x"')
    expect((await encrypt(world, 'hush-hush')).stderr).toContain('[no-recipients]')
    expect((await encrypt(world, '\n', '--recipient', recipient)).stderr).toContain('[nothing-to-encrypt]')
    const secret = /AGE-SECRET-KEY-\w+/.exec(otherKey)?.[0] ?? ''
    const wrong = await encrypt(world, 'hush-hush', '--recipient', secret)
    expect(wrong.stderr).toContain('"AGE-SECRET-K…" is not an age recipient')
    expect(wrong.exitCode).toBe(1)
    expect((await world.run(['secret', 'open'])).stderr).toContain("unknown command 'open'")
  })
})

describe('secret rotate', () => {
  const rotate = (world: World, env: Readonly<Record<string, string>> = withKey, ...more: readonly string[]) =>
    world.run(['secret', 'rotate', ...more], { env })

  /** A project with values in manifests, an environment's file and a comment, for one recipient. */
  async function sealedWorld(): Promise<World> {
    const world = declared(await sealedAge('hush-hush-text'), `"${await sealedAge('hush-hush-word')}"`)
    const text = readFileSync(join(world.dir, 'manifests/all.yaml'), 'utf8')
    world.write('manifests/all.yaml', `${text}# before: ${await sealedAge('hush-hush-old')} and $\${age:literal}\n`)
    const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
    world.write(
      'gatewright.yaml',
      `${project}  environments: [environments/*.yaml]\n  secrets: {recipients: [${otherRecipient}]}\n`,
    )
    const environmentFile = join(world.dir, 'environments/dev.yaml')
    mkdirSync(dirname(environmentFile), { recursive: true })
    world.write(
      'environments/dev.yaml',
      `apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: dev}\nspec:\n  # one patch\n  patches: [{target: Service/S, merge: {version: "${await sealedAge('hush-hush-version')}"}}]\n`,
    )
    return world
  }

  const environmentHead = (name: string) => `apiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: ${name}}`

  const shape = (text: string) => text.replaceAll(/\$\{age:[A-Za-z0-9+/=]{20,}\}/g, '…')

  test('encrypts every value again in its place, and changes nothing else in a file', async () => {
    const world = await sealedWorld()
    const files = ['manifests/all.yaml', 'environments/dev.yaml', 'gatewright.yaml']
    const texts = () => files.map((file) => readFileSync(join(world.dir, file), 'utf8'))
    const before = texts()
    const run = await rotate(world)
    expect(run.stderr).toBe('')
    expect(run.stdout.split('\n').sort()).toEqual([
      '',
      'environments/dev.yaml  1 encrypted again',
      'manifests/all.yaml  3 encrypted again',
    ])
    const after = texts()
    expect(after.map(shape)).toEqual(before.map(shape))
    const sealed = (all: readonly string[]): readonly string[] =>
      all.join('').match(/\$\{age:[A-Za-z0-9+/=]{20,}\}/g) ?? []
    expect(sealed(after).filter((each) => sealed(before).includes(each))).toEqual([])
    const applied = await world.run(['apply', '--yes', '-o', 'json', '-e', 'dev'], {
      env: { ...environment, SOPS_AGE_KEY: otherKey },
    })
    expect(applied.exitCode).toBe(0)
    expect(await live(world)).toMatchObject({ description: 'hush-hush-text' })
  })

  test('changes nothing if one value cannot be decrypted, and reports its position', async () => {
    const world = await sealedWorld()
    const path = join(world.dir, 'manifests/all.yaml')
    world.write(
      'manifests/all.yaml',
      `${readFileSync(path, 'utf8')}# ${await sealedAge('hush-hush', otherRecipient)}\n`,
    )
    const before = readFileSync(path, 'utf8')
    const run = await rotate(world)
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toContain('manifests/all.yaml:18:9: error: this value is not open here: no age key opens it')
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect((await rotate(world, environment)).stderr).toContain('there is no age key')
  })

  test('includes the OpenAPI files of every environment, and the files that they refer to', async () => {
    const world = await sealedWorld()
    const project = readFileSync(join(world.dir, 'gatewright.yaml'), 'utf8')
    world.write('gatewright.yaml', `${project}  values: {api: {type: string}}\n`)
    world.write('environments/dev.yaml', `${environmentHead('dev')}\nspec: {values: {api: orders}}\n`)
    world.write('environments/prod.yaml', `${environmentHead('prod')}\nspec: {values: {api: broken}}\n`)
    const generator = 'apiVersion: gatewright/v1\nkind: OpenAPI\nmetadata: {service: S}\n'
    world.write('manifests/api.yaml', `${generator}spec: {file: "../openapi/\${value:api}.json"}\n`)
    const extension = async () => ({
      'x-gatewright-endpoint': { systemDomainAuthentication: { password: await sealedAge('hush-hush-password') } },
    })
    const paths = { '/a': { $ref: 'a.json#/paths/~1a', ...(await extension()) } }
    const info = { title: 'S', version: '1' }
    world.write('openapi/orders.json', JSON.stringify({ openapi: '3.0.3', info, paths }))
    world.write('openapi/a.json', JSON.stringify({ paths: { '/a': { ...(await extension()), get: {} } } }))
    world.write('openapi/broken.json', `{"openapi": 3, "a": ${JSON.stringify(await extension())}`)
    const read = (name: string) => readFileSync(join(world.dir, `openapi/${name}.json`), 'utf8')
    const names = ['a', 'broken', 'orders']
    const before = names.map(read)
    const run = await rotate(world)
    expect(run.stderr).toBe('')
    const told = names.map((name) => `openapi/${name}.json  1 encrypted again`)
    expect(run.stdout.split('\n')).toEqual(expect.arrayContaining(told))
    expect(names.map(read).map(shape)).toEqual(before.map(shape))
    expect(names.filter((name, index) => read(name) === before[index])).toEqual([])
  })

  test('includes a quoted value on several lines', async () => {
    const value = await sealedAge('hush-hush-lines')
    const world = declared(`"${value.slice(0, 40)}\\\n    ${value.slice(40, 90)}\\\r\n    ${value.slice(90)}"`)
    const run = await rotate(world, withKey, '--recipient', otherRecipient)
    expect(run.stdout).toBe('manifests/all.yaml  1 encrypted again\n')
    const keys = { ...environment, SOPS_AGE_KEY: otherKey }
    expect((await world.run(['apply', '--yes'], { env: keys })).exitCode).toBe(0)
    expect(await live(world)).toMatchObject({ description: 'hush-hush-lines' })
  })

  test('does the rest if it is run again with both keys after it was killed between two files', async () => {
    const world = await sealedWorld()
    const [all, dev] = [join(world.dir, 'manifests/all.yaml'), join(world.dir, 'environments/dev.yaml')]
    const before = readFileSync(all, 'utf8')
    await rotate(world)
    // Files are written completely, one after another: this one was not reached.
    world.write('manifests/all.yaml', before)
    const half = readFileSync(dev, 'utf8')
    const withOne = await rotate(world)
    expect(withOne.exitCode).toBe(1)
    expect(withOne.stderr).toContain(
      'environments/dev.yaml:6:57: error: this value is not open here: no age key opens it',
    )
    expect([readFileSync(all, 'utf8'), readFileSync(dev, 'utf8')]).toEqual([before, half])
    const withBoth = await rotate(world, { ...environment, SOPS_AGE_KEY: `${ageKey}\n${otherKey}` })
    expect(withBoth.stdout).toContain('manifests/all.yaml  3 encrypted again')
    const applied = await world.run(['apply', '--yes', '-e', 'dev'], {
      env: { ...environment, SOPS_AGE_KEY: otherKey },
    })
    expect(applied.exitCode).toBe(0)
    expect(await live(world)).toMatchObject({ description: 'hush-hush-text' })
  })

  test('changes nothing while a file that may have a value cannot be read', async () => {
    const world = await sealedWorld()
    writeFileSync(join(world.dir, 'manifests/latin.yaml'), Buffer.from('# \xe9\n', 'latin1'))
    const before = readFileSync(join(world.dir, 'manifests/all.yaml'), 'utf8')
    const run = await rotate(world)
    expect([run.exitCode, run.stdout]).toEqual([1, ''])
    expect(run.stderr).toContain('manifests/latin.yaml:1:1: error')
    expect(readFileSync(join(world.dir, 'manifests/all.yaml'), 'utf8')).toBe(before)
  })

  test('reports that there is nothing to do', async () => {
    expect((await rotate(declared('"x"'), withKey, '--recipient', recipient)).stdout).toBe(
      'No file of the project has a value that age encrypted.\n',
    )
  })
})

test('values of a sops file by another program can be decrypted: each is independent', async () => {
  const world = declared('"${sops:../made.json#/A}"', '"${sops:../made.json#/B}"')
  world.write('made.json', await sealedSops({ A: 'hush-hush-a', B: 'hush-hush-b' }))
  await world.apply()
  expect(await live(world)).toMatchObject({ description: 'hush-hush-a' })
})
