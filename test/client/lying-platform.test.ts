import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

/** An answer that cannot be a list is never taken for an empty area, because everything would be created again. */

test.each([
  ['nothing', ''],
  ['null', 'null'],
  ['numbers', '[1,2,null]'],
  ['a bare word', '"done"'],
  ['an empty object', '{}'],
  ['a message', '{"message":"Forbidden"}'],
  ['a list inside an object', '{"roles":[]}'],
  ['a page inside an object', '{"items":[],"total":0}'],
  ['an object without a name', '[{"id":"r"}]'],
  ['an id that is not an exact integer in JavaScript', '[{"id":9007199254740993,"name":"other"}]'],
])('a list that is answered with %s is an error, and nothing is created', async (_, body) => {
  const world = embedded()
  world.declare(document('Role', 'R'))
  const { fetch } = world.make
  const isList = (request: Request) => request.method === 'GET' && request.url.includes('/roles')
  Object.assign(world.make, {
    fetch: (request: Request) => (isList(request) ? Promise.resolve(new Response(body)) : fetch(request)),
  })
  const run = await world.apply()
  expect(run.exitCode).toBe(1)
  expect(run.json().diagnostics.map(({ code }) => code)).toEqual(['answer-not-list'])
  expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
})

test.each([
  [204, undefined],
  [206, '[]'],
])('a list that is answered with the status %i is an error, and nothing is created', async (status, body) => {
  const world = embedded()
  world.declare(document('Role', 'R'))
  const { fetch } = world.make
  const isList = (request: Request) => request.method === 'GET' && request.url.includes('/roles')
  Object.assign(world.make, {
    fetch: (request: Request) => (isList(request) ? Promise.resolve(new Response(body, { status })) : fetch(request)),
  })
  const run = await world.apply()
  expect(run.exitCode).toBe(1)
  expect(run.json().diagnostics.map(({ code }) => code)).toEqual(['answer-not-list'])
  expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
})

test.each(['[]', '[""]'])('%s is an empty list', async (body) => {
  const world = embedded()
  world.declare(document('Role', 'R'))
  const { fetch } = world.make
  Object.assign(world.make, {
    fetch: (request: Request) =>
      request.method === 'GET' && request.url.includes('/roles') ? Promise.resolve(new Response(body)) : fetch(request),
  })
  expect((await world.plan()).summary).toMatchObject({ create: 1 })
})

test('a log of requests that cannot be written is reported before anything is sent', async () => {
  const world = embedded()
  world.declare(document('Role', 'R'))
  world.write('file', '')
  const run = await world.apply('--log-http', 'file/log')
  expect(run.exitCode).toBe(1)
  expect(run.json().diagnostics).toMatchObject([{ code: 'not-writable' }])
  expect(world.requests()).toEqual([])
})

test.skipIf(process.platform === 'win32')('only the owner can read a log of requests', async () => {
  const world = embedded()
  world.declare(document('Role', 'R'))
  await world.plan('--log-http', 'log')
  expect(statSync(join(world.dir, 'log')).mode & 0o777).toBe(0o600)
})
