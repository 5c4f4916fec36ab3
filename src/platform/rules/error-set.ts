import type { Json, JsonObject } from '../../json/json.js'
import { entriesOf, isObject, objectsIn } from '../../json/json.js'
import { below, complain, setFields } from '../area.js'
import { childrenIn } from '../entity.js'
import type { KindRules } from '../kind-rules.js'
import { refuse } from '../refusal.js'
import type { Settings } from '../settings.js'
import { codeOf, defaultMessages } from './default-messages.js'

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
  born: (write, entity) => setFields(write, entity, { code: codeOf(entity.id) }),
  check: (write, entity, { path }) => {
    if (entity.fields.id === entity.id) return
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

function withDefaults(given: Json | undefined): Json {
  const messages = new Map<string, JsonObject>()
  const nameless: JsonObject[] = []
  for (const { code: _code, ...message } of defaultMessages) messages.set(message.id, { ...message, responseBody: '' })
  for (const message of objectsIn(given)) {
    if (typeof message.id === 'string') messages.set(message.id, { ...messages.get(message.id), ...message })
    else nameless.push(message)
  }
  return [...messages.values(), ...nameless]
}
