import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Who may read a file: only its owner, or whoever could before; of a new file whoever the system lets. */
export type Readers = 'owner' | 'as before'

/**
 * Writes a file whole or not at all: whoever reads it sees the old text or the new one, also after a crash and on a full disk.
 * A link stays a link; what is no file, such as a pipe, is written to. Its folder must be there. Throws what the system throws.
 */
export function replaceFile(path: string, content: string | Uint8Array, readers: Readers): void {
  const present = statSync(path, { throwIfNoEntry: false })
  const bytes = Buffer.from(content)
  if (present && !present.isFile() && !present.isDirectory()) {
    writeInto(path, bytes)
    return
  }
  const target = present ? realpathSync(path) : path
  const draft = join(dirname(target), `${draftStart}${randomBytes(6).toString('hex')}${draftEnd}`)
  try {
    const file = openSync(draft, 'wx', readers === 'owner' ? 0o600 : 0o666)
    try {
      if (present && readers === 'as before') setAccess(file, present.mode & 0o777)
      writeAll(bytes, (rest) => writeSync(file, rest))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, target)
  } catch (error) {
    drop(draft)
    throw error
  }
}

const draftStart = '.gatewright-'
const draftEnd = '.new'

/** Removes drafts that a kill left behind in a folder; right only for whoever is the only one to write there. */
export function removeDrafts(folder: string): void {
  const drafts = readdirSync(folder).filter((name) => name.startsWith(draftStart) && name.endsWith(draftEnd))
  for (const name of drafts) rmSync(join(folder, name), { force: true })
}

/** Writes to the last byte. A disk that fills up takes a part first, and fails only when it is asked for the rest. */
export function writeAll(bytes: Uint8Array, write: (rest: Uint8Array) => number): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(write(rest))
}

/** Not every file system knows who may read a file: one that does not need not be told. */
function setAccess(file: number, mode: number): void {
  if ((fstatSync(file).mode & 0o777) !== mode) fchmodSync(file, mode)
}

function writeInto(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'w')
  try {
    writeAll(bytes, (rest) => writeSync(file, rest))
  } finally {
    closeSync(file)
  }
}

/** What cannot be removed was never made: its folder is a file, or may not be written. */
function drop(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The fault that led here is the one to tell.
  }
}
