import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { projectSchema } from '../catalog/json-schema.js'

/** The options that project documents are checked with; `project-check.ts` needs all errors, and the schemas they are of. */
export const validatorOptions = { allErrors: true, verbose: true, strict: false } as const

let validator: ValidateFunction | undefined

/** The check of a project document. Compiling it takes longer than reading one: the bundle holds it compiled. */
export function projectValidator(): ValidateFunction {
  // The schema is our own, and a test validates it: compiling the schema of schemas for it would take longer still.
  const own = { ...validatorOptions, meta: false, validateSchema: false }
  validator ??= new Ajv2020(own).compile(projectSchema('resolved'))
  return validator
}
