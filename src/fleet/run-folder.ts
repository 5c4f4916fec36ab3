import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AreaCommand, type AreaDocument, type AreaResult, type AreaState, areaStates } from '../documents/fleet.js'
import { isList, isObject, type Json, type JsonObject } from '../json/json.js'
import { folderName, readRecord, writeRecord } from './records.js'

/**
 * What one run of a fleet has written: `run.json`, and for each area a folder with its reports and `result.json`. Every file is
 * written whole or not at all, so that a run that was cut off at any moment can be resumed.
 */
export interface FleetRunFolder {
  /** An absolute path. */
  readonly path: string
  /** That of one area, as an absolute path. */
  readonly of: (area: string) => string
  /** What came of an area in this run, without its document; undefined where it has not ended, or not begun. */
  readonly result: (area: string) => AreaResult | undefined
  /** The same with the document, as far as its file is there. */
  readonly whole: (area: string) => AreaResult | undefined
  readonly keep: (result: AreaResult) => void
  /** When the job of an area began in this run: milliseconds since 1970. */
  readonly begun: (area: string) => number | undefined
  readonly begin: (area: string, at: number) => void
}

/** What `run.json` says. */
export interface FleetRunHead {
  readonly fleet: string
  readonly command: AreaCommand
  /** ISO date: results of another run have another one. */
  readonly startedAt: string
  /** Of `apply`: the folder of the plans, and when the run that made them began. */
  readonly planFolder: string | null
  readonly plannedAt: string | null
}

/** The head of the run that a folder has; undefined where it has none. */
export function headIn(path: string): FleetRunHead | undefined {
  const read = readRecord(join(path, 'run.json'))
  const { format, fleet, command, startedAt } = read ?? {}
  const known = (['drift', 'plan', 'apply'] as const).find((each) => each === command)
  if (format !== 'gatewright.fleet-run/1' || typeof fleet !== 'string' || typeof startedAt !== 'string')
    return undefined
  const textAt = (key: 'planFolder' | 'plannedAt') => (typeof read?.[key] === 'string' ? read[key] : null)
  return known && { fleet, command: known, startedAt, planFolder: textAt('planFolder'), plannedAt: textAt('plannedAt') }
}

/** Begins a run in a folder, or goes on with the one that the head is of. */
export function openRun(path: string, head: FleetRunHead): FleetRunFolder {
  const of = (area: string): string => join(path, folderName(area))
  const own = (area: string, file: string): JsonObject | undefined => {
    const record = readRecord(join(of(area), file))
    return record?.run === head.startedAt ? record : undefined
  }
  const result = (area: string): AreaResult | undefined => {
    const record = own(area, 'result.json')?.result
    return isResult(record) && record.area === area ? { ...record, document: null } : undefined
  }
  return {
    path,
    of,
    result,
    whole: (area) => {
      const known = result(area)
      const document = known?.files.json === undefined ? undefined : readRecord(join(of(area), 'report.json'))
      return known && { ...known, document: isAreaDocument(document) ? document : null }
    },
    keep: ({ document: _, ...rest }) =>
      writeRecord(join(of(rest.area), 'result.json'), { run: head.startedAt, result: rest }),
    begun: (area) => {
      const at = own(area, 'begun.json')?.at
      return typeof at === 'number' ? at : undefined
    },
    begin: (area, at) => writeRecord(join(of(area), 'begun.json'), { run: head.startedAt, at }),
  }
}

/** Writes the head of a new run: from now on what the folder has of another one does not count. */
export const writeHead = (path: string, head: FleetRunHead): void =>
  writeRecord(join(path, 'run.json'), { format: 'gatewright.fleet-run/1', ...head })

/** Only this program writes results, whole; but a person may have changed one. */
const isResult = (value: Json | undefined): value is JsonObject & Omit<AreaResult, 'document'> =>
  isObject(value) &&
  isState(value.state) &&
  typeof value.area === 'string' &&
  isObject(value.summary) &&
  isObject(value.files) &&
  isList(value.diagnostics)

const isState = (value: Json | undefined): value is AreaState => areaStates.some((state) => state === value)

const isAreaDocument = (value: JsonObject | undefined): value is JsonObject & AreaDocument =>
  isList(value?.changes) && isObject(value.summary) && typeof value.format === 'string'

/** The saved plan of an area in the folder of a run, if that run has made one: a file of an earlier run is none. */
export function savedPlanIn(folder: FleetRunFolder, area: string): string | undefined {
  const path = join(folder.of(area), 'plan.json')
  return folder.result(area)?.files.plan !== undefined && existsSync(path) ? path : undefined
}

/** What that file says; undefined without one. */
export function savedDocumentIn(folder: FleetRunFolder, area: string): AreaDocument | undefined {
  const path = savedPlanIn(folder, area)
  const document = path === undefined ? undefined : readRecord(path)
  return isAreaDocument(document) ? document : undefined
}
