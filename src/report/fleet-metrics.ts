import type { FleetStatusDocument } from '../documents/fleet-status.js'
import { type Metric, metricsText } from './metrics.js'

/** The state of a fleet in the text format of Prometheus. */
export function fleetMetrics({ fleet, at, fault, states, areas, rollouts }: FleetStatusDocument): string {
  const ages = areas.flatMap(({ name, answered }) =>
    answered === null ? [] : [{ labels: { area: name }, value: (Date.parse(at) - Date.parse(answered)) / 1000 }],
  )
  const open = rollouts.filter(({ ended }) => ended === null)
  const running = open.filter(({ status }) => status !== 'failed')
  const gauge = (name: string, help: string, found: Metric['samples'] | number): Metric => ({
    ...{ name, help, type: 'gauge' },
    samples: typeof found === 'number' ? [{ value: found }] : found,
  })
  const metrics = [
    gauge(
      'gatewright_fleet_areas',
      'Areas by the state that their last job found.',
      Object.entries(states).map(([state, value]) => ({ labels: { state }, value })),
    ),
    gauge(
      'gatewright_fleet_areas_waiting',
      'Areas that wait because the day has no calls left.',
      areas.filter(({ waits }) => waits !== null).length,
    ),
    gauge('gatewright_fleet_area_age_seconds', 'How long ago an area last gave an answer.', ages),
    gauge('gatewright_fleet_file_valid', 'Whether the current fleet file is in use: 1, or 0.', fault === null ? 1 : 0),
    gauge('gatewright_fleet_rollouts_running', 'Rollouts that have neither ended nor failed.', running.length),
    gauge(
      'gatewright_fleet_rollouts_failed',
      'Rollouts that no worker continues, and that nobody has stopped yet.',
      open.length - running.length,
    ),
    gauge(
      'gatewright_fleet_rollouts_waiting',
      'Rollouts that wait for an approval.',
      running.filter(({ awaits }) => awaits !== null).length,
    ),
  ]
  return metricsText(metrics, { fleet })
}
