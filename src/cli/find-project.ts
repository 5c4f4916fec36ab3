import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectFile } from '../manifest/project-files.js'

/**
 * The folder, or the nearest one around it, that has a project file. The root of a git repository is the last folder that is
 * looked into.
 */
export function projectFolderAround(folder: string): string | undefined {
  if (existsSync(join(folder, projectFile))) return folder
  const parent = dirname(folder)
  return parent === folder || existsSync(join(folder, '.git')) ? undefined : projectFolderAround(parent)
}
