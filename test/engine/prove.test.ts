import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/json/json.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { canaries, storefront } from '../kit/storefront.js'
import { embedded, environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** `plan --prove`: the plan is simulated on the embedded platform, interrupted at every write and resumed. */

interface Proof {
  readonly holds: boolean
  readonly failures: readonly string[]
  readonly writes: number
  readonly cutPoints: number
  readonly of: number
}

async function proofOf(
  world: World,
  ...args: readonly string[]
): Promise<{ proof: Proof; exitCode: number; stdout: string }> {
  const run = await world.run(['plan', '--prove', '-o', 'json', ...args])
  const { proof } = JSON.parse(run.stdout) as { proof?: Proof }
  if (!proof) throw new Error(run.stdout)
  return { proof, exitCode: run.exitCode, stdout: run.stdout }
}

const env = { ...environment, ...canaries }

describe('plan --prove', () => {
  test('can be interrupted between two simulations, and then proves nothing', async () => {
    const world = embedded({}, { env })
    world.declare(...storefront)
    const stop = new AbortController()
    let slept = 0
    const sleep = () => {
      slept += 1
      if (slept === 3) stop.abort()
      return Promise.resolve()
    }
    const run = await world.run(['plan', '--prove'], { sleep, signal: stop.signal })
    expect([run.exitCode, run.stdout, slept]).toEqual([130, '', 3])
    expect(run.stderr).toContain('interrupted\n')
  })

  test('proves the create of a whole area, and writes nothing to the live one', async () => {
    const world = embedded({}, { env })
    world.declare(...storefront)
    const { proof, exitCode, stdout } = await proofOf(world)
    expect([proof.failures, exitCode]).toEqual([[], 0])
    expect(proof).toMatchObject({ holds: true, of: proof.writes * 2 })
    expect(proof.cutPoints).toBeGreaterThan(5)
    expect(stdout).not.toContain('canary')
    expect(world.requests().every(({ method }) => method === 'GET')).toBe(true)
  })

  test('proves a change of the roles of a service', async () => {
    const world = embedded()
    const roles = ['A', 'B'].map((name) => document('Role', name))
    const service = (...names: readonly string[]) =>
      document('Service', 'S', { roles: names.map((name) => ({ name, action: 'read' })) })
    world.declare(...roles, service('A'))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(...roles, service('B'))
    expect((await proofOf(world)).proof).toMatchObject({ holds: true, failures: [], writes: 1 })
  })

  test('proves updates and deletes in an area with other objects in it', async () => {
    const world = embedded({}, { env })
    const rest = await restOf(world.make)
    await rest.post('/roles', { name: 'Somebody else’s' })
    world.declare(...storefront)
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(
      ...storefront.flatMap((each) => {
        if (
          each.kind === 'Plan' ||
          each.kind === 'PlanService' ||
          each.kind === 'Application' ||
          each.kind === 'PackageKey'
        )
          return []
        return each.kind === 'Role' && each.metadata.name === 'Staff'
          ? [document('Role', 'Staff', { description: 'new' })]
          : [each]
      }),
    )
    const { proof, exitCode } = await proofOf(world)
    // It removes keys: apply would refuse it without --allow.
    expect([proof.failures, exitCode]).toEqual([[], 5])
    expect(proof.writes).toBeGreaterThan(1)
    const text = await world.run(['plan', '--prove'])
    expect(text.stdout).toMatch(
      /Proved on the embedded platform: .*\(\d+ writes?, interrupted at \d+ of \d+ points and resumed; reading/,
    )
    // The same bytes for the same input: the duration is not displayed.
    expect((await world.run(['plan', '--prove'])).stdout).toBe(text.stdout)
  })

  test('also works for an area of another make, which adds no error set to its services', async () => {
    const area = world(createOtherMake(), { ...testClock(), env })
    const services = (description: string) =>
      ['A', 'B'].map((name) => document('Service', name, { description: name === 'A' ? description : 'other' }))
    area.declare(...services('old'))
    expect((await area.apply()).exitCode).toBe(0)
    area.declare(...services('new'))
    const { proof, exitCode } = await proofOf(area)
    expect([proof.failures, exitCode, proof.writes]).toEqual([[], 0, 1])
  })

  test('refuses a snapshot file without secrets, because the plan of such a file does not write them', async () => {
    const world = embedded({}, { env })
    world.declare(...storefront)
    expect((await world.apply()).exitCode).toBe(0)
    await world.run(['snapshot', '--out', 'area.json'])
    world.declare(...storefront, document('Role', 'New'))
    const refused = await world.run(['plan', '--snapshot', 'area.json', '--prove'])
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('area.json leaves out secrets that manifests write'),
    })
    // Everything with a secret is deleted, and an event with the services of its endpoints, to which it refers as well.
    world.declare(document('Role', 'New'))
    expect((await proofOf(world, '--snapshot', 'area.json')).proof).toMatchObject({ failures: [], holds: true })
  })

  test.each(makesWith({ defaultErrorSet: 'always' }))(
    'proves a plan if flags and numbers are answered as texts: %s',
    async (_, makeIn) => {
      const own = world(answeringTexts(makeIn()))
      const service = (timeout: number) =>
        document('Service', 'S', {
          rfc3986Encode: true,
          securityProfile: { oauth: { accessTokenTtlEnabled: true, accessTokenTtl: 60 + timeout } },
          endpoints: [
            {
              ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'example.com' },
              ...{ publicDomains: ['example.com'], highSecurity: true, cors: { allDomainsEnabled: true, maxAge: 5 } },
              connectionTimeoutForSystemDomainRequest: timeout,
            },
          ],
        })
      own.declare(document('Domain', 'example.com'), service(2))
      expect((await own.apply()).exitCode).toBe(0)
      own.declare(document('Domain', 'example.com'), service(5))
      const { proof } = await proofOf(own)
      expect(proof).toMatchObject({ holds: true, failures: [], writes: 2 })
    },
  )
})

/** A make that writes true, false and numbers as texts. */
const answeringTexts = (make: Make): Make => ({
  log: make.log,
  fetch: async (request) => {
    const response = await make.fetch(request)
    const text = request.url.endsWith('/token') ? '' : await response.clone().text()
    if (text === '') return response
    const isScalar = (value: unknown) => typeof value === 'boolean' || typeof value === 'number'
    const told = JSON.parse(text, (_, value: Json) => (isScalar(value) ? String(value) : value)) as Json
    return new Response(JSON.stringify(told), { status: response.status, headers: response.headers })
  },
})
