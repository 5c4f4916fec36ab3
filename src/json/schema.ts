import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'

export type { ErrorObject as SchemaError, ValidateFunction as Validator }

/** The check of values by a JSON Schema of ours; compiling it takes longer than checking a small value. */
export function validatorFor<Value>(
  schema: object,
  options: Pick<Options, 'allErrors' | 'verbose'> = {},
): ValidateFunction<Value> {
  // A test validates our schemas: compiling the schema of schemas for that would take longer still.
  const ajv = new Ajv2020({ ...options, strict: false, strictNumbers: true, meta: false, validateSchema: false })
  return ajv.compile<Value>(schema)
}
