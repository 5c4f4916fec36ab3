import type { FieldLayers, OriginsDocument } from '../documents/origins.js'
import type { Colours } from './colours.js'
import { type TableForm, wrappedText } from './table.js'
import { manifestText } from './value-text.js'

/** The origin of each field of an object: its value, and below it the layers that set it, the effective one first. */
export function originsText(
  { address, environment, source, fields }: OriginsDocument,
  { colours, ...form }: TableForm & { readonly colours: Colours },
): string {
  const where = environment === undefined ? '' : ` in ${environment}`
  const place = `${source.file}:${source.line}:${source.column}`
  const fits = wrappedText(`${address}${where}  ${place}`, form).length === 1
  const head = `${colours.bold(address)}${where}${fits ? '' : '\n'}  ${colours.dim(place)}`
  return `${[head, ...fields.map((field) => layerLines(field, colours, form))].join('\n\n')}\n`
}

function layerLines(field: FieldLayers, colours: Colours, form: TableForm): string {
  const { path, value, sensitive, unavailable, absent, layers } = field
  const lines = layers.flatMap(({ layer, file, line, column, text, values }) => {
    const taken = values.map((each) => {
      return `; ${each.name} is ${each.text ?? '…'} (${each.layer}, ${each.file}:${each.line}:${each.column})`
    })
    const entry = `${layer}, ${file}:${line}:${column}${text === undefined ? '' : `: ${text}`}${taken.join('')}`
    return wrappedText(entry, { ...form, margin: 2 })
  })
  return [
    `${path.slice(1)}  ${absent ? 'not managed' : manifestText(value, sensitive, unavailable)}`,
    ...lines.map((line) => colours.dim(line)),
  ].join('\n')
}
