import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The browser of this machine, by the names that distributions give it; undefined where there is none. */
export function browserHere(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
