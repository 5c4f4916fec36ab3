import { kind, oneOf, string } from '../table.js'

const path = '/services/{serviceId}/endpoints/{endpointId}/systemDomainAuthentication'

export const SystemDomainAuthentication = kind({
  about: 'How the traffic manager authenticates itself to the back end of an endpoint.',
  parent: { kind: 'Endpoint', field: 'systemDomainAuthentication', single: true },
  identity: [],
  idParameter: 'endpointId',
  operations: {
    fetch: `GET ${path}`,
    create: `POST ${path}`,
    update: `PUT ${path}`,
    delete: `DELETE ${path}`,
  },
  fields: {
    type: [oneOf('httpBasic', 'clientSslCert'), 'Opt Req Imp'],
    username: [string, 'Opt Opt Imp', 'used when type = httpBasic'],
    password: [string, 'Opt Opt Imp', 'used when type = httpBasic'],
    certificate: [string, 'Opt Opt Imp', 'used when type = clientSslCert'],
  },
  secret: ['password', 'certificate'],
  examples: {
    username: 'gateway',
  },
})
