import { projectSchema } from '../catalog/project-schema.js'
import { once } from '../json/once.js'
import { type Validator, validatorFor } from '../json/schema.js'
import { validatorOptions } from './schema-problems.js'

/** The check of a project document; the bundle contains it compiled. */
export const projectValidator = once((): Validator => validatorFor(projectSchema('resolved'), validatorOptions))
