import { describe, expect, test } from 'vitest'
import { targetText } from '../../src/report/target.js'
import { document, projectText } from '../kit/manifests.js'
import { embedded, environment, type World } from '../kit/world.js'

/** Which area is used: one address in one spelling, wherever it is written, and never with a login. */

const login = 'http://jane:pass-word-1@platform.example'

function declared(): World {
  const world = embedded()
  world.declare(document('Role', 'R'))
  return world
}

const withUrl = (url: string) => ({ env: { ...environment, GATEWRIGHT_URL: url } })

const projectWith = (url: string): string => projectText(`  platform: {url: "${url}"}\n`)

describe('a URL with more than the base URL', () => {
  test.each([
    ['a login', login],
    ['a query', 'http://platform.example/?tenant=x'],
    ['a fragment', 'http://platform.example/#x'],
    ['the path /v3/rest of the interface', 'http://platform.example/v3/rest'],
  ])('is refused for %s, with the correct one, in every place', async (what, url) => {
    const world = declared()
    const runs = [
      await world.run(['plan'], withUrl(url)),
      await world.run(['plan', '--url', url]),
      await world.run(['apply', '--yes'], withUrl(url)),
      await world.run(['history'], withUrl(url)),
      await world.run(['rollback', 'latest', '--yes'], withUrl(url)),
    ]
    // In a side of a diff, the fragment is the area.
    if (what !== 'a fragment') runs.push(await world.run(['diff', url, 'manifests']))
    for (const run of runs) {
      expect(run.exitCode).toBe(1)
      expect(run.stderr).toContain(`the URL of the platform holds ${what}`)
      expect(run.stderr).toContain('write http://platform.example (')
      expect(run.stderr).not.toContain('pass-word-1')
    }
    expect(world.requests()).toEqual([])
  })

  test('is reported with its position if it is in the project file', async () => {
    const world = declared()
    world.write('gatewright.yaml', projectWith(login))
    const run = await world.run(['validate'])
    expect(run.exitCode).toBe(1)
    expect(run.stderr + run.stdout).toContain('gatewright.yaml:6:19')
    expect(run.stderr + run.stdout).toContain('the URL of the platform holds a login')
    expect(run.stderr + run.stdout).not.toContain('pass-word-1')
  })

  test('displays no login if it is not a URL at all', async () => {
    const run = await declared().run(['plan'], withUrl('jane:pass-word-1@platform.example'))
    expect(run.stderr).toContain('"***@platform.example" is not the URL of a platform')
    expect(run.stderr).not.toContain('pass-word-1')
  })
})

test('the target of a plan and a run has one spelling, and a plan may be applied with another one', async () => {
  const world = declared()
  const plan = await world.run(['plan', '-o', 'json', '--out', 'plan.json'], withUrl('HTTP://localhost:80/'))
  expect(JSON.parse(plan.stdout)).toMatchObject({ target: { url: 'http://localhost' } })
  const run = await world.run(['apply', 'plan.json', '--yes'], withUrl('http://127.0.0.1'))
  expect(run.exitCode).toBe(0)
  expect((await world.run(['history'], withUrl('http://localhost'))).stdout).toContain('done')
})

describe('commands that show or save live objects name the area first, beside their output', () => {
  const commands = [
    ['get', 'Role'],
    ['get', 'Role', '-o', 'yaml'],
    ['get', 'Role', '-o', 'json'],
    ['get', '--unmanaged'],
    ['export', '--dir', 'exported'],
    ['snapshot', '--out', 'area.json'],
  ]
  const { GATEWRIGHT_URL: url = '', GATEWRIGHT_AREA: area = '' } = environment
  const named = `reading ${targetText({ url, area, project: 'shop', environment: 'prod' })}\n`

  test.each(commands)('%s %s %s %s', async (...args) => {
    const world = declared()
    world.write('gatewright.yaml', projectText('  environments: {dev: {}, prod: {}}\n', 'shop'))
    const run = await world.run([...args, '-e', 'prod'])
    expect(run.exitCode).toBe(0)
    expect(run.stderr.startsWith(named)).toBe(true)
    expect(run.stdout).not.toContain(named)
    const quiet = await world.run([...args, '-e', 'prod', '--quiet'])
    expect([quiet.exitCode, quiet.stderr]).toEqual([0, expect.not.stringContaining('reading')])
  })

  test('on a terminal too', async () => {
    const world = declared()
    let written = ''
    const stderr = { isTTY: true, columns: 80, write: (text: string) => (written += text) }
    await world.run(['get', 'Role'], { stderr })
    expect(written.startsWith(`reading ${targetText({ url, area, project: 'test' })}\n`)).toBe(true)
  })

  test('a snapshot file has no area', async () => {
    const world = declared()
    await world.run(['snapshot', '--out', 'area.json'])
    expect((await world.run(['get', 'Role', '--snapshot', 'area.json'])).stderr).not.toContain('reading')
  })
})

