import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'

export type { ErrorObject as SchemaError, ValidateFunction as Validator }

/** A validator for one of our JSON Schemas. Compiling it takes longer than checking a small value. */
export function validatorFor<Value>(
  schema: object,
  options: Pick<Options, 'allErrors' | 'verbose'> = {},
): ValidateFunction<Value> {
  // A test validates our schemas; doing it here would mean compiling the schema of schemas, which takes even longer.
  const ajv = new Ajv2020({ ...options, strict: false, strictNumbers: true, meta: false, validateSchema: false })
  return ajv.compile<Value>(schema)
}
