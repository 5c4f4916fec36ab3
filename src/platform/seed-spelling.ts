import { recordOf } from '../catalog/record.js'
import { memberOf } from '../catalog/shapes.js'
import type { FieldType, Kind } from '../catalog/types.js'
import { canonical, datetimeText } from '../catalog/value.js'
import { isList, isObject, type Json, type JsonObject } from '../json/json.js'

/**
 * The fields of an object in the document's spelling. A snapshot has the spelling of another platform: flags and numbers as
 * texts, words in capitals, datetimes as numbers (A12, A14, A346).
 */
export const inDocumentSpelling = ({ fields }: Kind, object: JsonObject): JsonObject =>
  recordOf(
    Object.entries(object).map(([name, value]): [string, Json] => {
      const field = fields[name]
      return [name, field ? spelled(field.type, value) : value]
    }),
  )

function spelled(type: FieldType, value: Json): Json {
  switch (type.is) {
    case 'string':
    case 'integer':
    case 'number':
    case 'identifier':
    case 'boolean':
    case 'enum':
      return isList(value) || isObject(value) ? value : (canonical(type, value) ?? value)
    case 'datetime': {
      const seconds = canonical(type, value)
      return typeof seconds === 'number' ? datetimeText(seconds) : value
    }
    case 'list':
      return isList(value) ? value.map((each) => spelled(type.of, each)) : spelled(type.of, value)
    case 'shape':
      return isObject(value) ? spelledMembers(type, value) : value
    case 'map':
      return type.of === 'string' && isObject(value) ? withTexts(value) : value
    case 'domain':
    case 'child':
    case 'reference':
      return value
  }
}

const spelledMembers = ({ shape }: Extract<FieldType, { is: 'shape' }>, value: JsonObject): JsonObject =>
  recordOf(
    Object.entries(value).map(([name, inner]): [string, Json] => {
      const member = memberOf(shape, name)
      return [name, member ? spelled(member.type, inner) : inner]
    }),
  )

const withTexts = (value: JsonObject): JsonObject =>
  recordOf(
    Object.entries(value).map(([name, inner]): [string, Json] => {
      const isScalar = typeof inner === 'number' || typeof inner === 'boolean'
      return [name, isScalar ? String(inner) : inner]
    }),
  )
