import { children, common, conventional, kind, references, string } from '../table.js'
import type { Row } from '../types.js'

const profile: Row = [string, 'Opt Opt Imp', 'profile data']

export const Member = kind({
  about: 'A developer registered with the developer portal.',
  identity: ['username'],
  pageOffset: true,
  idParameter: 'memberId',
  operations: {
    list: 'GET /members',
    fetch: 'GET /members/{memberId}',
    create: 'POST /members',
    update: conventional('PUT /members/{memberId}'),
    delete: conventional('DELETE /members/{memberId}'),
  },
  fields: {
    ...common,
    username: [string, 'Req Opt Imp', 'cannot be changed once the account exists'],
    email: [string, 'Req Opt Imp', 'not unique across members'],
    displayName: [string, 'Req Opt Imp', 'used in portal comments and forums'],
    externalId: [string, 'Req Opt Imp'],
    passwdNew: [string, 'Req Ign Imp', 'create only; the interface does not provide password information'],
    uri: profile,
    blog: profile,
    im: profile,
    imsvc: profile,
    phone: profile,
    company: profile,
    address1: profile,
    address2: profile,
    locality: profile,
    region: profile,
    postalCode: profile,
    countryCode: profile,
    firstName: profile,
    lastName: profile,
    areaStatus: [string, 'Opt Opt Imp', 'e.g. active, waiting, disabled'],
    applications: [children('Application'), 'Opt Opt Exp'],
    packageKeys: [references('PackageKey'), 'Opt Opt Exp'],
    roles: [references('Role'), 'Opt Opt Exp'],
  },
  immutable: ['username'], // the table says Opt; its note says that it cannot be changed
  platformOwned: { field: 'username', value: 'MasheryInternalOAuth2' }, // field notes: part of the platform's OAuth
  consequences: { active: { areaStatus: 'active' } },
  writeOnly: ['passwdNew'], // the table says Imp; its note says that it is never given back
  secret: ['passwdNew'],
  readOnly: { packageKeys: 'keys are written in the application that they belong to' },
  examples: {
    username: 'acme-dev',
    email: 'dev@acme.example',
    displayName: 'Acme',
    externalId: 'crm-17',
    uri: 'https://acme.example',
    phone: '+49 30 1234567',
    company: 'Acme',
    countryCode: 'DE',
    firstName: 'Ada',
    lastName: 'Lovelace',
    areaStatus: 'active',
  },
})
