import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment } from '../kit/world.js'

/** What only the live area can tell is a note offline; a plan tells what is so, and does not repeat the note. */

const codes = ({ diagnostics }: { readonly diagnostics: readonly { readonly code: string }[] }) =>
  diagnostics.map(({ code }) => code)

const endpoint = (spec: object) => document('Service', 'S', { roles: ['R'], endpoints: [{ name: 'e', ...spec }] })
const whole = { requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] }

describe('a plan', () => {
  test('tells of a reference to nothing, and of a field that a create lacks, once', async () => {
    const world = embedded()
    world.declare(endpoint({}))
    expect(codes((await world.run(['validate', '-o', 'json'])).json())).toEqual([
      'undeclared-reference',
      'missing-on-create',
    ])
    expect(codes(await world.plan())).toEqual(['reference-to-nothing', 'required-field-missing'])
  })

  test('does not call a reference to nothing a field that is lacking', async () => {
    const world = embedded(
      {},
      { env: { ...environment, KEY: 'hush-key', SECRET: 'hush-secret', PASSWORD: 'hush-word' } },
    )
    const key = {
      package: 'P',
      plan: 'Elsewhere',
      apikey: '${env:KEY}',
      secret: '${env:SECRET}',
    }
    world.declare(
      document('Package', 'P', { plans: [{ name: 'L' }] }),
      document('Package', 'Q', { plans: [{ name: 'Elsewhere' }] }),
      document('Member', 'm', {
        email: 'm@example.com',
        displayName: 'm',
        externalId: '1',
        passwdNew: '${env:PASSWORD}',
        applications: [{ name: 'a', packageKeys: [key] }],
      }),
    )
    expect(codes(await world.plan())).toEqual(['reference-to-nothing'])
  })

  test('tells nothing of references that exist, nor of fields that an existing object need not have', async () => {
    const world = embedded()
    const rest = await restOf(world.make)
    await rest.post('/roles', { name: 'R' })
    const domain = document('Domain', 'example.com')
    world.declare(domain, endpoint(whole))
    expect((await world.apply()).exitCode).toBe(0)
    world.declare(domain, endpoint({ numberOfHttpRedirectsToFollow: 3 }))
    for (const args of [['validate'], ['plan'], ['drift']]) {
      const { diagnostics } = (await world.run([...args, '-o', 'json'])).json()
      expect(diagnostics.length > 0).toBe(args[0] === 'validate')
    }
  })
})
