import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { environment, type Make, type Run, type World } from '../kit/world.js'
import { areas } from './area.js'
import { platform, runs, within } from './within.js'

/** A make that refuses every write and answers with the whole request. */
const echoing = (make: Make): Make => ({
  log: make.log,
  fetch: async (request) => {
    const isWrite = request.method === 'POST' || request.method === 'PUT'
    if (!isWrite || request.url.endsWith('/token')) return make.fetch(request)
    const body = await request.text()
    const errors = [{ property: 'name', message: `not acceptable: ${body}` }]
    return Response.json({ errorCode: 400, errorMessage: body, errors }, { status: 400 })
  },
})

/** Possible spellings of a text: as it is, inside JSON, inside a URL. */
const spellings = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
  encodeURIComponent(secret),
]

const secretsOf = (env: Readonly<Record<string, string>>) => [
  ...Object.values(env),
  environment.GATEWRIGHT_API_SECRET,
  environment.GATEWRIGHT_PASSWORD,
]

const commands: readonly (readonly string[])[] = [
  ['validate'],
  ['plan'],
  ['plan', '-o', 'json', '--debug'],
  ['plan', '-o', 'markdown'],
  ['drift', '-o', 'json'],
  ['apply', '--yes', '--debug'],
  ['apply', '--yes', '-o', 'json'],
  ['drift'],
]

async function outputs(world: World): Promise<string> {
  const written: Run[] = []
  for (const command of commands) written.push(await world.run([...command, '--log-http', 'http.jsonl']))
  const log = readFileSync(join(world.dir, 'http.jsonl'), 'utf8')
  return [...written.flatMap((run) => [run.stdout, run.stderr]), log].join('\n')
}

test.each([
  ['a platform', () => platform()],
  ['a platform that answers a refusal with the request', () => echoing(platform())],
  ['a recorded one, with other live values', () => platform({ dialect: 'recorded' })],
])('no secret occurs in any output or log of %s', async (_, make) => {
  await fc.assert(
    fc.asyncProperty(areas('known'), async (area) => {
      const one = make()
      const text = await within(one, area, outputs)
      const others = Object.fromEntries(Object.entries(area.env).map(([name, value]) => [name, `${value}-changed`]))
      const changed = await within(one, { ...area, env: others }, outputs)
      for (const secret of secretsOf({ ...area.env }).flatMap(spellings)) expect(text).not.toContain(secret)
      for (const secret of Object.values(area.env).flatMap(spellings)) expect(changed).not.toContain(secret)
    }),
    runs(4),
  )
})
