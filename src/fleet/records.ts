import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isObject, type JsonObject, parseJson } from '../json/json.js'
import type { Ports } from '../ports/ports.js'
import { fileName } from '../stores/names.js'
import type { Fleet } from './fleet.js'

/** The folder in which a fleet keeps its state, counts and reports, as an absolute path; nothing is made. */
export const recordsFolder = (
  { records, name }: Pick<Fleet, 'records' | 'name'>,
  { cwd }: Pick<Ports, 'cwd'>,
): string => resolve(cwd, records, folderName(name))

/** A name for a folder that no other name of an area or fleet has, whatever stands in it: other people's text is never a path. */
function folderName(name: string): string {
  const isPlain = /^[a-z0-9][a-z0-9._-]{0,60}$/.test(name) && !/\.$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/.test(name)
  // What is made of other names ends in a digest, and a name that ends so is no plain one.
  return isPlain && !/-[0-9a-f]{16}$/.test(name) ? name : fileName(name, [name])
}

/** Calls that a drift of each area has really taken, by the name of the area; of an area that nobody asked yet nothing. */
export function countsOf(folder: string): Readonly<Record<string, number>> {
  const read = readRecord(join(folder, 'counts.json'))
  const areas = isObject(read?.areas) ? read.areas : {}
  return Object.fromEntries(
    Object.entries(areas).flatMap(([name, count]) => (typeof count === 'number' ? [[name, count]] : [])),
  )
}

/** A file of the records; undefined where there is none, or what is there cannot be read. */
function readRecord(path: string): JsonObject | undefined {
  if (!existsSync(path)) return undefined
  const value = parseJson(readFileSync(path, 'utf8'))
  return isObject(value) ? value : undefined
}
