import { defaultMessages } from '../../catalog/error-messages.js'
import type { Json } from '../../json/json.js'
import { asList, entriesOf, isObject } from '../../json/json.js'
import { below, complain, setFields } from '../area.js'
import { childrenIn } from '../entity.js'
import type { KindRules } from '../kind-rules.js'
import { refuse } from '../refusal.js'
import type { Settings } from '../settings.js'
import { codeOf } from './default-messages.js'

/** A new error set has all messages of the platform, under those of the body; a service keeps at least one set. */
export const errorSetRules: KindRules = {
  prepare: (_write, _site, body) => ({ ...body, errorMessages: withDefaults(body.errorMessages) }),
  removing: (_write, entity) => {
    if (entity.parent && childrenIn(entity.parent, entity.slot).length === 1) {
      refuse('errorSets', 'A service must have at least one error set.')
    }
  },
}

/** A message is known by its id; its code is the platform's. */
export const errorMessageRules: KindRules = {
  generate: (write, entity) => setFields(write, entity, { code: codeOf(entity.id) }),
  check: (write, entity, { path }) => {
    const { id } = entity.fields
    if (id === entity.id || typeof id !== 'string') return
    const at = below(path, 'id')
    complain(write, at, `Property '${at}' must be '${entity.id}', the message of the path.`)
  },
}

/** The error sets of a new service: the platform's own joins them, unless one of its name is there. */
export function withDefaultSet({ errorSet: name }: Settings, given: Json | undefined): Json {
  const sets = entriesOf(given)
  const hasDefault = name === '' || sets.some((set) => isObject(set) && set.name === name)
  return hasDefault ? sets : [{ name, type: 'text/xml' }, ...sets]
}

/** The messages given come first: complaints name them by their places in the body. */
function withDefaults(given: Json | undefined): Json {
  const defaults = new Map(
    defaultMessages.map(({ code: _code, ...message }) => [message.id, { ...message, responseBody: '' }]),
  )
  const messages = asList(given).map((message): Json => {
    if (!isObject(message) || typeof message.id !== 'string') return message
    const before = defaults.get(message.id)
    defaults.delete(message.id)
    return { ...before, ...message }
  })
  return [...messages, ...defaults.values()]
}
