import { codeOf, linkBehind, reasonOf } from '../../files/system-error.js'
import { ProblemError } from '../../problems/problem.js'
import { recordsNotRead, recordsNotWritten } from '../../problems/records.js'

/**
 * The result of `read`; undefined if the file or folder does not exist. A link without a target is an error: its target may have
 * records.
 */
export function unlessMissing<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && linkBehind(error) === undefined) return undefined
    throw error
  }
}

/** Runs work that writes below a folder; an error becomes a problem with the reason in plain words. */
export const writingIn = reportedBy(recordsNotWritten)

/** The same for work that reads. */
export const readingIn = reportedBy(recordsNotRead)

function reportedBy(problem: typeof recordsNotRead) {
  return async <Value>(folder: string, work: () => Value | Promise<Value>): Promise<Value> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProblemError) throw error
      throw new ProblemError([problem(folder, codeOf(error), reasonOf(error))], { cause: error })
    }
  }
}
