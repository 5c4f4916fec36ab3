import { expect, test } from 'vitest'
import { nestUnnested } from '../../src/snapshot/unnested.js'

/** Applications and keys that a snapshot file has beside their owners. */

test('an owner keeps what it has, and gets each of the others once', () => {
  const inside = { id: 'a', name: 'A', username: 'u' }
  const beside = { id: 'b', name: 'B', username: 'u' }
  const members = [
    { id: 'm', username: 'u', applications: [inside] },
    { id: 'n', username: 'v' },
  ]
  expect(nestUnnested({ members, applications: [inside, beside] })).toEqual({
    members: [
      { id: 'm', username: 'u', applications: [inside, beside] },
      { id: 'n', username: 'v' },
    ],
  })
})

test('what says nothing of its owner is in no owner', () => {
  const members = [{ id: 'm' }]
  expect(nestUnnested({ members, applications: [{ id: 'a', name: 'A' }] })).toEqual({ members })
})
