import { resolve } from 'node:path'
import type { Files } from './files.js'

/** Files whose texts stay as they were when they were first read, whoever changes the files meanwhile. */
export interface FilesAsRead extends Files {
  /** The text that was read first; undefined if the file was not read, or could not be. */
  textRead(path: string): string | undefined
}

export function filesAsRead(files: Files): FilesAsRead {
  const texts = new Map<string, string>()
  const full = (path: string) => resolve(files.cwd, path)
  return {
    ...files,
    readText: (path, limits) => {
      const known = texts.get(full(path))
      if (known !== undefined) return { text: known }
      const read = files.readText(path, limits)
      if ('text' in read) texts.set(full(path), read.text)
      return read
    },
    textRead: (path) => texts.get(full(path)),
  }
}
