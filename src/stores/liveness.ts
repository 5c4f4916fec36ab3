import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import { processExists, thisMachine } from '../files/this-machine.js'
import { isMap } from './shape.js'

/** Identifies one process among all others. */
export interface ProcessMark {
  /** The machine since its start, and the process space in it: a container has its own. */
  readonly machine: string
  readonly pid: number
  /**
   * When the process was started, as the system gives it, so that another process with the same pid is recognised; empty if
   * unknown.
   */
  readonly born: string
}

/** Whether a value that was read is such a mark. */
export const isMark = (value: unknown): value is ProcessMark =>
  isMap(value) &&
  typeof value.machine === 'string' &&
  typeof value.pid === 'number' &&
  Number.isInteger(value.pid) &&
  value.pid > 0 &&
  typeof value.born === 'string'

/** The mark of this process. */
export async function ownMark(): Promise<ProcessMark> {
  const { born } = await statusOf(pid)
  return { machine: thisMachine(), pid, born }
}

/** Whether the process lives. For another machine or container only its heartbeat can show that: 'elsewhere'. */
export async function lifeOf(mark: ProcessMark): Promise<'alive' | 'dead' | 'elsewhere'> {
  if (mark.machine !== thisMachine()) return 'elsewhere'
  if (!processExists(mark.pid)) return 'dead'
  const { born, ended } = await statusOf(mark.pid)
  if (ended) return 'dead'
  return born === '' || mark.born === '' || born === mark.born ? 'alive' : 'dead'
}

/** The same, if machines that were started from one image may have the same mark: their host names differ. */
export const lifeHere = async (mark: ProcessMark, host: string): Promise<'alive' | 'dead' | 'elsewhere'> =>
  host === hostname() ? await lifeOf(mark) : 'elsewhere'

/** A killed process stays in the list as a zombie until its parent asks for its exit code, but it has ended. */
async function statusOf(other: number): Promise<{ readonly born: string; readonly ended: boolean }> {
  const text = await readFile(`/proc/${other}/stat`, 'utf8').catch(() => '')
  // The name in parentheses may contain anything. Behind it are the state (3rd field) and the time of start (22nd field).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { born: fields[19] ?? '', ended: ['Z', 'X'].includes(fields[0] ?? '') }
}
