import { integer, kind, string } from '../table.js'

const collection = '/services/{serviceId}/errorSets/{errorSetId}/errorMessages'

export const ErrorMessage = kind({
  about: 'One error answer of an error set, identified by its id, such as ERR_403_DEVELOPER_OVER_QPS.',
  parent: { kind: 'ErrorSet', field: 'errorMessages' },
  identity: ['id'],
  idParameter: 'messageType',
  operations: {
    list: `GET ${collection}`,
    fetch: `GET ${collection}/{messageType}`,
    update: `PUT ${collection}/{messageType}`,
  },
  fields: {
    id: [string, 'Req Req Imp'],
    code: [integer, 'Ign Ign Imp', 'HTTP response code of the error response'],
    status: [string, 'Opt Opt Imp', 'status message'],
    detailHeader: [string, 'Opt Opt Imp', 'information placed in a response header'],
    responseBody: [string, 'Opt Opt Imp', 'information placed in the response body'],
  },
  fixedSet: true,
  blocked: { delete: 'the document shows no operation that deletes an error message' },
  examples: {
    id: 'ERR_403_DEVELOPER_OVER_QPS',
    status: 'Slow down',
    detailHeader: 'Account Over Queries Per Second Limit',
    responseBody: '{"title":"slow down"}',
  },
})
