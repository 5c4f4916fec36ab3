import { defaultMessages } from '../../catalog/error-messages.js'
import type { Json } from '../../json/json.js'
import { asList, entriesOf, isObject } from '../../json/json.js'
import { below, complain, setFields } from '../area.js'
import { childrenIn } from '../entity.js'
import type { KindRules } from '../kind-rules.js'
import { refuse } from '../refusal.js'
import type { Settings } from '../settings.js'
import { messageCode } from './default-messages.js'

/** A new error set gets all messages of the platform; those of the body override them. A service keeps at least one set. */
export const errorSetRules: KindRules = {
  prepare: (_write, _site, body) => ({ ...body, errorMessages: withDefaults(body.errorMessages) }),
  removing: (_write, entity) => {
    if (entity.parent && childrenIn(entity.parent, entity.slot).length === 1) {
      refuse('errorSets', 'A service must have at least one error set.')
    }
  },
}

/** The id of a message identifies it, and the platform sets its code. */
export const errorMessageRules: KindRules = {
  generate: (write, entity) => setFields(write, entity, { code: messageCode(entity.id) }),
  check: (write, entity, { path }) => {
    const { id } = entity.fields
    if (id === entity.id || typeof id !== 'string') return
    const at = below(path, 'id')
    complain(write, at, `Property '${at}' must be '${entity.id}', the message of the path.`)
  },
}

/** The error sets of a new service: the platform adds its own set, unless one has that name. */
export function withDefaultSet({ errorSet: name }: Settings, given: Json | undefined): Json {
  const sets = entriesOf(given)
  const hasDefault = name === '' || sets.some((set) => isObject(set) && set.name === name)
  return hasDefault ? sets : [{ name, type: 'text/xml' }, ...sets]
}

/** The given messages come first, because complaints name their positions in the body. */
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
