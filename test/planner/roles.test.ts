import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { type Rest, restOf } from '../kit/rest.js'
import { type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'
import { makes } from '../other-make/worlds.js'

/**
 * The roles of services are answered by a separate request for each service: roles that were not requested are unknown, and
 * never taken for "none". Ours, theirs, renamed, removed; on makes that answer roles nested and on makes that do not.
 */

const ours = document('Role', 'Ours')
const more = document('Role', 'More')
const theirs = document('Role', 'Theirs')
const standAlone = (service: string, name: string) => document('ServiceRole', { service, name }, { action: 'read' })
const inline = (...names: readonly string[]) => ({ roles: names.map((name) => ({ name, action: 'read' })) })
const renamed = (spec: object = {}) => document('Service', { name: 'T', formerly: ['S'] }, { ...spec })

const roleIds = async (rest: Rest): Promise<ReadonlyMap<string, string>> =>
  new Map((await rest.get('/roles')).map(({ name, id }) => [String(name), String(id)]))

async function rolesOf(area: World, service = 'S'): Promise<readonly string[] | undefined> {
  const rest = await restOf(area.make)
  const found = (await rest.get('/services')).find(({ name }) => name === service)
  if (!found) return undefined
  return (await rest.get(`/services/${String(found.id)}/roles`)).map(({ name }) => String(name)).sort()
}

/** Somebody gives the service these roles in the portal. */
async function assign(area: World, ...names: readonly string[]): Promise<string> {
  const rest = await restOf(area.make)
  const ids = await roleIds(rest)
  const service = (await rest.get('/services')).find(({ name }) => name === 'S')
  await rest.put(`/services/${String(service?.id)}`, {
    roles: names.map((name) => ({ id: ids.get(name) ?? '', action: 'read' })),
  })
  return String(service?.id)
}

async function applied(area: World, ...args: readonly string[]): Promise<void> {
  const run = await area.apply(...args)
  expect([run.stdout, run.stderr, run.exitCode]).toEqual([run.stdout, run.stderr, 0])
  const plan = await area.plan(...args)
  expect(plan.changes).toEqual([])
}

const shown = async (area: World, ...args: readonly string[]) => {
  const plan = await area.plan(...args)
  return {
    changes: plan.changes.map(({ action, address }) => `${action} ${address}`),
    codes: plan.diagnostics.map(({ code }) => code),
  }
}

const others: typeof makes = [
  ...makes,
  ['another make whose links have ids of their own', () => world(createOtherMake({ linkIds: 'of links' }))],
]

describe.each(others)('roles of services, %s:', (_, make) => {
  test('a rename keeps the roles that others assigned, beside a stand-alone one', async () => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S'), standAlone('S', 'Ours'))
    await applied(area)
    await assign(area, 'Ours', 'Theirs')
    area.declare(ours, theirs, renamed(), standAlone('T', 'Ours'))
    expect((await shown(area)).changes).toEqual(['update Service/T'])
    await applied(area)
    expect(await rolesOf(area, 'T')).toEqual(['Ours', 'Theirs'])
  })

  test('a new stand-alone role of a service that is renamed by its id is added to those of others', async () => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S'))
    await applied(area)
    const id = await assign(area, 'Theirs')
    area.declare(ours, theirs, document('Service', { name: 'T', id }), standAlone('T', 'Ours'))
    await applied(area)
    expect(await rolesOf(area, 'T')).toEqual(['Ours', 'Theirs'])
  })

  test('a rename with a list shows which roles are removed', async () => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S', inline('Ours')))
    await applied(area)
    await assign(area, 'Ours', 'Theirs')
    area.declare(ours, theirs, renamed(inline('Ours')))
    const plan = await area.plan()
    const roles = plan.changes[0]?.fields.find(({ path }) => path === '/roles')
    expect(roles).toMatchObject({ verdict: 'drift', before: [{ name: 'Ours' }, { name: 'Theirs' }] })
  })

  test('a list that changes in the commit that renames the service is no conflict', async () => {
    const area = make()
    area.declare(ours, more, document('Service', 'S', inline('Ours')))
    await applied(area)
    area.declare(ours, more, renamed(inline('More')))
    await applied(area)
    expect(await rolesOf(area, 'T')).toEqual(['More'])
  })

  test('a list that is removed from the manifests is unset', async () => {
    const area = make()
    area.declare(ours, document('Service', 'S', inline('Ours')))
    await applied(area)
    area.declare(ours, document('Service', 'S'))
    expect(await shown(area)).toEqual({ changes: ['update Service/S'], codes: [] })
    await applied(area)
    expect(await rolesOf(area)).toEqual([])
  })

  test('a list that becomes separate documents keeps the roles of these, and loses the others', async () => {
    const area = make()
    area.declare(ours, more, document('Service', 'S', inline('Ours', 'More')))
    await applied(area)
    area.declare(ours, more, document('Service', 'S'), standAlone('S', 'Ours'))
    expect((await shown(area)).changes).toEqual(['delete Service/S/ServiceRole/More'])
    await applied(area)
    expect(await rolesOf(area)).toEqual(['Ours'])
  })

  test('documents that become a list keep the roles of the list, and lose the others', async () => {
    const area = make()
    area.declare(ours, more, document('Service', 'S'), standAlone('S', 'Ours'), standAlone('S', 'More'))
    await applied(area)
    area.declare(ours, more, document('Service', 'S', inline('Ours')))
    expect((await shown(area)).changes).toEqual(['update Service/S'])
    await applied(area)
    expect(await rolesOf(area)).toEqual(['Ours'])
  })

  test('a list that is removed from the manifests is released if somebody changed it', async () => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S', inline('Ours')))
    await applied(area)
    await assign(area, 'Ours', 'Theirs')
    area.declare(ours, theirs, document('Service', 'S'))
    expect(await shown(area)).toEqual({ changes: [], codes: ['handed-back'] })
  })

  test('a list that is removed from the manifests in the commit that renames the service is unset', async () => {
    const area = make()
    area.declare(ours, document('Service', 'S', inline('Ours')))
    await applied(area)
    area.declare(ours, renamed())
    await applied(area)
    expect(await rolesOf(area, 'T')).toEqual([])
  })

  test.each(['applied', 'all'])(
    'a stand-alone role that is removed from the manifests is removed, others stay (prune: %s)',
    async (prune) => {
      const area = make()
      area.declare(ours, theirs, document('Service', 'S'), standAlone('S', 'Ours'))
      await applied(area)
      await assign(area, 'Ours', 'Theirs')
      area.declare(ours, theirs, document('Service', 'S'))
      expect((await shown(area, '--prune', prune)).changes).toEqual(['delete Service/S/ServiceRole/Ours'])
      await applied(area, '--prune', prune)
      expect(await rolesOf(area)).toEqual(['Theirs'])
    },
  )

  test('a Removed document removes a role', async () => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S'))
    await applied(area)
    await assign(area, 'Ours', 'Theirs')
    area.declare(ours, theirs, document('Service', 'S'), document('Removed', { address: 'Service/S/ServiceRole/Ours' }))
    expect(await shown(area)).toEqual({ changes: ['delete Service/S/ServiceRole/Ours'], codes: [] })
    const run = await area.apply()
    expect(run.exitCode).toBe(0)
    expect(await rolesOf(area)).toEqual(['Theirs'])
  })

  test('a stand-alone role that is removed from the manifests in the commit that renames the service is removed, others stay', async () => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S'), standAlone('S', 'Ours'))
    await applied(area)
    await assign(area, 'Ours', 'Theirs')
    area.declare(ours, theirs, renamed())
    await applied(area)
    expect(await rolesOf(area, 'T')).toEqual(['Theirs'])
  })

  test.each(['S', 'T'])('a Removed document removes a role of a service that is renamed, called %s', async (name) => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S'), standAlone('S', 'Ours'))
    await applied(area)
    await assign(area, 'Ours', 'Theirs')
    area.declare(ours, theirs, renamed(), document('Removed', { address: `Service/${name}/ServiceRole/Ours` }))
    expect((await area.apply()).exitCode).toBe(0)
    expect(await rolesOf(area, 'T')).toEqual(['Theirs'])
  })

  test('drift in roles is reported even if only the records have them', async () => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S'), standAlone('S', 'Ours'))
    await applied(area)
    await assign(area, 'Theirs')
    const drift = await area.drift()
    expect(drift.exitCode).toBe(2)
    expect(drift.json().changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'create Service/S/ServiceRole/Ours',
    ])
  })

  test.each([
    ['a Removed document', ['--prune', 'applied'], document('Removed', { address: 'Service/S' })],
    ['prune: applied', ['--prune', 'applied'], undefined],
    ['prune: all', ['--prune', 'all'], undefined],
  ] as const)('a rollback restores a service with its roles and fields (%s)', async (_how, args, removal) => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S', { description: 'as it was' }))
    await applied(area)
    await assign(area, 'Ours', 'Theirs')
    area.declare(...[ours, theirs, ...(removal ? [removal] : [])])
    const deleted = await area.apply(...args)
    expect([deleted.stdout, deleted.exitCode]).toEqual([deleted.stdout, 0])
    expect(await rolesOf(area)).toBeUndefined()
    const back = await area.run(['rollback', 'latest', '--yes'])
    expect([back.stdout, back.stderr, back.exitCode]).toEqual([back.stdout, back.stderr, 0])
    expect(await rolesOf(area)).toEqual(['Ours', 'Theirs'])
    const [service] = await (await restOf(area.make)).get('/services?fields=name,description')
    expect(service).toEqual({ name: 'S', description: 'as it was' })
    // Fields that nobody managed are not taken for managed because the rollback restored them.
    area.declare(ours, theirs, document('Service', 'S'))
    const { changes } = await area.plan()
    expect(changes.flatMap(({ fields }) => fields.map(({ path }) => path))).not.toContain('/roles')
  })

  test('a rollback of a rename restores the roles', async () => {
    const area = make()
    area.declare(ours, more, document('Service', 'S', inline('Ours')))
    await applied(area)
    area.declare(ours, more, renamed(inline('More')))
    await applied(area)
    const back = await area.run(['rollback', 'latest', '--yes'])
    expect([back.stdout, back.stderr, back.exitCode]).toEqual([back.stdout, back.stderr, 0])
    expect(await rolesOf(area, 'S')).toEqual(['Ours'])
  })

  test('a saved plan of a rename is applied, and is stale after somebody assigned a role', async () => {
    const area = make()
    area.declare(ours, more, theirs, document('Service', 'S', inline('Ours')))
    await applied(area)
    area.declare(ours, more, theirs, renamed(inline('More')))
    await area.run(['plan', '--out', 'saved.json'])
    await assign(area, 'Ours', 'Theirs')
    expect((await area.run(['apply', 'saved.json', '--yes'])).exitCode).toBe(4)
    await assign(area, 'Ours')
    expect((await area.run(['apply', 'saved.json', '--yes'])).exitCode).toBe(0)
    expect(await rolesOf(area, 'T')).toEqual(['More'])
  })

  test('drift --write writes roles into the manifest of a service that is renamed', async () => {
    const area = make()
    area.declare(ours, theirs, document('Service', 'S', inline('Ours')))
    await applied(area)
    await assign(area, 'Ours', 'Theirs')
    await area.run(['drift', '--write'])
    expect((await area.plan()).changes).toEqual([])
    expect(await rolesOf(area)).toEqual(['Ours', 'Theirs'])
  })
})

