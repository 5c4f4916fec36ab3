import {
  all,
  boolean,
  children,
  common,
  conventional,
  freeObject,
  identifier,
  integer,
  kind,
  oneOf,
  references,
  string,
} from '../table.js'

const collection = '/packages/{packageId}/plans'

export const Plan = kind({
  about:
    'Key provisioning, limiting and entitlement rules granted to developers, and the services they give access to.',
  parent: { kind: 'Package', field: 'plans' },
  identity: ['name'],
  idParameter: 'planId',
  operations: {
    list: `GET ${collection}`,
    fetch: `GET ${collection}/{planId}`,
    create: `POST ${collection}`,
    update: `PUT ${collection}/{planId}`,
    delete: conventional(`DELETE ${collection}/{planId}`),
  },
  fields: {
    ...common,
    name: [string, 'Req Opt Imp'],
    description: [string, 'Opt Opt Imp'],
    eav: [freeObject, 'Opt Opt Exp', 'extended attribute values'],
    selfServiceKeyProvisioningEnabled: [boolean, 'Ign Ign Imp', 'whether the plan is public'],
    adminKeyProvisioningEnabled: [boolean, 'Opt Opt Imp', 'whether the plan is moderated'],
    notes: [string, 'Opt Opt Exp'],
    maxNumKeysAllowed: [integer, 'Opt Opt Imp', 'maximum keys per developer'],
    numKeysBeforeReview: [integer, 'Opt Opt Imp', 'keys allowed before approval'],
    qpsLimitCeiling: [integer, 'Opt Opt Imp', 'plan calls-per-second limit'],
    qpsLimitExempt: [boolean, 'Opt Opt Imp', 'plan exempt from the qps limit'],
    qpsLimitKeyOverrideAllowed: [boolean, 'Opt Opt Imp', 'qps limit may be overridden per key'],
    rateLimitCeiling: [integer, 'Opt Opt Imp', 'plan rate limit per period'],
    rateLimitExempt: [boolean, 'Opt Opt Imp', 'plan exempt from the rate limit'],
    rateLimitKeyOverrideAllowed: [boolean, 'Opt Opt Imp', 'rate limit may be overridden per key'],
    rateLimitPeriod: [oneOf('minute', 'hour', 'day', 'month'), 'Opt Opt Imp'],
    responseFilterOverrideAllowed: [boolean, 'Opt Opt Imp', 'response filter may be overridden'],
    status: [oneOf('active', 'inactive'), 'Ign Ign Imp'],
    emailTemplateSetId: [identifier, 'Opt Opt Exp', 'email template set used by the plan'],
    services: [children('PlanService'), 'Opt Opt Exp'],
  },
  recorded: {
    roles: [
      references('ServiceRole'),
      'Opt Opt Exp',
      'portal access groups that may request keys, each with an action',
    ],
    adminEmailTemplateSetId: [identifier, 'Opt Opt Exp', 'email template set for administrators'],
  },
  // Ign in the document, but clients of real platforms write them (field notes, Writing).
  notedRules: { selfServiceKeyProvisioningEnabled: 'Opt Opt Imp', status: 'Opt Opt Imp' },
  printedTypes: { emailTemplateSetId: 'integer' }, // recorded platforms have UUIDs
  sentInLinks: { roles: { action: 'register_keys' } }, // field notes, Writing: "register_keys on a plan"
  consequences: {
    active: { status: 'active' },
    watched: ['selfServiceKeyProvisioningEnabled'],
    limits: ['qpsLimitCeiling', 'rateLimitCeiling'],
    periods: ['rateLimitPeriod'],
    exemptions: ['qpsLimitExempt', 'rateLimitExempt'],
  },
  nestedOnCreate: ['services'],
  // The platform's defaults (field notes; the recorded answer to an update of a plan).
  defaults: {
    maxNumKeysAllowed: 4,
    numKeysBeforeReview: 0,
    qpsLimitCeiling: 2,
    rateLimitCeiling: 5000,
    rateLimitPeriod: 'day',
    status: 'active',
    ...all(false, 'qpsLimitExempt', 'rateLimitExempt'),
    ...all(
      true,
      'adminKeyProvisioningEnabled',
      'qpsLimitKeyOverrideAllowed',
      'rateLimitKeyOverrideAllowed',
      'responseFilterOverrideAllowed',
      'selfServiceKeyProvisioningEnabled',
    ),
  },
  examples: {
    name: 'Gold',
    description: 'For partners in production',
    eav: { region: 'emea' },
    maxNumKeysAllowed: 2,
    numKeysBeforeReview: 1,
    qpsLimitCeiling: 50,
    rateLimitCeiling: 100000,
    rateLimitPeriod: 'day',
    emailTemplateSetId: 7,
  },
})
