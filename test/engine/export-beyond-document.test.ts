import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { catalog } from '../../src/catalog/catalog.js'
import { childField, isWritable, kinds } from '../../src/catalog/queries.js'
import type { Kind } from '../../src/catalog/types.js'
import { type JsonObject, objectsIn } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import { documentOnly } from '../kit/document-only.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { stagedCatalogue } from '../kit/staged.js'
import { environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** An export of fields that the catalogue does not know, and of the attributes of applications. */

const io = { env: { ...environment, PASSWORD: 'password-1' } }

const endpoint = {
  requestPathAlias: '/e',
  trafficManagerDomain: 'api.example.com',
  publicDomains: ['api.example.com'],
  systemDomains: ['in.example.com'],
}

const member = (application: object) =>
  document('Member', 'jo', {
    ...{ email: 'jo@example.com', displayName: 'Jo', externalId: 'x', passwdNew: '${env:PASSWORD}' },
    applications: [{ name: 'Shop', ...application }],
  })

const area = [
  document('Domain', 'example.com', {}),
  document('Service', 'S', {
    endpoints: ['e', 'f'].map((name) => ({ ...endpoint, name, requestPathAlias: `/${name}` })),
  }),
]

const service = (fields: object) => document('Service', 'S', { endpoints: [{ ...endpoint, name: 'e', ...fields }] })

const recorded = (): Make => createPlatform({ autoApprove: true, idSeed: 'test', dialect: 'recorded', ...testClock() })

async function exported(on: World, ...options: readonly string[]) {
  rmSync(join(on.dir, 'manifests'), { recursive: true, force: true })
  const run = await on.run(['export', '--dir', 'manifests', '-o', 'json', ...options])
  expect(run.exitCode).toBe(0)
  const dir = join(on.dir, 'manifests')
  const text = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => readFileSync(join(dir, path), 'utf8'))
    .join('---\n')
  const { leftOut, diagnostics } = JSON.parse(run.stdout) as {
    readonly leftOut: readonly object[]
    readonly diagnostics: readonly { readonly code: string; readonly severity: string; readonly message: string }[]
  }
  return { leftOut, diagnostics, text }
}

test('a group of a role that is not answered is not written as an empty text by --full', async () => {
  const make = recorded()
  await (await restOf(make)).post('/roles', { name: 'R', group: { name: 'Partners' } })
  const { text } = await exported(world(make, io), '--full')
  expect(parse(text).spec.group).toEqual({ name: 'Partners', suborganizations: [] })
})

/** A make where this login may not read kinds that the document does not have. */
const guarded = (make: Make): Make => ({
  log: make.log,
  fetch: (request) =>
    /\/organizations$|\/emailTemplateSets$/.test(new URL(request.url).pathname)
      ? Promise.resolve(Response.json({ errorCode: 403, errorMessage: 'Not for you.' }, { status: 403 }))
      : make.fetch(request),
})

test('if kinds that the document does not have are refused, the export omits them, and reports it', async () => {
  const on = world(guarded(recorded()), io)
  on.declare(...area)
  expect((await on.apply()).exitCode).toBe(0)
  const { diagnostics, text } = await exported(on)
  expect(text).toContain('name: S')
  expect(diagnostics.filter(({ code }) => code === 'not-read').map(({ message }) => message)).toEqual([
    'every Organization is left out: GET /v3/rest/organizations was answered 403: Not for you.',
    'every EmailTemplateSet is left out: GET /v3/rest/emailTemplateSets was answered 403: Not for you.',
  ])
  expect((await on.run(['snapshot', '--out', 'area.json'])).exitCode).toBe(0)
  expect((await on.run(['get', 'Service'])).exitCode).toBe(0)
  const rest = await restOf(on.make)
  const [service] = await rest.get('/services?fields=id')
  await rest.put(`/services/${String(service?.id)}`, { description: 'by hand' })
  expect((await on.run(['drift', '--write'])).exitCode).toBe(0)
  expect((await on.plan()).changes).toEqual([])
  // A command that requests them reports it.
  expect((await on.run(['get', 'Organization'])).exitCode).toBe(1)
  rmSync(join(on.dir, 'manifests'), { recursive: true })
  on.declare(document('Service', 'S', { organization: 'Ours' }))
  expect((await on.run(['plan'])).stderr).toContain('organizations was answered 403')
})

