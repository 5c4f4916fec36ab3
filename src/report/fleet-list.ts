import type { FleetListDocument, FleetMatrix } from '../documents/fleet.js'
import { jsonText } from '../json/json.js'
import { printable } from '../json/printable.js'
import type { Colours } from './colours.js'
import type { Report } from './problems.js'
import { alignedLines, type TableForm } from './table.js'

export const fleetListJson = (list: FleetListDocument): Report => ({ output: jsonText(list) })

/** On one line, as CI systems take it from a variable. */
export const fleetMatrixJson = (matrix: FleetMatrix): Report => ({ output: `${JSON.stringify(matrix)}\n` })

/** A line for each area. */
export function fleetListText(
  { fleet, areas }: FleetListDocument,
  { colours, columns }: TableForm & { readonly colours: Colours },
): Report {
  const head = ['area', 'project', 'environment', 'key', 'wave', 'labels']
  const rows = areas.map(({ name, project, environment, key, wave, labels }) => [
    ...[name, project, environment ?? '', key ?? '', wave === null ? '' : String(wave)],
    Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .join(' '),
  ])
  const [title = '', ...lines] = alignedLines([head, ...rows], { columns })
  const count = `${areas.length} area${areas.length === 1 ? '' : 's'}`
  return { output: `${[`Fleet ${printable(fleet)}: ${count}`, '', colours.bold(title), ...lines].join('\n')}\n` }
}
