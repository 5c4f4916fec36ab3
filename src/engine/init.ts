import { existsSync, realpathSync, statSync } from 'node:fs'
import { join, posix, relative, resolve } from 'node:path'
import { isKindName } from '../catalog/queries.js'
import type { InitDocument, StarterResult } from '../documents/init.js'
import { type Files, nodeFiles } from '../files/files.js'
import { findManifests, isManifestName, manifestsBelow } from '../files/find-manifests.js'
import { hasOrigin } from '../files/git-head.js'
import { isGlob } from '../files/glob.js'
import { mainBranch, repositoryRoot } from '../files/repository.js'
import { bytesBefore, writeWhole } from '../files/write-file.js'
import { scalarText, valueAt } from '../manifest/node.js'
import { type Project, readProject } from '../manifest/project.js'
import { policiesFolder, projectFile } from '../manifest/project-files.js'
import { variableNames } from '../manifest/variable-names.js'
import { readYaml } from '../manifest/yaml/read-yaml.js'
import type { Ports } from '../ports/ports.js'
import { environmentsNotDeclared } from '../problems/compose.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { manifestsNotNamed } from '../problems/write-back.js'
import type { Exported } from './export.js'
import { projectOf } from './live-area.js'
import type { ProjectRequest } from './requests.js'
import { accessOf, vocabularyOf } from './settings.js'
import type { Answers, Surroundings } from './starter/answers.js'
import { ciStarters, workflowSecrets, workflowVariables } from './starter/ci-starters.js'
import { projectStarters } from './starter/project-starters.js'
import type { StarterFile } from './starter/starter-file.js'

/** The result of `init`. Existing files are kept. */
interface InitResult {
  readonly document: InitDocument
  /** Whether git has the remote where the workflows keep the records. */
  readonly hasOrigin: boolean
  /** Warnings and notes of the export, if there was one. */
  readonly problems: readonly Problem[]
}

/** Writes the files of a new project into the folder of the request. Throws a ProblemError if an export cannot be made. */
export async function initProject(request: ProjectRequest, given: Answers, ports: Ports): Promise<InitResult> {
  const folder = resolve(ports.cwd, request.directory)
  const requested = { ...request, url: given.url, area: given.area }
  const { project } = readProject({ dir: request.directory, env: ports.env }, nodeFiles(ports.cwd))
  const notNamed = manifestsElsewhere(project, nodeFiles(ports.cwd))
  const answers = { ...given, environments: environmentsFor(given, project) }
  // The settings that an export needs are checked before anything is written.
  if (answers.content === 'export')
    accessOf(existsSync(folder) ? projectOf(requested, ports) : project, requested, ports)
  const write = (file: StarterFile) => written(file, folder)
  const starters = projectStarters(answers, vocabularyOf(project, ports))
  const ofProject = [...starters.filter((file) => !isUnneeded(file, folder, ports)).map(write), ignored(folder)]
  const exported = answers.content === 'export' ? await exportedArea(requested, ports) : undefined
  // The workflows pass on the variables that the manifests name, including those of the manifests just exported.
  const around = surroundings(folder, request, ports)
  const ofCi = ciStarters(answers, around).map(write)
  const isForCi = answers.ci !== 'none'
  return {
    document: {
      format: 'gatewright.init/1',
      files: [...ofProject, ...ofCi],
      ...(answers.environments.length > 0 && { environments: answers.environments.map(({ name }) => name) }),
      ci: answers.ci,
      program: `gatewright@${answers.version}`,
      variables: isForCi ? [...workflowVariables, ...around.variables] : [],
      secrets: isForCi ? [...workflowSecrets, ...around.secrets] : [],
      ...(isForCi && aboveIn(folder)),
      ...(exported && { export: exported.document }),
    },
    hasOrigin: hasOrigin(folder),
    problems: [...(notNamed.length === 0 ? [] : [manifestsNotNamed(notNamed)]), ...(exported?.problems ?? [])],
  }
}

/**
 * The existing manifests outside of the folder `manifests`. Without a project file they all belong to the project, but the new
 * project file names only that folder.
 */
function manifestsElsewhere({ file, dir }: Project, files: Files): readonly string[] {
  if (file !== undefined) return []
  const found = findManifests({ origin: 'found', folder: dir, except: undefined }, files, () => undefined)
  const paths = found.map(({ path }) => path)
  const others = paths.filter((path) => posix.basename(path) === projectFile).map((path) => posix.dirname(path))
  const named = [join(dir, 'manifests'), ...others]
  const isNamed = (path: string) => named.some((folder) => path.startsWith(`${folder}/`))
  return paths.filter((path) => !isNamed(path) && declaresObjects(path, files))
}

function declaresObjects(path: string, files: Files): boolean {
  const read = files.readText(path)
  if (!('text' in read) || !read.text.includes('gatewright/v1')) return false
  return readYaml({ file: path, ...read }).documents.some((document) => {
    const kind = document.is === 'map' ? scalarText(valueAt(document, 'kind')) : undefined
    return kind !== undefined && isKindName(kind)
  })
}

