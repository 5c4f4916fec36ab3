import { defaultMessages } from '../error-messages.js'
import { boolean, children, common, kind, string } from '../table.js'

const collection = '/services/{serviceId}/errorSets'

export const ErrorSet = kind({
  about: 'A collection of custom error messages returned to developers; a service has at least one.',
  parent: { kind: 'Service', field: 'errorSets' },
  identity: ['name'],
  idParameter: 'errorSetId',
  operations: {
    list: `GET ${collection}`,
    fetch: `GET ${collection}/{errorSetId}`,
    create: `POST ${collection}`,
    update: `PUT ${collection}/{errorSetId}`,
    delete: `DELETE ${collection}/{errorSetId}`,
  },
  fields: {
    name: [string, 'Opt Opt Imp', 'administration only'],
    type: [
      string,
      'Opt Opt Imp',
      'format of returned error messages, e.g. text/json, text/xml, application/JavaScript',
    ],
    jsonp: [boolean, 'Opt Opt Imp', 'true returns errors as JSONP; all JSONP HTTP response codes are then 200'],
    jsonpType: [
      string,
      'Opt Opt Imp',
      'error format used when jsonp is enabled and no callback parameter is available',
    ],
    errorMessages: [children('ErrorMessage'), 'Opt Opt Exp'],
  },
  // The document's table has no row for the id, although its paths need one.
  noted: { id: common.id },
  nestedOnCreate: ['errorMessages'],
  platformDefaults: { errorMessages: defaultMessages },
  defaults: { jsonp: false, jsonpType: '' },
  examples: {
    name: 'problem-json',
    type: 'text/json',
    jsonpType: 'text/json',
  },
})
