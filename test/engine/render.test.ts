import { expect, test } from 'vitest'
import { document, manifestText } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

test('what is rendered removes what documents of kind Removed remove, in the environments that they are for', async () => {
  const world = embedded()
  world.declare(document('Role', 'Gone'), document('Role', 'Kept'))
  await world.apply()
  world.project('  environments: {dev: {}, prod: {}}\n')
  const removed = document('Removed', { address: 'Role/Gone', environments: ['dev'] })
  world.write('manifests/all.yaml', manifestText([document('Role', 'Kept'), removed]))
  const deletes = async () =>
    (await world.plan('-e', 'dev', '-f', 'manifests')).changes.map(({ action, address }) => [action, address])
  expect(await deletes()).toEqual([['delete', 'Role/Gone']])
  const [dev, prod] = [await world.run(['render', '-e', 'dev']), await world.run(['render', '-e', 'prod'])]
  expect(prod.stdout).not.toContain('Gone')
  world.write('manifests/all.yaml', dev.stdout)
  expect(await deletes()).toEqual([['delete', 'Role/Gone']])
})
