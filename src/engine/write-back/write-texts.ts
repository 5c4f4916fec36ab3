import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { WrittenFile } from '../../documents/export.js'
import type { FilesAsRead } from '../../files/as-read.js'
import type { Texts } from '../../files/overlay.js'
import { removeDraftsBeside, removeFile, rewrite, textNow } from '../../files/write-file.js'
import { by } from '../../json/order.js'
import { type Problem, ProblemError } from '../../problems/problem.js'
import { notWritable } from '../../problems/records.js'
import { fileChanged, writtenBefore } from '../../problems/write-back.js'

/**
 * Writes the texts that differ from the disk, in the order of their paths, each file completely or not at all. A file that
 * somebody has saved since it was read is not overwritten: throws a ProblemError, if possible before anything is written.
 */
export function writeTexts(texts: Texts, files: FilesAsRead): readonly WrittenFile[] {
  const problems = [...texts].flatMap(([path, text]) => faults(path, text, files))
  if (problems.length > 0) throw new ProblemError(problems)
  removeDraftsBeside([...texts.keys()].map((path) => resolve(files.cwd, path)))
  const written: WrittenFile[] = []
  for (const [path, text] of [...texts].sort(by(([path]) => path))) {
    try {
      written.push(...writeText(path, text, files))
    } catch (error) {
      throw withWrittenFiles(error, written)
    }
  }
  return written
}

/** The error with the files that were written before it, so that the user can continue. */
const withWrittenFiles = (error: unknown, written: readonly WrittenFile[]): unknown =>
  error instanceof ProblemError && written.length > 0
    ? new ProblemError([...error.problems, writtenBefore(written)], { cause: error })
    : error

function faults(path: string, text: string | undefined, files: FilesAsRead): readonly Problem[] {
  const full = resolve(files.cwd, path)
  if (existsSync(full) && statSync(full).isDirectory()) return [notWritable(path, 'it is a folder')]
  return [files.textRead(path), text].includes(textNow(full, path)) ? [] : [fileChanged(path)]
}

function writeText(path: string, text: string | undefined, files: FilesAsRead): readonly WrittenFile[] {
  const before = files.textRead(path)
  if (text === before) return []
  const full = resolve(files.cwd, path)
  if (text === undefined) {
    removeFile(full, path)
    return [{ path, action: 'deleted' }]
  }
  rewrite(full, before, text, path)
  return [{ path, action: before === undefined ? 'created' : 'updated' }]
}
