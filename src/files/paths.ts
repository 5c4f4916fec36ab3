import { posix } from 'node:path'

/** A path below a folder, written as short as a person would. */
export const join = (folder: string, path: string): string => {
  if (path.startsWith('/')) return path
  return folder === '.' || folder === '' ? path : normalizePath(`${folder}/${path}`)
}

/** Forward slashes, no `.` and no `folder/..` inside, no `/` at the end: each file has one spelling, which messages show. */
export function normalizePath(path: string): string {
  const normal = posix.normalize(path.replaceAll('\\', '/'))
  return normal.length > 1 ? normal.replace(/\/$/, '') : normal
}

/** Whether a path begins with the home folder in the notation of a shell. */
export const beginsWithTilde = (path: string): boolean => /^~(?:$|[/\\])/.test(path)
