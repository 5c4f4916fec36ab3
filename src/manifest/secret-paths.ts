import { anything, memberIn, shapes } from '../catalog/shapes.js'
import type { FieldType, Kind } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { compareText } from '../json/order.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import { secretName } from '../problems/manifests.js'
import type { ReportProblem } from '../problems/problem.js'
import type { Node } from './node.js'
import { placeOf } from './source.js'

/**
 * What of an object is secret because a placeholder put a secret there, or because `metadata.sensitive` says so: by JSON
 * Pointers to what is managed as one value, which is a field, or a member of an object field.
 */

/** A value in which a secret stands, and whether all of it is known. */
export interface SecretPath {
  readonly path: string
  readonly isSet: boolean
  /** The value as it is written, without its secrets. */
  readonly template: Json
}

/** The values inside a written field that hold secrets. */
export function secretPaths(type: FieldType, node: Node, path: string): readonly SecretPath[] {
  if (!node.secret) return []
  if (type.is !== 'shape' || node.is !== 'map') return [{ path, isSet: isKnown(node), template: templateOf(node) }]
  return node.entries.flatMap(({ key, value }) => secretPaths(memberIn(type, key).type, value, path + pointerTo(key)))
}

function templateOf(node: Node): Json {
  switch (node.is) {
    case 'scalar':
      return node.template ?? node.value
    case 'list':
      return node.items.map(templateOf)
    case 'map':
      return Object.fromEntries(
        node.entries
          .map(({ key, value }): [string, Json] => [key, templateOf(value)])
          .sort(([left], [right]) => compareText(left, right)),
      )
  }
}

function isKnown(node: Node): boolean {
  switch (node.is) {
    case 'scalar':
      return node.from !== 'unresolved'
    case 'list':
      return node.items.every(isKnown)
    case 'map':
      return node.entries.every(({ value }) => isKnown(value))
  }
}

/** What a JSON Pointer of `metadata.sensitive` covers: the value that it leads into, or the members of what it points to. */
export function pathsCovered(kind: Kind, pointer: string): readonly string[] {
  const [name = '', ...members] = keysOf(pointer)
  let { type } = kind.fields[name] ?? anything
  let path = pointerTo(name)
  for (const member of members) {
    if (type.is !== 'shape') return [path]
    type = memberIn(type, member).type
    path += pointerTo(member)
  }
  return membersOf(type, path)
}

const membersOf = (type: FieldType, path: string): readonly string[] =>
  type.is === 'shape'
    ? Object.keys(shapes[type.shape]).flatMap((name) => membersOf(memberIn(type, name).type, path + pointerTo(name)))
    : [path]

/** The values without what stands at a JSON Pointer. */
export function without(fields: JsonObject, path: string): JsonObject {
  const [name = '', ...members] = keysOf(path)
  const value = fields[name]
  if (value === undefined) return fields
  const { [name]: _, ...others } = fields
  if (members.length === 0) return others
  return isObject(value) ? { ...fields, [name]: without(value, pointerTo(...members)) } : fields
}

/** Reports the secrets in what names an object: names stand in addresses, and those are shown everywhere. */
export function reportSecretNames(node: Node | undefined, report: ReportProblem): void {
  if (!node?.secret) return
  switch (node.is) {
    case 'scalar':
      report(secretName(placeOf(node.mark)))
      break
    case 'list':
      for (const item of node.items) reportSecretNames(item, report)
      break
    case 'map':
      for (const { value } of node.entries) reportSecretNames(value, report)
      break
  }
}
