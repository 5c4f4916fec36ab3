import { boolean, common, kind, shape, string } from '../table.js'
import type { CaveatOperation, OperationText } from '../types.js'

const doubtful = (documented: OperationText): CaveatOperation => ({
  documented,
  caveat:
    'the document lists it, and says elsewhere that writing roles belongs to the earlier version of the interface',
})

export const Role = kind({
  about: 'Controls access to and visibility of APIs and plans in the portal (portal access group).',
  identity: ['name'],
  pageOffset: true,
  idParameter: 'roleId',
  operations: {
    list: 'GET /roles',
    fetch: 'GET /roles/{roleId}',
    create: doubtful('POST /roles'),
    update: doubtful('PUT /roles/{roleId}'),
    delete: doubtful('DELETE /roles/{roleId}'),
  },
  fields: {
    ...common,
    name: [string, 'Req Opt Imp'],
    group: [shape('Organization'), 'Opt Opt Exp'],
  },
  noted: {
    description: [string, 'Opt Opt Exp'],
    isPredefined: [boolean, 'Ign Ign Exp', 'true marks a role of the platform itself'],
    isOrgrole: [boolean, 'Ign Ign Exp'],
    isAssignable: [boolean, 'Ign Ign Exp'],
  },
  platformOwned: { field: 'isPredefined', value: true },
  examples: {
    name: 'Partners',
    group: { name: 'Partners' },
    description: 'Companies that sell our goods',
  },
})
