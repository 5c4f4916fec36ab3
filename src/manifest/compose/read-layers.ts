import { environmentKeys } from '../../catalog/project-schema.js'
import { unknownEnvironment } from '../../problems/compose.js'
import type { ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import type { KnownProject } from '../known-project.js'
import { type Entry, type MapNode, type Node, valueAt } from '../node.js'
import type { ValueSources } from '../placeholder-sources.js'
import { resolveValues } from '../values.js'
import { readDefaults } from './defaults.js'
import { readEnvironments, type WrittenEnvironment } from './environments.js'
import { readGiven, readTyped } from './given-values.js'
import { type GuardRails, readGuard, reportCircle } from './guard.js'
import type { Layers, WrittenLayers } from './layers.js'
import { readPatches } from './patches.js'
import { readDeclarations } from './value-declarations.js'
import { Values } from './values.js'

/** The chosen environment, and the values of the command line, each `NAME=TEXT`. */
export interface LayerChoice {
  readonly environment: string | undefined
  readonly values: readonly string[]
}

/** The keys of a project's spec that are layers and not settings. */
export const layerKeys: readonly string[] = ['values', 'defaults', 'environments']

/** What messages call the defaults of an environment. */
export const environmentDefaults = (name: string): string => `defaults of environment ${name}`

/** The layers of a project file, and the settings of the chosen environment, with unresolved placeholders. */
interface ReadLayers {
  readonly layers: WrittenLayers
  readonly settings: readonly Entry[]
  readonly guard: GuardRails | undefined
  /** Documents of environments that are in files of their own. */
  readonly documents: readonly Node[]
}

/** Reads the layers of a project file. The files of environments are relative to its folder. */
export function readLayers(
  spec: MapNode,
  choice: LayerChoice,
  { dir, files, known }: Pick<ValueSources, 'dir' | 'files'> & { readonly known: KnownProject },
  report: ReportProblem,
): ReadLayers {
  const node = valueAt(spec, 'environments')
  const read = (reportTo: ReportProblem) => readEnvironments(node, dir, files, reportTo)
  const { written, files: found, documents } = known.environments(node, read, report)
  const chosen = choose(written, choice, report)
  const declared = readDeclarations(valueAt(spec, 'values'), report)
  const own = chosen ? readGiven(valueAt(chosen.spec, 'values'), `values of environment ${chosen.name}`, report) : []
  if (chosen) reportCircle(written, chosen, report)
  const names = written.map(({ name }) => name)
  const defaults = (node: Node | undefined, layer: string) => (node ? [{ layer, node }] : [])
  return {
    layers: {
      environment: chosen?.name,
      environments: names,
      files: found,
      home: chosen?.range.source.file,
      declared,
      given: new Map([...own, ...readTyped(choice.values, declared, report)]),
      defaults: [
        ...defaults(valueAt(spec, 'defaults'), 'defaults of the project'),
        ...(chosen ? defaults(valueAt(chosen.spec, 'defaults'), environmentDefaults(chosen.name)) : []),
      ],
      patches: chosen && valueAt(chosen.spec, 'patches'),
    },
    settings: chosen?.spec.entries.filter(({ key }) => isSetting(key)) ?? [],
    documents,
    guard:
      chosen &&
      readGuard(
        valueAt(chosen.spec, 'guard'),
        { name: chosen.name, others: names.filter((name) => name !== chosen.name) },
        report,
      ),
  }
}

/** Whether the key is a setting of the project that an environment may set again. */
const isSetting = (key: string): boolean =>
  environmentKeys.includes(key) && !['values', 'defaults', 'patches', 'guard'].includes(key)

/** Resolves the placeholders of layers, like those of manifests. */
export function openLayers(
  { environment, environments, declared, given, defaults, patches }: WrittenLayers,
  from: ValueSources,
  report: ReportProblem,
): Layers {
  const sources: ValueSources = { ...from, within: 'project' }
  const values = new Values(declared, given, environment, sources)
  values.checkWritten(report)
  const resolved = (node: Node) => resolveValues(node, { ...sources, values }, report)
  return {
    environment,
    environments,
    values,
    defaults: defaults.map(({ layer, node }) => readDefaults(resolved(node), layer, report)),
    patches: patches ? readPatches(resolved(patches), `environment ${environment ?? ''}`, report) : [],
  }
}

function choose(
  written: readonly WrittenEnvironment[],
  { environment }: LayerChoice,
  report: ReportProblem,
): WrittenEnvironment | undefined {
  if (environment === undefined) return undefined
  const found = written.find(({ name }) => name === environment)
  const names = written.map(({ name }) => name)
  if (!found) report(unknownEnvironment(undefined, environment, names, nearest(environment, names)))
  return found
}
