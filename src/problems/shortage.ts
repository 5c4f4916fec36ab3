import { error, type Problem } from './problem.js'

/** What to do where the machine has no more of something, by the system's own code. */
export const shortageHints: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space; what was written before is whole',
  EDQUOT: 'free some space; what was written before is whole',
  EMFILE: 'raise the limit of open files (ulimit -n)',
  ENFILE: 'raise the limit of open files of this machine',
}

/** `reason` is the system's own code, `words` what it means; undefined if it is no shortage. */
export const shortage = (reason: string, words: string): Problem | undefined => {
  const hint = shortageHints[reason]
  return hint === undefined ? undefined : error('shortage', undefined, `gatewright cannot go on: ${words}`, hint)
}
