import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Project } from '../manifest/project.js'
import type { Io } from './io.js'
import { programVersion } from './version.js'

/** The file in which a project's parsed manifests are remembered, or undefined where nothing is to be kept. */
export function parseCacheOf(
  { dir }: Pick<Project, 'dir'>,
  { cacheFolder, cwd }: Pick<Io, 'cacheFolder' | 'cwd'>,
): string | undefined {
  if (cacheFolder === undefined) return undefined
  const project = createHash('sha256').update(resolve(cwd, dir)).digest('hex').slice(0, 16)
  // What one version has found to be usual YAML need not be so for another.
  return join(resolve(cwd, cacheFolder), `parsed-${programVersion()}-${project}`)
}
