import { kind, noted, references } from '../table.js'
import { lastEdit, serviceRows } from './service.js'

const item = '/packages/{packageId}/plans/{planId}/services/{serviceId}' as const

const method = `${item}/endpoints/{endpointId}/methods/{methodId}` as const

const ofTheService = 'it belongs to the service itself: write it in the manifest of that service'

export const PlanService = kind({
  about:
    'The relation between a plan and a service: the endpoints and methods of the service that the plan gives access to.',
  parent: { kind: 'Plan', field: 'services' },
  identity: ['name'],
  association: 'Service',
  idParameter: 'serviceId',
  operations: {
    list: 'GET /packages/{packageId}/plans/{planId}/services',
    fetch: `GET ${item}`,
    create: 'POST /packages/{packageId}/plans/{planId}/services',
    update: `PUT ${item}`,
    delete: `DELETE ${item}`,
    // The document does not have these, but clients use them (field notes, Writing). They are used if an update drops nested
    // objects.
    createEndpoint: noted(`POST ${item}/endpoints`),
    deleteEndpoint: noted(`DELETE ${item}/endpoints/{endpointId}`),
    createMethod: noted(`POST ${item}/endpoints/{endpointId}/methods`),
    deleteMethod: noted(`DELETE ${method}`),
    fetchResponseFilter: noted(`GET ${method}/responseFilter`),
    createResponseFilter: noted(`POST ${method}/responseFilter`),
    deleteResponseFilter: noted(`DELETE ${method}/responseFilter`),
  },
  fields: {
    ...serviceRows,
    endpoints: [
      references('Endpoint'),
      'Opt Opt Exp',
      'the endpoints, and their methods, that the plan gives access to',
    ],
  },
  lastEdit,
  readOnly: {
    errorSets: ofTheService,
    description: ofTheService,
    qpsLimitOverall: ofTheService,
    rfc3986Encode: ofTheService,
    securityProfile: ofTheService,
    version: ofTheService,
  },
  examples: {
    name: 'Orders API',
  },
})
