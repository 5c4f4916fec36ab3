import { describe, expect, it } from 'vitest'
import { describeField } from '../../src/catalog/describe.js'
import { elementOf, kinds } from '../../src/catalog/queries.js'
import type { Field, Kind } from '../../src/catalog/types.js'
import { documentFields, proseOperations, tableOperations } from './document.js'

/** Notes of the catalogue itself: for a link, the meaning of its list, where the document only refers to Service. */
const ownNotes: Readonly<Record<string, string>> = {
  'PlanService.endpoints': 'the endpoints, and their methods, that the plan gives access to',
}

/** Enums with a note of the catalogue itself (the unit). */
const valuesOnly: Readonly<Record<string, true>> = {
  'Endpoint.connectionTimeoutForSystemDomainRequest': true,
  'Endpoint.connectionTimeoutForSystemDomainResponse': true,
}

const documented = (kind: Kind): readonly Field[] =>
  Object.values(kind.fields).filter((field) => field.origin === 'document')

const texts = (operations: readonly { readonly method: string; readonly path: string }[]): readonly string[] =>
  operations.map(({ method, path }) => `${method} ${path}`).sort()

describe.each(kinds.filter(({ origin }) => origin === 'document').map((kind) => [kind.name, kind] as const))(
  '%s',
  (name, kind) => {
    const rows = documentFields(name)

    it('has the fields of the document, and marks no other field as documented', () => {
      expect(
        documented(kind)
          .map((field) => field.name)
          .sort(),
      ).toEqual(rows.map((row) => row.name).sort())
    })

    it('has their rules and types', () => {
      const printed = rows.map((row) => [row.name, row.type, row.rules])
      const ours = rows.map(({ name: field }) => {
        const found = kind.fields[field]
        if (!found) return [field, 'missing']
        const { create, update, fetch } = found.printedRules ?? found
        return [field, describeField(kind, found).type, `${create} ${update} ${fetch}`]
      })
      expect(ours).toEqual(printed)
    })

    it('has their notes and enum values', () => {
      const printed = rows.map((row) => [row.name, ownNotes[`${name}.${row.name}`] ?? row.note])
      expect(rows.map(({ name: field }) => [field, noteAsPrinted(kind.fields[field], `${name}.${field}`)])).toEqual(
        printed,
      )
    })
  },
)

/** The document prints the values of an enum in the column of notes. */
function noteAsPrinted(field: Field | undefined, address: string): string | undefined {
  const element = field && elementOf(field.type)
  if (element?.is !== 'enum') return field?.note
  const values = element.values.join(', ')
  return field?.note === '' || address in valuesOnly ? values : `${values}; ${field?.note}`
}

describe('operations', () => {
  const ours = kinds.flatMap((kind) => Object.values(kind.operations).filter((operation) => operation.documented))

  it('are 71 rows of tables and 12 of prose', () => {
    expect(tableOperations).toHaveLength(71)
    expect(proseOperations).toHaveLength(12)
  })

  it('are in the catalogue exactly where the document has them', () => {
    expect(texts(ours)).toEqual(texts([...tableOperations, ...proseOperations]))
  })

  it('are all operations of the document: no operation in its tables is marked as conventional', () => {
    const printed = new Set(texts([...tableOperations, ...proseOperations]))
    const conventional = kinds.flatMap((kind) => Object.values(kind.operations).filter((each) => !each.documented))
    expect(texts(conventional).filter((text) => printed.has(text))).toEqual([])
  })

  it('for roles that the document doubts have its caveat', () => {
    const doubted = kinds.flatMap((kind) => Object.values(kind.operations).filter((each) => each.caveat !== undefined))
    expect(texts(doubted)).toEqual(['DELETE /roles/{roleId}', 'POST /roles', 'PUT /roles/{roleId}'])
  })
})
