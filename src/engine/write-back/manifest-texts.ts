import { type FilesAsRead, filesAsRead } from '../../files/as-read.js'
import { type Files, nodeFiles } from '../../files/files.js'
import { isManifestName } from '../../files/find-manifests.js'
import { globBase, isGlob, pathMatcher } from '../../files/glob.js'
import { type Texts, withTexts } from '../../files/overlay.js'
import { join, normalizePath } from '../../files/paths.js'
import { digestOf } from '../../manifest/digest.js'
import type { KnownProject } from '../../manifest/known-project.js'
import { scalarText } from '../../manifest/node.js'
import { type Project, readProject } from '../../manifest/project.js'
import { projectFile } from '../../manifest/project-files.js'
import { readManifests } from '../../manifest/read.js'
import { type Manifests, noManifests } from '../../manifest/resource.js'
import { resolveValues } from '../../manifest/values.js'
import type { Ports } from '../../ports/ports.js'
import type { Vault } from '../../ports/vault.js'
import { errorsIn, ProblemError } from '../../problems/problem.js'
import { fingerprintKeyOf } from '../../secrets/fingerprint.js'
import type { ProjectRequest } from '../requests.js'

/** The input for reading the existing manifests of an export. */
export interface ManifestTexts {
  readonly project: Project
  readonly files: FilesAsRead
  /** Files, folders and patterns that override those of the project. */
  readonly paths: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fingerprintKey: string | undefined
  /** Folders outside of the repository with files that placeholders may name. */
  readonly secretFolders: readonly string[]
  /** Encrypted values were decrypted when the project was read. */
  readonly vault: Vault
  /** Values of the command line, each as `NAME=TEXT`. */
  readonly values: readonly string[]
}

/** The input for a project on this machine. */
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
 * The manifests with these texts instead of their files. It is no error if there are no manifests yet, or if a variable is not
 * set. Throws a ProblemError for all other errors, and for errors that the texts cause in the project.
 */
export function readTexts(texts: ManifestTexts, changed: Texts): Manifests {
  const { environment } = texts.project.layers ?? {}
  // The edit may have changed a layer of the environment.
  const project = texts.project.layers && changed.size > 0 ? unbroken(texts, changed, environment) : texts.project
  const manifests = manifestsOf({ ...texts, project }, changed)
  const tolerated = ['unset-variable', 'empty-manifests']
  const errors = manifests.problems.filter(({ code, severity }) => severity === 'error' && !tolerated.includes(code))
  if (errors.length > 0) throw new ProblemError(errors)
  return manifests
}

/** The project with these texts. It had no errors at the beginning of the command, so errors come from the edits. */
function unbroken(texts: ManifestTexts, changed: Texts, environment: string | undefined): Project {
  const { project, problems } = projectReadAt(texts, changed, environment)
  const broken = errorsIn(problems)
  if (broken.length > 0) throw new ProblemError(broken)
  return project
}

/**
 * All manifests of the project with all their problems, if only some are named. Undefined if none are named, because all are read
 * then.
 */
export function wholeOf(texts: ManifestTexts): ((changed: Texts) => Manifests) | undefined {
  const { project, paths } = texts
  if (paths.length === 0) return undefined
  const now = (changed: Texts) =>
    project.layers && changed.size > 0 ? projectAt(texts, changed, project.layers.environment) : project
  return (changed) => manifestsOf({ ...texts, paths: [], project: now(changed) }, changed)
}

/** The manifests with all their problems. */
export function manifestsOf(texts: ManifestTexts, changed: Texts): Manifests {
  const files = withTexts(texts.files, changed)
  const searched = texts.paths.length > 0 ? texts.paths : texts.project.manifests
  const paths = searched.filter((path) => hasManifests(normalizePath(path), files))
  if (searched.length > 0 && paths.length === 0) return none
  const { project, env, fingerprintKey, secretFolders, vault } = texts
  return readManifests({ project, paths, env, files, fingerprintKey, secretFolders, vault })
}

/** The project with these texts, in that environment. `known`: only for readings of the same texts. */
export function projectReadAt(
  { project, files, env, values }: ManifestTexts,
  changed: Texts,
  environment: string | undefined,
  known?: KnownProject,
): ReturnType<typeof readProject> {
  const { dir, file = join(dir, projectFile) } = project
  const name = file.slice(file.lastIndexOf('/') + 1)
  return readProject({ dir, file: name, env, environment, values, known }, withTexts(files, changed))
}

/** The same, without the problems of its settings. */
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

/** A text with resolved placeholders, or undefined if one of them cannot be resolved. */
export function resolvedText(
  text: string,
  { env, files, project, secretFolders, vault }: Omit<ManifestTexts, 'paths' | 'fingerprintKey' | 'values'>,
): string | undefined {
  const range = { source: { file: '', text }, start: 0, end: text.length }
  const secrets = { ...project.secrets, folders: secretFolders, learn: () => undefined }
  const sources = { env, files, dir: project.dir, secrets, vault }
  let isKnown = true
  const node = resolveValues({ is: 'scalar', value: text, from: 'text', range }, sources, () => {
    isKnown = false
  })
  return isKnown ? scalarText(node) : undefined
}
