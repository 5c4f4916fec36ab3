import { groupBy } from '../../json/groups.js'
import { areaFileName, digestOf, fileName, newestRunFirst, numberedRun, sixDigits } from '../names.js'
import type { AreaKey, ProjectKey } from '../record.js'

/**
 * The records in git: `refs/gatewright/AREA/lock`, and one ref for each project, `refs/gatewright/AREA/records/PROJECT`. The tree
 * of that ref contains `project.json`, `receipts/XX.jsonl` by the first byte of the address's digest, `notified.jsonl`, and for
 * each run `runs/000001-NAME/` with `head.json`, `ahead.jsonl` (what was announced before the first write), `000001.jsonl` … (one
 * file for each checkpoint) and `seen.json` (when the last checkpoint was made).
 */
export interface AreaRefs {
  /** Ends in "/". */
  readonly all: string
  readonly lock: string
  /** Ends in "/". */
  readonly projects: string
}

export function refsOf(key: AreaKey): AreaRefs {
  const all = `refs/gatewright/${refPart(areaFileName(key))}/`
  return { all, lock: `${all}lock`, projects: `${all}records/` }
}

/** The name is made of a list of parts: an environment can become another part without a change of today's refs. */
export const projectRef = (key: ProjectKey): string =>
  `${refsOf(key).projects}${refPart(fileName(key.project, [key.project]))}`

/** git accepts no name with two dots in a row. */
const refPart = (name: string): string => name.replaceAll(/\.{2,}/g, '-')

export const projectFile = 'project.json'
export const notifiedFile = 'notified.jsonl'
export const lockFile = 'lock.json'

/** At most 256 files: a run writes few of them again, and a small area has few. */
export const receiptsFile = (address: string): string =>
  `receipts/${digestOf([address]).subarray(0, 1).toString('hex')}.jsonl`

export const isReceiptsFile = (path: string): boolean => /^receipts\/[0-9a-f]{2}\.jsonl$/.test(path)

/** One run in a tree; the number gives the order in which the runs of a project began. */
export interface RunFolder {
  readonly number: number
  readonly run: string
  /** Ends in "/". */
  readonly path: string
}

export function runFolder(number: number, run: string): RunFolder {
  return { number, run, path: `runs/${numberedRun(number, run)}/` }
}

/** A run in a tree, with the paths of all its files. */
export interface WrittenRun extends RunFolder {
  readonly files: readonly string[]
}

/** The runs in a tree, newest first. */
export function runFolders(paths: Iterable<string>): readonly WrittenRun[] {
  const found = groupBy(paths, (path) => /^runs\/\d{1,15}-[^/]+\//.exec(path)?.[0])
  return [...found]
    .flatMap(([path, files]): readonly WrittenRun[] => {
      const [, digits, run] = /^runs\/(\d+)-(.*)\/$/.exec(path ?? '') ?? []
      return path === undefined || run === undefined ? [] : [{ number: Number(digits), run, path, files }]
    })
    .sort(newestRunFirst)
}

export const headFile = ({ path }: RunFolder): string => `${path}head.json`
export const aheadFile = ({ path }: RunFolder): string => `${path}ahead.jsonl`
export const seenFile = ({ path }: RunFolder): string => `${path}seen.json`
export const entriesFile = ({ path }: RunFolder, checkpoint: number): string => `${path}${sixDigits(checkpoint)}.jsonl`

/** The files with the entries of a run, in the order in which they were written. */
export const entriesFiles = ({ path: folder, files }: WrittenRun): readonly string[] =>
  files
    .filter((path) => /^\d+\.jsonl$/.test(path.slice(folder.length)))
    .sort((a, b) => numberIn(a, folder) - numberIn(b, folder))

const numberIn = (path: string, folder: string): number => Number(path.slice(folder.length, -'.jsonl'.length))
