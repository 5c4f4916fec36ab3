import { error, type Problem } from './problem.js'

/** What to do where the machine has no more of something, by the system's own code. */
export const shortageHints: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space; what was written before is whole',
  EDQUOT: 'free some space; what was written before is whole',
  EMFILE: 'raise the limit of open files (ulimit -n)',
  ENFILE: 'raise the limit of open files of this machine',
}

/** `reason` is the system's own code, `words` what it means, `path` what it is about, where the system says so. */
export const systemFailed = (reason: string, words: string, path: string | undefined): Problem => {
  const [code, hint] = reason in shortageHints ? (['shortage', shortageHints[reason]] as const) : refused
  return error(code, undefined, `gatewright cannot go on: ${path === undefined ? '' : `${path}: `}${words}`, hint)
}

const refused = ['system-failed', 'whoever runs gatewright must be able to read and write it'] as const
