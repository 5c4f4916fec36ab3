import { nodeFiles } from '../files/files.js'
import { type Json, textsIn } from '../json/json.js'
import { keysOf } from '../json/pointer.js'
import type { LiveObject } from '../live/live-object.js'
import type { Project } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import type { Manifests } from '../manifest/resource.js'
import { valueAtPath } from '../planner/compare/secret-values.js'
import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { readOpened } from '../secrets/vault.js'
import type { ProjectRequest } from './requests.js'

/** Makes the mask hide the values that these manifests take from placeholders, and the earlier values of these fields. */
export function learnFrom({ secrets, resources }: Manifests, mask: Mask): void {
  // One by one: there may be more of them than a call can have arguments.
  for (const secret of secrets) mask.learn(secret)
  for (const { sensitive } of resources) {
    for (const path of sensitive) mask.fields.add(keysOf(path).at(-1) ?? '')
  }
}

/**
 * Makes the mask hide the live values of secret fields: they may be an earlier secret, or one that is unavailable. The text that
 * the manifest writes around a secret is not hidden.
 */
export function learnFromMatched(
  resources: Manifests['resources'],
  matched: ReadonlyMap<string, LiveObject>,
  mask: Mask,
): void {
  for (const { address, sensitive, templates } of resources) {
    const fields = (sensitive.length > 0 && matched.get(address)?.fields) || {}
    for (const path of sensitive) {
      const open = new Set(textsIn(templates?.get(path) ?? null))
      mask.learn(...displayedTexts(valueAtPath(fields, path)).filter((text) => !open.has(text)))
    }
  }
}

/** The texts with which a live value is shown. */
export const displayedTexts = (value: Json = null): readonly string[] =>
  typeof value === 'number' ? [String(value)] : textsIn(value)

/**
 * The same as `learnFrom`, for commands that need no manifests: live objects may contain their secrets. Manifests that cannot be
 * read are ignored.
 */
export async function learnFromProject(
  project: Project,
  request: Pick<ProjectRequest, 'allowFile'>,
  ports: Ports,
): Promise<Manifests | undefined> {
  if (project.file === undefined) return undefined
  try {
    const files = nodeFiles(ports.cwd)
    const { env, vault, mask } = ports
    const input = { project, env, files, vault, secretFolders: request.allowFile }
    const manifests = await readOpened(vault, () => readManifests(input))
    learnFrom(manifests, mask)
    return manifests
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return undefined
  }
}
