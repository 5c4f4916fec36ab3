import { below, complain, setFields } from '../area.js'
import { textOf } from '../entity.js'
import { usernameKey } from '../indexes.js'
import type { KindRules } from '../kind-rules.js'
import { refuse } from '../refusal.js'

/** A user name exists once and never changes. */
export const memberRules: KindRules = {
  check: (write, entity, { mode, before, path }) => {
    const username = textOf(entity, 'username') ?? ''
    const at = below(path, 'username')
    if (write.area.store.found(usernameKey(username)).some((other) => other !== entity)) {
      complain(write, at, `Username '${username}' is a duplicate value.`)
    }
    if (mode === 'update' && before.username !== username) {
      complain(write, at, 'The username cannot be changed once the account exists.')
    }
  },
}

/** An application carries the user name of the member that it lives under; the document demands it of a create. */
export const applicationRules: KindRules = {
  prepare: ({ area }, site, body) =>
    area.settings.dialect === 'document' || (body.username !== undefined && body.username !== '')
      ? body
      : { ...body, username: (site.parent && textOf(site.parent, 'username')) ?? '' },
  check: (write, entity, { path }) => {
    const owner = entity.parent && textOf(entity.parent, 'username')
    if (entity.fields.username === undefined || owner === entity.fields.username) return
    complain(write, below(path, 'username'), `The application belongs to the member '${owner}'.`)
  },
}

/** Predefined roles are the platform's own. */
export const roleRules: KindRules = {
  generate: (write, entity) => setFields(write, entity, { isPredefined: false, isOrgrole: false, isAssignable: true }),
  removing: (_write, entity) => {
    if (entity.fields.isPredefined === true) refuse('id', 'A predefined role cannot be deleted.')
  },
}
