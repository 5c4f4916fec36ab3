import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { recordOf } from '../catalog/record.js'
import type { AreaCommand } from '../documents/fleet.js'
import { codeOf, reasonOf } from '../files/system-error.js'
import { writeWhole } from '../files/write-file.js'
import { isObject, type Json, type JsonObject, jsonText, objectOf, parseJson } from '../json/json.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { recordsNotRead } from '../problems/records.js'
import { fileName } from '../stores/names.js'
import type { CallBook } from './day-calls.js'
import type { Fleet } from './fleet.js'

/** The folder for the state, counts and reports of a fleet, as an absolute path. It is not created here. */
export const recordsFolder = (
  { records, name }: Pick<Fleet, 'records' | 'name'>,
  { cwd }: Pick<Ports, 'cwd'>,
): string => resolve(cwd, records, folderName(name))

/** A folder name that is unique for each name of an area or fleet. A name can be any text, so it is never used as a path. */
export function folderName(name: string): string {
  const isPlain = /^[a-z0-9][a-z0-9._-]{0,60}$/.test(name) && !/\.$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/.test(name)
  // The names of other folders end in a digest, so a name with such an ending is not plain. `run.json` is a file in the same
  // folder.
  return isPlain && name !== 'run.json' && !/-[0-9a-f]{16}$/.test(name) ? name : fileName(name, [name])
}

/** The number of calls that a command really needed in each area, by the name of the area. Areas without a count are missing. */
export function recordedCounts(folder: string, command: AreaCommand): Readonly<Record<string, number>> {
  return numbersIn(readRecord(join(folder, 'counts.json'))?.[command])
}

/** Stores the number of calls that a command needed in an area. */
export function keepCount(folder: string, command: AreaCommand, area: string, requests: number): void {
  const path = join(folder, 'counts.json')
  writeRecord(path, { ...readRecord(path), [command]: { ...recordedCounts(folder, command), [area]: requests } })
}

/** The calls per key on one day, as this fleet counts them on this machine. Days are UTC days (A273). */
function callsOf(folder: string, day: string): Readonly<Record<string, number>> {
  const record = readRecord(join(folder, 'calls.json'))
  return numbersIn(record?.day === day ? record.keys : undefined)
}

/** The calls per key in these records. Only one run at a time may use it. */
export const callBook = (folder: string): CallBook => ({
  take: ({ key, day, perDay }, { least, most }) => {
    const left = perDay - (callsOf(folder, day)[key] ?? 0)
    if (left < least) return Promise.resolve(0)
    const taken = Math.min(most, left)
    addCalls(folder, day, key, taken)
    return Promise.resolve(taken)
  },
  giveBack: ({ key, day }, calls) => {
    // The counts of past days are not needed any more.
    if (readRecord(join(folder, 'calls.json'))?.day === day) addCalls(folder, day, key, -calls)
    return Promise.resolve()
  },
})

/** Adds calls; a negative number returns calls. */
function addCalls(folder: string, day: string, key: string, calls: number): void {
  const keys = callsOf(folder, day)
  writeRecord(join(folder, 'calls.json'), { day, keys: { ...keys, [key]: Math.max(0, (keys[key] ?? 0) + calls) } })
}

const numbersIn = (value: Json | undefined): Readonly<Record<string, number>> =>
  recordOf(
    Object.entries(objectOf(value)).flatMap(([name, count]): readonly [string, number][] =>
      typeof count === 'number' ? [[name, count]] : [],
    ),
  )

/**
 * The contents of a file of the records; undefined if it does not exist or is damaged. Throws a ProblemError if it cannot be
 * read.
 */
export function readRecord(path: string): JsonObject | undefined {
  if (!existsSync(path)) return undefined
  const value = parseJson(readRecordText(path))
  return isObject(value) ? value : undefined
}

function readRecordText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ProblemError([recordsNotRead(dirname(path), codeOf(cause), reasonOf(cause))], { cause })
  }
}

/** Writes a file of the records completely or not at all. */
export const writeRecord = (path: string, value: unknown): void => writeWhole(path, jsonText(value), 'as before')
