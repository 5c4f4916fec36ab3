import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** A fact that only the live area can show is a note offline; a plan reports the result, and does not repeat the note. */

const codes = ({ diagnostics }: { readonly diagnostics: readonly { readonly code: string }[] }) =>
  diagnostics.map(({ code }) => code)

const endpoint = (spec: object) => document('Service', 'S', { roles: ['R'], endpoints: [{ name: 'e', ...spec }] })
const whole = { requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] }

describe('a plan', () => {
  test('reports a reference to a missing object, and a field that a create lacks, once', async () => {
    const world = embedded()
    world.declare(endpoint({}))
    expect(codes((await world.run(['validate', '-o', 'json'])).json())).toEqual([
      'undeclared-reference',
      'missing-on-create',
    ])
    expect(codes(await world.plan())).toEqual(['reference-to-nothing', 'required-field-missing'])
  })

  test('does not report a reference to a missing object as a missing field', async () => {
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

  test('does not report references that exist, or fields that an existing object does not need', async () => {
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

describe('a request for a whole tree that is not done', () => {
  const endpoints = ['e', 'f'].map((name) => ({
    ...{ name, requestPathAlias: `/${name}`, trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
    methods: [{ name: 'm' }, { name: 'n' }],
  }))
  const answers = { 'is refused': [403, 'nobody may do that'], 'is not answered': [500, 'something broke'] } as const
  const makes = {
    recorded: () => embedded({ dialect: 'recorded' }).make,
    'another make': () => createOtherMake({}),
  }
  const cases = Object.entries(makes).flatMap(([make, makeIn]) =>
    Object.entries(answers).map(([how, answer]) => [make, how, makeIn, answer] as const),
  )

  test.each(cases)(
    '%s: a tree that %s is reported once, with the number of its objects',
    async (_, _how, makeIn, answer) => {
      const [status, words] = answer
      const make = makeIn()
      const own = world({
        log: make.log,
        fetch: (request) =>
          request.method === 'POST' && request.url.includes('/services')
            ? Promise.resolve(new Response(JSON.stringify({ errorCode: status, errorMessage: words }), { status }))
            : make.fetch(request),
      })
      own.declare(document('Domain', 'example.com'), document('Service', 'S', { endpoints }), document('Role', 'R'))
      const run = await own.apply()
      expect([run.exitCode, run.json().changes.filter(({ outcome }) => outcome === 'failed').length]).toEqual([3, 7])
      const failed = run.json().diagnostics.filter(({ code }) => code === 'change-failed')
      expect(failed.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^create of Service\/S, and of 6 objects in it: /),
      ])
      const text = await own.run(['apply', '--yes', '--quiet'])
      for (const stream of [text.stdout, text.stderr]) expect(stream.split(words)).toHaveLength(2)
      expect(text.stdout).toContain('create Service/S, and 6 objects in it\n')
      // Each of them is in the list of changes that were not done nevertheless.
      expect((await own.run(['apply', '--yes', '--verbose'])).stdout).toContain(
        'create Service/S/Endpoint/e/Method/m\n',
      )
    },
  )
})
