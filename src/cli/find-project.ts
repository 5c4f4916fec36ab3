import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectFile } from '../manifest/project-files.js'

/**
 * The folder with the project file: the given folder or the nearest one above it. The search ends at the root of a git
 * repository.
 */
export function projectFolderAround(folder: string): string | undefined {
  if (existsSync(join(folder, projectFile))) return folder
  const parent = dirname(folder)
  return parent === folder || existsSync(join(folder, '.git')) ? undefined : projectFolderAround(parent)
}