/**
 * The environments. An existing project file is kept with its environments. Throws a ProblemError if it does not have a requested
 * one.
 */
function environmentsFor({ environments }: Answers, { file, layers }: Project): Answers['environments'] {
  if (file === undefined) return environments
  const declared = layers?.environments ?? []
  if (environments.length === 0) return declared.map((name) => ({ name, url: undefined, area: undefined }))
  const missing = environments.map(({ name }) => name).filter((name) => !declared.includes(name))
  if (missing.length > 0) throw new ProblemError([environmentsNotDeclared(file, missing)])
  return environments
}

/** Exports into the new project. */
async function exportedArea(request: ProjectRequest, ports: Ports): Promise<Exported> {
  const { exportArea } = await import('./export.js')
  const dir = join(request.directory, 'manifests')
  return exportArea(
    { ...request, dir, kinds: [], full: false, withSecrets: false, prune: false, snapshot: undefined },
    ports,
  )
}

/** The facts about the project. An existing project file may have other paths for the manifests. */
function surroundings(folder: string, request: ProjectRequest, ports: Ports): Surroundings {
  const files = nodeFiles(ports.cwd)
  const { project } = readProject({ dir: request.directory, env: ports.env }, files)
  const names = variableNames(project, files)
  const isPublic = (name: string) => project.secrets.public.includes(name)
  const fromFolder = (paths: readonly string[]) => paths.map((path) => relative(folder, resolve(ports.cwd, path)))
  return {
    branch: mainBranch(repositoryRoot(folder) ?? folder),
    paths: [
      ...patternsOf(fromFolder(project.manifests)),
      ...patternsOf(project.policies ? fromFolder(project.policies) : [policiesFolder]),
      ...fromFolder(project.layers?.files ?? []),
    ],
    secrets: names.filter((name) => !isPublic(name)),
    variables: names.filter(isPublic),
  }
}

/** The patterns with which CI systems match changed files. If no manifests are named, every YAML or JSON file may be one. */
const patternsOf = (manifests: readonly string[]): readonly string[] =>
  manifests.length === 0
    ? ['**/*.yaml', '**/*.yml', '**/*.json']
    : manifests.map((path) => (isGlob(path) || isManifestName(path) ? path : posix.join(path, '**/*')))

/** The path from the root of the repository to the project, if they differ. */
function aboveIn(folder: string): Pick<InitDocument, 'repository'> {
  const above = relative(realpathSync(folder), repositoryRoot(folder) ?? realpathSync(folder))
  return above === '' ? {} : { repository: above }
}

function written({ path, about, text }: StarterFile, folder: string): StarterResult {
  const target = join(folder, path)
  // If a folder has this path, the file cannot be written: this is reported.
  if (existsSync(target) && !statSync(target).isDirectory()) return { path, about, action: 'kept' }
  writeWhole(target, text, 'as before', path)
  return { path, about, action: 'written' }
}

/** Whether the file is an example that is not needed, because the folder has manifests already. */
function isUnneeded({ path }: StarterFile, folder: string, ports: Ports): boolean {
  if (!path.startsWith('manifests/') || existsSync(join(folder, path))) return false
  return manifestsBelow(join(folder, 'manifests'), nodeFiles(ports.cwd)).length > 0
}

/** Adds missing lines to the end of .gitignore. Existing lines are not changed. */
function ignored(folder: string): StarterResult {
  const { path, about, comment, lines } = ignoredFiles
  const file = join(folder, path)
  const isThere = existsSync(file)
  const bytes = isThere ? bytesBefore(file, path) : Buffer.alloc(0)
  const present = bytes.toString('utf8')
  const withoutSlash = (line: string) => line.trim().replace(/\/$/, '')
  const known = new Set(present.split(/\r?\n/).map(withoutSlash))
  const missing = lines.filter((line) => !known.has(withoutSlash(line)))
  if (missing.length === 0) return { path, about, action: 'kept' }
  const gap = present === '' || present.endsWith('\n') ? '' : '\n'
  const text = `${gap}${present === '' ? '' : '\n'}${comment}\n${missing.join('\n')}\n`
  writeWhole(file, Buffer.concat([bytes, Buffer.from(text)]), 'as before', path)
  return { path, about, action: isThere ? 'added to' : 'written' }
}

/** The files that git ignores. The lines are added to an existing .gitignore. */
export const ignoredFiles = {
  path: '.gitignore',
  about: 'Keeps packages, records, saved plans, snapshots and secrets out of git.',
  comment:
    '# gatewright: packages, records of this machine, what a killed run was writing, saved plans and snapshots, secrets.',
  lines: ['node_modules/', '.gatewright/', '.gatewright-*.new', '*.plan.json', '*.snapshot.json', '.env'],
} as const
