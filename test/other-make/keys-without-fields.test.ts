import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/json/json.js'
import { document, projectText } from '../kit/manifests.js'
import { type Make, world } from '../kit/world.js'
import { createOtherMake } from './area.js'

/** A platform whose answers lack fields of keys. */

const without = (value: Json, names: readonly string[]): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => without(each, names))
  if (!isObject(value)) return value
  const isKey = 'secret' in value || 'apikey' in value
  const kept = Object.entries(value).filter(([name]) => !(isKey && names.includes(name)))
  return Object.fromEntries(kept.map(([name, inner]) => [name, without(inner, names)]))
}

/** The same, but no answer contains these fields of a key. */
function lacking(make: Make, names: readonly string[]): Make {
  return {
    ...make,
    fetch: async (request) => {
      const response = await make.fetch(request)
      const text = await response.text()
      const isRead = text !== '' && !request.url.includes('/token')
      const body = isRead ? JSON.stringify(without(JSON.parse(text) as Json, names)) : text
      return new Response(body === '' ? null : body, { status: response.status, headers: response.headers })
    },
  }
}

const key = { package: 'P', plan: 'Gold', apikey: 'apikey-1', secret: 'secret-1' }
const bare = { package: 'P', plan: 'Gold', secret: 'secret-1' }
const inQ = { package: 'Q' }

const declared = (keys: readonly JsonObject[]) => [
  document('Package', 'P', { plans: [{ name: 'Gold' }] }),
  document('Package', 'Q', { plans: [{ name: 'Gold' }] }),
  document('Member', 'acme', {
    ...{ email: 'a@b.example', displayName: 'A', externalId: 'x', passwdNew: 'pass-word-1' },
    applications: [{ name: 'Shop', packageKeys: [...keys] }],
  }),
]

/** An area after an apply of these keys. */
async function applied(lacks: readonly string[], keys: readonly JsonObject[]) {
  const make = createOtherMake()
  const area = world(lacking(make, lacks))
  area.declare(...declared(keys))
  const { exitCode } = await area.apply()
  return { area, exitCode, count: () => make.store.all('packageKeys').length }
}

test.each([
  ['a written value', [key]],
  ['no written value', [bare]],
  ['two packages', [key, { ...key, ...inQ, apikey: 'apikey-2' }]],
  ['two packages and no written value', [bare, { ...bare, ...inQ }]],
])('answers without the value of a key change nothing: %s', async (_, keys) => {
  const { area, exitCode } = await applied(['apikey'], keys)
  expect(exitCode).toBe(0)
  expect((await area.plan()).changes).toEqual([])
  expect((await area.drift()).json().changes).toEqual([])
})

const unnamed: readonly (readonly [string, readonly string[], readonly JsonObject[]])[] = [
  ['a written value', ['package'], [key]],
  ['no written value', ['package'], [bare]],
  ['two without written values', ['package'], [bare, { ...bare, ...inQ }]],
  ['one with and one without a written value', ['package'], [bare, { ...key, ...inQ }]],
  ['no value in the answers', ['package', 'apikey'], [key]],
  ['no value anywhere', ['package', 'apikey'], [bare]],
]

test.each(unnamed)('answers without the package of a key never lead to a second key: %s', async (_, lacks, keys) => {
  const { area, exitCode, count } = await applied(lacks, keys)
  // Nothing shows that the platform has kept the package.
  expect(exitCode).toBe(0)
  for (const records of ['kept', 'lost']) {
    if (records === 'lost') rmSync(join(area.dir, '.gatewright'), { recursive: true })
    const { stdout } = await area.run(['plan', '-o', 'json'])
    expect(stdout).not.toContain('"action": "create"')
    await area.apply()
    expect(count()).toBe(keys.length)
  }
})

test('a key that is added beside a recorded one without a package is created once', async () => {
  const { area, count } = await applied(['package'], [bare])
  area.declare(...declared([bare, { ...bare, ...inQ }]))
  expect((await area.apply()).exitCode).toBe(0)
  expect((await area.plan()).changes).toEqual([])
  expect(count()).toBe(2)
})

test.each([
  ['one key', [key]],
  ['two keys', [key, { ...key, ...inQ, apikey: 'apikey-2' }]],
])('an export pins keys that are answered without their package, and a plan of it is empty: %s', async (_, keys) => {
  const { area } = await applied(['package', 'plan'], keys)
  for (const options of [[], ['--with-secrets']]) {
    const dir = `out${options.length}`
    const run = await area.run(['export', '--dir', dir, ...options])
    expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining('error')])
    area.write('gatewright.yaml', projectText('', dir).replace('[manifests]', `[${dir}]`))
    const plan = await area.run(['plan', '-o', 'json'])
    expect(plan.json().changes).toEqual([])
  }
})
