import { diagnosticOf } from '../documents/diagnostics.js'
import { type AreaResult, areaStates, type FleetAreaDocument, type FleetDocument } from '../documents/fleet.js'
import type { Problem } from '../problems/problem.js'
import { sameChanges } from './common-changes.js'
import type { Fleet, FleetArea } from './fleet.js'
import type { OwnNames } from './own-names.js'

/** The contents of a document; `results` in any order, at most one per area. */
interface FleetRun extends Pick<FleetDocument, 'command' | 'startedAt' | 'seconds'> {
  readonly fleet: Pick<Fleet, 'name' | 'areas'>
  readonly results: readonly AreaResult[]
  readonly ownNames: (area: FleetArea) => OwnNames
  /** Problems of the fleet itself. */
  readonly problems: readonly Problem[]
}

/** The results as `gatewright.fleet/1`, in the order of the fleet. */
export function fleetDocument({
  fleet,
  command,
  startedAt,
  seconds,
  results,
  ownNames,
  problems,
}: FleetRun): FleetDocument {
  const byName = new Map(results.map((result) => [result.area, result]))
  const ordered = fleet.areas.flatMap(({ name }) => byName.get(name) ?? [])
  const known = new Map(fleet.areas.map((area) => [area.name, area]))
  const areas = ordered.flatMap((result): readonly FleetAreaDocument[] => {
    const area = known.get(result.area)
    if (!area) return []
    const { document: _, command: __, ...rest } = result
    const { project, environment = null, labels, key = null } = area
    const { host } = ownNames(area)
    return [{ ...rest, project, environment, ...(host && { host }), labels, key }]
  })
  return {
    format: 'gatewright.fleet/1',
    fleet: fleet.name,
    ...{ command, startedAt, seconds },
    summary: summaryOf(areas),
    areas,
    same: sameChanges(ordered, (name) => {
      const area = known.get(name)
      return area && ownNames(area)
    }),
    diagnostics: problems.map(diagnosticOf),
  }
}

function summaryOf(areas: readonly FleetAreaDocument[]): FleetDocument['summary'] {
  const states = areaStates.map((state) => [state, areas.filter((area) => area.state === state).length] as const)
  const changes = new Map<string, number>()
  for (const { summary } of areas) {
    for (const [name, count] of Object.entries(summary)) changes.set(name, (changes.get(name) ?? 0) + count)
  }
  return {
    areas: areas.length,
    states: Object.fromEntries(states) as FleetDocument['summary']['states'],
    changes: Object.fromEntries(changes),
    requests: areas.reduce((sum, { requests }) => sum + (requests ?? 0), 0),
  }
}
