import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
// Like reading a file, asking whether a process lives is a call to the system. Nothing else of the process is used here.
import { kill } from 'node:process'
import { codeOf } from './system-error.js'

/** The machine since its start, and the process space in it, because a container has its own. */
export function thisMachine(): string {
  const boot = textOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
  const space = textOr(() => readlinkSync('/proc/self/ns/pid'))
  return boot === '' || space === '' ? hostname() : `${boot.trim()} ${space}`
}

/** The same as part of a file name. */
export const machineMark = (): string => createHash('sha256').update(thisMachine()).digest('hex').slice(0, 12)

function textOr(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** Whether this machine has a process with that number. */
export function processExists(pid: number): boolean {
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
