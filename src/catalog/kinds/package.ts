import {
  boolean,
  children,
  common,
  conventional,
  freeObject,
  integer,
  kind,
  oneOf,
  reference,
  string,
} from '../table.js'
import { noOrganization } from './service.js'

const period = oneOf('minute', 'hour', 'day', 'week', 'month')

export const Package = kind({
  about: 'A collection of plans, with the notifications and key settings they share.',
  identity: ['name'],
  idParameter: 'packageId',
  operations: {
    list: 'GET /packages',
    fetch: 'GET /packages/{packageId}',
    create: 'POST /packages',
    update: 'PUT /packages/{packageId}',
    delete: conventional('DELETE /packages/{packageId}'),
  },
  fields: {
    ...common,
    name: [string, 'Req Opt Imp'],
    description: [string, 'Opt Opt Imp'],
    notifyDeveloperPeriod: [period, 'Opt Opt Imp'],
    notifyDeveloperNearQuota: [boolean, 'Opt Opt Exp', 'notify developer when approaching quota'],
    notifyDeveloperOverQuota: [boolean, 'Opt Opt Exp', 'notify developer when quota exceeded'],
    notifyDeveloperOverThrottle: [boolean, 'Opt Opt Exp', 'notify developer when throttle exceeded'],
    notifyAdminPeriod: [period, 'Opt Opt Imp'],
    notifyAdminNearQuota: [boolean, 'Opt Opt Exp'],
    notifyAdminOverQuota: [boolean, 'Opt Opt Exp'],
    notifyAdminOverThrottle: [boolean, 'Opt Opt Exp'],
    notifyAdminEmails: [string, 'Opt Opt Imp', 'address(es) receiving admin notifications'],
    nearQuotaThreshold: [integer, 'Opt Opt Imp', 'percentage of quota at which near-limit notifications are sent'],
    eav: [freeObject, 'Opt Opt Exp', 'extended attribute values'],
    keyAdapter: [string, 'Opt Opt Imp', 'custom adapter for key generation'],
    keyLength: [integer, 'Opt Opt Imp', 'length of keys of the package'],
    sharedSecretLength: [integer, 'Opt Opt Imp', 'length of shared secrets of the package'],
    plans: [children('Plan'), 'Opt Opt Exp'],
  },
  recorded: {
    organization: [
      reference('Organization'),
      'Opt Opt Exp',
      'the organization that it belongs to; null returns it to the whole area',
    ],
  },
  clearedAs: { organization: noOrganization },
  nestedOnCreate: ['plans'],
  ranges: { nearQuotaThreshold: [0, 100] }, // "a percentage of quota"
  examples: {
    name: 'Partner Access',
    description: 'For partners who place orders',
    notifyAdminEmails: 'ops@example.com',
    nearQuotaThreshold: 80,
    eav: { region: 'emea' },
    keyAdapter: 'uuid-keys',
    keyLength: 24,
    sharedSecretLength: 10,
  },
})
