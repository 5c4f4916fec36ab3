import type { RuleTable } from '../kind-rules.js'
import { domainRules } from './domain.js'
import { endpointRules } from './endpoint.js'
import { errorMessageRules, errorSetRules } from './error-set.js'
import { packageKeyRules } from './package-key.js'
import { applicationRules, memberRules, roleRules } from './portal.js'
import { serviceRules } from './service.js'

/** The rules of all kinds that have some. */
export const ruleTable: RuleTable = {
  Service: serviceRules,
  Endpoint: endpointRules,
  ErrorSet: errorSetRules,
  ErrorMessage: errorMessageRules,
  Domain: domainRules,
  Role: roleRules,
  Member: memberRules,
  Application: applicationRules,
  PackageKey: packageKeyRules,
}
