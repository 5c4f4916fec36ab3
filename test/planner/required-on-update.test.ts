import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment, world } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

const env = { ...environment, SDA_PASSWORD: 'sda-password-1' }

const domain = document('Domain', 'example.com')
const service = (username: string, password = '${env:SDA_PASSWORD}') =>
  document('Service', 'S', {
    endpoints: [
      {
        name: 'e',
        requestPathAlias: '/e',
        trafficManagerDomain: 'example.com',
        publicDomains: ['example.com'],
        systemDomainAuthentication: {
          type: 'httpBasic',
          username,
          password,
          metadata: { ignore: ['/type'] },
        },
      },
    ],
  })

test.each([
  ['document', () => embedded({}, { env })],
  ['recorded', () => embedded({ dialect: 'recorded' }, { env })],
  ['another make', () => world(createOtherMake(), { env })],
] as const)('%s: the live value of a required field that is not managed is sent', async (_, make) => {
  const area = make()
  area.declare(domain, service('one'))
  const first = await area.apply()
  expect(first.exitCode, first.stdout + first.stderr).toBe(0)
  const rest = await restOf(area.make)
  const [{ id } = {}] = await rest.get('/services')
  const [{ id: endpoint } = {}] = await rest.get(`/services/${id}/endpoints`)
  const path = `/services/${id}/endpoints/${endpoint}/systemDomainAuthentication`
  await rest.put(path, { type: 'clientSslCert', username: 'one', certificate: 'c', password: 'sda-password-1' })
  area.declare(domain, service('two'))
  const second = await area.apply('--allow', 'AUTH_WEAKENED')
  expect(second.exitCode, second.stdout + second.stderr).toBe(0)
  const [live] = await rest.get(path)
  expect([live?.type, live?.username]).toEqual(['clientSslCert', 'two'])
})

test('an edit beside a secret that is not set here is not reported to lack a required field', async () => {
  const area = embedded({}, { env })
  area.declare(domain, service('one', 'a ${env:SDA_PASSWORD}'))
  expect((await area.apply()).exitCode).toBe(0)
  area.declare(domain, service('one', 'b ${env:SDA_PASSWORD}'))
  const plan = await area.run(['plan', '-o', 'json'], { env: environment })
  expect([plan.exitCode, plan.json()]).toMatchObject([
    0,
    {
      diagnostics: [{ code: 'secret-unavailable' }],
      changes: [{ action: 'update', fields: [{ path: '/password', unavailable: true }] }],
    },
  ])
})

test('an object that the interface cannot create is blocked, and lacks nothing', async () => {
  const area = embedded()
  area.declare(document('EmailTemplate', { emailTemplateSet: 'Portal', name: 'welcome' }, { subject: 'Hello' }))
  const plan = await area.run(['plan', '-o', 'json'])
  expect([plan.exitCode, plan.json()]).toMatchObject([5, { changes: [{ action: 'blocked' }] }])
})
