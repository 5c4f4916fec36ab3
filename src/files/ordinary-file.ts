import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'

/** What may be read (A94). */
export interface Limits {
  /** In bytes. */
  readonly largest: number
  readonly pipes: 'read' | 'refuse'
}

/** For snapshots and saved plans that somebody names; a JavaScript string cannot be much longer. */
export const documentLimits: Limits = { largest: 500 * 2 ** 20, pipes: 'read' }

/** For anything that is not a file on a disk. */
export const notOrdinary = 'it is not an ordinary file but a pipe, a device or a socket'

/**
 * The content of an ordinary file. Throws an error with the reason why it is not read: what it is, its size, or the system's
 * reason.
 */
export function readOrdinaryFile(path: string, { largest, pipes }: Limits): Buffer {
  // Opening a pipe without a writer waits for ever, unless O_NONBLOCK is set.
  const mayWait = pipes === 'read' && statSync(path).isFIFO()
  const file = openSync(path, constants.O_RDONLY | (mayWait ? 0 : (constants.O_NONBLOCK ?? 0)))
  try {
    const found = fstatSync(file)
    if (!found.isFile() && !found.isDirectory() && !mayWait) throw new Error(notOrdinary)
    // The reported size is not reliable: a file may grow, and the system's own files report wrong sizes.
    const bytes = readUpTo(file, largest + 1, found.size + 1)
    if (bytes.length > largest) throw new Error(tooLarge({ largest }))
    return bytes
  } finally {
    closeSync(file)
  }
}

export const tooLarge = ({ largest }: Pick<Limits, 'largest'>): string =>
  `it is larger than ${Math.floor(largest / 2 ** 20)} MB`

/** The bytes of the file, at most so many. */
function readUpTo(file: number, most: number, expected: number): Buffer {
  let bytes = Buffer.allocUnsafe(Math.min(most, expected))
  let size = 0
  while (size < most) {
    if (size === bytes.length) bytes = Buffer.concat([bytes], Math.min(most, Math.max(2 * size, 2 ** 16)))
    const read = readSync(file, bytes, size, bytes.length - size, null)
    if (read === 0) break
    size += read
  }
  return bytes.subarray(0, size)
}
