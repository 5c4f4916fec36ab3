import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/json.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { makes } from '../other-make/worlds.js'

const service = (fields: JsonObject) => document('Service', 'Orders', { version: '1', ...fields })

const withMessage = (fields: JsonObject) =>
  service({ errorSets: [{ name: 'problem', errorMessages: [{ id: 'ERR_403_NOT_AUTHORIZED', ...fields }] }] })

describe.each(makes)('a rollback of a run that took over a field, on the make "%s"', (_, on) => {
  test('gives it back to whoever had set it: no later apply clears it', async () => {
    const there = on()
    there.declare(service({}))
    expect((await there.apply()).exitCode).toBe(0)
    const rest = await restOf(there.make)
    const [found] = await rest.get('/services?fields=id,name')
    await rest.put(`/services/${found?.id}`, { description: 'by hand' })
    there.declare(service({ version: '2', description: 'ours' }))
    expect((await there.apply('--take', 'manifest')).exitCode).toBe(0)
    expect((await there.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
    there.declare(service({}))
    expect((await there.plan()).changes).toEqual([])
    expect((await there.apply()).exitCode).toBe(0)
    expect(await rest.get('/services?fields=version,description')).toMatchObject([
      { version: '1', description: 'by hand' },
    ])
    // What had been applied before is still known: it is cleared where it is no longer written.
    there.declare(document('Service', 'Orders', { description: 'by hand' }))
    expect((await there.plan()).changes.map(({ fields }) => fields.map(({ path }) => path))).toEqual([['/version']])
  })

  test('gives it back to the platform, which had a default', async () => {
    const there = on()
    there.declare(withMessage({}))
    expect((await there.apply()).exitCode).toBe(0)
    there.declare(withMessage({ status: 'ours' }))
    expect((await there.apply()).exitCode).toBe(0)
    expect((await there.run(['rollback', 'latest', '--yes'])).exitCode).toBe(0)
    there.declare(withMessage({}))
    expect((await there.plan()).changes).toEqual([])
  })
})
