import { common, kind, string } from '../table.js'

const collection = '/emailTemplateSets/{emailTemplateSetId}/emailTemplates'
const noWay = 'the document shows no operation that writes an email template'

export const EmailTemplate = kind({
  about: 'A developer notification of an email template set; the interface only reads it.',
  within: { name: 'EmailTemplateSet', metadata: 'emailTemplateSet', parameter: 'emailTemplateSetId' },
  identity: ['type'],
  idParameter: 'emailTemplateId',
  operations: {
    list: `GET ${collection}`,
    fetch: `GET ${collection}/{emailTemplateId}`,
  },
  fields: {
    ...common,
    from: [string, 'Req Opt Imp', 'sender'],
    subject: [string, 'Opt Opt Imp'],
    body: [string, 'Opt Opt Imp'],
    type: [string, 'Opt Opt Imp', 'type of email'],
  },
  blocked: { create: noWay, update: noWay, delete: noWay },
  examples: {
    from: 'portal@example.com',
    subject: 'Your key is active',
    body: 'You may start calling the API.',
    type: 'keyActivated',
  },
})