describe('a ready token without an area', () => {
  const { GATEWRIGHT_AREA: _, ...rest } = environment
  const env = { ...rest, GATEWRIGHT_TOKEN: 'ready' }

  test('may plan, and changes nothing', async () => {
    const { make, ...world } = declared()
    const { fetch } = make
    const requests: string[] = []
    Object.assign(make, {
      fetch: (request: Request) => {
        requests.push(request.method)
        return request.headers.get('authorization') === 'Bearer ready' && request.method === 'GET'
          ? Promise.resolve(Response.json([], { headers: { 'x-total-count': '0' } }))
          : fetch(request)
      },
    })
    expect((await world.run(['plan'], { env })).exitCode).toBe(0)
    requests.length = 0
    for (const command of [
      ['apply', '--yes'],
      ['rollback', 'latest', '--yes'],
    ]) {
      const run = await world.run(command, { env })
      expect(run.exitCode).toBe(1)
      expect(run.stderr).toContain('GATEWRIGHT_AREA, --area, or spec.platform.area in the project file')
    }
    expect(requests).toEqual([])
  })
})

test.each([
  ['GATEWRIGHT_APIKEY', 'GATEWRIGHT_API_KEY'],
  ['GATEWRIGHT_PASWORD', 'GATEWRIGHT_PASSWORD'],
  ['GATEWRITE_URL', 'GATEWRIGHT_URL'],
  ['GATEWRIGHT_AERA', 'GATEWRIGHT_AREA'],
])('if %s is set, its message suggests the missing %s', async (misspelt, meant) => {
  const env: Record<string, string> = { ...environment, [misspelt]: 'x' }
  delete env[meant]
  const run = await declared().run(['plan'], { env })
  expect(run.exitCode).toBe(1)
  expect(run.stderr).toContain(`(${misspelt} is set: did you mean ${meant}?)`)
})

test('a variable with another purpose is not suggested for a missing one', async () => {
  const { GATEWRIGHT_URL: _url, ...env } = environment
  const run = await declared().run(['plan'], { env })
  expect(run.stderr).toContain('without the url')
  expect(run.stderr).not.toContain('did you mean')
})

test.each([
  ['GATEWRIGHT_HOST', 'GATEWRIGHT_HOSTS'],
  ['GATEWRIGHT_RECORD', 'GATEWRIGHT_RECORDS'],
  ['GATEWRIGHT_FINGERPRINTKEY', 'GATEWRIGHT_FINGERPRINT_KEY'],
])('%s, which nothing reads, is reported once by commands that go online', async (misspelt, meant) => {
  const world = embedded({}, { env: { ...environment, [misspelt]: 'x' } })
  world.declare(document('Role', 'R'))
  const note = `note: ${misspelt} is set and means nothing here: did you mean ${meant}? [misspelt-variable]\n`
  const { GATEWRIGHT_URL: url, GATEWRIGHT_AREA: area } = environment
  for (const args of [['plan'], ['apply', '--yes'], ['get', 'Role'], ['diff', 'live', `${url}#${area}`]]) {
    expect((await world.run(args)).stderr.split(note)).toHaveLength(2)
  }
  expect((await world.run(['validate'])).stderr).not.toContain(misspelt)
})

test('a variable that is similar to a variable that is set, or to none, is not reported', async () => {
  const env = { ...environment, GATEWRIGHT_URLS: 'x', GATEWRIGHT_TEAM_CHANNEL: 'x' }
  const world = embedded({}, { env })
  world.declare(document('Role', 'R'))
  expect((await world.run(['plan'])).stderr).not.toContain('misspelt-variable')
})

describe('a variable that takes precedence over the selected environment', () => {
  const note = (variable: string, field: string) =>
    `note: ${variable} is used instead of ${field} of the environment, which differs [target-overridden]\n`
  const inProject = (url: string, area: string): World => {
    const world = declared()
    world.write('gatewright.yaml', projectText(`  environments: {dev: {platform: {url: "${url}", area: "${area}"}}}\n`))
    return world
  }
  const { GATEWRIGHT_URL: url = '', GATEWRIGHT_AREA: area = '' } = environment

  test.each([
    ['another url', 'http://dev.example', area, note('GATEWRIGHT_URL', 'platform.url')],
    ['another area', url, 'b', note('GATEWRIGHT_AREA', 'platform.area')],
  ])('is reported if the environment has %s', async (_, ...[writtenUrl, writtenArea, expected]) => {
    const run = await inProject(writtenUrl, writtenArea).run(['plan', '-e', 'dev'])
    expect(run.exitCode).toBe(0)
    expect(run.stderr.split(expected)).toHaveLength(2)
    expect(run.stderr.split('[target-overridden]')).toHaveLength(2)
  })

  test('is not reported if the environment has the same, or an option gives another one', async () => {
    expect((await inProject(`${url}/`, area).run(['plan', '-e', 'dev'])).stderr).not.toContain('[target-overridden]')
    const named = ['plan', '-e', 'dev', '--url', 'http://other.example']
    expect((await inProject('http://dev.example', area).run(named)).stderr).not.toContain('[target-overridden]')
  })
})

test.each(['\n', '\r\n'])('a line break at the end of a credential, or of the target, is ignored: %j', async (end) => {
  const ended = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value + end]))
  const world = declared()
  expect(await world.run(['apply', '--yes'], { env: ended })).toMatchObject({ exitCode: 0 })
  // The applied state belongs to the same area.
  expect((await world.drift()).json().diagnostics).toEqual([])
})
