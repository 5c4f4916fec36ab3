import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ProblemError, recordsNotRead, recordsNotWritten } from '../problem.js'

/** Replaces a file as a whole: whoever reads sees the old text or the new one, also after a crash. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`
  try {
    const handle = await open(draft, 'wx')
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
    await syncFolder(dirname(file))
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/**
 * Makes a folder with those around it, each on disk in the one that holds it. Not by mkdir's own recursion, which says of a
 * read-only file system that there is no such file.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    await makeFolder(dirname(folder))
    await makeOne(folder)
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder)
  } catch (error) {
    const found = codeOf(error) === 'ENOENT' ? undefined : await stat(folder).catch(() => undefined)
    if (found?.isDirectory()) return
    throw error
  }
  await syncFolder(dirname(folder))
}

/** Brings names of files to disk. Some systems cannot open a folder, and need not. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  if (!handle) return
  try {
    await handle.sync()
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP'].includes(codeOf(error))) throw error
  } finally {
    await handle.close()
  }
}

/** The system's code of an error, such as ENOENT; empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Gives undefined where the file or folder does not exist. */
export async function unlessMissing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Runs what writes below a folder; what fails becomes a problem that says why in plain words. */
export async function writingIn<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw new ProblemError([recordsNotWritten(folder, codeOf(error), wordsOf(error))], { cause: error })
  }
}

/** Runs what reads below a folder; what fails becomes a problem that says why in plain words. */
export async function readingIn<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw new ProblemError([recordsNotRead(folder, wordsOf(error))], { cause: error })
  }
}

const words: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is exceeded',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'something else stands there already',
  EIO: 'the disk reports an error',
}

const wordsOf = (error: unknown): string =>
  words[codeOf(error)] ?? (error instanceof Error ? error.message : String(error))
