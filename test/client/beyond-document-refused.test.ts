import { describe, expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { environment, type Make, testClock, type World, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Platforms that answer requests for what the document does not have in their own way: everything else is read all the same. */

const html =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('<html><body>Sign in</body></html>', { status, headers: { 'content-type': 'text/html', ...headers } })

const json = (status: number, body: unknown) => () => Response.json(body, { status })

const answers = [
  ['404', json(404, [{ message: 'not found' }])],
  ['404 in HTML', html(404)],
  ['400', json(400, { errorCode: 400, errorMessage: 'no such resource' })],
  ['403', json(403, { errorCode: 403, errorMessage: 'not allowed' })],
  ['403 of a gateway', html(403, { 'x-svc-error-code': 'ERR_403_NOT_AUTHORIZED' })],
  ['401', json(401, { error: 'unauthorized' })],
  ['405', html(405)],
  ['406', html(406)],
  ['500', json(500, { errorCode: 500, errorMessage: 'no handler' })],
  ['500 in HTML', html(500)],
  ['501', html(501)],
  ['502', html(502)],
  ['200 in HTML', html(200)],
  ['200 without a body', () => new Response('', { status: 200 })],
  ['200 with null', json(200, null)],
  ['200 with a text', json(200, 'none')],
  ['200 with an error', json(200, { error: 'no such resource' })],
  ['204', () => new Response(null, { status: 204 })],
  ['a login page', html(302, { location: 'https://login.example.com/sso?x=1' })],
  ['308 with a slash', html(308, { location: '/elsewhere/' })],
] as const

const beyond = /\/v3\/rest\/(?:organizations|emailTemplateSets|.*\/responseFilters)(?:\/[^/]*)?$/

const refusing = (make: Make, answer: () => Response): Make => ({
  log: make.log,
  fetch: (request) =>
    request.method === 'GET' && beyond.test(new URL(request.url).pathname)
      ? Promise.resolve(answer())
      : make.fetch(request),
})

const io = { ...testClock(), env: { ...environment, PASSWORD: 'password-1' } }

function declare(on: World, description = 'x'): void {
  on.declare(
    document('Domain', 'example.com', {}),
    document('Role', 'R', {}),
    document('Service', 'S', {
      description,
      roles: [{ name: 'R', action: 'read' }],
      endpoints: [
        {
          ...{ name: 'e', requestPathAlias: '/e', trafficManagerDomain: 'api.example.com' },
          ...{ publicDomains: ['api.example.com'], systemDomains: ['in.example.com'] },
          methods: [{ name: 'm' }],
        },
      ],
    }),
    document('Package', 'P', {
      plans: [{ name: 'Gold', emailTemplateSetId: 7, services: [{ name: 'S', endpoints: '*' }] }],
    }),
    document('Member', 'jo', {
      ...{ email: 'jo@example.com', displayName: 'Jo', externalId: 'x', passwdNew: '${env:PASSWORD}' },
      applications: [{ name: 'Shop' }],
    }),
  )
}

const looks = [
  ['plan', '--prune', 'all'],
  ['drift'],
  ['snapshot', '--out', 'area.json'],
  ['export', '--dir', 'out', '--full'],
  ['get', 'Method'],
  ['get', 'Package'],
  ['get', '--unmanaged'],
]

describe.each(answers)('answered with %s', (_, answer) => {
  test('every command works that needs nothing beyond the document', async () => {
    const on = world(refusing(createOtherMake(), answer), io)
    declare(on)
    const ends = [await on.apply()]
    for (const args of looks) ends.push(await on.run(args))
    declare(on, 'y')
    ends.push(await on.apply(), await on.run(['rollback', 'latest', '--yes']))
    expect(ends.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(ends.map(() => [0, expect.anything()]))
  })
})
