import type { FieldType } from './types.js'

/** A type as the document's tables print it: "array of Endpoint", "integer enum", "object Cors". */
export function typeText(type: FieldType): string {
  switch (type.is) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'datetime':
      return type.is
    case 'enum':
      return type.base === 'integer' ? 'integer enum' : 'enum'
    case 'map':
      return 'object'
    case 'domain':
      return 'object Domain'
    case 'shape':
      return `object ${type.shape}`
    case 'child':
    case 'reference':
      return `object ${type.kind}`
    case 'list':
      return `array of ${typeText(type.of).replace(/^object (?=.)/, '')}`
  }
}
