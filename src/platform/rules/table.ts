import { below, complain, setFields } from '../area.js'
import { entityText } from '../entity.js'
import { usernameKey } from '../indexes.js'
import type { KindRules, RuleTable } from '../kind-rules.js'
import { refuse } from '../refusal.js'
import { domainRules } from './domain.js'
import { endpointRules } from './endpoint.js'
import { errorMessageRules, errorSetRules } from './error-set.js'
import { packageKeyRules } from './package-key.js'
import { serviceRules } from './service.js'

/** A user name is unique and never changes. */
const memberRules: KindRules = {
  check: (write, entity, { mode, before, path }) => {
    const username = entityText(entity, 'username') ?? ''
    const at = below(path, 'username')
    if (write.area.store.found(usernameKey(username)).some((other) => other !== entity)) {
      complain(write, at, `Username '${username}' is a duplicate value.`)
    }
    if (mode === 'update' && before.username !== username) {
      complain(write, at, 'The username cannot be changed once the account exists.')
    }
  },
}

/** An application has the user name of its member. The document requires it in a create. */
const applicationRules: KindRules = {
  prepare: ({ area }, site, body) =>
    area.settings.dialect === 'document' || (body.username !== undefined && body.username !== '')
      ? body
      : { ...body, username: (site.parent && entityText(site.parent, 'username')) ?? '' },
  check: (write, entity, { path }) => {
    const owner = entity.parent && entityText(entity.parent, 'username')
    if (entity.fields.username === undefined || owner === entity.fields.username) return
    complain(write, below(path, 'username'), `The application belongs to the member '${owner}'.`)
  },
}

/** Only the platform has predefined roles: they cannot be created or deleted. */
const roleRules: KindRules = {
  generate: (write, entity) => setFields(write, entity, { isPredefined: false, isOrgrole: false, isAssignable: true }),
  removing: (_write, entity) => {
    if (entity.fields.isPredefined === true) refuse('id', 'A predefined role cannot be deleted.')
  },
}

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
