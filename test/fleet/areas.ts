import type { FleetArea } from '../../src/fleet/fleet.js'

/** An area as a fleet has it, with what a test says of it. */
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

/** What the server of a fleet is told where its file says nothing. */
export const serveSettings = { userHeader: undefined, trustedProxies: [], origin: undefined, retentionDays: 90 }
