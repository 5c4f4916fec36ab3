import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from './system-error.js'

/**
 * Creates a folder and its parents, each synchronised to disk. The recursion of mkdir is not used: for a read-only file system it
 * reports that there is no such file, and in /proc it never ends.
 */
export function makeFolder(folder: string): void {
  try {
    makeOne(folder)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    makeFolder(dirname(folder))
    makeOne(folder)
  }
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
    throw error
  }
  syncFolder(dirname(folder))
}

/** Synchronises the names in a folder to disk. Some systems cannot open a folder, and need not. */
export function syncFolder(folder: string): void {
  const handle = opened(folder)
  if (handle === undefined) return
  try {
    fsyncSync(handle)
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP'].includes(codeOf(error))) throw error
  } finally {
    closeSync(handle)
  }
}

function opened(folder: string): number | undefined {
  try {
    return openSync(folder, 'r')
  } catch {
    return undefined
  }
}
