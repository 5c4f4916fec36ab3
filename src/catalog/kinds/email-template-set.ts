import { common, kind, noted, string } from '../table.js'

const noWay = 'nothing shows an operation that writes an email template set'

export const EmailTemplateSet = kind({
  about: 'The notifications to developers for the plans that name it; the interface only reads it.',
  origin: 'notes',
  identity: ['name'],
  idParameter: 'emailTemplateSetId',
  operations: {
    list: noted('GET /emailTemplateSets'),
    fetch: noted('GET /emailTemplateSets/{emailTemplateSetId}'),
  },
  fields: {},
  recorded: {
    ...common,
    name: [string, 'Req Opt Imp'],
    type: [string, 'Opt Opt Imp'],
  },
  blocked: { create: noWay, update: noWay, delete: noWay },
  examples: {
    name: 'Partner mails',
    type: 'Standard',
  },
})
