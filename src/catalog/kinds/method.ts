import { children, common, kind, string } from '../table.js'

const collection = '/services/{serviceId}/endpoints/{endpointId}/methods'
const sample = 'sample or schema that helps set response filters'

export const Method = kind({
  about: 'A unit of reporting: an individually callable resource within an endpoint.',
  parent: { kind: 'Endpoint', field: 'methods' },
  identity: ['name'],
  after: ['Cache', 'SystemDomainAuthentication'],
  idParameter: 'methodId',
  operations: {
    list: `GET ${collection}`,
    fetch: `GET ${collection}/{methodId}`,
    create: `POST ${collection}`,
    update: `PUT ${collection}/{methodId}`,
    delete: `DELETE ${collection}/{methodId}`,
  },
  fields: {
    ...common,
    name: [string, 'Req Opt Imp'],
    sampleJsonResponse: [string, 'Opt Opt Exp', sample],
    sampleXmlResponse: [string, 'Opt Opt Exp', sample],
  },
  recorded: {
    responseFilters: [
      children('ResponseFilter'),
      'Opt Opt Exp',
      'filters with which plans can remove parts of the answers',
    ],
  },
  examples: {
    name: 'listOrders',
    sampleJsonResponse: '{"orders":[]}',
    sampleXmlResponse: '<orders/>',
  },
})
