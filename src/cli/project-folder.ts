import { statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { projectFile } from '../manifest/project-files.js'
import type { CommandRow } from './commands.js'
import { projectFolderAround } from './find-project.js'
import type { World } from './io.js'
import type { GlobalOptions } from './options.js'

/**
 * The options with the folder of the project: the folder of `-C` or the working directory, or the nearest folder above it that
 * has a project file (A141). If the project is not in the working directory, its folder is shown on stderr.
 */
export function inProject(row: CommandRow, options: GlobalOptions, world: World): GlobalOptions {
  if (!row.globals.includes('directory') || row.makesProject) return options
  const start = resolve(world.cwd, options.directory)
  // A misspelled folder is reported as such: the project above it may be the wrong one.
  if (!statSync(start, { throwIfNoEntry: false })?.isDirectory()) return options
  const found = projectFolderAround(start)
  if (found === undefined) return options
  if (found === resolve(world.cwd)) return { ...options, directory: '.' }
  const directory = found === start ? options.directory : seenFrom(world.cwd, found, options.directory)
  if (!options.quiet) world.stderr.write(`Project: ${join(directory, projectFile)}\n`)
  return { ...options, directory }
}

/** The path as the user would type it. */
const seenFrom = (cwd: string, folder: string, written: string): string =>
  isAbsolute(written) ? folder : relative(cwd, folder) || '.'
