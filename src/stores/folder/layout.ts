import { basename, dirname, join } from 'node:path'
import { ProblemError } from '../../problems/problem.js'
import { recordsOutOfPlace } from '../../problems/records.js'
import { areaFileName, fileName } from '../names.js'
import { type AreaKey, nameAndEnvironment, type ProjectKey } from '../record.js'

export const areaFolder = (folder: string, key: AreaKey): string => join(folder, areaFileName(key))

export const projectFolder = (folder: string, key: ProjectKey): string =>
  join(areaFolder(folder, key), fileName(key.project, [key.project]))

/** Throws a ProblemError if a file in a project's folder was written for another project, or for another area. */
export function checkPlace(project: string, file: string, writtenFor: ProjectKey): void {
  const records = dirname(dirname(project))
  const right = projectFolder(records, writtenFor)
  const isRight = basename(right) === basename(project) && areaFileName(writtenFor) === basename(dirname(project))
  if (isRight) return
  const remove = `move it away, or to ${right} if it is missing there`
  throw new ProblemError([recordsOutOfPlace(file, { ...writtenFor, ...nameAndEnvironment(writtenFor) }, remove)])
}
