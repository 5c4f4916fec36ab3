import { shapes } from '../../../src/catalog/shapes.js'
import type { Field, FieldType } from '../../../src/catalog/types.js'
import type { Json, JsonObject } from '../../../src/json/json.js'
import { isObject } from '../../../src/json/json.js'

/**
 * The meaning of a value, as text to compare: written separately, only from the design, so that a mistake in the program's own
 * comparison is not repeated here. '' means that nothing is there.
 */
function meaning(type: FieldType, value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  switch (type.is) {
    case 'string':
    case 'integer':
    case 'number':
    case 'identifier':
      return value === '' ? '' : String(value)
    case 'boolean':
      if (value === 0 || value === '0' || value === 'false') return 'false'
      if (value === 1 || value === '1' || value === 'true') return 'true'
      return String(value)
    case 'datetime':
      return value === '' ? '' : String(Math.floor(instant(String(value)) / 1000))
    case 'enum':
      return String(value).replaceAll('_', '-')
    case 'domain':
      return (isObject(value) ? String(value.domain ?? value.address ?? '') : String(value)).toLowerCase()
    case 'map':
      return isObject(value) && Object.keys(value).length > 0 ? sorted(value) : ''
    case 'shape':
      return isObject(value) ? shapeMeaning(type.shape, value) : ''
    case 'list':
      return listMeaning(type.of, value)
    case 'child':
    case 'reference':
      return ''
  }
}

const instant = (text: string): number => Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))

function sorted(value: JsonObject): string {
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return JSON.stringify(entries)
}

function listMeaning(of: FieldType, value: Json): string {
  const items: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value]
  const texts = items.map((item) => meaning(of, item)).filter((text) => text !== '')
  return texts.length === 0 ? '' : JSON.stringify([...new Set(texts)].sort())
}

/** A member that is empty, or has the default of the platform, is no member. */
function shapeMeaning(name: keyof typeof shapes, value: JsonObject): string {
  const members = Object.entries(shapes[name]).flatMap(([member, { type, default: usual }]): [string, string][] => {
    const text = meaning(type, value[member])
    return text === '' || text === meaning(type, usual) ? [] : [[member, text]]
  })
  return members.length === 0 ? '' : JSON.stringify(members.sort())
}

/** Whether a live value matches the written one; undefined is not written: nothing, or the default of the platform. */
export function isMeant(field: Field, written: Json | undefined, live: Json | undefined): boolean {
  const [desired, found] = [meaning(field.type, written), meaning(field.type, live)]
  if (desired === found) return true
  const usual = meaning(field.type, field.default as Json | undefined)
  // null is cleared: the platform may answer its default for it. Any other empty value is itself.
  if (written === undefined || written === null) return found === usual
  // A value that is absent, or null, means the platform's default; an empty list or text is itself.
  return (live === undefined || live === null) && desired === usual
}
