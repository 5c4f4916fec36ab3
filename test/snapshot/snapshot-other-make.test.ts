import { expect, it } from 'vitest'
import { canaries, documentedStorefront } from '../kit/storefront.js'
import { environment, testClock, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

it.each(['unless given', 'never'] as const)(
  'the plan of a snapshot of another make (error set "Default": %s) is that of its area',
  async (defaultErrorSet) => {
    const env = { ...environment, ...canaries }
    const area = world(createOtherMake({ defaultErrorSet }), { ...testClock(), env })
    area.declare(...documentedStorefront)
    expect((await area.apply()).exitCode).toBe(0)
    const { exitCode, stderr } = await area.run(['snapshot', '--out', 'area.json'])
    expect(exitCode, stderr).toBe(0)
    const offline = { transport: () => Promise.reject(new Error('nothing may be sent')) }
    const plan = await area.run(['plan', '--snapshot', 'area.json', '-o', 'json'], offline)
    expect(plan.json().changes).toEqual([])
    expect((await area.run(['diff', 'area.json', 'live'])).stdout).toMatch(/\n\nDiff: no differences\.\n$/)
    expect((await area.run(['diff', 'live', 'manifests'])).stdout).toMatch(/\n\nDiff: no differences\.\n$/)
  },
)
