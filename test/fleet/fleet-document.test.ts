import { expect, it } from 'vitest'
import { escapeName } from '../../src/catalog/address.js'
import type { AreaResult } from '../../src/documents/fleet.js'
import type { PlanDocument } from '../../src/documents/plan.js'
import { changesDigest } from '../../src/fleet/common-changes.js'
import { fleetDocument } from '../../src/fleet/fleet-document.js'
import { area } from './areas.js'

const plan = (address: string): PlanDocument => ({
  ...{ format: 'gatewright.plan/1', manifests: 'sha256:1', base: null, refused: [], unmanaged: [], accepted: [] },
  ...{ diagnostics: [], estimate: { requests: 0, seconds: 0 } },
  target: { url: 'https://a.example', area: 'a', project: 'p' },
  summary: { create: 1, update: 0, replace: 0, delete: 0, blocked: 0, unchanged: 0, unmanaged: 0, accepted: 0 },
  changes: [
    { address, kind: 'Role', action: 'create', fields: [], dependsOn: [], precondition: 'absent', hazards: [] },
  ],
})

const result = (name: string, document: PlanDocument | null, more: Partial<AreaResult> = {}): AreaResult => ({
  ...{ area: name, command: 'plan', exit: 0, state: 'pending', startedAt: '2026-11-22T00:00:00.000Z', seconds: 1 },
  ...{ requests: 5, diagnostics: [], files: {}, document, summary: document?.summary ?? {} },
  changes: document && changesDigest(document, area(name)),
  ...more,
})

it('accepts names with special characters', () => {
  const changes = (name: string) => changesDigest(plan(`Role/For ${name}`), area(name))
  expect(changes('brand-01 (north)')).toBe(changes('brand-02 [south]'))
})

it('finds names with slashes as well', () => {
  const changes = (name: string) =>
    changesDigest(plan(`Service/S/Endpoint/${escapeName(`/${name}/orders`)}`), area(name))
  expect(changes('acme')).toBe(changes('globex'))
})

it('groups equal plans, those of most areas first, and keeps the order of the fleet', () => {
  const fleet = { name: 'brands', areas: ['acme', 'globex', 'initech', 'umbrella'].map((name) => area(name)) }
  const document = fleetDocument({
    ...{ fleet, command: 'plan', startedAt: '2026-11-22T00:00:00.000Z', seconds: 2, problems: [] },
    ownNames: ({ name, values }) => ({ name, area: undefined, values }),
    results: [
      result('umbrella', null, { state: 'error', requests: null }),
      result('initech', plan('Role/For initech')),
      result('globex', plan('Role/Other')),
      result('acme', plan('Role/For acme')),
    ],
  })
  expect(document.areas.map((each) => each.area)).toEqual(['acme', 'globex', 'initech', 'umbrella'])
  expect(document.same.map(({ areas, changes }) => [areas, changes.map(({ address }) => address)])).toEqual([
    [['acme', 'initech'], ['Role/For ${name}']],
    [['globex'], ['Role/Other']],
  ])
  expect(document.summary).toMatchObject({ areas: 4, requests: 15, changes: { create: 3 } })
  expect(document.summary.states).toMatchObject({ pending: 3, error: 1, 'in-sync': 0 })
  expect(document.areas[0]).not.toHaveProperty('document')
})
