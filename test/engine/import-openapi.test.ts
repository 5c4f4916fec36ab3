import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { petstoreManifests, petstores } from '../kit/petstore.js'
import { embedded, type World } from '../kit/world.js'

/** `import openapi` writes the objects of an OpenAPI document as manifests, for people who do not keep the file. */

const api = petstores['3.0'] ?? ''

function shop(spec = {}, metadata = {}): World {
  const on = embedded()
  on.write('openapi/petstore.yaml', api)
  on.write('manifests/all.yaml', petstoreManifests(spec, metadata))
  return on
}

const importInto = (on: World, ...args: readonly string[]) =>
  on.run(['import', 'openapi', 'openapi/petstore.yaml', '--dir', 'manifests', ...args])

const written = (on: World): string => readFileSync(join(on.dir, 'manifests/petstore-endpoints.yaml'), 'utf8')

/** Keeps the manifests, without the document of kind OpenAPI. */
function leaveBehind(on: World): void {
  const text = petstoreManifests()
  on.write('manifests/all.yaml', text.slice(0, text.indexOf('---\napiVersion: gatewright/v1\nkind: OpenAPI')))
}

describe('import openapi', () => {
  test('writes the same objects: their plan is empty', async () => {
    const on = shop({ patches: [{ target: '*/photos', merge: { connectionTimeoutForSystemDomainResponse: 900 } }] })
    expect((await on.apply()).exitCode).toBe(0)
    const run = await importInto(on)
    expect(run).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('created  manifests/petstore-endpoints.yaml'),
    })
    expect(run.stderr).toContain('this document still gives the endpoints of openapi/petstore.yaml')
    expect((await on.run(['validate'])).exitCode).toBe(1)
    leaveBehind(on)
    expect((await on.plan()).changes).toEqual([])
  })

  test('changes only the differences when it is run again: comments and additions stay', async () => {
    const on = shop()
    await importInto(on)
    expect((await importInto(on)).stdout).toContain('Nothing to write')
    const edited = written(on).replace(
      'requestPathAlias: /v1/pets\n',
      'requestPathAlias: /v1/pets # ask first\n  requestProtocol: soap\n',
    )
    on.write('manifests/petstore-endpoints.yaml', edited)
    const changed = api.replace('/v1', '/v2').replace(/ {2}\/store\/orders:[\s\S]*?(?=\n\w)/, '  /toys:\n    get: {}')
    on.write('openapi/petstore.yaml', changed)
    const run = await importInto(on)
    expect(run.stderr).toContain('the OpenAPI file gives this endpoint no more')
    expect(written(on)).toContain('requestPathAlias: /v2/pets # ask first\n  requestProtocol: soap\n')
    expect(written(on)).toContain('name: /toys')
    expect(written(on)).toContain('name: /store/orders')
    await importInto(on, '--prune')
    expect(written(on)).not.toContain('name: /store/orders')
  })

  test('keeps placeholders and environments', async () => {
    const on = shop({ name: '${value:stage} {path}', systemDomains: ['${value:backend}'] }, { environments: ['dev'] })
    await importInto(on)
    expect(written(on)).toContain('name: "${value:stage} /pets"\n  environments: [dev]')
    expect(written(on)).toContain('systemDomains: ["${value:backend}"]')
  })

  describe('texts of the OpenAPI file that look like placeholders', () => {
    const odd = {
      openapi: '3.0.3',
      info: { title: 'T ${env:HOME} ${value:zz}', version: '1' },
      paths: { '/a/${env:B}': { get: { operationId: '${file:x}', summary: '$${age:y}' } } },
    }
    const nameOf = { name: '{title} {path} {operationId} {summary}', methods: 'operationId' }

    const oddShop = () => {
      const on = shop(nameOf)
      on.write('openapi/petstore.yaml', JSON.stringify(odd))
      return on
    }

    test('are the same in the output of import', async () => {
      const on = oddShop()
      expect((await on.apply()).exitCode).toBe(0)
      expect((await importInto(on)).exitCode).toBe(0)
      leaveBehind(on)
      expect((await on.plan()).changes).toEqual([])
    })

    test('are the same in the output of render', async () => {
      const on = oddShop()
      expect((await on.apply()).exitCode).toBe(0)
      on.write('manifests/all.yaml', (await on.run(['render'])).stdout)
      expect((await on.plan()).changes).toEqual([])
    })

    test('create a service that no document names', async () => {
      const on = embedded()
      on.write('openapi/petstore.yaml', JSON.stringify(odd))
      expect((await importInto(on)).exitCode).toBe(0)
      expect((await on.run(['validate'])).exitCode).toBe(0)
      expect((await importInto(on)).stdout).toContain('Nothing to write')
    })
  })

  test('--service must be one to which the documents assign the file', async () => {
    const on = shop()
    const run = await importInto(on, '--service', 'Animals')
    expect([run.exitCode, run.stderr]).toEqual([
      1,
      expect.stringMatching(/^manifests\/all\.yaml:\d+:\d+: error: .*gives the endpoints.*Petstore/),
    ])
    expect((await importInto(on, '--service', 'Petstore')).exitCode).toBe(0)
  })

  test('--service selects among the documents that name the file, with their spelling', async () => {
    const on = shop()
    const other = petstoreManifests().replaceAll('Petstore', '${value:other}')
    on.write('manifests/other.yaml', other.slice(other.indexOf('---\napiVersion: gatewright/v1\nkind: Service')))
    const run = await importInto(on, '--service', '${value:other}')
    expect([run.exitCode, run.stdout]).toEqual([0, expect.stringContaining('Files: 1 created')])
    expect(run.stderr).not.toContain('manifests/all.yaml')
  })

  test('a file without paths is reported with its name', async () => {
    const on = embedded()
    on.write('openapi/petstore.yaml', '{"openapi": "3.0.0", "info": {"title": "K", "version": "1"}}')
    expect((await importInto(on)).stderr).toMatch(/^openapi\/petstore\.yaml: error: .*gives no endpoint/)
  })

  test('a field that one endpoint clears is no default of the others, and is written in a new endpoint', async () => {
    const cleared = api.replace('  /pets:\n', '  /pets:\n    x-gatewright-endpoint: {cors: null}\n')
    const on = embedded()
    on.write('openapi/petstore.yaml', cleared)
    await importInto(on)
    expect(written(on).match(/^ +cors: null$/gm)).toEqual(['  cors: null'])
    // Run again: for an endpoint that was written before, and for a new one.
    for (const there of [api, api.replace(/ {2}\/pets:[\s\S]*?(?=\n {2}\/)/, '')]) {
      const again = embedded()
      again.write('openapi/petstore.yaml', there)
      await importInto(again)
      again.write('openapi/petstore.yaml', cleared)
      await importInto(again)
      expect(written(again).match(/^ +cors: null$/gm)).toEqual(['  cors: null'])
    }
  })

  test('from a file that no document names: a service, with the common fields of all endpoints as defaults', async () => {
    const on = embedded()
    on.write('openapi/petstore.yaml', api)
    expect((await importInto(on)).exitCode).toBe(0)
    expect(written(on)).toMatch(
      /^apiVersion: gatewright\/v1\nkind: Service\nmetadata:\n {2}name: Petstore\n {2}defaults:\n {4}Endpoint:\n {6}systemDomains: \[petstore.backend.example\]\n---/,
    )
    expect(written(on).match(/systemDomains/g)).toHaveLength(1)
    expect((await on.run(['validate'])).exitCode).toBe(0)
    await importInto(on, '--service', 'Animals')
    expect(readFileSync(join(on.dir, 'manifests/animals-endpoints.yaml'), 'utf8')).toContain('name: Animals')
  })

  test('a path that looks like a placeholder stays a text', async () => {
    const on = embedded()
    on.write(
      'openapi/petstore.yaml',
      '{"openapi": "3.0.0", "info": {"title": "Petstore"}, "paths": {"/a/${id}": {"get": {}}}}',
    )
    expect((await importInto(on)).exitCode).toBe(0)
    expect(written(on)).toContain('requestPathAlias: "/a/$${id}"')
    expect((await on.run(['validate'])).exitCode).toBe(0)
  })

  test('problems of all paths are reported once, in the order of the file, and without logins', async () => {
    const on = embedded()
    const servers = '[{url: "https://a.example/v1"}, {url: "https://joe:pa55word@b.example/v2"}, {url: "/v3"}]'
    const paths = '{bad: {get: {}}, /a: {get: {}}, /b: {get: {}}}'
    on.write('openapi/petstore.yaml', `openapi: 3.0.0\ninfo: {title: K}\npaths: ${paths}\nservers: ${servers}\n`)
    const { stderr } = await importInto(on)
    expect([...stderr.matchAll(/:(\d+:\d+): error: (.*) \[/g)].map(([, place, words]) => `${place} ${words}`)).toEqual([
      '3:9 the path bad has no / in front',
      '4:17 the servers of one endpoint have different paths: /v1, /v3',
      '4:48 an address with a login is not the url of a server',
    ])
    expect(stderr).not.toContain('pa55')
  })

  test('a file with an empty title needs --service', async () => {
    const on = embedded()
    on.write('openapi/petstore.yaml', '{"openapi": "3.0.0", "info": {"title": ""}, "paths": {"/a": {"get": {}}}}')
    expect((await importInto(on)).stderr).toContain('name the service with --service NAME')
  })

  test.each([
    ['no folder', ['openapi/petstore.yaml'], 'import needs --dir'],
    ['a missing file', ['openapi/other.yaml', '--dir', 'manifests'], 'cannot be read'],
    ['an address', ['https://example.com/api.yaml', '--dir', 'manifests'], 'nothing is fetched from a network'],
  ])('%s is an error', async (_, args, words) => {
    const run = await shop().run(['import', 'openapi', ...args])
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining(words)])
  })
})
