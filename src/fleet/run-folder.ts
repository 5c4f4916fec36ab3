import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AreaCommand, type AreaDocument, type AreaResult, type AreaState, areaStates } from '../documents/fleet.js'
import { isList, isObject, type Json, type JsonObject } from '../json/json.js'
import { folderName, readRecord, writeRecord } from './records.js'

/**
 * The files of one run of a fleet: `run.json`, and for each area a folder with its reports and `result.json`. Every file is
 * written completely or not at all, so that a run can be resumed whenever it was interrupted.
 */
export interface FleetRunFolder {
  /** An absolute path. */
  readonly path: string
  /** The folder of one area, as an absolute path. */
  readonly of: (area: string) => string
  /** The result of an area in this run, without its document; undefined if its job has not ended. */
  readonly result: (area: string) => AreaResult | undefined
  /** The same result with its document, if the file of the document exists. */
  readonly whole: (area: string) => AreaResult | undefined
  readonly keep: (result: AreaResult) => void
  /** When the job of an area began in this run, in milliseconds since 1970. */
  readonly jobStartedAt: (area: string) => number | undefined
  readonly begin: (area: string, at: number) => void
}

/** The contents of `run.json`. */
export interface FleetRunHead {
  readonly fleet: string
  readonly command: AreaCommand
  /** ISO date. It identifies the run: results with another date belong to another run. */
  readonly startedAt: string
  /** Only for `apply`: the folder of the plans, and when the run that made them began. */
  readonly planFolder: string | null
  readonly plannedAt: string | null
}

/** The head of the run in a folder; undefined if there is none. */
export function headIn(path: string): FleetRunHead | undefined {
  const read = readRecord(join(path, 'run.json'))
  const { format, fleet, command, startedAt } = read ?? {}
  const known = (['drift', 'plan', 'apply'] as const).find((each) => each === command)
  if (format !== 'gatewright.fleet-run/1' || typeof fleet !== 'string' || typeof startedAt !== 'string')
    return undefined
  const textAt = (key: 'planFolder' | 'plannedAt') => (typeof read?.[key] === 'string' ? read[key] : null)
  return known && { fleet, command: known, startedAt, planFolder: textAt('planFolder'), plannedAt: textAt('plannedAt') }
}

/** Opens the folder for the run with this head, new or resumed. */
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
    jobStartedAt: (area) => {
      const at = own(area, 'begun.json')?.at
      return typeof at === 'number' ? at : undefined
    },
    begin: (area, at) => writeRecord(join(of(area), 'begun.json'), { run: head.startedAt, at }),
  }
}

/** Writes the head of a new run. From then on the results of earlier runs in the folder are ignored. */
export const writeHead = (path: string, head: FleetRunHead): void =>
  writeRecord(join(path, 'run.json'), { format: 'gatewright.fleet-run/1', ...head })

/** Only this program writes results, always completely; but a person may have edited one. */
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

/** The path of the saved plan of an area, if this run has made one. Files of earlier runs do not count. */
export function savedPlanIn(folder: FleetRunFolder, area: string): string | undefined {
  const path = join(folder.of(area), 'plan.json')
  return folder.result(area)?.files.plan !== undefined && existsSync(path) ? path : undefined
}

/** The contents of that file; undefined if there is none. */
export function savedDocumentIn(folder: FleetRunFolder, area: string): AreaDocument | undefined {
  const path = savedPlanIn(folder, area)
  const document = path === undefined ? undefined : readRecord(path)
  return isAreaDocument(document) ? document : undefined
}
