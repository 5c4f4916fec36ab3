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
 * The texts that a project's policies stand in: the files of `spec.policies`; else those below the folder `policies` that hold
 * one, as the others there are manifests. If those of the project lie elsewhere, nobody else reads these: whatever is ours is
 * meant for a policy, and a file that cannot be read may hold one (A341).
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
    // What is wrong with a manifest is told by whoever reads it.
    const found = readOrReport(path, files, isManifest ? () => undefined : report)
    return found.filter((source) => holdsPolicy(source) || (!isManifest && source.text.includes(apiVersion)))
  })
}

/** Most say it in a line of their own: only others are read for it. */
const holdsPolicy = (source: Source): boolean =>
  source.text.includes(policyKind) &&
  (/^kind:[ \t]+Policy[ \t]*\r?$/m.test(source.text) || readYaml(source).documents.some(isPolicy))

/** Whether a document says that it is a policy. */
export function isPolicy(root: Node): boolean {
  const kind = root.is === 'map' ? valueAt(root, 'kind') : undefined
  return kind?.is === 'scalar' && kind.value === policyKind
}
