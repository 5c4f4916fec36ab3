import { common, kind, string } from '../table.js'

export const ServiceRole = kind({
  about: 'Connects a service to a role (portal access group), with what the role may do.',
  parent: { kind: 'Service', field: 'roles' },
  identity: ['name'],
  pageOffset: true,
  association: 'Role',
  idParameter: 'roleId',
  operations: {
    list: 'GET /services/{serviceId}/roles',
    assign: 'PUT /services/{serviceId}',
    removeAll: 'PUT /services/{serviceId}',
  },
  fields: {
    ...common,
    name: [string, 'Req Opt Imp'],
    action: [string, 'Req Opt Imp'],
  },
  sentByDefault: { action: 'read' }, // what the recordings show on services (field notes, Writing)
  examples: {
    name: 'Partners',
    action: 'read',
  },
})
