import { error, type Problem } from './problem.js'

/** Hints for shortages of the machine, by the error code of the system. */
export const shortageHints: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space; what was written before is whole',
  EDQUOT: 'free some space; what was written before is whole',
  EMFILE: 'raise the limit of open files (ulimit -n)',
  ENFILE: 'raise the limit of open files of this machine',
}

/** `reason` is the error code of the system, `words` its meaning, `path` the file, if the system names one. */
export const systemFailed = (reason: string, words: string, path: string | undefined): Problem => {
  const [code, hint] = reason in shortageHints ? (['shortage', shortageHints[reason]] as const) : refused
  return error(code, undefined, `gatewright cannot go on: ${path === undefined ? '' : `${path}: `}${words}`, hint)
}

const refused = ['system-failed', 'whoever runs gatewright must be able to read and write it'] as const
