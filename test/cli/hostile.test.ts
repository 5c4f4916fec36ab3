import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, type Make, type World, world } from '../kit/world.js'

/** Names, values and messages of others: whatever they contain, the output has no effect on its readers. */

const escapes = 'a\u001b]0;title\u0007b\u001b[2Jc\u009b31md\u202ee\u2066f\u200bg\u001b[31mh\ri\u2028j'
const commands = ['::set-output name=a::b', ' ::add-mask::c', '##[error]d', 'e ##vso[task.setvariable]f']
const lines = `first\n${commands.join('\n')}\n${escapes}`
const markup =
  '![i](http://evil.example/x) [l](http://evil.example) <img src=x> @octocat/admins #123 ` ``` | www.evil.example'

const names = [escapes, ...commands, markup]

/** Every character that is not text, except line ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

/** A make that answers every write of a role with the hostile texts. */
function refusing(make: Make): Make {
  return {
    ...make,
    log: make.log,
    fetch: (request) => {
      if (request.method !== 'POST' || !request.url.endsWith('/roles')) return make.fetch(request)
      const errors = [{ property: escapes, message: `${lines}\n${markup}` }]
      return Promise.resolve(Response.json({ errorCode: 400, errorMessage: lines, errors }, { status: 400 }))
    },
  }
}

/** Live services with those names, changed on the platform; a manifest with new ones, and a role that is refused. */
async function hostile(): Promise<World> {
  const { make } = embedded()
  const there = world(refusing(make))
  const rest = await restOf(make)
  there.declare(...names.map((name) => document('Service', name, { description: 'as applied', version: '1' })))
  expect((await there.apply()).exitCode).toBe(0)
  for (const service of await rest.get('/services?limit=100')) {
    await rest.put(`/services/${String(service.id)}`, { description: lines, version: '1' })
  }
  await rest.post('/domains', { domain: 'live.example', status: 'active' })
  there.declare(
    ...names.slice(1).map((name) => document('Service', name, { description: `${markup}\n${lines}`, version: '1' })),
    document('Role', escapes, { description: lines }),
    document('Package', markup, { plans: [{ name: escapes }] }),
  )
  there.write('manifests/bad.yaml', `kind: Service\nmetadata: {name: "x", "${commands[0]}": y}\n`)
  return there
}

const reading: readonly (readonly string[])[] = [
  ['validate'],
  ['validate', '-f', 'manifests/bad.yaml'],
  ['plan', '-f', 'manifests/all.yaml'],
  ['plan', '-f', 'manifests/all.yaml', '--prune', 'applied'],
  ['drift', '-f', 'manifests/all.yaml'],
  ['get', 'Service'],
  ['get', 'Service', escapes],
  ['get', escapes],
  ['diff', 'live', 'manifests/all.yaml'],
  ['snapshot', '--out', `${commands[2]}.json`],
  ['history'],
  ['show', 'latest'],
  ['plan', '-f', 'manifests/nowhere\u009b2J.yaml'],
  [escapes],
  ['plan', commands[0] ?? ''],
]

const forms = (command: readonly string[]): readonly (readonly string[])[] => {
  if (['get', 'snapshot'].includes(command[0] ?? '')) return [[], ['-o', 'json']]
  return [[], ['-o', 'json'], ['-o', 'markdown']]
}

describe('the output of the program', () => {
  test('contains only text, and no command of a CI system', async () => {
    const there = await hostile()
    const runs = []
    for (const command of reading) for (const form of forms(command)) runs.push([...command, ...form])
    runs.push(
      ['apply', '-f', 'manifests/all.yaml', '--yes'],
      ['history'],
      ['show', 'latest'],
      ['show', 'latest', '-o', 'json'],
    )
    for (const args of runs) {
      const { stdout, stderr } = await there.run(args)
      const all = `${stdout}\n${stderr}`
      expect(all.match(unsafe), args.join(' ')).toBeNull()
      expect(
        all.split('\n').filter((line) => /^\s*::|##(vso|teamcity)?\[/.test(line)),
        args.join(' '),
      ).toEqual([])
    }
    expect((await there.run(['show', 'latest'])).stdout).toContain('\\u001b]0;title')
  })

  test('contains the same with colours on a terminal', async () => {
    const there = await hostile()
    let written = ''
    const stream = { isTTY: true, columns: 80, write: (text: string) => (written += text) }
    for (const command of reading) await there.run(command, { stdout: stream, stderr: stream })
    await there.run(['apply', '-f', 'manifests/all.yaml', '--yes'], { stdout: stream, stderr: stream })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours, and what takes the live line away
    const others = written.replaceAll(/\u001b\[(?:1|2|22|3[1-6]|39)m|\r\u001b\[K/g, '')
    expect(others.match(unsafe)).toBeNull()
    expect(others).toContain('title')
    expect(written).toContain('\u001b[1m')
  })

  test('has the same data as JSON and as YAML', async () => {
    const there = await hostile()
    const found = JSON.parse((await there.run(['get', 'Service', '-o', 'json'])).stdout)
    const json = (Array.isArray(found) ? found : found.objects).map(({ fields }: { fields: unknown }) => fields)
    const { stdout } = await there.run(['get', 'Service', '-o', 'yaml'])
    expect(stdout.match(unsafe)).toBeNull()
    const yaml = parseAllDocuments(stdout).map((each) => each.toJS())
    expect(yaml.map(({ metadata }) => metadata.name).sort()).toEqual([...names].sort())
    expect(json.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort())
    expect([...yaml.map(({ spec }) => spec), ...json].filter(({ description }) => description !== lines)).toEqual([])
  })
})
