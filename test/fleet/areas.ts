import type { FleetArea } from '../../src/fleet/fleet.js'

/** An area of a fleet, with the given settings. */
export const area = (name: string, more: Partial<FleetArea> = {}): FleetArea => ({
  name,
  project: '.',
  environment: undefined,
  area: name,
  values: {},
  labels: {},
  key: undefined,
  credentials: {},
  variables: [],
  place: { file: 'gatewright.fleet.yaml', line: 1, column: 1 },
  ...more,
})

/** The default settings of the server of a fleet. */
export const serveSettings = { userHeader: undefined, trustedProxies: [], origin: undefined, retentionDays: 90 }
