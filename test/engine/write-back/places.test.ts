import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesIn } from '../../kit/exports.js'
import { restOf } from '../../kit/rest.js'
import { embedded, type World } from '../../kit/world.js'

/** Where an export writes, and what it refuses to write or to remove. */

const seed = {
  domains: [{ id: 'd1', domain: 'a.example', status: 'active' }],
  services: [
    { id: 's1', name: 'Orders' },
    { id: 's2', name: 'Payments' },
  ],
}

const codes = async (world: World, ...args: readonly string[]): Promise<readonly (string | number)[]> => {
  const run = await world.run(['export', '-o', 'json', ...args])
  return [run.exitCode, ...run.json().diagnostics.map(({ code }) => code)]
}

describe('an export into', () => {
  test('a file is refused', async () => {
    const world = embedded({ seed })
    world.write('taken', '')
    expect(await codes(world, '--dir', 'taken')).toEqual([1, 'invalid-option'])
    expect(await codes(world, '--dir', 'taken/below')).toEqual([1, 'not-writable'])
  })

  test('a folder that contains a file in place of a subfolder reports what was written before the error, and can be completed later', async () => {
    const world = embedded({ seed })
    world.write('out/services', '')
    const run = await world.run(['export', '--dir', 'out', '-o', 'json'])
    expect(run.exitCode).toBe(1)
    expect(run.json().diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      expect.stringContaining('not-writable: out/services/orders.yaml cannot be written'),
      'manifest-written: written before it, 1 file: created out/domains.yaml',
    ])
    rmSync(join(world.dir, 'out/services'))
    expect(await codes(world, '--dir', 'out')).toEqual([0, 'export-outside-manifests'])
    expect((await world.run(['plan', '-f', 'out', '--exit-code'])).exitCode).toBe(0)
  })

  test('a folder that is not created, because manifests without a project are up to date, is not suggested for plan', async () => {
    const world = embedded({ seed })
    rmSync(join(world.dir, 'gatewright.yaml'), { force: true })
    expect((await world.run(['export', '--dir', 'all'])).stderr).toContain('plan with -f all')
    const again = await world.run(['export', '--dir', 'exp'])
    expect(again.stdout).toContain('Nothing to write')
    expect(again.stderr).not.toContain('-f exp')
    expect(existsSync(join(world.dir, 'exp'))).toBe(false)
  })

  test.each(['typo.yaml', 'manifests/x*.yaml', 'empty'])('-f %s, which names no manifest, is refused', async (path) => {
    const world = embedded({ seed })
    mkdirSync(join(world.dir, 'empty'))
    world.requests()
    const run = await world.run(['export', '--dir', 'out', '-f', path])
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('[missing-file]')])
    expect([world.requests(), existsSync(join(world.dir, 'out'))]).toEqual([[], false])
    expect((await world.run(['export', '--dir', 'out', '-f', 'out'])).exitCode).toBe(0)
  })

  test('a folder with subfolders in place of its files is refused', async () => {
    const world = embedded({ seed })
    mkdirSync(join(world.dir, 'manifests/domains.yaml'), { recursive: true })
    expect(await codes(world, '--dir', 'manifests')).toEqual([1, 'not-writable'])
  })

  test.each(['.hidden', 'node_modules/area'])(
    'manifests/%s, which a project does not read, edits in place',
    async (name) => {
      const world = embedded({ seed })
      expect(await codes(world, '--dir', `manifests/${name}`)).toEqual([0, 'export-outside-manifests'])
      const first = filesIn(world, `manifests/${name}`)
      await codes(world, '--dir', `manifests/${name}`)
      expect(filesIn(world, `manifests/${name}`)).toEqual(first)
    },
  )

  test('a link to a folder is refused, because its files would never be read again', async () => {
    const world = embedded({ seed })
    mkdirSync(join(world.dir, 'elsewhere'))
    mkdirSync(join(world.dir, 'manifests'))
    symlinkSync('../elsewhere', join(world.dir, 'manifests/services'))
    expect(await codes(world, '--dir', 'manifests')).toEqual([1, 'export-into-link'])
    expect(existsSync(join(world.dir, 'elsewhere/orders.yaml'))).toBe(false)
  })
})

describe('--prune', () => {
  test('refuses to remove everything, because it would be another area', async () => {
    const world = embedded({ seed })
    await codes(world, '--dir', 'manifests')
    const before = filesIn(world, 'manifests')
    const empty = embedded()
    for (const [path, text] of Object.entries(before)) empty.write(`manifests/${path}`, text)
    expect(await codes(empty, '--dir', 'manifests', '--prune')).toEqual([1, 'prune-of-everything'])
    expect(filesIn(empty, 'manifests')).toEqual(before)
  })

  test('does not report a removal of an object in an anchor of several objects', async () => {
    const endpoint = { requestPathAlias: '/1', trafficManagerDomain: 'a.example', publicDomains: ['a.example'] }
    const world = embedded()
    world.write(
      'manifests/all.yaml',
      `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders}
spec:
  endpoints:
    - &one
      name: one
      requestPathAlias: ${endpoint.requestPathAlias}
      trafficManagerDomain: a.example
      publicDomains: [a.example]
      methods: [{name: get}, {name: put}]
    - <<: *one
      name: two
      requestPathAlias: /2
---
apiVersion: gatewright/v1
kind: Domain
metadata: {name: a.example}
`,
    )
    expect((await world.apply()).exitCode).toBe(0)
    const rest = await restOf(world.make)
    const [service] = await rest.get('/services')
    const endpoints = await rest.get(`/services/${service?.id}/endpoints`)
    const two = endpoints.find(({ name }) => name === 'two')
    const methods = await rest.get(`/services/${service?.id}/endpoints/${two?.id}/methods`)
    const put = methods.find(({ name }) => name === 'put')
    await rest.remove(`/services/${service?.id}/endpoints/${two?.id}/methods/${put?.id}`)
    expect(await codes(world, '--dir', 'manifests', '--prune')).toEqual([0, 'not-written'])
  })
})

