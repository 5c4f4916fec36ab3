import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
// Whether a process lives is a question to the system, as a file is; nothing else of the process is used here.
import { kill } from 'node:process'
import { codeOf } from './system-error.js'

/** The machine since it was started, and the process space in it: a container has its own. */
export function thisMachine(): string {
  const boot = textOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
  const space = textOr(() => readlinkSync('/proc/self/ns/pid'))
  return boot === '' || space === '' ? hostname() : `${boot.trim()} ${space}`
}

/** The same as a part of a file's name. */
export const machineMark = (): string => createHash('sha256').update(thisMachine()).digest('hex').slice(0, 12)

function textOr(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** Whether this machine has a process of that number. */
export function processExists(pid: number): boolean {
  try {
    kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
