import { catalog } from '../../catalog/catalog.js'
import { isHiddenAnswer } from '../../catalog/hidden-answer.js'
import { ownValue } from '../../catalog/record.js'
import { isObject, type Json, sameJson } from '../../json/json.js'
import { pointerTo } from '../../json/pointer.js'
import type { Resource } from '../../manifest/resource.js'
import type { FieldValues } from '../plan.js'

/**
 * The JSON Pointers at which the values of an update contain what the platform shows in the place of a secret. An object field is
 * sent in full, including members that no manifest writes (A391).
 */
export function hiddenIn({ kind: name, fields }: Resource, values: FieldValues): readonly string[] {
  const kind = catalog[name]
  return Object.entries(values).flatMap(([field, value]) => {
    if (value.is !== 'value') return []
    // In other texts, the same characters were written by somebody.
    const mayHide = kind.naming === undefined || kind.fields[field]?.secret || isObject(value.value)
    return mayHide ? hiddenAt(pointerTo(field), value.value, fields[field]) : []
  })
}

function hiddenAt(path: string, sent: Json, written: Json | undefined): readonly string[] {
  if (written !== undefined && sameJson(sent, written)) return []
  if (!isObject(sent)) return isHiddenAnswer(sent) ? [path] : []
  return Object.entries(sent).flatMap(([name, inner]) =>
    hiddenAt(path + pointerTo(name), inner, isObject(written) ? ownValue(written, name) : undefined),
  )
}
