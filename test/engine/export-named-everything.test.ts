import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/json/json.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { world } from '../kit/world.js'

/** An object may be named "*", which alone in a manifest stands for everything. */

const endpoint = (name: string, requestPathAlias: string, methods: readonly string[]) => ({
  ...{ name, requestPathAlias, trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
  methods: methods.map((each) => ({ name: each })),
})
const area = [
  document('Domain', 'example.com'),
  document('Service', 'S', { endpoints: [endpoint('*', '/a', []), endpoint('e', '/b', ['*', 'm'])] }),
  document('Package', 'P', {
    plans: [
      { name: 'Gold', services: [{ name: 'S', endpoints: [{ name: '*' }, { name: 'e', methods: [{ name: '*' }] }] }] },
    ],
  }),
]

describe.each(makesWith())('on the make "%s"', (_, make) => {
  test('the plan of an export is empty', async () => {
    const there = world(make())
    there.declare(...area)
    expect((await there.apply()).exitCode).toBe(0)
    rmSync(join(there.dir, 'manifests'), { recursive: true, force: true })
    const run = await there.run(['export', '--dir', 'manifests'])
    expect(run.exitCode, run.stderr).toBe(0)
    expect((await there.plan()).changes).toEqual([])
  })

  test('rendered manifests have the same plan', async () => {
    const there = world(make())
    there.declare(...area)
    const run = await there.run(['render'])
    expect(run.exitCode, run.stderr).toBe(0)
    expect((await there.apply()).exitCode).toBe(0)
    rmSync(join(there.dir, 'manifests'), { recursive: true, force: true })
    there.write('manifests/all.yaml', run.stdout)
    expect((await there.plan()).changes).toEqual([])
  })

  test.each([
    ['a method', [{ name: 'e', methods: [{ name: '*' }] }], [{ name: 'e', methods: ['m'] }]],
    ['an endpoint', [{ name: '*' }], [{ name: 'e' }]],
  ])('a rollback picks %s of that name again, and no other', async (_name, before, after) => {
    const there = world(make())
    const declare = (endpoints: Json) =>
      there.declare(
        ...area.slice(0, 2),
        document('Package', 'P', { plans: [{ name: 'Gold', services: [{ name: 'S', endpoints }] }] }),
      )
    declare(before)
    expect((await there.apply()).exitCode).toBe(0)
    declare(after)
    expect((await there.apply('--allow', 'KEY_LOSS', '--allow', 'TRAFFIC_STOP')).exitCode).toBe(0)
    const back = await there.run(['rollback', 'latest', '--yes', '--allow', 'TRAFFIC_STOP'])
    expect(back.exitCode, back.stderr).toBe(0)
    declare(before)
    expect((await there.plan()).changes).toEqual([])
  })
})
