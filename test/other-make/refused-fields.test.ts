import { expect, test } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/json/json.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { type Make, world } from '../kit/world.js'
import { createOtherMake } from './area.js'

/** A platform that refuses what the document says a create ignores, and fields that the document does not have. */

const isApplication = (value: JsonObject): boolean => 'username' in value && !('email' in value)

const mapped = (value: Json, change: (object: JsonObject) => JsonObject): Json => {
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => mapped(each, change))
  if (!isObject(value)) return value
  return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapped(inner, change)])))
}

const isPlan = (value: JsonObject): boolean => 'rateLimitCeiling' in value && !('secret' in value)

/** It shows a version of each application, and whether a plan is active and public. */
const versioned = (value: Json): Json =>
  mapped(value, (object) => ({
    ...object,
    ...(isApplication(object) && { _etag: 'v1' }),
    ...(isPlan(object) && { status: 'active', selfServiceKeyProvisioningEnabled: true }),
  }))

const refusedNames = ['status', 'selfServiceKeyProvisioningEnabled', '_etag']

function refusing(make: Make): Make {
  return {
    log: make.log,
    fetch: async (request) => {
      const sent = request.method === 'GET' || request.url.includes('/token') ? '' : await request.clone().text()
      const name = refusedNames.find((each) => sent.includes(`"${each}"`))
      if (name !== undefined) return Response.json([{ property: name, message: 'may not be sent' }], { status: 400 })
      const response = await make.fetch(request)
      const text = await response.text()
      if (request.url.includes('/token') || text === '') return new Response(text || null, response)
      return Response.json(versioned(JSON.parse(text) as Json), { status: response.status, headers: response.headers })
    },
  }
}

const gold = { name: 'Gold', rateLimitCeiling: 100 }

const member = (applications: readonly JsonObject[]) =>
  document('Member', 'jo', {
    ...{ email: 'jo@example.com', displayName: 'Jo', externalId: 'x', passwdNew: 'pass-word-1' },
    applications: [...applications],
  })

async function restored(before: readonly DocumentText[], after: readonly DocumentText[]) {
  const on = world(refusing(createOtherMake()))
  on.declare(...before)
  expect((await on.apply()).exitCode).toBe(0)
  on.declare(...after)
  expect((await on.apply('--allow', 'KEY_LOSS', '--allow', 'TRAFFIC_STOP')).exitCode).toBe(0)
  const run = await on.run(['rollback', 'latest', '--yes'])
  on.declare(...before)
  const { changes } = await on.plan()
  return { exitCode: run.exitCode, output: run.stdout + run.stderr, changes }
}

test('a rollback creates a deleted plan again, which has the defaults of the platform', async () => {
  const other = { name: 'Silver' }
  const { exitCode, changes } = await restored(
    [document('Package', 'P', { plans: [gold, other] })],
    [document('Package', 'P', { plans: [gold] })],
  )
  expect([exitCode, changes]).toEqual([0, []])
})

test('a rollback creates a deleted package with its plans again', async () => {
  const { exitCode, changes } = await restored(
    [document('Package', 'P', { plans: [gold] }), document('Role', 'R', {})],
    [document('Role', 'R', {})],
  )
  expect([exitCode, changes]).toEqual([0, []])
})

test('a rollback creates a deleted application again, and names what the platform does not take', async () => {
  const { exitCode, output, changes } = await restored(
    [member([{ name: 'Shop', description: 'x' }, { name: 'Second' }])],
    [member([{ name: 'Second' }])],
  )
  expect([exitCode, output, changes]).toEqual([3, expect.stringContaining('_etag'), []])
})
