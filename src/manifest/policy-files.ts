import { apiVersion } from '../catalog/metadata-keys.js'
import { policyKind } from '../catalog/policy-schema.js'
import type { Files } from '../files/files.js'
import { findManifests, isManifestName, type Where } from '../files/find-manifests.js'
import { notRead } from '../files/not-read.js'
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
    return findManifests(where, files, report).flatMap(({ path }) => sourceOf(path, files, report))
  }
  const folder = join(dir, policiesFolder)
  if (files.exists(folder) !== 'folder') return []
  return files
    .list(folder)
    .filter(isManifestName)
    .map((path) => join(folder, path))
    .flatMap((path) => {
      const isManifest = isCovered(path, project, files.cwd)
      // What is wrong with a manifest is told by whoever reads it.
      const found = sourceOf(path, files, isManifest ? () => undefined : report)
      return found.filter((source) => holdsPolicy(source) || (!isManifest && source.text.includes(apiVersion)))
    })
}

function sourceOf(path: string, files: Files, report: ReportProblem): readonly Source[] {
  const read = files.readText(path)
  if ('text' in read) return [{ file: path, text: read.text }]
  report(notRead(path, read))
  return []
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
