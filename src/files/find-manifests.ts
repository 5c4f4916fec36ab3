import { resolve } from 'node:path'
import { missingManifest } from '../problems/manifests.js'
import type { Place, ReportProblem } from '../problems/problem.js'
import type { Files } from './files.js'
import { globBase, isGlob, pathMatcher } from './glob.js'
import { type Limits, notOrdinary } from './ordinary-file.js'
import { join, normalizePath } from './paths.js'

/** A file to read manifests from, as the user would type it. */
export interface ManifestFile {
  readonly path: string
  readonly origin: FileOrigin
}

/** The places in files where these paths are written. */
export type WrittenAt = ReadonlyMap<string, Place>

/** Where to look for manifests: paths that a person named, or a folder if nothing was named. */
export type Where =
  | {
      readonly origin: 'named'
      readonly paths: readonly string[]
      readonly pipes: Limits['pipes']
      readonly writtenAt?: WrittenAt | undefined
    }
  | { readonly origin: 'found'; readonly folder: string; readonly except: string | undefined }

/** The files of these folders, files and patterns, sorted; a path without any file is an error. */
export function findManifests(where: Where, files: Files, report: ReportProblem): readonly ManifestFile[] {
  if (where.origin === 'found') {
    const { folder, except } = where
    const found = manifestsBelow(folder, files).filter((path) => path !== except)
    return found.map((path) => ({ path, origin: 'found' }))
  }
  const found = where.paths.flatMap((path): readonly ManifestFile[] => {
    const expanded = expand(normalizePath(path), where.pipes, files)
    if ('paths' in expanded) return expanded.paths.map((each) => ({ path: each, origin: originOf(each, path) }))
    report(missingManifest(path, expanded.reason, where.writtenAt?.get(path)))
    return []
  })
  // One file may be named in several ways: by its folder, and by its full path.
  const byFile = new Map<string, ManifestFile>()
  for (const file of found.sort(byPath)) {
    const full = resolve(files.cwd, file.path)
    if (file.origin === 'named' || !byFile.has(full)) byFile.set(full, file)
  }
  return [...byFile.values()].sort(byPath)
}

const byPath = (left: ManifestFile, right: ManifestFile): number =>
  Number(left.path > right.path) - Number(left.path < right.path)

/** Folders contain many JSON files that are not manifests, such as package.json: naming the folder does not name them. */
const originOf = (file: string, written: string): FileOrigin =>
  file.endsWith('.json') && !written.endsWith('.json') ? 'found' : 'named'

type Expanded = { readonly paths: readonly string[] } | { readonly reason: string }

function expand(path: string, pipes: Limits['pipes'], files: Files): Expanded {
  switch (files.exists(path)) {
    case 'file':
      return { paths: [path] }
    case 'folder': {
      const paths = manifestsBelow(path, files)
      return paths.length > 0 ? { paths } : { reason: 'the folder has no *.yaml, *.yml or *.json file' }
    }
    case 'other':
      return pipes === 'read' ? { paths: [path] } : { reason: notOrdinary }
    case 'no':
      return isGlob(path) ? expandGlob(path, files) : { reason: 'there is no such file or folder' }
  }
}

function expandGlob(pattern: string, files: Files): Expanded {
  const base = globBase(pattern)
  const fits = pathMatcher(pattern)
  const listed = files.exists(base) === 'folder' ? files.list(base).map((path) => join(base, path)) : []
  const paths = listed.filter(fits)
  return paths.length > 0 ? { paths } : { reason: 'no file fits this pattern' }
}

/** Whether a file is read as a manifest if only its folder is named. */
export const isManifestName = (path: string): boolean => /\.(ya?ml|json)$/.test(path)

/** The paths of all files below a folder that are read as manifests; none if the folder does not exist. */
export function manifestsBelow(folder: string, files: Files): readonly string[] {
  if (files.exists(folder) !== 'folder') return []
  return files
    .list(folder)
    .filter(isManifestName)
    .map((path) => join(folder, path))
}

/** How a file was found: the user named it, or it was found because nothing was named. */
export type FileOrigin = 'named' | 'found'
