import type { FieldDescription, KindDescription, MemberDescription, OperationDescription } from '../catalog/describe.js'
import type { Json } from '../json/json.js'
import type { Report } from './problems.js'
import { alignedLines, type TextForm, titledLines, wrappedText } from './table.js'
import { valueText } from './value-text.js'

/** All kinds, one per line. */
export function kindsText(kinds: Readonly<Record<string, KindDescription>>, form: TextForm): Report {
  const rows = Object.entries(kinds).map(([name, kind]) => [name, kind.parent?.kind ?? '', kind.about])
  return { output: `${titledLines(['KIND', 'IN', 'WHAT IT IS'], rows, form).join('\n')}\n` }
}

/** One kind: its fields with their types and rules, and its operations. */
export function kindText(name: string, kind: KindDescription, { colours, columns }: TextForm): Report {
  const fields = Object.entries(kind.fields).map(([field, row]) => [
    field,
    row.type,
    row.create,
    row.update,
    row.fetch,
    remarks(row),
  ])
  const operations = Object.entries(kind.operations).map(([operation, row]) => [
    operation,
    row.method,
    row.path,
    support(row),
  ])
  const blocks = [
    [colours.bold(name), ...[kind.about, ...facts(kind)].flatMap((text) => wrappedText(text, { columns }))],
    titledLines(['FIELD', 'TYPE', 'C', 'U', 'F', 'NOTES'], fields, { colours, columns }),
    titledLines(['OPERATION', 'METHOD', 'PATH', ''], operations, { colours, columns }),
    wrappedText(legend, { columns }),
  ]
  return { output: `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n` }
}

/** All facts about one field. */
export function fieldReport(name: string, field: FieldDescription, { colours, columns }: TextForm): Report {
  const rows = [
    ['type', field.type],
    ['on create', ruleWords[field.create] ?? field.create],
    ['on update', ruleWords[field.update] ?? field.update],
    ['on fetch', ruleWords[field.fetch] ?? field.fetch],
    ...(field.enum ? [['one of', field.enum.join(', ')]] : []),
    ...(field.default === undefined ? [] : [['default', JSON.stringify(field.default)]]),
    ...(field.immutable ? [['immutable', 'a difference is a replace']] : []),
    ...(field.writeOnly ? [['write-only', 'sent on create, never given back, never compared']] : []),
    ...(field.secret ? [['secret', 'never printed, logged or stored']] : []),
    ...(field.readOnly === undefined ? [] : [['read-only', field.readOnly]]),
    ['known from', field.origin === 'document' ? 'the interface document' : 'the field notes'],
    ...(field.note === undefined ? [] : [['note', field.note]]),
    ...(field.example === undefined ? [] : [['example', exampleText(name, field.example)]]),
  ]
  const members = Object.entries(field.members ?? {}).map(([member, row]) => [
    member,
    row.type,
    [row.enum?.join(', '), row.note, defaultText(row.default)].filter((text) => text !== undefined).join('; '),
  ])
  const displayed =
    members.length === 0 ? [] : ['', ...titledLines(['MEMBER', 'TYPE', 'NOTES'], members, { colours, columns })]
  return { output: `${[colours.bold(name), ...alignedLines(rows, { columns }), ...displayed].join('\n')}\n` }
}

/** All facts about one member of a value object. */
export function memberReport(name: string, member: MemberDescription, form: TextForm): Report {
  const rows = [
    ['type', member.type],
    ...(member.enum ? [['one of', member.enum.join(', ')]] : []),
    ...(member.default === undefined ? [] : [['default', JSON.stringify(member.default)]]),
    ['known from', 'the field notes'],
    ...(member.note === undefined ? [] : [['note', member.note]]),
  ]
  return factsText(name, rows, form)
}

/** A name with a list of facts. */
export function factsText(name: string, facts: readonly (readonly string[])[], { colours, columns }: TextForm): Report {
  return { output: `${[colours.bold(name), ...alignedLines(facts, { columns })].join('\n')}\n` }
}

/** A name with a table. */
export function rowsText(
  name: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: TextForm,
): Report {
  return { output: `${[options.colours.bold(name), '', ...titledLines(head, rows, options)].join('\n')}\n` }
}

/** The form that manifests have: `qpsLimitOverall: 500`. */
const exampleText = (name: string, value: Json): string => `${name.slice(name.indexOf('.') + 1)}: ${valueText(value)}`

const defaultText = (value: Json | undefined): string | undefined =>
  value === undefined ? undefined : `default ${JSON.stringify(value)}`

const legend =
  'C create, U update, F fetch. Req required, Opt optional, Ign ignored if sent, Ctx given by the path, Imp returned by default, Exp returned only on request.'

const ruleWords: Readonly<Record<string, string>> = {
  Req: 'required (Req)',
  Opt: 'optional (Opt)',
  Ign: 'ignored if sent (Ign)',
  Ctx: 'given by the path (Ctx)',
  Imp: 'returned by default (Imp)',
  Exp: 'returned only on request (Exp)',
}

function facts(kind: KindDescription): readonly string[] {
  const { parent, identity, association, blocked = {} } = kind
  return [
    ...(parent ? [`Lives in the ${parent.single ? 'field' : 'list'} "${parent.field}" of its ${parent.kind}.`] : []),
    identity === null
      ? 'A parent has at most one.'
      : `Identified by its ${identity}${association ? ` (that of the ${association})` : ''}.`,
    ...Object.entries(blocked).map(([action, reason]) => `No ${action}: ${reason}.`),
  ]
}

function remarks(field: FieldDescription): string {
  const words = [
    field.enum?.join(', '),
    field.note,
    field.default === undefined ? undefined : `default ${JSON.stringify(field.default)}`,
    field.immutable && 'immutable',
    field.writeOnly && 'write-only',
    field.secret && 'secret',
    field.readOnly && `read-only: ${field.readOnly}`,
    field.origin === 'notes' && 'from the field notes',
  ]
  return words.filter((word) => typeof word === 'string' && word !== '').join('; ')
}

function support({ documented, origin, caveat }: OperationDescription): string {
  if (caveat !== undefined) return `documented, but ${caveat}`
  if (documented) return ''
  return origin === 'notes'
    ? 'conventional: from the field notes'
    : 'conventional: the document names it without a shape'
}
