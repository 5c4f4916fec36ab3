import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { notOrdinary } from './ordinary-file.js'

/** The system's code of an error, such as ENOENT; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Why an operation on a file failed, in plain words. */
export const reasonOf = (error: unknown): string =>
  lostLink(error) ?? reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error))

/** For a link without a target, which a listing of its folder shows: the target. */
function lostLink(error: unknown): string | undefined {
  const link = linkBehind(error)
  if (link === undefined) return undefined
  const what = link === pathOf(error) ? 'it' : link
  return `${what} is a link to ${readlinkSync(link)}, which is not there`
}

/** The link without a target that made an operation fail: the path itself, or a folder above it. */
export function linkBehind(error: unknown): string | undefined {
  const path = pathOf(error)
  if (path === undefined || !['ENOENT', 'EEXIST'].includes(codeOf(error))) return undefined
  const isThere = (each: string) => lstatSync(each, { throwIfNoEntry: false })
  let place = path
  while (!isThere(place) && dirname(place) !== place) place = dirname(place)
  return isThere(place)?.isSymbolicLink() && !existsSync(place) ? place : undefined
}

const pathOf = (error: unknown): string | undefined =>
  error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined

/** Whether the system refused something. A missing file is reported by the code that looks for it; anywhere else it is a bug. */
export const isSystemError = (error: unknown): boolean => codeOf(error) in reasons && codeOf(error) !== 'ENOENT'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file would be larger than is allowed',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a link that leads back to itself',
  ENXIO: notOrdinary,
  ENOTDIR: 'a part of the path is not a folder',
  ENAMETOOLONG: 'the path, or a part of it, is too long',
  EEXIST: 'something else stands there already',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk reports an error',
}
