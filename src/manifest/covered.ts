import { resolve } from 'node:path'
import { isLeftOut } from '../files/files.js'
import { globBase, isGlob, pathMatcher } from '../files/glob.js'
import { join } from '../files/paths.js'
import type { Project } from './project.js'

/** Whether the project reads the manifests right in this folder. */
export const isFolderCovered = (dir: string, project: Pick<Project, 'manifests' | 'dir'>, cwd: string): boolean =>
  isCovered(join(dir, 'any.yaml'), project, cwd)

/** Whether the project reads the file at this path. */
export function isCovered(path: string, { manifests, dir }: Pick<Project, 'manifests' | 'dir'>, cwd: string): boolean {
  const full = resolve(cwd, path)
  const inside = (folder: string) => {
    const start = `${resolve(cwd, folder)}/`
    return full.startsWith(start) && !full.slice(start.length).split('/').slice(0, -1).some(isLeftOut)
  }
  if (manifests.length === 0) return inside(dir)
  return manifests.some((each) =>
    isGlob(each)
      ? pathMatcher(resolve(cwd, each))(full) && inside(globBase(each))
      : inside(each) || resolve(cwd, each) === full,
  )
}
