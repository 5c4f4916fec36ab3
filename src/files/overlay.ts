import { resolve } from 'node:path'
import type { Files } from './files.js'

/** Texts that are not yet on disk, by the path as the user would type it; undefined: the file is to be removed. */
export type Texts = ReadonlyMap<string, string | undefined>

/** The files as they will be after the texts are written. */
export function withTexts(files: Files, texts: Texts): Files {
  const full = (path: string) => resolve(files.cwd, path)
  const byPath = new Map([...texts].map(([path, text]) => [full(path), text]))
  const below = (folder: string): readonly string[] => {
    const prefix = `${full(folder)}/`
    return [...byPath.keys()].flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []))
  }
  const isThere = (path: string) => byPath.get(path) !== undefined
  return {
    cwd: files.cwd,
    readText: (path, limits) => {
      const text = byPath.get(full(path))
      if (text !== undefined) return { text }
      return byPath.has(full(path)) ? { failure: 'there is no such file' } : files.readText(path, limits)
    },
    list: (folder) => {
      const real = files.exists(folder) === 'folder' ? files.list(folder) : []
      const added = below(folder).filter((path) => !real.includes(path))
      return [...real, ...added]
        .filter((path) => !byPath.has(resolve(full(folder), path)) || isThere(resolve(full(folder), path)))
        .sort()
    },
    exists: (path) => {
      if (byPath.has(full(path))) return isThere(full(path)) ? 'file' : 'no'
      const real = files.exists(path)
      return real === 'no' && below(path).some((each) => isThere(resolve(full(path), each))) ? 'folder' : real
    },
    realPath: files.realPath,
    repositoryOf: files.repositoryOf,
  }
}
