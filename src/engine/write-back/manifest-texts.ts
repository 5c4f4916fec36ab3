import { type FilesAsRead, filesAsRead } from '../../files/as-read.js'
import { type Files, nodeFiles } from '../../files/files.js'
import { isManifestName } from '../../files/find-manifests.js'
import { globBase, isGlob, pathMatcher } from '../../files/glob.js'
import { type Texts, withTexts } from '../../files/overlay.js'
import { join, normalizePath } from '../../files/paths.js'
import { digestOf } from '../../manifest/digest.js'
import { scalarText } from '../../manifest/node.js'
import { type Project, readProject } from '../../manifest/project.js'
import { projectFile } from '../../manifest/project-files.js'
import { readManifests } from '../../manifest/read.js'
import { type Manifests, noManifests } from '../../manifest/resource.js'
import { resolveValues } from '../../manifest/values.js'
import type { Ports } from '../../ports/ports.js'
import type { Vault } from '../../ports/vault.js'
import { ProblemError } from '../../problems/problem.js'
import { fingerprintKeyOf } from '../../secrets/fingerprint.js'
import type { ProjectRequest } from '../requests.js'

/** How the manifests are read that an export finds. */
export interface ManifestTexts {
  readonly project: Project
  readonly files: FilesAsRead
  /** Files, folders and patterns that take precedence over the project's. */
  readonly paths: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fingerprintKey: string | undefined
  /** Folders beside the repository whose files placeholders may name. */
  readonly secretFolders: readonly string[]
  /** What is encrypted was opened when the project was read. */
  readonly vault: Vault
  /** Values of the command line, `NAME=TEXT` each. */
  readonly values: readonly string[]
}

/** Those of a project on this machine. */
export const manifestTexts = (
  project: Project,
  paths: readonly string[],
  { allowFile, values = [] }: Pick<ProjectRequest, 'allowFile' | 'values'>,
  ports: Pick<Ports, 'cwd' | 'env' | 'vault'>,
): ManifestTexts => ({
  project,
  files: filesAsRead(nodeFiles(ports.cwd)),
  paths,
  env: ports.env,
  fingerprintKey: fingerprintKeyOf(ports),
  secretFolders: allowFile,
  vault: ports.vault,
  values,
})

const none: Manifests = { ...noManifests, digest: digestOf([], []) }

/**
 * The manifests with these texts in the place of their files. That there are none yet, or that a variable is not set, is
 * no hindrance to an export; everything else that is wrong with them is thrown as a ProblemError, and so is what the texts
 * break in the project.
 */
export function readTexts(texts: ManifestTexts, changed: Texts): Manifests {
  const { environment } = texts.project.layers ?? {}
  // An edit may have been one of what the environment says.
  const project = texts.project.layers && changed.size > 0 ? unbroken(texts, changed, environment) : texts.project
  const manifests = manifestsOf({ ...texts, project }, changed)
  const bearable = ['unset-variable', 'empty-manifests']
  const errors = manifests.problems.filter(({ code, severity }) => severity === 'error' && !bearable.includes(code))
  if (errors.length > 0) throw new ProblemError(errors)
  return manifests
}

/** It had no mistake when the command began. */
function unbroken(texts: ManifestTexts, changed: Texts, environment: string | undefined): Project {
  const { project, problems } = projectReadAt(texts, changed, environment)
  const broken = problems.filter(({ severity }) => severity === 'error')
  if (broken.length > 0) throw new ProblemError(broken)
  return project
}

/** All manifests of the project, with all their problems, where only some of them are named; undefined where none is. */
export function wholeOf(texts: ManifestTexts): ((changed: Texts) => Manifests) | undefined {
  const { project, paths } = texts
  if (paths.length === 0) return undefined
  const now = (changed: Texts) =>
    project.layers && changed.size > 0 ? projectAt(texts, changed, project.layers.environment) : project
  return (changed) => manifestsOf({ ...texts, paths: [], project: now(changed) }, changed)
}

/** The same with all its problems. */
export function manifestsOf(texts: ManifestTexts, changed: Texts): Manifests {
  const files = withTexts(texts.files, changed)
  const searched = texts.paths.length > 0 ? texts.paths : texts.project.manifests
  const paths = searched.filter((path) => hasManifests(normalizePath(path), files))
  if (searched.length > 0 && paths.length === 0) return none
  const { project, env, fingerprintKey, secretFolders, vault } = texts
  return readManifests({ project, paths, env, files, fingerprintKey, secretFolders, vault })
}

/** The project as it is with these texts, in that environment. */
export function projectReadAt(
  { project, files, env, values }: ManifestTexts,
  changed: Texts,
  environment: string | undefined,
): ReturnType<typeof readProject> {
  const { dir, file = join(dir, projectFile) } = project
  const name = file.slice(file.lastIndexOf('/') + 1)
  return readProject({ dir, file: name, env, environment, values }, withTexts(files, changed))
}

/** The same where what is wrong with its settings is no concern. */
export const projectAt = (...read: Parameters<typeof projectReadAt>): Project => projectReadAt(...read).project

function hasManifests(path: string, files: Files): boolean {
  switch (files.exists(path)) {
    case 'file':
      return true
    case 'folder':
      return files.list(path).some(isManifestName)
    case 'other':
      return false
    case 'no':
      return isGlob(path) && files.exists(globBase(path)) === 'folder' && globMatches(path, files)
  }
}

function globMatches(pattern: string, files: Files): boolean {
  const base = globBase(pattern)
  const fits = pathMatcher(pattern)
  return files.list(base).some((each) => fits(base === '.' ? each : `${base.replace(/\/$/, '')}/${each}`))
}

/** A text with its placeholders filled in, or undefined where one of them cannot be. */
export function resolvedText(
  text: string,
  { env, files, project, secretFolders, vault }: Omit<ManifestTexts, 'paths' | 'fingerprintKey' | 'values'>,
): string | undefined {
  const mark = { source: { file: '', text }, start: 0, end: text.length }
  const secrets = { ...project.secrets, folders: secretFolders, learn: () => undefined }
  const sources = { env, files, dir: project.dir, secrets, vault }
  let isKnown = true
  const node = resolveValues({ is: 'scalar', value: text, from: 'text', mark }, sources, () => {
    isKnown = false
  })
  return isKnown ? scalarText(node) : undefined
}
