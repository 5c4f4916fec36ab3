import { common, kind, noted, string } from '../table.js'

const noWay = 'nothing shows an operation that writes an organization'

export const Organization = kind({
  about: 'A part of the customer area to which services and packages may belong; the interface only reads it.',
  origin: 'notes',
  identity: ['name'],
  idParameter: 'organizationId',
  operations: {
    list: noted('GET /organizations'),
    fetch: noted('GET /organizations/{organizationId}'),
  },
  fields: {},
  recorded: {
    ...common,
    name: [string, 'Req Opt Imp'],
    description: [string, 'Opt Opt Exp'],
  },
  blocked: { create: noWay, update: noWay, delete: noWay },
  examples: {
    name: 'Retail',
    description: 'Shops and their partners',
  },
})
