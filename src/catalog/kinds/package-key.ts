import { boolean, common, conventional, integer, kind, listOf, reference, shape, string } from '../table.js'

const item = '/packageKeys/{packageKeyId}'
const ofApplication = '/applications/{applicationId}/packageKeys'

export const PackageKey = kind({
  about: 'A key given to a developer to access what its plan defines.',
  parent: { kind: 'Application', field: 'packageKeys' },
  identity: ['apikey'],
  namedBy: 'package',
  pageOffset: true,
  idParameter: 'packageKeyId',
  operations: {
    list: 'GET /packageKeys',
    fetch: `GET ${item}`,
    update: `PUT ${item}`,
    delete: `DELETE ${item}`,
    listOfApplication: `GET ${ofApplication}`,
    updateOfApplication: `PUT ${ofApplication}/{packageKeyId}`,
    deleteOfApplication: `DELETE ${ofApplication}/{packageKeyId}`,
    create: conventional(`POST ${ofApplication}`),
    fetchOfApplication: conventional(`GET ${ofApplication}/{packageKeyId}`),
  },
  fields: {
    id: [string, 'Ign Ctx Imp', 'key UUID'],
    apikey: [string, 'Opt Ign Imp', 'the key value'],
    secret: [string, 'Req Opt Imp', 'the key secret'],
    created: common.created,
    updated: common.updated,
    rateLimitCeiling: [integer, 'Opt Opt Imp', 'maximum calls per period for this key, up to the plan maximum'],
    rateLimitExempt: [boolean, 'Opt Opt Imp', 'true means unlimited calls for this key'],
    qpsLimitCeiling: [integer, 'Opt Opt Imp', 'maximum calls per second for this key'],
    qpsLimitExempt: [boolean, 'Opt Opt Imp', 'true means unlimited qps for this key'],
    status: [string, 'Opt Opt Imp'],
    limits: [listOf(shape('Limit')), 'Ign Ign Exp', 'limit details associated with the key'],
    package: [reference('Package'), 'Req Ign Imp'],
    plan: [reference('Plan'), 'Req Opt Imp'],
  },
  noted: {
    expires: [string, 'Opt Opt Imp', 'YYYY-MM-DD'],
  },
  immutable: ['apikey', 'package'], // Ign on update, and "a package key cannot move from one package to another"
  consequences: {
    limits: ['qpsLimitCeiling', 'rateLimitCeiling'],
    exemptions: ['qpsLimitExempt', 'rateLimitExempt'],
    active: { status: 'active' },
  },
  secret: ['apikey', 'secret'],
  // "a package key's rateLimitCeiling and qpsLimitCeiling apply up to the plan maximum", "key-level overrides only when
  // qpsLimitKeyOverrideAllowed or rateLimitKeyOverrideAllowed is true"
  limited: {
    by: 'plan',
    per: 'Member', // "maximum keys per developer"
    fields: {
      rateLimitCeiling: {
        exempt: 'rateLimitExempt',
        override: 'rateLimitKeyOverrideAllowed',
        period: 'rateLimitPeriod',
      },
      qpsLimitCeiling: { exempt: 'qpsLimitExempt', override: 'qpsLimitKeyOverrideAllowed' },
    },
  },
  defaults: { rateLimitCeiling: 0, rateLimitExempt: false, qpsLimitCeiling: 0, qpsLimitExempt: false },
  examples: {
    apikey: 'acme-shop-key-0001',
    rateLimitCeiling: 2000,
    qpsLimitCeiling: 1,
    status: 'active',
    expires: '2027-12-31',
  },
})
