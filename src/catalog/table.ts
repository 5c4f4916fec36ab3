import type {
  ConventionalOperation,
  DefaultValue,
  FieldType,
  KindName,
  KindRow,
  NotedOperation,
  OperationText,
  Row,
  ShapeName,
} from './types.js'

/** The types for the tables in `kinds/`. */

export const string: FieldType = { is: 'string' }
/** A host name in a field that the document prints as a string. */
export const hostName: FieldType = { is: 'string', isHost: true }
export const integer: FieldType = { is: 'integer' }
/** A number that may have a fraction. */
export const number: FieldType = { is: 'number' }
/** The id of an object that is no resource of the document: an integer or any text. */
export const identifier: FieldType = { is: 'identifier' }
export const boolean: FieldType = { is: 'boolean' }
export const datetime: FieldType = { is: 'datetime' }
export const domain: FieldType = { is: 'domain' }
export const mapOfStrings: FieldType = { is: 'map', of: 'string' }
export const freeObject: FieldType = { is: 'map', of: 'any' }

/** An enum of strings. */
export const oneOf = (...values: readonly string[]): FieldType => ({ is: 'enum', base: 'string', values })
/** An enum of strings, with additional words that the document does not have (field notes). */
export const oneOfAnd = (values: readonly string[], noted: readonly string[]): FieldType => ({
  is: 'enum',
  base: 'string',
  values,
  noted,
})
/** An enum of strings for which the vendor's platforms have other words: the vendor's words by those of the document. */
export const oneOfWords = (mashery: Readonly<Record<string, string>>): FieldType => ({
  is: 'enum',
  base: 'string',
  values: Object.keys(mashery),
  mashery,
})
/** An enum of integers. */
export const oneOfIntegers = (...values: readonly number[]): FieldType => ({ is: 'enum', base: 'integer', values })
export const listOf = (of: FieldType): FieldType => ({ is: 'list', of })
/** A value object whose members are managed one by one. */
export const shape = (name: ShapeName): FieldType => ({ is: 'shape', shape: name })
/** A single owned child. */
export const child = (kind: KindName): FieldType => ({ is: 'child', kind })
/** A list of owned children. */
export const children = (kind: KindName): FieldType => listOf(child(kind))
/** A reference to an object elsewhere. */
export const reference = (kind: KindName): FieldType => ({ is: 'reference', kind })
/** A list of references to objects elsewhere. */
export const references = (kind: KindName): FieldType => listOf(reference(kind))

/** The document's common fields, "present on most resources unless stated". */
const id: Row = [string, 'Ign Ctx Imp']
const created: Row = [datetime, 'Ign Ign Imp']
const updated: Row = [datetime, 'Ign Ign Imp']
export const common = { id, created, updated }

/** An operation that the document names without details. It follows the document's conventions. */
export const conventional = (text: OperationText): ConventionalOperation => ({ conventional: text })

/** An operation that the document does not name, but clients use (field notes). It follows the document's conventions. */
export const noted = (text: OperationText): NotedOperation => ({ noted: text })

type FieldNames<Fields, Noted, Recorded> = (keyof Fields | keyof Noted | keyof Recorded) & string

/** Declares one kind. The compiler checks every list of field names against the rows. */
export function kind<
  const Fields extends Readonly<Record<string, Row>>,
  const Noted extends Readonly<Record<string, Row>> = Record<never, Row>,
  const Recorded extends Readonly<Record<string, Row>> = Record<never, Row>,
>(
  row: KindRow<FieldNames<Fields, Noted, Recorded>> & {
    readonly fields: Fields
    readonly noted?: Noted
    readonly recorded?: Recorded
  },
): Declared<Fields, Noted> {
  return row
}

/** The result of `kind()`: the row with its field names, so that types can be inferred from it. */
type Declared<Fields, Noted> = KindRow<string> & { readonly fields: Fields; readonly noted?: Noted }

/** The same default for several fields. */
export const all = <const Name extends string, Value extends DefaultValue>(
  value: Value,
  ...names: readonly Name[]
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>
