import { expect, test } from 'vitest'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { embedded, environment } from '../kit/world.js'

const env = { ...environment, KEY: 'key-1', SECRET: 'secret-1', PASSWORD: 'password-1' }

const packages = ['A', 'B'].map((name) => document('Package', name, { plans: [{ name: 'plan' }] }))
const member = (name: string) =>
  document('Member', 'm', {
    email: 'm@example.com',
    displayName: 'm',
    externalId: '1',
    passwdNew: '${env:PASSWORD}',
    applications: [
      {
        name: 'app',
        packageKeys: [{ package: name, plan: 'plan', apikey: '${env:KEY}', secret: '${env:SECRET}' }],
      },
    ],
  })

test('a key that moves to another package is a change of the manifests', async () => {
  const world = embedded({}, { env })
  world.declare(...packages, member('A'))
  expect((await world.apply()).exitCode).toBe(0)
  world.declare(...packages, member('B'))
  const [change] = (await world.plan('--allow-replace')).changes
  expect(change?.fields.map(({ path, verdict }) => `${verdict} ${path}`)).toEqual(['pending /package', 'pending /plan'])
  expect((await world.drift()).exitCode).toBe(0)
})

test('a key that somebody made anew in another package is a change of theirs', async () => {
  const world = embedded({}, { env })
  world.declare(...packages, member('A'))
  expect((await world.apply()).exitCode).toBe(0)
  const rest = await restOf(world.make)
  const [key] = await rest.get('/packageKeys')
  const [application] = await rest.get('/applications')
  const live = await rest.get('/packages?fields=id,name,plans.id')
  const other = live.find(({ name }) => name === 'B')
  const [plan] = (other?.plans ?? []) as readonly { readonly id: string }[]
  await rest.remove(`/packageKeys/${String(key?.id)}`)
  await rest.post(`/applications/${String(application?.id)}/packageKeys`, {
    ...{ apikey: 'key-1', secret: 'secret-1', package: { id: other?.id ?? '' }, plan: { id: plan?.id ?? '' } },
  })
  const drift = await world.drift()
  expect(drift.exitCode).toBe(2)
  expect(drift.json().changes.map(({ kind, side }) => `${kind} ${side}`)).toEqual(['PackageKey live'])
})
