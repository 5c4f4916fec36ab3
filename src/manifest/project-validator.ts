import { projectSchema } from '../catalog/json-schema.js'
import { type Validator, validatorFor } from '../json/schema.js'

/** The options that project documents are checked with; `project-check.ts` needs all errors, and the schemas they are of. */
export const validatorOptions = { allErrors: true, verbose: true } as const

let validator: Validator | undefined

/** The check of a project document: the bundle holds it compiled. */
export function projectValidator(): Validator {
  validator ??= validatorFor(projectSchema('resolved'), validatorOptions)
  return validator
}
