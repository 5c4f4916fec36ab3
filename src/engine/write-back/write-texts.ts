import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { WrittenFile } from '../../documents/export.js'
import type { Texts } from '../../files/overlay.js'
import { removeStaleDrafts } from '../../files/replace-file.js'
import { bytesBefore, removeFile, writeWhole } from '../../files/write-file.js'
import { by } from '../../json/order.js'
import { ProblemError } from '../../problems/problem.js'
import { notWritable } from '../../problems/records.js'

/** Writes what differs from the disk, each file whole or not at all, in the order of their paths. */
export function writeTexts(texts: Texts, cwd: string): readonly WrittenFile[] {
  const folders = [...texts.keys()].filter((path) => isFolder(resolve(cwd, path)))
  if (folders.length > 0) throw new ProblemError(folders.map((path) => notWritable(path, 'it is a folder')))
  const written = [...texts.keys()].map((path) => resolve(cwd, path))
  const holders = written.map((path) => dirname(existsSync(path) ? realpathSync(path) : path))
  for (const folder of new Set(holders)) removeStaleDrafts(folder)
  return [...texts].sort(by(([path]) => path)).flatMap(([path, text]) => writeText(path, text, cwd))
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

function writeText(path: string, text: string | undefined, cwd: string): readonly WrittenFile[] {
  const full = resolve(cwd, path)
  const isThere = existsSync(full)
  if (text === undefined) {
    if (!isThere) return []
    removeFile(full, path)
    return [{ path, action: 'deleted' }]
  }
  if (isThere && bytesBefore(full, path).equals(Buffer.from(text))) return []
  writeWhole(full, text, 'as before', path)
  return [{ path, action: isThere ? 'updated' : 'created' }]
}
