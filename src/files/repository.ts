import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Whether a folder that exists is in a git repository; git is not started for it: a process takes its time. */
export function isInRepository(folder: string): boolean {
  const isBelow = (real: string): boolean =>
    existsSync(join(real, '.git')) || (dirname(real) !== real && isBelow(dirname(real)))
  return isBelow(realpathSync(folder))
}
