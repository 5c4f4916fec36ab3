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

/** The vocabulary in which the tables of `kinds/` are written. */

export const string: FieldType = { is: 'string' }
/** A host name in a field that the document prints as a string. */
export const hostName: FieldType = { is: 'string', isHost: true }
export const integer: FieldType = { is: 'integer' }
/** A number that may have a fraction. */
export const number: FieldType = { is: 'number' }
/** The id of something that is no resource of the document: a whole number, or any text. */
export const identifier: FieldType = { is: 'identifier' }
export const boolean: FieldType = { is: 'boolean' }
export const datetime: FieldType = { is: 'datetime' }
export const domain: FieldType = { is: 'domain' }
export const mapOfStrings: FieldType = { is: 'map', of: 'string' }
export const freeObject: FieldType = { is: 'map', of: 'any' }

/** An enum of strings. */
export const oneOf = (...values: readonly string[]): FieldType => ({ is: 'enum', base: 'string', values })
/** An enum of strings, and words of it that the document does not have (field notes). */
export const oneOfAnd = (values: readonly string[], noted: readonly string[]): FieldType => ({
  is: 'enum',
  base: 'string',
  values,
  noted,
})
/** An enum of strings for which the vendor's platforms have other words: theirs by those of the document. */
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
/** The one owned child of that kind. */
export const child = (kind: KindName): FieldType => ({ is: 'child', kind })
/** A list of owned children. */
export const children = (kind: KindName): FieldType => listOf(child(kind))
/** An object that lives elsewhere. */
export const reference = (kind: KindName): FieldType => ({ is: 'reference', kind })
/** A list of objects that live elsewhere. */
export const references = (kind: KindName): FieldType => listOf(reference(kind))

/** The document's common fields, "present on most resources unless stated". */
const id: Row = [string, 'Ign Ctx Imp']
const created: Row = [datetime, 'Ign Ign Imp']
const updated: Row = [datetime, 'Ign Ign Imp']
export const common = { id, created, updated }

/** An operation that the document names without a shape; it follows the document's own conventions. */
export const conventional = (text: OperationText): ConventionalOperation => ({ conventional: text })

/** An operation that the document does not name, and clients rely on (field notes); it follows the document's conventions. */
export const noted = (text: OperationText): NotedOperation => ({ noted: text })

type Names<Fields, Noted, Recorded> = (keyof Fields | keyof Noted | keyof Recorded) & string

/** Declares one kind. Every list of field names is checked against the rows when this compiles. */
export function kind<
  const Fields extends Readonly<Record<string, Row>>,
  const Noted extends Readonly<Record<string, Row>> = Record<never, Row>,
  const Recorded extends Readonly<Record<string, Row>> = Record<never, Row>,
>(
  row: KindRow<Names<Fields, Noted, Recorded>> & {
    readonly fields: Fields
    readonly noted?: Noted
    readonly recorded?: Recorded
  },
): Declared<Fields, Noted> {
  return row
}

/** What `kind()` gives: the row with its field names kept, so that types can be inferred from it. */
export type Declared<Fields, Noted> = KindRow<string> & { readonly fields: Fields; readonly noted?: Noted }

/** All fields of a group share one default. */
export const all = <const Name extends string, Value extends DefaultValue>(
  value: Value,
  ...names: readonly Name[]
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>
