import { common, kind, noted, string } from '../table.js'

const collection = '/services/{serviceId}/endpoints/{endpointId}/methods/{methodId}/responseFilters'
const item = `${collection}/{responseFilterId}` as const

/** Public clients write these fields as paths, separated by " | " (field notes, Writing). */
const removed = 'such as /orders/margin, separated by " | "'

export const ResponseFilter = kind({
  about: 'Removes parts of the answers of a method, for callers of the plans that use the filter.',
  origin: 'notes',
  parent: { kind: 'Method', field: 'responseFilters' },
  identity: ['name'],
  pickedAs: 'responseFilter',
  idParameter: 'responseFilterId',
  operations: {
    list: noted(`GET ${collection}`),
    fetch: noted(`GET ${item}`),
    create: noted(`POST ${collection}`),
    update: noted(`PUT ${item}`),
    delete: noted(`DELETE ${item}`),
  },
  fields: {},
  recorded: {
    ...common,
    name: [string, 'Req Opt Imp'],
    notes: [string, 'Opt Opt Imp'],
    jsonFilterFields: [string, 'Opt Opt Exp', `paths to remove from JSON answers, ${removed}`],
    xmlFilterFields: [string, 'Opt Opt Exp', `paths to remove from XML answers, ${removed}`],
  },
  sentByDefault: { notes: '' }, // the vendor's documentation demands it of a create (field notes, Writing)
  examples: {
    name: 'public',
    notes: 'What partners do not see',
    jsonFilterFields: '/orders/margin | /orders/supplier',
    xmlFilterFields: '/orders/margin',
  },
})