describe('roles that are answered for each service', () => {
  const paths = async (world: World) => {
    world.requests()
    await codes(world, '--dir', 'manifests')
    return world.requests().filter(({ path }) => path.endsWith('/roles') && path.includes('/services/')).length
  }

  test('are not requested if nobody has created a role', async () => {
    expect(await paths(embedded({ seed }))).toBe(0)
  })

  test('are requested if somebody has', async () => {
    expect(await paths(embedded({ seed: { ...seed, roles: [{ id: 'r1', name: 'Partners' }] } }))).toBe(2)
  })

  test("are requested if a manifest writes the platform's own, which stay", async () => {
    const world = embedded({ seed })
    const text = `apiVersion: gatewright/v1
kind: Service
metadata: {name: Orders}
spec: {roles: [{name: Everyone, action: read}]}
`
    world.write('manifests/services/orders.yaml', text)
    expect((await world.apply()).exitCode).toBe(0)
    expect(await paths(world)).toBe(2)
    expect(filesIn(world, 'manifests')['services/orders.yaml']).toBe(text)
  })
})

test('"get -o yaml" pins a parent whose name is not unique', async () => {
  const endpoint = {
    requestPathAlias: '/1',
    trafficManagerDomain: 'a.example',
    publicDomains: [{ domain: 'a.example' }],
  }
  const world = embedded({
    seed: {
      domains: seed.domains,
      services: [
        { id: 's1', name: 'Orders', endpoints: [{ id: 'e1', name: 'one', ...endpoint }] },
        { id: 's2', name: 'Orders' },
      ],
    },
  })
  const endpoints = await world.run(['get', 'Endpoint', '-o', 'yaml'])
  world.write(
    'manifests/all.yaml',
    `${endpoints.stdout}---\n${(await world.run(['get', 'Service', '-o', 'yaml'])).stdout}`,
  )
  expect((await world.plan()).changes).toEqual([])
})

test('an incomplete export does not say that the manifests match the live area', async () => {
  const world = embedded({ seed })
  world.write('manifests/gone.yaml', 'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Gone}\n')
  await codes(world, '--dir', 'manifests')
  expect((await world.run(['export', '--dir', 'manifests'])).stdout).toBe('Nothing was written.\n')
})

test('manifests name a schema for editors only if there is one', async () => {
  const world = embedded({ seed })
  await world.run(['export', '--dir', 'manifests'])
  expect(filesIn(world, 'manifests')['services/orders.yaml']).toMatch(/^apiVersion: /)
  world.write('schemas/gatewright.schema.json', '{}')
  await world.run(['export', '--dir', 'other'])
  expect(filesIn(world, 'other')['services/orders.yaml']).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/\.\.\/schemas\/gatewright\.schema\.json\napiVersion/,
  )
})

test('variables that an earlier export named are listed as long as manifests use them', async () => {
  const world = embedded({ seed: { domains: seed.domains } })
  const rest = await restOf(world.make)
  const create = (name: string, path: string) =>
    rest.post('/services', {
      name,
      endpoints: [
        {
          name: 'e',
          requestPathAlias: path,
          trafficManagerDomain: 'a.example',
          publicDomains: [{ domain: 'a.example' }],
          systemDomainAuthentication: { type: 'httpBasic', username: 'u', password: 'p' },
        },
      ],
    })
  const variables = async (): Promise<readonly string[]> => {
    const run = await world.run(['export', '--dir', 'manifests', '-o', 'json', '--with-secrets'])
    return (JSON.parse(run.stdout) as { readonly variables: readonly string[] }).variables
  }
  await create('a b', '/1')
  expect(await variables()).toEqual(['A_B_E_PASSWORD'])
  await create('a-b', '/2')
  expect(await variables()).toEqual(['A_B_E_PASSWORD', expect.stringMatching(/^A_B_E_PASSWORD_/)])
  // A later export without --with-secrets keeps the existing placeholders.
  const before = filesIn(world, 'manifests')
  await world.run(['export', '--dir', 'manifests'])
  expect(filesIn(world, 'manifests')).toEqual(before)
})

test('names that mean several objects are reported in the order of their positions', async () => {
  const twice = (name: string) => ['1', '2'].map((id) => ({ id: name + id, name }))
  const world = embedded({ seed: { services: [{ id: 's', name: 'S', endpoints: twice('e') }], roles: twice('Staff') } })
  world.write(
    'manifests/all.yaml',
    `apiVersion: gatewright/v1
kind: Service
metadata: {name: S}
spec: {endpoints: [{name: e}]}
---
apiVersion: gatewright/v1
kind: Role
metadata: {name: Staff}
`,
  )
  const run = await world.run(['export', '--dir', 'manifests'])
  expect(run.stderr.match(/^manifests.*: error: .* are named "\w+"/gm)).toEqual([
    'manifests/all.yaml:4:27: error: 2 live objects of kind Endpoint are named "e"',
    'manifests/all.yaml:8:18: error: 2 live objects of kind Role are named "Staff"',
  ])
})
