import { boolean, children, common, integer, kind, reference, references, shape, string } from '../table.js'
import type { Row } from '../types.js'

const { created, updated } = common

/** The rows of Service that Plan Service shares: "Same fields, rules and meanings as Service". */
export const serviceRows = {
  id: [string, 'Ign Ctx Imp', 'service definition UUID'],
  name: [string, 'Req Opt Imp'],
  created,
  updated,
  endpoints: [children('Endpoint'), 'Opt Opt Exp'],
  editorHandle: [string, 'Ign Ign Exp', 'handle of the user that last modified the service'],
  revisionNumber: [integer, 'Ign Ign Exp', 'incremented automatically after every modification'],
  robotsPolicy: [string, 'Ign Ign Exp'],
  crossdomainPolicy: [string, 'Ign Ign Exp'],
  description: [string, 'Opt Opt Exp', 'administration only, not shown in the portal'],
  errorSets: [children('ErrorSet'), 'Opt Opt Exp'],
  qpsLimitOverall: [integer, 'Opt Opt Exp', 'overall calls per second supported regardless of number of keys'],
  rfc3986Encode: [
    boolean,
    'Opt Opt Exp',
    'when not enabled, the older URL-encoding specification (RFC 1738) applies; true enables RFC 3986',
  ],
  securityProfile: [shape('SecurityProfile'), 'Opt Opt Exp', 'OAuth 2.0 properties of the API'],
  version: [string, 'Opt Opt Imp', 'customer-managed metadata; not changed automatically'],
} as const satisfies Record<string, Row>

/**
 * The value that clients send to assign an object to the whole area: if the organization is absent or null, the platform does not
 * change it.
 */
export const noOrganization = { id: null, name: 'Area Level', parent: null }

export const lastEdit = { by: 'editorHandle', revision: 'revisionNumber' } as const

export const Service = kind({
  about: 'A service groups endpoints of an API, with the error sets they use and the roles that may see it.',
  identity: ['name'],
  after: ['Domain', 'Role'],
  idParameter: 'serviceId',
  operations: {
    list: 'GET /services',
    fetch: 'GET /services/{serviceId}',
    create: 'POST /services',
    update: 'PUT /services/{serviceId}',
    delete: 'DELETE /services/{serviceId}',
  },
  fields: serviceRows,
  noted: {
    // The document assigns roles with an update of the service, but has no row for them.
    roles: [references('ServiceRole'), 'Opt Opt Exp', 'portal access groups of the service, each with an action'],
  },
  recorded: {
    organization: [
      reference('Organization'),
      'Opt Opt Exp',
      'the organization that it belongs to; null returns it to the whole area',
    ],
    cache: [shape('ServiceCache'), 'Opt Opt Exp', 'how long answers are cached, for all endpoints of the service'],
  },
  clearedAs: { organization: noOrganization },
  afterCreate: ['roles'],
  consequences: { limits: ['qpsLimitOverall'] },
  lastEdit,
  nestedOnCreate: ['endpoints', 'errorSets'],
  addedByPlatform: { errorSets: ['Default'] },
  platformDefaults: { errorSets: [{ name: 'Default', type: 'text/xml' }] },
  atLeastOne: ['errorSets'],
  defaults: { description: '', qpsLimitOverall: 0, rfc3986Encode: false, version: '' },
  examples: {
    name: 'Orders API',
    description: 'Order intake and tracking',
    qpsLimitOverall: 500,
    securityProfile: {
      oauth: { accessTokenTtlEnabled: true, accessTokenTtl: 3600, grantTypes: ['client-credentials'] },
    },
    version: '2.1',
  },
})
