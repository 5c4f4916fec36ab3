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

/** The folder in which a fleet keeps its state, counts and reports, as an absolute path; nothing is made. */
export const recordsFolder = (
  { records, name }: Pick<Fleet, 'records' | 'name'>,
  { cwd }: Pick<Ports, 'cwd'>,
): string => resolve(cwd, records, folderName(name))

/**
 * A name for a folder that no other name of an area or fleet has, whatever stands in it: other people's text is never a path.
 */
export function folderName(name: string): string {
  const isPlain = /^[a-z0-9][a-z0-9._-]{0,60}$/.test(name) && !/\.$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/.test(name)
  // What is made of other names ends in a digest, and a name that ends so is no plain one; `run.json` is a file beside areas.
  return isPlain && name !== 'run.json' && !/-[0-9a-f]{16}$/.test(name) ? name : fileName(name, [name])
}

/** Calls that a command has really taken in each area, by the name of the area; of an area that nobody asked yet nothing. */
export function countsOf(folder: string, command: AreaCommand): Readonly<Record<string, number>> {
  return numbersIn(readRecord(join(folder, 'counts.json'))?.[command])
}

/** Notes what a command has taken in an area. */
export function keepCount(folder: string, command: AreaCommand, area: string, requests: number): void {
  const path = join(folder, 'counts.json')
  writeRecord(path, { ...readRecord(path), [command]: { ...countsOf(folder, command), [area]: requests } })
}

/** The calls of keys on a day, as this fleet counts them on this machine; days are those of UTC (A273). */
function callsOf(folder: string, day: string): Readonly<Record<string, number>> {
  const record = readRecord(join(folder, 'calls.json'))
  return numbersIn(record?.day === day ? record.keys : undefined)
}

/** The calls of keys as these records count them: by one run at a time. */
export const callBook = (folder: string): CallBook => ({
  take: ({ key, day, perDay }, { least, most }) => {
    const left = perDay - (callsOf(folder, day)[key] ?? 0)
    if (left < least) return Promise.resolve(0)
    const taken = Math.min(most, left)
    addCalls(folder, day, key, taken)
    return Promise.resolve(taken)
  },
  giveBack: ({ key, day }, calls) => {
    // Of a day that is over nobody counts any more.
    if (readRecord(join(folder, 'calls.json'))?.day === day) addCalls(folder, day, key, -calls)
    return Promise.resolve()
  },
})

/** Adds to them; negative: gives back. */
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

/** A file of the records; undefined where there is none, or it is damaged. Throws a ProblemError where it may not be read. */
export function readRecord(path: string): JsonObject | undefined {
  if (!existsSync(path)) return undefined
  const value = parseJson(textOf(path))
  return isObject(value) ? value : undefined
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ProblemError([recordsNotRead(dirname(path), codeOf(cause), reasonOf(cause))], { cause })
  }
}

/** Whole or not at all. */
export const writeRecord = (path: string, value: unknown): void => writeWhole(path, jsonText(value), 'as before')