describe('on a recorded platform', () => {
  test('unknown fields are omitted, and are counted by kind and name without their values', async () => {
    const on = world(recorded(), io)
    on.declare(...area)
    expect((await on.apply()).exitCode).toBe(0)
    const rest = await restOf(on.make)
    const [service] = await rest.get('/services?fields=id,endpoints.id')
    const ids = objectsIn(service?.endpoints).map(({ id }) => String(id))
    for (const id of ids)
      await rest.put(`/services/${String(service?.id)}/endpoints/${id}`, { strictSecurity: 'canary' })
    await rest.put(`/services/${String(service?.id)}`, { tags: ['canary'], nothing: null })
    const { leftOut, diagnostics, text } = await exported(on)
    expect(leftOut).toEqual([
      { kind: 'Service', field: 'tags', objects: 1 },
      { kind: 'Endpoint', field: 'strictSecurity', objects: 2 },
    ])
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'Service.tags is left out: 1 object has it, and neither the interface document nor the field notes have it',
      'Endpoint.strictSecurity is left out: 2 objects have it, and neither the interface document nor the field notes have it',
    ])
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['note', 'note'])
    expect(text + JSON.stringify(diagnostics)).not.toMatch(/canary|strictSecurity:/)
    expect((await on.plan()).changes).toEqual([])
    const shown = await on.run(['export', '--dir', 'manifests'])
    expect(shown.stderr.split('\n').filter((line) => line.includes('is left out'))).toHaveLength(2)
  })

  test('fields in extraFields of a manifest are not omitted', async () => {
    const on = world(recorded(), io)
    on.declare(...area.slice(0, 1), document('Service', { name: 'S', extraFields: true }, { tags: ['a'] }))
    await on.apply()
    const run = await on.run(['export', '--dir', 'manifests', '-o', 'json'])
    expect(run.json()).toMatchObject({ leftOut: [], files: [] })
  })

  test('texts of applications that are no fields are their attributes: written, sent, compared, exported', async () => {
    const on = world(recorded(), io)
    on.declare(...area, member({ costCentre: '4711', tier: 'gold' }))
    expect((await on.apply()).exitCode).toBe(0)
    expect((await on.plan()).changes).toEqual([])
    const { text, leftOut } = await exported(on)
    expect(text).toContain('costCentre: "4711"')
    expect(text).toContain('tier: gold')
    expect(leftOut).toEqual([])
    expect((await on.plan()).changes).toEqual([])
    await on.run(['snapshot', '--out', 'area.json'])
    expect((await on.run(['plan', '--snapshot', 'area.json', '-o', 'json'])).json().changes).toEqual([])
    expect((await on.run(['diff', 'area.json', 'live'])).stdout).toContain('no differences')
    const snapshot = readFileSync(join(on.dir, 'area.json'), 'utf8')
    on.write('other.json', snapshot.replace('"gold"', '"silver"'))
    expect((await on.run(['diff', 'live', 'other.json'])).stdout).toMatch(/tier +gold → silver/)
    expect((await on.run(['get', 'Application', 'Shop'])).stdout).toMatch(/costCentre +4711/)
    rmSync(join(on.dir, 'manifests'), { recursive: true })
    on.declare(...area, member({ costCentre: '4712', tier: null }))
    const { changes } = await on.plan()
    expect(changes.flatMap(({ fields }) => fields.map(({ path, before, after }) => [path, before, after]))).toEqual([
      ['/costCentre', '4711', '4712'],
      ['/tier', 'gold', null],
    ])
    expect((await on.apply()).exitCode).toBe(0)
    expect((await on.plan()).changes).toEqual([])
    expect((await on.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
    expect((await on.run(['get', 'Application', 'Shop'])).stdout).toMatch(/costCentre +4711\n +tier +gold/)
  })

  test('an attribute that is not written any more is cleared, unless somebody has changed it since', async () => {
    const on = world(recorded(), io)
    on.declare(...area, member({ costCentre: '4711', tier: 'gold', owner: 'jo', place: 'here' }))
    expect((await on.apply()).exitCode).toBe(0)
    const rest = await restOf(on.make)
    const [application] = await rest.get('/applications')
    await rest.put(`/applications/${String(application?.id)}`, { place: 'there' })
    on.declare(...area, member({ tier: 'gold' }))
    const { changes, diagnostics } = await on.plan()
    expect(changes.flatMap(({ fields }) => fields.map(({ path, before, after }) => [path, before, after]))).toEqual([
      ['/costCentre', '4711', null],
      ['/owner', 'jo', null],
    ])
    expect(diagnostics.map(({ code }) => code)).toEqual(['handed-back'])
    expect((await on.apply()).exitCode).toBe(0)
    expect(await on.plan()).toMatchObject({ changes: [], diagnostics: [] })
    const [after] = await rest.get('/applications')
    expect([after?.tier, after?.place, after?.owner, after?.costCentre]).toEqual([
      'gold',
      'there',
      undefined,
      undefined,
    ])
    expect((await on.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
    expect((await on.run(['get', 'Application', 'Shop'])).stdout).toMatch(/costCentre +4711\n +owner +jo/)
  })

  test('an attribute may be ignored by name; a name that is similar to a field is a mistake there too', async () => {
    const on = world(recorded(), io)
    on.declare(...area, member({ owner: 'jo', tier: 'gold' }))
    expect((await on.apply()).exitCode).toBe(0)
    on.declare(...area, member({ tier: 'gold', metadata: { ignore: ['/owner'] } }))
    expect(await on.plan()).toMatchObject({ changes: [], diagnostics: [] })
    on.declare(...area, member({ tier: 'gold', metadata: { ignore: ['/desciption'] } }))
    const { diagnostics } = (await on.run(['validate', '-o', 'json'])).json()
    expect(diagnostics.map(({ code }) => code)).toEqual(['bad-pointer'])
  })

  test('unknown fields in a manifest are rolled back as well', async () => {
    const on = world(recorded(), io)
    const service = (tags: string) => document('Service', { name: 'S', extraFields: true }, { tags })
    for (const tags of ['a', 'b']) {
      on.declare(service(tags))
      expect((await on.apply()).exitCode).toBe(0)
    }
    expect((await on.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
    const rest = await restOf(on.make)
    expect(await rest.get('/services?fields=tags')).toEqual([{ tags: 'a' }])
  })

  test('a name that is similar to a field is a mistake, and so is a value that is not a text', async () => {
    const on = world(recorded(), io)
    on.declare(...area, member({ desciption: 'x', size: 4 }))
    const { diagnostics } = (await on.run(['validate', '-o', 'json'])).json()
    expect(diagnostics.map(({ code }) => code)).toEqual(['unknown-field', 'unknown-field'])
  })
})

/** A make that answers 400 for a missing object: the document does not give the status of a failure. */
const withoutNotFound = (make: Make): Make => ({
  log: make.log,
  fetch: async (request) => {
    const response = await make.fetch(request)
    return response.status === 404 ? new Response(response.body, { status: 400 }) : response
  },
})

test.each([[[]], [['--full']]])(
  'filters of methods are one of these kinds: if their list is refused, they are omitted as well %s',
  async (form) => {
    const on = world(withoutNotFound(createOtherMake({})), io)
    on.declare(document('Domain', 'example.com', {}), service({ methods: [{ name: 'list' }] }))
    expect((await on.apply()).exitCode).toBe(0)
    const { diagnostics, text } = await exported(on, ...form)
    expect(text).toContain('name: list')
    expect(diagnostics.map(({ message }) => message.replace(/ is left out: .* was answered 400: .*/, ''))).toEqual([
      'every ResponseFilter',
      'every Organization',
      'every EmailTemplateSet',
    ])
    expect((await on.plan()).changes).toEqual([])
  },
)

test.each([
  ['the embedded one of the document', () => createPlatform({ autoApprove: true, idSeed: 'test', ...testClock() })],
  ['another make', () => createOtherMake({})],
  ['one that refuses what the document does not have', () => documentOnly(createOtherMake({}))],
] as const)('an export of %s omits nothing, and costs one more request per collection', async (_, make) => {
  const on = world(make(), io)
  on.declare(...area)
  await on.apply()
  on.requests()
  const { leftOut } = await exported(on)
  expect(leftOut).toEqual([])
  const lists = on.requests().filter(({ path }) => path.endsWith('/services'))
  expect(lists.length).toBeLessThanOrEqual(3)
  expect((await on.plan()).changes).toEqual([])
})

describe('a service of 60 endpoints on a recorded platform in the vendor’s words', () => {
  const vendor = { env: { ...io.env, GATEWRIGHT_VOCABULARY: 'mashery' } }
  const platform = () =>
    createPlatform({ autoApprove: true, idSeed: 'test', dialect: 'recorded', vocabulary: 'mashery', ...testClock() })

  /** The fields of an answered object that its manifest does not have, without those that no manifest may have. */
  function lacking(kind: Kind, answered: JsonObject, written: JsonObject): readonly string[] {
    return Object.entries(answered).flatMap(([name, value]) => {
      const field = kind.fields[name]
      if (!field || !isWritable(field)) return []
      if (!Object.hasOwn(written, name)) return [`${kind.name}.${name}`]
      const child = childField(kind, name)
      if (!child) return []
      const inner = objectsIn(written[name])
      return objectsIn(value).flatMap((each, index) =>
        lacking(
          child.kind,
          each,
          inner.find((one) => one[child.kind.naming ?? ''] === each[child.kind.naming ?? '']) ?? inner[index] ?? {},
        ),
      )
    })
  }

  test('is exported without a warning, has an empty plan in either vocabulary, and lacks no field with --full', async () => {
    const on = world(platform(), vendor)
    on.declare(...stagedCatalogue)
    expect((await on.apply()).exitCode).toBe(0)
    const short = await exported(on)
    expect(short.diagnostics).toEqual([])
    expect((await on.plan()).changes).toEqual([])
    const full = await exported(on, '--full')
    expect(full.diagnostics).toEqual([])
    expect(full.text).toContain('returnedHeaders: [mashery-responder]')
    const names = (kind: Kind): readonly string[] => Object.values(kind.fields).map(({ name }) => name)
    const { Service, Endpoint, Method, ErrorSet } = catalog
    const paths = [
      ...names(Service).filter((name) => !childField(Service, name)),
      ...names(Endpoint).map((name) => `endpoints.${name}`),
      ...names(Method).map((name) => `endpoints.methods.${name}`),
      ...names(ErrorSet).map((name) => `errorSets.${name}`),
    ]
    const [answered] = await (await restOf(on.make)).get(`/services?fields=${paths.join(',')}`)
    const manifest = full.text.split('---\n').map((each) => parse(each) as { kind: string; spec: JsonObject })
    const written = manifest.find(({ kind }) => kind === 'Service')?.spec ?? {}
    expect(objectsIn(written.endpoints)).toHaveLength(60)
    const beyond = kinds.flatMap((kind) =>
      Object.values(kind.fields).flatMap(({ name, origin }) => (origin === 'notes' ? [`${kind.name}.${name}`] : [])),
    )
    const known = Object.fromEntries(Object.entries(answered ?? {}).filter(([name]) => name !== 'cache'))
    const missing = new Set(lacking(Service, known, { name: '', ...written }))
    // Kinds that the document does not have are written only if they are not empty.
    for (const name of beyond) missing.delete(name)
    expect([...missing]).toEqual([])
    expect((await on.plan()).changes).toEqual([])
    on.write('manifests/all.yaml', full.text.replaceAll('mashery-responder', 'svc-responder'))
    for (const folder of ['services', 'domains'])
      rmSync(join(on.dir, 'manifests', folder), { recursive: true, force: true })
    rmSync(join(on.dir, 'manifests/domains.yaml'), { force: true })
    expect((await on.plan()).changes).toEqual([])
  })
})

test.each([[[]], [['--with-secrets']], [['--stages', 'X,Y']]])(
  'an export %j names the fields that it omits because of a secret, and a manifest with them is enough',
  async (options) => {
    const on = world(recorded(), io)
    const processor = { adapter: 'com.example.Old', preInputs: { authorization: 'Bearer ${env:PASSWORD}' } }
    const services = ['X', 'Y'].map((stage) =>
      document('Service', `${stage} S`, {
        endpoints: [{ ...endpoint, name: `${stage} e`, requestPathAlias: `/${stage}`, processor }],
      }),
    )
    on.declare(...area.slice(0, 1), ...services)
    expect((await on.apply()).exitCode).toBe(0)
    const told = async () => {
      const run = await on.run(['export', '--dir', 'elsewhere', '-o', 'json', ...options])
      return JSON.parse(run.stdout).diagnostics.map(({ message }: { readonly message: string }) => message)
    }
    expect(await told()).toContain('Endpoint.processor.preInputs is left out: in 2 objects it holds a secret')
    const inPlace = await on.run(['export', '--dir', 'manifests', '-o', 'json'])
    expect(inPlace.stdout).not.toContain('holds a secret')
  },
)
