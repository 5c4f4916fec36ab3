import { common, integer, kind, listOf, oneOf, reference, string } from '../../../src/catalog/table.js'

/** A kind that no platform has, with every property that a table can have without another table. */
export const Gadget = kind({
  about: 'A made-up kind.',
  identity: ['label'],
  after: ['Service'],
  idParameter: 'gadgetId',
  operations: {
    list: 'GET /gadgets',
    fetch: 'GET /gadgets/{gadgetId}',
    create: 'POST /gadgets',
    update: 'PUT /gadgets/{gadgetId}',
    delete: 'DELETE /gadgets/{gadgetId}',
  },
  fields: {
    ...common,
    label: [string, 'Req Opt Imp'],
    size: [integer, 'Opt Opt Imp'],
    colours: [listOf(oneOf('red', 'green')), 'Opt Opt Imp'],
    serial: [string, 'Req Ign Imp'],
    pin: [string, 'Opt Opt Imp'],
    serves: [reference('Service'), 'Opt Opt Exp'],
  },
  immutable: ['serial'],
  secret: ['pin'],
  defaults: { size: 3 },
  ranges: { size: [0, 9] },
  examples: { label: 'Front door' },
})
