import { boolean, children, common, conventional, kind, string } from '../table.js'

const item = '/applications/{applicationId}'
const ofMember = '/members/{memberId}/applications'

export const Application = kind({
  about: 'Describes how a developer intends to use the API; belongs to a member.',
  parent: { kind: 'Member', field: 'applications' },
  identity: ['name'],
  pageOffset: true,
  idParameter: 'applicationId',
  operations: {
    list: 'GET /applications',
    fetch: `GET ${item}`,
    update: `PUT ${item}`,
    delete: `DELETE ${item}`,
    listOfMember: `GET ${ofMember}`,
    create: `POST ${ofMember}`,
    updateOfMember: `PUT ${ofMember}/{applicationId}`,
    deleteOfMember: `DELETE ${ofMember}/{applicationId}`,
    fetchOfMember: conventional(`GET ${ofMember}/{applicationId}`),
  },
  fields: {
    ...common,
    name: [string, 'Req Opt Imp'],
    username: [string, 'Req Opt Imp', 'username of the member owning the application'],
    description: [string, 'Opt Opt Imp'],
    type: [string, 'Opt Opt Imp', 'tracking metadata'],
    commercial: [boolean, 'Opt Opt Imp'],
    ads: [boolean, 'Opt Opt Imp', 'whether the application supports ads'],
    adsSystem: [string, 'Opt Opt Imp'],
    usageModel: [string, 'Opt Opt Imp'],
    tags: [string, 'Opt Opt Imp'],
    notes: [string, 'Opt Opt Imp'],
    howDidYouHear: [string, 'Opt Opt Imp'],
    preferredProtocol: [string, 'Opt Opt Imp'],
    preferredOutput: [string, 'Opt Opt Imp'],
    externalId: [string, 'Opt Opt Imp', 'id in an external system'],
    uri: [string, 'Opt Opt Imp'],
    oauthRedirectUri: [string, 'Opt Opt Imp', 'OAuth 2 redirect URI'],
    packageKeys: [children('PackageKey'), 'Opt Opt Exp'],
  },
  noted: {
    status: [string, 'Ign Ign Imp'],
    isPackaged: [boolean, 'Ign Ign Imp'],
  },
  extendedAttributes: true,
  examples: {
    name: 'Acme Shop',
    description: 'Shop front of Acme',
    type: 'web',
    preferredProtocol: 'rest',
    preferredOutput: 'json',
    externalId: 'crm-17',
    uri: 'https://acme.example',
    oauthRedirectUri: 'https://shop.example.com/oauth',
  },
})
