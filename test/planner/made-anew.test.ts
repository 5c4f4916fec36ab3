import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, world as worldOf } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** The contents of an object that is deleted and created again (A350). */

const member = (name: string | { name: string; formerly?: string[]; id?: string }, spec: JsonObject = {}) =>
  document('Member', name, { email: 'a@b.c', displayName: 'x', externalId: '1', passwdNew: 'a-pass-word', ...spec })

const allow = ['KEY_LOSS', 'IRREVERSIBLE'].flatMap((hazard) => ['--allow', hazard])

describe.each([
  ['embedded', () => embedded()],
  ['other make', () => worldOf(createOtherMake(), { env: environment })],
])('%s', (_, worldFor) => {
  test('a child that was removed from the manifests is deleted with it, by one request', async () => {
    const world = worldFor()
    world.declare(member('jane', { applications: [{ name: 'Shop' }, { name: 'Old' }] }))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(member({ name: 'joan', formerly: ['jane'] }, { applications: [{ name: 'Shop' }] }))
    const run = await world.apply('--allow-replace', ...allow)
    expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining('404')])
    expect(await (await restOf(world.make)).get('/applications?fields=name')).toMatchObject([{ name: 'Shop' }])
    expect((await world.plan()).changes).toEqual([])
  })

  test.each([[[]], [['--allow-replace', ...allow]]])(
    'a child that nobody declares is not lost: the replace is blocked, also with %j',
    async (options) => {
      const world = worldFor()
      world.declare(member('jane'))
      expect((await world.apply()).exitCode).toBe(0)
      const rest = await restOf(world.make)
      const [jane] = await rest.get('/members?fields=id,username')
      await rest.post(`/members/${String(jane?.id)}/applications`, { name: 'Portal', username: 'jane' })
      world.declare(member({ name: 'joan', formerly: ['jane'] }))
      const run = await world.apply(...options)
      expect(run.exitCode).toBe(5)
      expect(run.stdout + run.stderr).toContain('if it is created again, it loses Member/joan/Application/Portal')
      const removed = document('Removed', { address: 'Member/joan/Application/Portal' })
      world.declare(member({ name: 'joan', formerly: ['jane'] }), removed)
      expect((await world.apply('--allow-replace', ...allow)).exitCode).toBe(0)
      expect(await rest.get('/members?fields=username')).toMatchObject([{ username: 'joan' }])
      expect((await world.plan()).changes).toEqual([])
    },
  )

  test('an object that is pinned by its id is not created again, because it would get another id', async () => {
    const world = worldFor()
    world.declare(member('jane'))
    expect((await world.apply()).exitCode).toBe(0)
    const [jane] = await (await restOf(world.make)).get('/members?fields=id,username')
    world.declare(member({ name: 'joan', id: String(jane?.id) }))
    const run = await world.apply('--allow-replace', ...allow)
    expect(run.exitCode).toBe(5)
    expect(run.stdout + run.stderr).toContain(
      'username cannot be changed, and if it is created again, it gets another id',
    )
    expect(await (await restOf(world.make)).get('/members?fields=username')).toMatchObject([{ username: 'jane' }])
    world.declare(member({ name: 'joan', formerly: ['jane'] }))
    expect((await world.apply('--allow-replace', ...allow)).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })
})
