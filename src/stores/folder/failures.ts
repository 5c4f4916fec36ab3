import { codeOf, linkBehind, reasonOf } from '../../files/system-error.js'
import { ProblemError } from '../../problems/problem.js'
import { recordsNotRead, recordsNotWritten } from '../../problems/records.js'

/** Gives undefined where the file or folder does not exist. A link that leads nowhere is no such place: what it led to may hold records. */
export function unlessMissing<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && linkBehind(error) === undefined) return undefined
    throw error
  }
}

/** Runs what writes below a folder; what fails becomes a problem that says why in plain words. */
export const writingIn = toldBy(recordsNotWritten)

/** The same of what reads there. */
export const readingIn = toldBy(recordsNotRead)

function toldBy(problem: typeof recordsNotRead) {
  return async <Value>(folder: string, work: () => Value | Promise<Value>): Promise<Value> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProblemError) throw error
      throw new ProblemError([problem(folder, codeOf(error), reasonOf(error))], { cause: error })
    }
  }
}
