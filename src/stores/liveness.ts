import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import { processExists, thisMachine } from '../files/this-machine.js'
import { isMap } from './shape.js'

/** What tells one process from every other. */
export interface ProcessMark {
  /** The machine since it was started, and the process space in it: a container has its own. */
  readonly machine: string
  readonly pid: number
  /** When it was started, in the system's own words, so that a reused pid is not taken for it; empty where unknown. */
  readonly born: string
}

/** Whether a value read back is such a mark. */
export const isMark = (value: unknown): value is ProcessMark =>
  isMap(value) &&
  typeof value.machine === 'string' &&
  typeof value.pid === 'number' &&
  Number.isInteger(value.pid) &&
  value.pid > 0 &&
  typeof value.born === 'string'

/** The mark of this very process. */
export async function ownMark(): Promise<ProcessMark> {
  const { born } = await statusOf(pid)
  return { machine: thisMachine(), pid, born }
}

/** Whether the process lives; of another machine or container only its heartbeat can tell: 'elsewhere'. */
export async function lifeOf(mark: ProcessMark): Promise<'alive' | 'dead' | 'elsewhere'> {
  if (mark.machine !== thisMachine()) return 'elsewhere'
  if (!processExists(mark.pid)) return 'dead'
  const { born, ended } = await statusOf(mark.pid)
  if (ended) return 'dead'
  return born === '' || mark.born === '' || born === mark.born ? 'alive' : 'dead'
}

/** The same, where machines that were started from one image may have one mark: their names differ. */
export const lifeHere = async (mark: ProcessMark, host: string): Promise<'alive' | 'dead' | 'elsewhere'> =>
  host === hostname() ? await lifeOf(mark) : 'elsewhere'

/** A killed process whose parent does not ask for its end stays in the list as a zombie: it has ended all the same. */
async function statusOf(other: number): Promise<{ readonly born: string; readonly ended: boolean }> {
  const text = await readFile(`/proc/${other}/stat`, 'utf8').catch(() => '')
  // The name in parentheses may hold anything; after it come the state (3rd field) and, as the 22nd, the time of start.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { born: fields[19] ?? '', ended: ['Z', 'X'].includes(fields[0] ?? '') }
}
