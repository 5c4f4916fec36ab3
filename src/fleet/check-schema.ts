import { areaSchema, fleetSchema, inlineAreaSchema } from '../catalog/fleet-schema.js'
import { isObject, type JsonObject } from '../json/json.js'
import { once } from '../json/once.js'
import { validatorFor } from '../json/schema.js'
import { type MapNode, type Node, plain } from '../manifest/node.js'
import { schemaProblems, validatorOptions } from '../manifest/schema-problems.js'
import { hide } from '../manifest/source.js'
import type { ReportProblem } from '../problems/problem.js'

/** The documents of a fleet against their schemas. */

/** Reports what a schema says of a document; what may be a secret is in no frame, then or later. */
export function checked(
  root: MapNode,
  check: ReturnType<typeof checkedBy>,
  what: string,
  report: ReportProblem,
): boolean {
  const { schema, validate } = check()
  hideDoubtful(root, [schema])
  const errors = validate(plain(root)) ? [] : (validate.errors ?? [])
  const problems = schemaProblems(errors, root, what)
  for (const problem of problems) report(problem)
  return problems.length === 0
}

/** Hides what is written as a login, or where the schemas know no such key, list or text: it may be one. */
export function hideDoubtful(node: Node, schemas: readonly JsonObject[]): void {
  const forms = schemas.flatMap(formsOf)
  if (node.is === 'scalar' && forms.every(({ type }) => type === 'object' || type === 'array')) hide(node.mark)
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

/** A schema, or those that it is a choice of. */
const formsOf = (schema: JsonObject): readonly JsonObject[] =>
  Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject).flatMap(formsOf) : [schema]

function hideAll(node: Node): void {
  if (node.is === 'list') for (const item of node.items) hideAll(item)
  else if (node.is === 'map') for (const { value } of node.entries) hideAll(value)
  else hide(node.mark)
}

/** What one kind of document may hold, and who checks it. */
const checkedBy = (whole: JsonObject, checked: JsonObject = whole) =>
  once(() => ({ schema: whole, validate: validatorFor(checked, validatorOptions) }))

export const fleetCheck = checkedBy(fleetSchema('whole'), fleetSchema('areas checked apart'))
export const areaCheck = checkedBy(areaSchema())
export const inlineCheck = checkedBy(inlineAreaSchema())
