import type { FleetStatusDocument } from '../documents/fleet-status.js'

/** The state of a fleet in the text format of Prometheus. */
export function fleetMetrics({ fleet, at, fault, states, areas, rollouts }: FleetStatusDocument): string {
  const label = `fleet=${quoted(fleet)}`
  const age = areas.flatMap(({ name, answered }) =>
    answered === null
      ? []
      : [[`${label},area=${quoted(name)}`, (Date.parse(at) - Date.parse(answered)) / 1000] as const],
  )
  const running = rollouts.filter(({ ended }) => ended === null)
  return [
    ...gauge(
      'gatewright_fleet_areas',
      'Areas by the state that their last job found.',
      Object.entries(states).map(([state, count]) => [`${label},state=${quoted(state)}`, count]),
    ),
    ...gauge('gatewright_fleet_areas_waiting', 'Areas that nothing is done in for want of calls of the day.', [
      [label, areas.filter(({ waits }) => waits !== null).length],
    ]),
    ...gauge('gatewright_fleet_area_age_seconds', 'How long ago an area last gave an answer.', age),
    ...gauge('gatewright_fleet_file_valid', 'Whether the fleet file as it is now is in force: 1, or 0.', [
      [label, fault === null ? 1 : 0],
    ]),
    ...gauge('gatewright_fleet_rollouts_running', 'Rollouts that have not ended.', [[label, running.length]]),
    ...gauge('gatewright_fleet_rollouts_waiting', 'Rollouts that wait for an approval.', [
      [label, running.filter(({ awaits }) => awaits !== null).length],
    ]),
    '',
  ].join('\n')
}

const gauge = (name: string, help: string, samples: readonly (readonly [string, number])[]): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  ...samples.map(([labels, value]) => `${name}{${labels}} ${value}`),
]

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
