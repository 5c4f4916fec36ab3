import { existsSync, realpathSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Files } from '../files/files.js'
import { gitFiles } from '../files/git-files.js'
import { isInSubmodule, refsNamed } from '../files/git-head.js'
import { join } from '../files/paths.js'
import { reasonOf } from '../files/system-error.js'
import { placedAt } from '../manifest/compose/guard.js'
import { policySources } from '../manifest/policy-files.js'
import { isNoMatterThere, type Project, type ProjectInput, readProject } from '../manifest/project.js'
import { projectFile } from '../manifest/project-files.js'
import type { Source } from '../manifest/source.js'
import type { Ports } from '../ports/ports.js'
import { guardRefUnreadable } from '../problems/guard.js'
import { errorsIn, type Problem, ProblemError } from '../problems/problem.js'

/** The project at the git ref in GATEWRIGHT_GUARD_REF, for one of its environments. */
export interface ProjectAtRef {
  /** Undefined: the project has no environments. */
  readonly environment: string | undefined
  readonly project: Project
}

/**
 * The projects at the ref. Undefined if the variable is not set; empty if the ref has no project file. Throws a ProblemError if
 * the ref cannot be read: that must not count as "no guard" (A174).
 */
export function projectsAtRef({ dir }: Pick<Project, 'dir'>, ports: Ports): readonly ProjectAtRef[] | undefined {
  const { GATEWRIGHT_GUARD_REF: reference } = ports.env
  return reference ? projectsIn(filesAt(reference, dir, ports), reference, dir, ports) : undefined
}

/** The project at the ref for the environment of this one; undefined if there is none. Throws as `projectsAtRef` does. */
export const projectAtRef = (project: Pick<Project, 'dir' | 'layers'>, ports: Ports): Project | undefined =>
  projectsAtRef(project, ports)?.find(({ environment }) => environment === project.layers?.environment)?.project

/**
 * The texts of the policies at that ref, under names that contain the ref, and the projects there. Undefined if the variable is
 * not set.
 */
export function policiesAtRef(
  { dir }: Pick<Project, 'dir'>,
  ports: Ports,
):
  | { readonly reference: string; readonly sources: readonly Source[]; readonly projects: readonly ProjectAtRef[] }
  | undefined {
  const { GATEWRIGHT_GUARD_REF: reference } = ports.env
  if (!reference) return undefined
  const files = filesAt(reference, dir, ports)
  const projects = projectsIn(files, reference, dir, ports)
  const problems: Problem[] = []
  const found = policySources(projects[0]?.project ?? { dir, manifests: [] }, files, (problem) =>
    problems.push(problem),
  )
  refuseBroken(problems, reference)
  return { reference, projects, sources: found.map((source) => ({ ...source, file: `${reference}:${source.file}` })) }
}

/** Throws a ProblemError for the first error in a file of the ref: no command continues without it. */
export function refuseBroken(problems: readonly Problem[], reference: string): void {
  const [first] = errorsIn(problems)
  if (first) throw unreadable(reference, `${first.place ? `line ${first.place.line}: ` : ''}${first.message}`)
}

function projectsIn(files: Files, reference: string, dir: string, ports: Ports): readonly ProjectAtRef[] {
  const path = join(dir, projectFile)
  const others = projectFilesIn(files, dir, ports)
  const [replaced] = replacedIn(others, files, dir, ports)
  if (replaced !== undefined) throw unreadable(reference, `it has ${replaced}, but here that is gone, or a link`)
  if (files.exists(path) !== 'file') {
    if (others.length === 0) return []
    throw unreadable(reference, `it has no ${path}, but ${others.join(', ')}`)
  }
  const read = (environment: string | undefined): ProjectAtRef => {
    const project = projectIn(files, { dir, env: ports.env, environment }, reference)
    return { environment, project: { ...project, ...(project.guard && { guard: placedAt(reference, project.guard) }) } }
  }
  const bare = read(undefined)
  const names = bare.project.layers?.environments ?? []
  return names.length === 0 ? [bare] : names.map(read)
}

function filesAt(reference: string, dir: string, ports: Ports): Files {
  const folder = resolve(ports.cwd, dir)
  if (isInSubmodule(folder))
    throw unreadable(reference, 'the project is in a submodule, and the repository around it chooses what that is')
  const full = fullReference(reference, folder)
  try {
    return gitFiles(full, folder, ports.cwd)
  } catch (cause) {
    throw unreadable(reference, cause instanceof ProblemError ? cause.message : reasonOf(cause))
  }
}

/**
 * A reference that is read as it is meant: `origin/main` is the branch of the remote, although git prefers a tag or a local
 * branch with that name, which the author of a pull request can create (A487).
 */
function fullReference(reference: string, folder: string): string {
  if (reference.startsWith('origin/')) return `refs/remotes/${reference}`
  const refs = refsNamed(folder, reference.replace(/(?:[~^]|@\{).*$/, ''))
  if (refs.length > 1) throw unreadable(reference, `it may mean ${refs.join(' or ')}: write the one that is meant`)
  return reference
}

/**
 * Reads a project at the ref. Unset variables and a wrong order of its environments do not concern the guard rails; any other
 * error may hide them.
 */
function projectIn(files: Files, input: ProjectInput, reference: string): Project {
  const { project, problems } = readProject(input, files)
  refuseBroken(
    problems.filter((each) => !isNoMatterThere(each)),
    reference,
  )
  return project
}

/** All project files at the ref, because a moved project is still guarded. */
function projectFilesIn(files: Files, dir: string, ports: Ports): readonly string[] {
  const folder = resolve(ports.cwd, dir)
  // The folder may be reached through a link: these files know it under that name.
  const root = resolve(folder, relative(realpathSync(folder), files.repositoryOf(dir)))
  return files.list(root).filter((path) => path.split('/').at(-1) === projectFile)
}

/**
 * The project files at the ref that a command would not find any more: it would take the project in a folder above, or that of a
 * link's target, and so other guard rails (A487).
 */
function replacedIn(paths: readonly string[], files: Files, dir: string, ports: Ports): readonly string[] {
  const own = realpathSync(resolve(ports.cwd, dir))
  return paths.filter((path) => {
    const folder = dirname(resolve(files.repositoryOf(dir), path))
    if (existsSync(resolve(folder, projectFile))) return realpathSync(folder) !== folder
    return !relative(own, folder).startsWith('..')
  })
}

const unreadable = (reference: string, why: string): ProblemError =>
  new ProblemError([guardRefUnreadable(reference, why)])
