import { expect, it } from 'vitest'
import { document } from '../kit/manifests.js'
import { embedded } from '../kit/world.js'

it('a base that no run has created does not get the name of a run', async () => {
  const area = embedded()
  area.declare(document('Role', 'Partners'))
  await area.apply()
  area.project('', 'other')
  // There is nothing to do: the object is taken over, which is no run.
  await area.apply()
  expect((await area.run(['plan'])).stdout).toContain('Base: records\n')
  expect((await area.run(['history'])).stdout).toContain('No runs that changed something are recorded')
})
