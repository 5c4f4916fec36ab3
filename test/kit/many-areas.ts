import type { AreaState } from '../../src/documents/fleet.js'
import type { FleetStatusDocument } from '../../src/documents/fleet-status.js'

/** The status of a fleet with that many areas: most are in sync, and a few have the other states in turn. */
export function manyAreas(count: number): FleetStatusDocument {
  const at = '2027-01-01T12:00:00.000Z'
  const others: readonly (AreaState | null)[] = ['drift', 'error', null, 'conflict', 'not-started', 'refused']
  const areas = Array.from({ length: count }, (_, index) => {
    const state = index % 40 === 7 ? (others[Math.floor(index / 40) % others.length] ?? null) : 'in-sync'
    return {
      ...{
        name: `brand-${String(index).padStart(4, '0')}`,
        project: 'shop',
        environment: 'prod',
        key: 'shared',
        state,
      },
      labels: { ring: index < 20 ? 'canary' : 'all', region: ['eu', 'us', 'apac'][index % 3] ?? '' },
      ...{ since: at, checked: '2027-01-01T09:00:00.000Z', answered: at, editor: null },
      report: index % 2 === 0 ? `drift ${at}` : null,
      waits: index % 200 === 3 ? 'the calls that key "shared" has for today are used up' : null,
      messages: [],
    }
  })
  const states: Record<string, number> = {}
  for (const { state } of areas) states[state ?? 'unknown'] = (states[state ?? 'unknown'] ?? 0) + 1
  return { format: 'gatewright.fleet-status/1', fleet: 'brands', at, fault: null, states, areas, rollouts: [] }
}
