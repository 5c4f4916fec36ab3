import { areaSchema, fleetSchema, inlineAreaSchema } from '../catalog/fleet-schema.js'
import { isObject, type JsonObject, objectOf } from '../json/json.js'
import { once } from '../json/once.js'
import { validatorFor } from '../json/schema.js'
import { type MapNode, type Node, plain } from '../manifest/node.js'
import { schemaProblems, validatorOptions } from '../manifest/schema-problems.js'
import { hide } from '../manifest/source.js'
import type { ReportProblem } from '../problems/problem.js'

/**
 * Validates a document of a fleet with its schema and reports the errors; true if there are none. Hides possible secrets in all
 * code frames, now and later.
 */
export function checked(
  root: MapNode,
  check: ReturnType<typeof checkedBy>,
  what: string,
  report: ReportProblem,
): boolean {
  const { schema, validate } = check()
  hideDoubtful(root, [schema])
  const errors = validate(plain(root)) ? [] : (validate.errors ?? [])
  const problems = schemaProblems(errors, root, what, (path, key) =>
    path.length === 0 || path.join() === 'metadata' ? placeInSpec(key, schema) : undefined,
  )
  for (const problem of problems) report(problem)
  return problems.length === 0
}

/** Where a field of `spec` belongs; other kinds have their labels in `metadata`. */
const placeInSpec = (key: string, { properties }: JsonObject): string | undefined =>
  Object.hasOwn(objectOf(objectOf(objectOf(properties).spec).properties), key) ? `spec: {${key}: …}` : undefined

/** Hides values that may be secret: logins, and values at positions where the schemas know no such key, list or text. */
export function hideDoubtful(node: Node, schemas: readonly JsonObject[]): void {
  const forms = schemas.flatMap(formsOf)
  if (node.is === 'scalar' && forms.every(({ type }) => type === 'object' || type === 'array')) hide(node.range)
  if (node.is === 'list') {
    const inside = forms.flatMap(({ items }) => (isObject(items) ? [items] : []))
    for (const item of node.items) hideBelow(item, inside)
  }
  if (node.is !== 'map') return
  for (const { key, value } of node.entries) {
    const inside = forms.flatMap(({ properties, additionalProperties: any }) => {
      const known = isObject(properties) ? properties[key] : undefined
      return [known, any].filter(isObject).slice(0, 1)
    })
    hideBelow(value, inside)
  }
}

function hideBelow(node: Node, schemas: readonly JsonObject[]): void {
  if (schemas.length === 0 || schemas.some(({ writeOnly }) => writeOnly === true)) hideAll(node)
  else hideDoubtful(node, schemas)
}

/** The schema, or its alternatives if it is a choice. */
const formsOf = (schema: JsonObject): readonly JsonObject[] =>
  Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject).flatMap(formsOf) : [schema]

function hideAll(node: Node): void {
  if (node.is === 'list') for (const item of node.items) hideAll(item)
  else if (node.is === 'map') for (const { value } of node.entries) hideAll(value)
  else hide(node.range)
}

/** The schema of one kind of document, with its validator. */
const checkedBy = (whole: JsonObject, checked: JsonObject = whole) =>
  once(() => ({ schema: whole, validate: validatorFor(checked, validatorOptions) }))

export const fleetCheck = checkedBy(fleetSchema('whole'), fleetSchema('areas checked apart'))
export const areaCheck = checkedBy(areaSchema())
export const inlineCheck = checkedBy(inlineAreaSchema())
