import { Environment } from '@marcbachmann/cel-js'
import { catalog } from '../catalog/catalog.js'
import { changeVariables, planVariables } from '../catalog/policy-schema.js'
import { kindNames, ownFields } from '../catalog/queries.js'
import { shapes } from '../catalog/shapes.js'
import type { FieldType, KindName } from '../catalog/types.js'
import type { Rule } from './policy.js'

/** The types of expressions in CEL, from the catalogue. */

/** Whether an expression uses the plan: the types of a plan are those of every kind, and are made only if they are needed. */
export type RuleReads = 'its change' | 'the plan as well'

interface Declarations {
  /** Members, by the name of their type. */
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly variables: Readonly<Record<string, string>>
}

export function environmentOf({ types, variables }: Declarations): Environment {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
  environment.registerFunction('string(google.protobuf.Timestamp): string', timeText)
  environment.registerFunction('string(google.protobuf.Duration): string', String)
  for (const name of innermostFirst(types)) environment.registerType(name, { fields: { ...types[name] } })
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type)
  return environment
}

/** Like standard CEL; the library has no texts of times. */
const timeText = (time: Date): string => time.toISOString().replace('.000Z', 'Z')

/** A type must be known before another type has members of it. */
function innermostFirst(types: Declarations['types']): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (name: string): void => {
    for (const type of Object.values(types[name] ?? {})) {
      if (Object.hasOwn(types, innerType(type))) add(innerType(type))
    }
    found.add(name)
  }
  for (const name of Object.keys(types)) add(name)
  return found
}

const typesByName = (variables: readonly { readonly name: string; readonly type: string }[]) =>
  Object.fromEntries(variables.map(({ name, type }) => [name, type]))

/** Every value may be of any type. */
export const untyped: Declarations = {
  types: {},
  variables: Object.fromEntries([...changeVariables, ...planVariables].map(({ name }) => [name, 'dyn'])),
}

const ownTypes = {
  Source: { file: 'string', line: 'int', column: 'int' },
  FieldChange: { path: 'string', before: 'dyn', after: 'dyn', sensitive: 'bool', verdict: 'string' },
} as const

/** The types in an expression about objects of these kinds. */
export function typedFor(of: Rule['of'], kinds: readonly KindName[], reads: RuleReads): Declarations {
  const counts = { create: 'int', update: 'int', replace: 'int', delete: 'int', unchanged: 'int' }
  const ofPlan = {
    AnyFields: fieldTypes(kindNames),
    Summary: counts,
    Change: { ...typesByName(changeVariables), before: 'AnyFields', after: 'AnyFields' },
    Plan: { changes: 'list<Change>', summary: 'Summary' },
  }
  const requested = reads === 'its change' ? variablesOf(of).filter((each) => each.name !== 'plan') : variablesOf(of)
  return {
    types: { ...shapeTypes(), ...ownTypes, Fields: fieldTypes(kinds), ...(reads === 'its change' ? {} : ofPlan) },
    variables: typesByName(requested),
  }
}

/** The variables of a rule, in their documented order. */
export const variablesOf = (of: Rule['of']): typeof planVariables =>
  of === 'change' ? [...changeVariables, ...planVariables] : planVariables

/** In a shape that contains itself, the inner ones may be of any type. */
const shapeTypes = (): Declarations['types'] =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, members]) => {
      const types = Object.entries(typesOf(Object.entries(members)))
      return [
        name,
        Object.fromEntries(types.map(([member, type]) => [member, innerType(type) === name ? 'dyn' : type])),
      ]
    }),
  )

/** The innermost type of a list, also of a list of lists. */
const innerType = (type: string): string => /\w+(?=>*$)/.exec(type)?.[0] ?? type

/** The own fields of these kinds; a field with several types may be of any type. */
function fieldTypes(kinds: readonly KindName[]): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {}
  for (const kind of kinds) {
    for (const [name, type] of Object.entries(typesOf(ownFields(catalog[kind]).map((field) => [field.name, field])))) {
      fields[name] = fields[name] === undefined || fields[name] === type ? type : 'dyn'
    }
  }
  return fields
}

const typesOf = (members: readonly (readonly [string, { readonly type: FieldType }])[]) =>
  Object.fromEntries(members.map(([name, { type }]) => [name, typeName(type)]))

function typeName(type: FieldType): string {
  switch (type.is) {
    case 'string':
    case 'domain':
    case 'datetime':
      return 'string'
    case 'integer':
      return 'int'
    case 'number':
      return 'double'
    case 'boolean':
      return 'bool'
    case 'enum':
      return type.base === 'integer' ? 'int' : 'string'
    case 'map':
      return type.of === 'string' ? 'map<string, string>' : 'map<string, dyn>'
    case 'shape':
      return type.shape
    case 'list':
      return `list<${typeName(type.of)}>`
    case 'identifier':
    case 'child':
    case 'reference':
      return 'dyn'
  }
}
