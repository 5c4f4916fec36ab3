import { type Texts, withTexts } from '../../files/overlay.js'
import type { Patch, WrittenLayers } from '../../manifest/compose/layers.js'
import { openLayers } from '../../manifest/compose/read-layers.js'
import { KnownProject } from '../../manifest/known-project.js'
import type { Manifests } from '../../manifest/resource.js'
import type { LayerHome } from '../../manifest/write/edit-layers.js'
import { hasErrors, type Problem, ProblemError } from '../../problems/problem.js'
import { claimedArea } from '../claims.js'
import { type ManifestTexts, manifestsOf, projectAt } from './manifest-texts.js'

/** The target of edits in a project with layers: the selected environment, or the manifests of all environments. */
type Into = 'environment' | 'manifest'

/** The layers of a project, including texts that are not written to disk yet. */
export interface LayersNow {
  readonly written: WrittenLayers
  /** The patches of the environment, in order. */
  readonly patches: readonly Patch[]
  /** The file of the environment, or else the project file. */
  readonly file: string
  readonly text: string
  readonly home: LayerHome
}

/** The layers of a project, independent of changes in its texts. */
export interface LayersAccess {
  readonly into: Into
  readonly environment: string | undefined
  /** The other environments. */
  readonly others: readonly string[]
  now(changed: Texts): LayersNow
  /** The manifests in another environment. */
  manifestsIn(environment: string, changed: Texts): Manifests
  /** The area of an environment according to the project file. */
  areaOf(environment: string): string | undefined
}

/** Access to the layers of a project. Its functions throw a ProblemError if an edit has broken the layers. */
export function layersOf(layers: WrittenLayers, into: Into, texts: ManifestTexts): LayersAccess {
  const { environment, environments } = layers
  // The unchanged manifests are needed for each comparison with other environments.
  const unchanged = new Map<string, Manifests>()
  const known = new KnownProject()
  return {
    into,
    environment,
    others: environments.filter((name) => name !== environment),
    now: (changed) => layersNow(texts, changed),
    manifestsIn: (name, changed) => {
      if (changed.size > 0) return manifestsOf({ ...texts, project: projectAt(texts, changed, name) }, changed)
      const read = unchanged.get(name)
      const manifests = read ?? manifestsOf({ ...texts, project: projectAt(texts, changed, name, known) }, changed)
      unchanged.set(name, manifests)
      return manifests
    },
    areaOf: (name) => claimedArea(projectAt(texts, new Map(), name, known)),
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
  // An unset variable is no error here, as with manifests.
  const broken = problems.filter(({ code }) => code !== 'unset-variable')
  if (hasErrors(broken)) throw new ProblemError(broken)
  const form = layers.files.includes(file) ? 'document' : 'project'
  return { written: layers, patches, file, text: read.text, home: { environment: layers.environment, form } }
}
