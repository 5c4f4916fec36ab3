import { common, conventional, hostName, kind, string } from '../table.js'

export const Domain = kind({
  about:
    'Controls which public or system endpoint addresses may be created; often a suffix rather than a full host name.',
  identity: ['domain'],
  idParameter: 'domainId',
  operations: {
    list: 'GET /domains',
    fetch: 'GET /domains/{domainId}',
    create: 'POST /domains',
    update: conventional('PUT /domains/{domainId}'),
    delete: conventional('DELETE /domains/{domainId}'),
  },
  approval: { field: 'status', waiting: 'waiting', approved: 'active' },
  fields: {
    id: common.id,
    created: common.created,
    domain: [hostName, 'Req Req Imp', 'often a suffix rather than a full host name'],
    status: [string, 'Ign Ign Imp', 'active or waiting'],
  },
  examples: {
    domain: 'example.com',
  },
})
