import { expect, it } from 'vitest'
import type { RolloutDocument } from '../../src/documents/fleet-status.js'
import { rolloutText } from '../../src/report/fleet-status.js'

const rollout: RolloutDocument = {
  ...{ rollout: 'r1', who: 'joe', started: '2026-11-22T21:56:00.000Z', ended: null, status: 'waiting', why: null },
  waves: [],
  same: [
    { digest: '1', areas: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], summary: { create: 4 } },
    { digest: '2', areas: ['odd\u001b[31m'], summary: { update: 1, delete: 2 } },
  ],
  ...{ dropped: [], waiting: [], notBegun: [], awaits: null, decisions: [] },
}

it('names the areas of a rollout that have the same plan', () => {
  expect(rolloutText(rollout).output.split('\n').slice(1)).toEqual([
    '  7 areas (a, b, c, d, e and 2 more): 4 create',
    '  odd\\u001b[31m: 1 update, 2 delete',
    '',
  ])
})

it('says who has decided what, and when', () => {
  const at = '2026-11-22T21:58:00.000Z'
  const decisions: RolloutDocument['decisions'] = [
    { at, who: 'joe', decision: 'start', wave: null, digest: null },
    { at, who: 'jane', decision: 'approve', wave: 2, digest: '1' },
    { at, who: 'jane', decision: 'pause', wave: null, digest: null },
  ]
  expect(
    rolloutText({ ...rollout, same: [], decisions })
      .output.split('\n')
      .slice(1),
  ).toEqual(['  wave 2 approved by jane at 2026-11-22 21:58', '  paused by jane at 2026-11-22 21:58', ''])
})
