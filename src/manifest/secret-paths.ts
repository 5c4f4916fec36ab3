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
 * The secret parts of an object: a placeholder gave a secret, or `metadata.sensitive` names them. They are JSON Pointers to
 * values that are managed as a whole: a field, or a member of an object field.
 */

/** A value that contains a secret, and whether all its secrets are set. */
interface SecretPath {
  readonly path: string
  readonly isSet: boolean
  /** The written value, without its secrets. */
  readonly template: Json
}

/** The values in a written field that contain secrets. */
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

/**
 * The values that a JSON Pointer of `metadata.sensitive` covers: the value that it leads into, or the members of what it points
 * to.
 */
export function pathsCovered(kind: Kind, pointer: string): readonly string[] {
  const [name = '', ...members] = keysOf(pointer)
  let { type } = kind.fields[name] ?? anything
  let path = pointerTo(name)
  for (const member of members) {
    if (type.is !== 'shape') return [path]
    type = memberIn(type, member).type
    path += pointerTo(member)
  }
  return memberPaths(type, path)
}

const memberPaths = (type: FieldType, path: string): readonly string[] =>
  type.is === 'shape'
    ? Object.keys(shapes[type.shape]).flatMap((name) => memberPaths(memberIn(type, name).type, path + pointerTo(name)))
    : [path]

/** The values without the one at a JSON Pointer. */
export function withoutValue(fields: JsonObject, path: string): JsonObject {
  const [name = '', ...members] = keysOf(path)
  const value = fields[name]
  if (value === undefined) return fields
  const { [name]: _, ...others } = fields
  if (members.length === 0) return others
  return isObject(value) ? { ...fields, [name]: withoutValue(value, pointerTo(...members)) } : fields
}

/** Reports secrets in the name of an object: names are in addresses, and those are shown everywhere. */
export function reportSecretNames(node: Node | undefined, report: ReportProblem): void {
  if (!node?.secret) return
  switch (node.is) {
    case 'scalar':
      report(secretName(placeOf(node.range)))
      break
    case 'list':
      for (const item of node.items) reportSecretNames(item, report)
      break
    case 'map':
      for (const { value } of node.entries) reportSecretNames(value, report)
      break
  }
}
