import { projectSchema } from '../catalog/project-schema.js'
import { type Validator, validatorFor } from '../json/schema.js'
import { validatorOptions } from './schema-problems.js'

let validator: Validator | undefined

/** The check of a project document: the bundle holds it compiled. */
export function projectValidator(): Validator {
  validator ??= validatorFor(projectSchema('resolved'), validatorOptions)
  return validator
}
