import { randomBytes } from 'node:crypto'

/** A name for a new run that sorts by time: `20270101T000000Z-1a2b3c`. */
export function runName(started: number): string {
  const time = new Date(started).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `${time}-${randomBytes(3).toString('hex')}`
}
