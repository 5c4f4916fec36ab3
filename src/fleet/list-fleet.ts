import type { FleetListDocument, FleetMatrix } from '../documents/fleet.js'
import { type Fleet, type FleetArea, wavesOf } from './fleet.js'
import { shardsOf } from './shards.js'

/** The areas as a document; `areas` are the selected areas of the fleet. */
export function fleetList(fleet: Fleet, areas: readonly FleetArea[]): FleetListDocument {
  const waves = wavesOf(fleet)
  const waveOf = (area: FleetArea): number | null => {
    const index = waves.findIndex((wave) => wave.includes(area))
    return index === -1 ? null : index + 1
  }
  return {
    format: 'gatewright.fleet-list/1',
    fleet: fleet.name,
    areas: areas.map((area) => {
      const { name, project, environment = null, labels, key = null } = area
      return { name, project, environment, labels, key, wave: waveOf(area) }
    }),
  }
}

/** The areas as jobs for a CI system. All areas of a key are in the same job. */
export const fleetMatrix = (areas: readonly FleetArea[], most: number): FleetMatrix => ({
  include: shardsOf(areas, most).map(({ name, keys }) => ({ FLEET_JOB: name, FLEET_NAME: jobName(keys) })),
})

/** Keys and area names are any text that a user wrote, but the name of a job is used in scripts. */
function jobName([first = '', ...more]: readonly string[]): string {
  const words = first.replaceAll(/[^\w.-]+/g, '-').slice(0, 40)
  return more.length === 0 ? words : `${words}-and-${more.length}-more`
}