test.each(makes)('one of two roles with the same name is given by its id, %s', async (_, make) => {
  const area = make()
  area.declare(document('Service', 'S'))
  await applied(area)
  const rest = await restOf(area.make)
  await rest.post('/roles', { name: 'Twin' })
  const { id } = await rest.post('/roles', { name: 'Twin' })
  const pinned = (role: string) => document('ServiceRole', { service: 'S', name: 'Twin' }, { id: role, action: 'read' })
  area.declare(document('Service', 'S'), pinned('nobody'))
  expect((await area.plan()).diagnostics).toMatchObject([{ code: 'reference-to-nothing' }])
  area.declare(document('Service', 'S'), pinned(String(id)))
  await applied(area)
  const [service] = await rest.get('/services')
  expect(await rest.get(`/services/${String(service?.id)}/roles`)).toMatchObject([{ id }])
})

test('a platform that does not answer roles keeps its roles, and the plan says so', async () => {
  const make = createOtherMake()
  const silent = {
    ...make,
    fetch: (request: Request) =>
      request.method === 'GET' && request.url.includes('/roles?') && request.url.includes('/services/')
        ? Promise.resolve(new Response('[]', { status: 405 }))
        : make.fetch(request),
  }
  const area = world(silent)
  area.declare(ours, theirs, document('Service', 'S'))
  await applied(area)
  await assign({ ...area, make }, 'Theirs')
  area.declare(ours, theirs, document('Service', 'S', { ...inline('Ours'), description: 'new' }))
  expect(await shown(area)).toEqual({ changes: ['update Service/S'], codes: ['cannot-verify'] })
  expect((await area.apply()).exitCode).toBe(0)
  expect(await rolesOf({ ...area, make })).toEqual(['Theirs'])
  area.declare(ours, theirs, document('Service', 'S', { description: 'new' }))
  expect(await shown(area)).toEqual({ changes: [], codes: [] })
})
