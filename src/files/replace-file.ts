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

/** Who may read a file: only its owner, or everybody who could before. A new file gets the rights that the system gives. */
export type Readers = 'owner' | 'as before'

/**
 * Writes a file completely or not at all: readers see the old text or the new one, also after a crash or on a full disk. A link
 * stays a link. What is not a file, such as a pipe, is written to directly. The folder must exist. Throws the system's error, or
 * that of `lastLook`, which is called when everything is done except the file itself.
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
  const target = present ? realpathSync(path) : linkTarget(path)
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

/** The target of a link, even if nothing exists there yet. */
function linkTarget(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path
  return linkTarget(resolve(realpathSync(dirname(path)), readlinkSync(path)))
}

const draftStart = '.gatewright-'

const draftEnd = '.new'

/** The name of a draft contains its writer: the machine, and the process on it. */
export const draftIn = (folder: string, writer: number): string =>
  join(folder, `${draftStart}${machineMark()}-${writer}-${randomBytes(6).toString('hex')}${draftEnd}`)

/**
 * Removes the drafts in a folder that a killed process of this machine left. Nobody can find out whether a writer elsewhere is
 * alive, so drafts of another machine or container stay. A draft that cannot be removed does no harm.
 */
export function removeStaleDrafts(folder: string): void {
  const own = machineMark()
  for (const name of listedIn(folder)) {
    const [, machine, writer] = /^\.gatewright-([0-9a-f]{12})-(\d+)-[0-9a-f]{12}\.new$/.exec(name) ?? []
    if (machine === own && !processExists(Number(writer))) drop(join(folder, name))
  }
}

function listedIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Removes all drafts in a folder; only for the one process that may write there. */
export function removeDrafts(folder: string): void {
  const drafts = readdirSync(folder).filter((name) => name.startsWith(draftStart) && name.endsWith(draftEnd))
  for (const name of drafts) rmSync(join(folder, name), { force: true })
}

/** Not every file system stores access rights: they are set only if they differ. */
function setAccess(file: number, before: Stats): void {
  const { uid, gid, mode } = fstatSync(file)
  if (uid !== before.uid || gid !== before.gid) give(file, [before.uid, uid], before.gid)
  if ((mode & 0o777) !== (before.mode & 0o777)) fchmodSync(file, before.mode & 0o777)
}

/** Only an administrator may give a file to another user; other users may only give it to one of their groups. */
function give(file: number, owners: readonly number[], group: number): void {
  for (const owner of owners) {
    try {
      fchownSync(file, owner, group)
      return
    } catch {
      // A file that cannot be given away belongs to its writer, like any new file.
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

/** A draft that cannot be removed was never created: its folder is a file, or is not writable. */
function drop(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The error that led here is the one to report.
  }
}
