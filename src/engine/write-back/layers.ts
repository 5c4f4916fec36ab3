import { type Texts, withTexts } from '../../files/overlay.js'
import type { Patch, WrittenLayers } from '../../manifest/compose/layers.js'
import { openLayers } from '../../manifest/compose/read-layers.js'
import type { Manifests } from '../../manifest/resource.js'
import type { LayerHome } from '../../manifest/write/edit-layers.js'
import { hasErrors, type Problem, ProblemError } from '../../problems/problem.js'
import { claimedArea } from '../claims.js'
import { type ManifestTexts, manifestsOf, projectAt } from './manifest-texts.js'

/** Where edits go in a project with layers: into the environment that is chosen, or into manifests for all of them. */
export type Into = 'environment' | 'manifest'

/** What a project says in layers, with the texts that are not yet on the disk. */
export interface LayersNow {
  readonly written: WrittenLayers
  /** Those of the environment, in their order. */
  readonly patches: readonly Patch[]
  /** The file of the environment; without one, that of the project. */
  readonly file: string
  readonly text: string
  readonly home: LayerHome
}

/** The layers of a project, whatever has changed in its texts. */
export interface LayersAccess {
  readonly into: Into
  readonly environment: string | undefined
  /** The other environments. */
  readonly others: readonly string[]
  now(changed: Texts): LayersNow
  /** What the manifests are in another environment. */
  manifestsIn(environment: string, changed: Texts): Manifests
  /** The area of an environment as the project file says it. */
  areaOf(environment: string): string | undefined
}

/** Those of a project that has some. Throws a ProblemError where an edit has broken them. */
export function layersOf(layers: WrittenLayers, into: Into, texts: ManifestTexts): LayersAccess {
  const { environment, environments } = layers
  // They are asked for by each that holds what is written against the others.
  const unchanged = new Map<string, Manifests>()
  return {
    into,
    environment,
    others: environments.filter((name) => name !== environment),
    now: (changed) => layersNow(texts, changed),
    manifestsIn: (name, changed) => {
      const known = changed.size === 0 ? unchanged.get(name) : undefined
      const manifests = known ?? manifestsOf({ ...texts, project: projectAt(texts, changed, name) }, changed)
      if (changed.size === 0) unchanged.set(name, manifests)
      return manifests
    },
    areaOf: (name) => claimedArea(projectAt(texts, new Map(), name)),
  }
}

function layersNow(texts: ManifestTexts, changed: Texts): LayersNow {
  const { project, env } = texts
  const files = withTexts(texts.files, changed)
  const { layers } = projectAt(texts, changed, project.layers?.environment)
  const problems: Problem[] = []
  const report = (problem: Problem) => problems.push(problem)
  const file = layers?.home ?? project.file
  const read = file === undefined ? undefined : files.readText(file)
  if (!layers || file === undefined || !read || !('text' in read))
    throw new Error('a project with layers has lost them')
  const secrets = { ...project.secrets, folders: texts.secretFolders, learn: () => undefined }
  const { patches } = openLayers(layers, { env, files, dir: project.dir, secrets, vault: texts.vault }, report)
  // A variable that is not set is no hindrance, as with manifests.
  const broken = problems.filter(({ code }) => code !== 'unset-variable')
  if (hasErrors(broken)) throw new ProblemError(broken)
  const form = layers.files.includes(file) ? 'document' : 'project'
  return { written: layers, patches, file, text: read.text, home: { environment: layers.environment, form } }
}
