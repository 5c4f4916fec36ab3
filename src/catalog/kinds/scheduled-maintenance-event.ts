import { conventional, datetime, kind, references, string } from '../table.js'

const item = '/scheduledMaintenanceEvents/{scheduledMaintenanceEventId}'

export const ScheduledMaintenanceEvent = kind({
  about: 'A time range during which the traffic manager rejects calls to specific endpoints.',
  identity: ['name'],
  after: ['PlanService'],
  idParameter: 'scheduledMaintenanceEventId',
  operations: {
    list: 'GET /scheduledMaintenanceEvents',
    fetch: `GET ${item}`,
    create: 'POST /scheduledMaintenanceEvents',
    update: `PUT ${item}`,
    delete: `DELETE ${item}`,
    listEndpoints: `GET ${item}/endpoints`,
    fetchEndpoint: `GET ${item}/endpoints/{scheduledMaintenanceEventEndpointId}`,
    createEndpoint: conventional(`POST ${item}/endpoints`),
    deleteEndpoint: conventional(`DELETE ${item}/endpoints/{scheduledMaintenanceEventEndpointId}`),
  },
  fields: {
    id: [string, 'Ign Ign Imp'],
    name: [string, 'Req Opt Imp', 'administration only'],
    startDateTime: [datetime, 'Req Opt Imp', 'start of the window'],
    endDateTime: [datetime, 'Req Opt Imp', 'end of the window'],
    endpoints: [references('Endpoint'), 'Opt Opt Imp'],
  },
  inOrder: [['startDateTime', 'endDateTime']],
  // "The same fields as Endpoint, with requestPathAlias Optional on create": a link to an endpoint, with a name of its own in the
  // document.
  printedTypes: { endpoints: 'array of ScheduledMaintenanceEventEndpoint' },
  examples: {
    name: 'New year window',
    startDateTime: '2027-01-01T00:00:00.000+0000',
    endDateTime: '2027-01-01T02:00:00.000+0000',
  },
})
