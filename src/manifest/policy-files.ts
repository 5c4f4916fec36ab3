import { apiVersion } from '../catalog/metadata-keys.js'
import { policyKind } from '../catalog/policy-schema.js'
import type { Files } from '../files/files.js'
import { findManifests, manifestsBelow, type Where } from '../files/find-manifests.js'
import { readOrReport } from '../files/not-read.js'
import { join } from '../files/paths.js'
import type { ReportProblem } from '../problems/problem.js'
import { isCovered } from './covered.js'
import { type Node, valueAt } from './node.js'
import type { Project } from './project.js'
import { policiesFolder } from './project-files.js'
import type { Source } from './source.js'
import { readYaml } from './yaml/read-yaml.js'

/**
 * The texts with a project's policies: the files of `spec.policies`; if it has none, those below the folder `policies` that
 * contain a policy, because the others there are manifests. If the manifests are in other folders, nobody else reads the folder
 * `policies`. Then all our documents there are meant as policies, and a file that cannot be read may contain one (A341).
 */
export function policySources(
  project: Pick<Project, 'dir' | 'policies' | 'manifests' | 'writtenAt'>,
  files: Files,
  report: ReportProblem,
): readonly Source[] {
  const { dir, policies, writtenAt } = project
  if (policies) {
    const where: Where = { origin: 'named', paths: policies, writtenAt, pipes: 'refuse' }
    return findManifests(where, files, report).flatMap(({ path }) => readOrReport(path, files, report))
  }
  return manifestsBelow(join(dir, policiesFolder), files).flatMap((path) => {
    const isManifest = isCovered(path, project, files.cwd)
    // The reader of manifests reports the problems of a manifest.
    const found = readOrReport(path, files, isManifest ? () => undefined : report)
    return found.filter((source) => holdsPolicy(source) || (!isManifest && source.text.includes(apiVersion)))
  })
}

/** Most policies have this line; only other files are parsed. */
const holdsPolicy = (source: Source): boolean =>
  source.text.includes(policyKind) &&
  (/^kind:[ \t]+Policy[ \t]*\r?$/m.test(source.text) || readYaml(source).documents.some(isPolicy))

/** Whether a document is a policy. */
export function isPolicy(root: Node): boolean {
  const kind = root.is === 'map' ? valueAt(root, 'kind') : undefined
  return kind?.is === 'scalar' && kind.value === policyKind
}
