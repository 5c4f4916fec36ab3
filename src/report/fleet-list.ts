import type { FleetListDocument, FleetMatrix } from '../documents/fleet.js'
import { printable } from '../json/printable.js'
import { counted } from '../problems/suggest.js'
import type { Report } from './problems.js'
import { type TextForm, titledLines } from './table.js'

/** JSON on one line, which CI systems can read from a variable. */
export const fleetMatrixJson = (matrix: FleetMatrix): Report => ({ output: `${JSON.stringify(matrix)}\n` })

/** One line for each area. */
export function fleetListText({ fleet, areas }: FleetListDocument, form: TextForm): Report {
  const head = ['area', 'project', 'environment', 'key', 'wave', 'labels']
  const rows = areas.map(({ name, project, environment, key, wave, labels }) => [
    ...[name, project, environment ?? '', key ?? '', wave === null ? '' : String(wave)],
    Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .join(' '),
  ])
  const title = `Fleet ${printable(fleet)}: ${counted(areas.length, 'area')}`
  return { output: `${[title, '', ...titledLines(head, rows, form)].join('\n')}\n` }
}
