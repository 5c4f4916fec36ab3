import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, type Make, type Run, type World, world as worldOf } from '../kit/world.js'

const offline = (fetch: Make['fetch']): World => {
  const world = worldOf({ fetch, log: [] })
  world.declare(document('Service', 'S', {}))
  return world
}

/** A user error: exit 1, a message and a hint, no stack trace, and nothing about bugs of the program. */
function expectPlainError(run: Run, words: RegExp): void {
  expect(run.stdout + run.stderr).toMatch(words)
  expect(run.exitCode).toBe(1)
  expect(run.stdout + run.stderr).not.toMatch(/\n\s+at .*\.(ts|js)/)
  expect(run.stdout + run.stderr).not.toMatch(/internal error|undefined|\[object/)
}

test('manifests instead of a saved plan, and an unknown shell', async () => {
  const { run, declare } = embedded()
  declare(document('Service', 'S', {}))
  expectPlainError(await run(['apply', 'manifests/all.yaml']), /hint: [^\n]* name them with -f manifests\/all\.yaml/)
  expectPlainError(await run(['completion', 'tcsh']), /the shell has the value "tcsh"/)
})

test('a platform that does not answer', async () => {
  const run = await embedded().run(['platform', '--qps', '0'])
  expectPlainError(run, /--qps has the value "0"[\s\S]*from 1 on/)
})

test.each([
  [['--data', 'none/data'], /--data none\/data: there is no such file or folder/],
  [['--data', 'gatewright.yaml'], /--data gatewright.yaml: file is not a database/],
  [['--host', '192.0.2.1'], /192\.0\.2\.1 is no address of this machine/],
])('an area with the invalid id %j', async (options, words) => {
  const world = embedded()
  expectPlainError(await world.run(['platform', '--port', '0', ...options]), words)
})

describe.each(['plan', 'drift', 'apply'])('%s', (command) => {
  const args = command === 'apply' ? [command, '--yes'] : [command]

  test.each([
    ['a wrong API secret', 'GATEWRIGHT_API_SECRET'],
    ['a wrong password', 'GATEWRIGHT_PASSWORD'],
    ['an unknown area', 'GATEWRIGHT_AREA'],
  ])('%s', async (_, variable) => {
    const world = embedded()
    world.declare(document('Service', 'S', {}))
    const run = await world.run(args, { env: { ...environment, [variable]: 'wrong' } })
    expectPlainError(run, /credentials|refused|invalid/i)
    expect(run.stdout + run.stderr).not.toContain('local-')
  })

  test('missing settings, all at once', async () => {
    const world = embedded()
    world.declare(document('Service', 'S', {}))
    const run = await world.run(args, { env: {} })
    expectPlainError(run, /GATEWRIGHT_URL[\s\S]*GATEWRIGHT_AREA[\s\S]*GATEWRIGHT_PASSWORD/)
  })

  test('a host that cannot be reached', async () => {
    const refuse = () =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) }))
    expectPlainError(await offline(refuse).run(args), /platform\.example/)
  })

  test('a page instead of an answer', async () => {
    const page = () => new Response('<html><h1>Welcome</h1></html>', { headers: { 'content-type': 'text/html' } })
    expectPlainError(await offline(async () => page()).run(args), /JSON|token/i)
    const platform = createPlatform()
    const behind = offline((request) =>
      request.url.endsWith('/token') ? platform.fetch(request) : Promise.resolve(page()),
    )
    expectPlainError(await behind.run(args), /JSON/i)
  })

  test('an answer of another interface', async () => {
    const platform = createPlatform()
    const other = offline((request) =>
      request.url.endsWith('/token') ? platform.fetch(request) : Promise.resolve(Response.json({}, { status: 404 })),
    )
    expectPlainError(await other.run(args), /platform\.example/)
  })

  test('answers cut off in the middle', async () => {
    const world = embedded({ faults: ['truncate:GET /services'] })
    world.declare(document('Service', 'S', {}))
    expectPlainError(await world.run(args), /JSON|answer/i)
  })

  test('a reference to a missing object', async () => {
    const world = embedded()
    await (await restOf(world.make)).post('/roles', { name: 'Partners' })
    world.declare(document('Service', 'S', { roles: [{ name: 'Partner', action: 'read' }] }))
    expectPlainError(await world.run(args), /Partner[\s\S]*did you mean "Partners"/)
  })

  test('two live objects with the same name', async () => {
    const world = embedded()
    const rest = await restOf(world.make)
    const ids = [await rest.post('/services', { name: 'S' }), await rest.post('/services', { name: 'S' })].map(
      ({ id }) => String(id),
    )
    world.declare(document('Service', 'S', {}))
    const run = await world.run(args)
    expectPlainError(run, new RegExp(`${[...ids].sort().join('.*')}`))
    expect(run.stdout + run.stderr).toContain('metadata.id')
  })

  test('files that are no manifests, with -o json', async () => {
    const world = embedded()
    world.write('manifests/bad.yaml', 'apiVersion: gatewright/v1\nkind: Servcie\nmetadata: {name: S}\n')
    const run = await world.run([...args, '-o', 'json'])
    expectPlainError(run, /did you mean/i)
    expect(run.json().diagnostics).toMatchObject([
      { code: expect.any(String), message: expect.stringContaining('Servcie') },
    ])
  })

  test('no manifests at all', async () => {
    const world = embedded()
    expectPlainError(await world.run(args), /manifests/)
  })
})

test('without a terminal and without --yes apply refuses before the first write', async () => {
  const world = embedded()
  world.declare(document('Service', 'S', {}))
  const run = await world.run(['apply'])
  expect(run.exitCode).toBe(5)
  expect(world.requests().filter(({ method }) => method !== 'GET')).toEqual([])
})
