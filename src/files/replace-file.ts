import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pid } from 'node:process'
import { machineMark, processExists } from './this-machine.js'
import { writeAll } from './write-all.js'

/** Who may read a file: only its owner, or whoever could before; of a new file whoever the system lets. */
export type Readers = 'owner' | 'as before'

/**
 * Writes a file whole or not at all: whoever reads it sees the old text or the new one, also after a crash and on a full disk.
 * A link stays a link; what is no file, such as a pipe, is written to. Its folder must be there. Throws what the system throws,
 * or what the last look throws, which is taken when all but the file itself is done.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  readers: Readers,
  lastLook: () => void = () => undefined,
): void {
  const present = statSync(path, { throwIfNoEntry: false })
  const bytes = Buffer.from(content)
  if (present && !present.isFile() && !present.isDirectory()) {
    writeInto(path, bytes)
    return
  }
  const target = present ? realpathSync(path) : targetOf(path)
  const draft = draftIn(dirname(target), pid)
  try {
    const file = openSync(draft, 'wx', readers === 'owner' ? 0o600 : 0o666)
    try {
      if (present && readers === 'as before') setAccess(file, present)
      writeAll(bytes, (rest) => writeSync(file, rest))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    lastLook()
    renameSync(draft, target)
  } catch (error) {
    drop(draft)
    throw error
  }
}

/** Where a link leads that nothing stands at yet. */
function targetOf(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path
  return targetOf(resolve(realpathSync(dirname(path)), readlinkSync(path)))
}

const draftStart = '.gatewright-'

const draftEnd = '.new'

/** A draft says who writes it: the machine and the process on it. */
export const draftIn = (folder: string, writer: number): string =>
  join(folder, `${draftStart}${machineMark()}-${writer}-${randomBytes(6).toString('hex')}${draftEnd}`)

/**
 * Removes the drafts in a folder that a killed process of this machine left behind. Whether a writer elsewhere lives cannot be
 * told: what another machine or container writes there stays, and what cannot be removed harms nobody.
 */
export function removeStaleDrafts(folder: string): void {
  const own = machineMark()
  for (const name of namesIn(folder)) {
    const [, machine, writer] = /^\.gatewright-([0-9a-f]{12})-(\d+)-[0-9a-f]{12}\.new$/.exec(name) ?? []
    if (machine === own && !processExists(Number(writer))) drop(join(folder, name))
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Removes drafts that a kill left behind in a folder; right only for whoever is the only one to write there. */
export function removeDrafts(folder: string): void {
  const drafts = readdirSync(folder).filter((name) => name.startsWith(draftStart) && name.endsWith(draftEnd))
  for (const name of drafts) rmSync(join(folder, name), { force: true })
}

/** Not every file system knows who may read a file: one that does not need not be told. */
function setAccess(file: number, before: Stats): void {
  const { uid, gid, mode } = fstatSync(file)
  if (uid !== before.uid || gid !== before.gid) give(file, [before.uid, uid], before.gid)
  if ((mode & 0o777) !== (before.mode & 0o777)) fchmodSync(file, before.mode & 0o777)
}

/** Only an administrator may give a file to somebody else, and others only to a group of their own. */
function give(file: number, owners: readonly number[], group: number): void {
  for (const owner of owners) {
    try {
      fchownSync(file, owner, group)
      return
    } catch {
      // What cannot be given away is the writer's, as any new file.
    }
  }
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
