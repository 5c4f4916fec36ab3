import { nodeFiles } from '../files/files.js'
import { keysOf } from '../json/pointer.js'
import type { Project } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import type { Manifests } from '../manifest/resource.js'
import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { masking, secretsOf } from '../secrets/mask.js'
import type { ProjectRequest } from './requests.js'

/** A mask that knows the secrets of the program's own variables. */
export const maskOf = (env: Ports['env']): Mask => masking(secretsOf({ secrets: [] }, { env }))

/** From now on what these manifests take from placeholders is hidden, and what their fields have held before. */
export function learnFrom({ secrets, resources }: Manifests, mask: Mask): void {
  mask.learn(...secrets)
  for (const { sensitive } of resources) {
    for (const path of sensitive) mask.fields.add(keysOf(path).at(-1) ?? '')
  }
}

/** The problem without the secrets in its words. */
export function maskedProblem(problem: Problem, mask: (text: string) => string): Problem {
  const { message, hint } = problem
  const words = { message: mask(message), ...(hint !== undefined && { hint: mask(hint) }) }
  return words.message === message && words.hint === hint ? problem : { ...problem, ...words }
}

/**
 * The same for commands that need no manifests: what is live may hold their secrets. Manifests that cannot be read are no
 * concern of theirs.
 */
export function learnFromProject(project: Project, request: Pick<ProjectRequest, 'allowFile'>, ports: Ports): void {
  if (project.file === undefined) return
  try {
    const files = nodeFiles(ports.cwd)
    learnFrom(readManifests({ project, env: ports.env, files, secretFolders: request.allowFile }), ports.mask)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
  }
}
