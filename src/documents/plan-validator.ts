import { shippedText } from '../files/shipped-files.js'
import { type SchemaError, type Validator, validatorFor } from '../json/schema.js'

const planSchema = (): object => JSON.parse(shippedText('schemas/plan-document.schema.json'))

let validator: Validator<{ readonly format: string }> | undefined

/** Why a value is not a plan that can be applied, or undefined. */
export function failureOf(value: unknown): string | undefined {
  validator ??= validatorFor(planSchema())
  if (!validator(value)) return schemaErrorWords(validator.errors?.[0])
  return value.format === 'gatewright.plan/1' ? undefined : `it is a ${value.format}`
}

const schemaErrorWords = (error: SchemaError | undefined): string =>
  error ? `${error.instancePath || 'the document'} ${error.message ?? 'does not fit'}` : 'it does not fit'
