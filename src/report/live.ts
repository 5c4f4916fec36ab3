import type { DisplayedField, LiveDocument } from '../documents/live.js'
import type { Json } from '../json/json.js'
import { jsonText } from '../json/json.js'
import { printable } from '../json/printable.js'
import { shortened } from './accepted-words.js'
import type { Report } from './problems.js'
import { padded, type TextForm, titledLines } from './table.js'
import { valueText } from './value-text.js'

interface LiveForm extends TextForm {
  /**
   * `table`: one line for each object; `addresses`: the same without fields, for objects of many kinds; `whole`: all fields of
   * each object.
   */
  readonly form: 'table' | 'addresses' | 'whole'
}

/** Live objects as JSON. */
export function liveJson(documents: readonly LiveDocument[]): Report {
  const objects = documents.map(({ address, kind, id, fields }) => ({
    address,
    kind,
    ...(id !== '' && { id }),
    fields: Object.fromEntries(fields.map(({ name, value }) => [name, value])),
  }))
  return { output: jsonText({ format: 'gatewright.objects/1', objects }) }
}

/** Live objects for people. */
export function liveText(documents: readonly LiveDocument[], options: LiveForm): Report {
  if (documents.length === 0) return { output: 'None.\n' }
  return options.form === 'whole' ? wholeText(documents, options) : tableText(documents, options)
}

function tableText(documents: readonly LiveDocument[], options: LiveForm): Report {
  const names = options.form === 'addresses' ? [] : tellingFields(documents)
  const rows = documents.map((document) => [
    document.address,
    document.id,
    ...names.map((name) => cellText(document.fields.find((field) => field.name === name))),
  ])
  return { output: `${titledLines(['ADDRESS', 'ID', ...names], rows, options).join('\n')}\n` }
}

/** The maximum number of fields on a line, in addition to address and id. */
const maxColumns = 3

/** The fields that describe the objects best and fit on a line, the best first. */
function tellingFields(documents: readonly LiveDocument[]): readonly string[] {
  const ranks = new Map<string, number>()
  for (const { fields } of documents) {
    for (const { name, value, rank } of fields) if (rank !== undefined && isShort(value)) ranks.set(name, rank)
  }
  const order = [...new Set(documents.flatMap(({ fields }) => fields.map(({ name }) => name)))]
  const found = order.filter((name) => ranks.has(name))
  return found.sort((left, right) => (ranks.get(left) ?? 0) - (ranks.get(right) ?? 0)).slice(0, maxColumns)
}

const isShort = (value: Json): boolean =>
  value !== null &&
  (typeof value !== 'object' || (Array.isArray(value) && value.every((each) => typeof each !== 'object')))

function cellText(field: DisplayedField | undefined): string {
  if (!field || field.value === null) return ''
  const words = Array.isArray(field.value) ? field.value.join(', ') : String(field.value)
  return shortened(printable(words))
}

function wholeText(documents: readonly LiveDocument[], { colours }: LiveForm): Report {
  const blocks = documents.map(({ address, id, fields }) => {
    const own = id === '' || fields.some(({ name }) => name === 'id') ? [] : [{ name: 'id', value: id }]
    const displayed = [...own, ...fields].filter(({ value }) => value !== null)
    const width = Math.max(0, ...displayed.map(({ name }) => name.length))
    return [colours.bold(printable(address)), ...displayed.map((field) => fieldText(field, width))].join('\n')
  })
  return { output: `${blocks.join('\n\n')}\n` }
}

function fieldText({ name, value }: Pick<DisplayedField, 'name' | 'value'>, width: number): string {
  if (typeof value === 'string' && value.includes('\n')) {
    const lines = value.replace(/\n$/, '').split(/\r?\n/)
    return [`  ${printable(name)}:`, ...lines.map((line) => `    ${printable(line)}`.trimEnd())].join('\n')
  }
  return `  ${padded(printable(name), width)}  ${typeof value === 'string' ? printable(value) : valueText(value)}`
}
