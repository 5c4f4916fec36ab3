import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { globBase, isGlob } from '../files/glob.js'
import { join } from '../files/paths.js'
import type { World } from './io.js'
import type { GlobalOptions } from './options.js'

/**
 * The options with the paths of `-f`, relative to the working directory. A path that does not exist there is searched for in the
 * folder of `-C`.
 */
export function withNamedPaths(options: GlobalOptions, { cwd }: Pick<World, 'cwd'>): GlobalOptions {
  const isThere = (path: string): boolean => existsSync(resolve(cwd, isGlob(path) ? globBase(path) : path))
  const paths = options.paths.map((path) => {
    const below = join(options.directory, path)
    return !isThere(path) && isThere(below) ? below : path
  })
  return { ...options, paths }
}
