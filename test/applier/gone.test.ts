import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, type Make, type World, world, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Platforms that answer 200 to an unknown id (A362). */

const makes: Readonly<Record<string, () => Make>> = {
  recorded: () => embedded({ dialect: 'recorded' }).make,
  'another make': () => createOtherMake({ defaultErrorSet: 'always' }),
}
const bodies: Readonly<Record<string, string>> = {
  null: 'null',
  'an empty object': '{}',
  'an empty list': '[]',
  nothing: '',
  'an error with a number': '{"errorCode":404,"errorMessage":"no such object"}',
  'an error with a word': '[{"errorCode":"NOT_FOUND","errorMessage":"no such object"}]',
  'an error without a code': '{"errors":[{"message":"unknown id"}]}',
}
const cases = Object.keys(makes).flatMap((make) => Object.keys(bodies).map((body) => [make, body] as const))

/** Unknown objects are answered with 200; before the first PUT or DELETE, somebody else does something. */
const answering = (make: Make, body: string, before: () => Promise<void> = () => Promise.resolve()): Make => {
  let isFirst = true
  return {
    log: make.log,
    fetch: async (request) => {
      if (isFirst && (request.method === 'PUT' || request.method === 'DELETE')) {
        isFirst = false
        await before()
      }
      const response = await make.fetch(request)
      return response.status === 404
        ? new Response(body, { headers: { 'content-type': 'application/json' } })
        : response
    },
  }
}

const service = (description: string) => document('Service', 'S', { description })

describe.each(cases)('%s, %s', (name, body) => {
  /** An area with the service S; `remove` deletes it without the program. */
  async function area(): Promise<{
    readonly own: World
    readonly remove: () => Promise<void>
    readonly racing: World
  }> {
    const make = makes[name]?.() ?? createOtherMake({})
    const rest = await restOf(make)
    const remove = async () => {
      const found = (await rest.get('/services')).find((each) => each.name === 'S')
      await rest.remove(`/services/${String(found?.id)}`)
    }
    const own = world(answering(make, bodies[body] ?? ''))
    own.declare(service('one'))
    expect((await own.apply()).exitCode).toBe(0)
    const racing = world(answering(make, bodies[body] ?? '', remove), own.io)
    return { own, remove, racing }
  }

  test('an object that is in the records but deleted is created again', async () => {
    const { own, remove } = await area()
    await remove()
    expect((await own.plan()).changes.map(({ action }) => action)).toEqual(['create'])
    expect((await own.apply()).exitCode).toBe(0)
    expect((await own.plan()).changes).toEqual([])
    expect((await own.run(['get', 'Service', 'S'])).exitCode).toBe(0)
  })

  test('an update of a deleted object is not reported as done', async () => {
    const { racing } = await area()
    racing.declare(service('two'))
    const run = await racing.apply()
    expect([run.exitCode, run.stdout]).toEqual([3, run.stdout])
    expect(run.json().changes.map(({ outcome }) => outcome)).not.toContain('applied')
  })

  test('an update of a deleted object is not reported as done even if nothing is read afterwards, unless nothing shows it (A370)', async () => {
    const { racing } = await area()
    racing.declare(service('two'))
    const user = new AbortController()
    const fetch = (request: Request) => {
      if (request.method === 'PUT') user.abort()
      return racing.make.fetch(request)
    }
    const run = await worldIn(
      racing.dir,
      { log: racing.make.log, fetch },
      { ...racing.io, signal: user.signal },
    ).apply()
    expect([run.exitCode, run.stdout]).toEqual([130, run.stdout])
    expect(run.json().changes.map(({ outcome }) => outcome)).toEqual([bodies[body] === '' ? 'applied' : 'failed'])
  })

  test('a delete of a deleted object is reported as done', async () => {
    const { racing } = await area()
    racing.declare(document('Removed', { address: 'Service/S' }))
    const run = await racing.apply()
    expect([run.exitCode, run.stdout]).toEqual([0, run.stdout])
  })
})

test('a server error under a status of success does not mean "gone"', async () => {
  const make = createOtherMake({})
  const own = world(answering(make, '{"errorCode":500,"errorMessage":"try later"}'))
  own.declare(service('one'))
  expect((await own.apply()).exitCode).toBe(0)
  const rest = await restOf(make)
  const [found] = await rest.get('/services')
  await rest.remove(`/services/${String(found?.id)}`)
  const run = await own.run(['plan', '-o', 'json'])
  expect([run.exitCode, run.json().diagnostics.map(({ code }) => code)]).toEqual([1, ['request-refused']])
})

test('a create in an object that somebody deletes meanwhile is not reported as an operation that is not offered', async () => {
  const make = createOtherMake({})
  const rest = await restOf(make)
  const first = world(make)
  first.declare(document('Package', 'P'))
  expect((await first.apply()).exitCode).toBe(0)
  const [found] = await rest.get('/packages')
  let isThere = true
  const fetch = async (request: Request) => {
    if (request.method === 'POST' && request.url.includes('/plans') && isThere) {
      isThere = false
      await rest.remove(`/packages/${String(found?.id)}`)
    }
    return make.fetch(request)
  }
  const racing = world({ ...make, fetch }, first.io)
  racing.declare(document('Package', 'P', { plans: [{ name: 'Gold' }] }))
  const run = await racing.apply()
  expect(run.exitCode).toBe(3)
  expect(run.json().changes).toMatchObject([
    { outcome: 'failed', error: expect.stringContaining('Package/P does not exist any more: somebody has deleted it') },
  ])
})
