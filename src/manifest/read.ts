import { resolve } from 'node:path'
import { generated } from '../catalog/openapi.js'
import { ancestors } from '../catalog/queries.js'
import { type Files, manifestLimits } from '../files/files.js'
import { type FileOrigin, findManifests, type ManifestFile, type Where } from '../files/find-manifests.js'
import { notRead } from '../files/not-read.js'
import type { Limits } from '../files/ordinary-file.js'
import { join } from '../files/paths.js'
import type { Vault } from '../ports/vault.js'
import { emptyManifests } from '../problems/manifests.js'
import { hasErrors, type Problem, type ReportProblem } from '../problems/problem.js'
import { addressOfAncestors } from './ancestors.js'
import { byAddress, Collector, type CollectorSettings } from './collector.js'
import { isForEnvironment } from './compose/for-environment.js'
import { type Layers, noLayers, type WrittenLayers } from './compose/layers.js'
import { openLayers } from './compose/read-layers.js'
import { isAnswer, type ManifestDocument, metadataOf, readDocument, readRemoval, specEntries } from './document.js'
import { hideDoubtful, hideInUnreadable, hideNamed } from './hide-secrets.js'
import type { KnownReading, YamlReader } from './known-reading.js'
import { readMetadata } from './metadata.js'
import { lacksIn, type MapNode, type Node, valueAt } from './node.js'
import { readObject } from './object.js'
import type { ObjectCollector } from './object-collector.js'
import { ApiFiles } from './openapi/api-files.js'
import { readOpenApi } from './openapi/read-openapi.js'
import type { ValueSources } from './placeholder-sources.js'
import { policySources } from './policy-files.js'
import type { Project } from './project.js'
import { acceptedFile } from './project-files.js'
import { rangeOfParentKey } from './reference-use.js'
import type { Manifests, Removal } from './resource.js'
import type { Source } from './source.js'
import { hasPlaceholders, literal, resolveMap, resolveValues } from './values.js'
import { readYaml } from './yaml/read-yaml.js'

export interface ManifestInput extends CollectorSettings {
  readonly project: Pick<Project, 'file' | 'dir' | 'manifests' | 'layers' | 'policies' | 'writtenAt'> &
    Partial<Pick<Project, 'secrets'>>
  /** Files, folders and patterns that take precedence over the project's (`-f`), relative to the working directory. */
  readonly paths?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly files: Files
  /** The results of an earlier reading; this one adds its own for the next. Default: everything is read. */
  readonly known?: KnownReading | undefined
  /** Folders besides the repository whose files placeholders may name as secrets, relative to the working directory. */
  readonly secretFolders?: readonly string[] | undefined
  /** Decrypts values in manifests and in files next to them; without it they are not available. */
  readonly vault?: Vault | undefined
  /** `kept`: variables and files are not read, and what depends on them is not checked. */
  readonly placeholders?: 'filled in' | 'kept'
}

/** Reads all manifests of a project and checks them offline. All problems are in the result, in the order of the files. */
export function readManifests(options: ManifestInput): Manifests {
  const collector = new Collector(options)
  const { report } = collector.objects
  const sources = valueSources(options, collector)
  const layers = openLayers(options.project.layers ?? noLayers, sources, report)
  collector.take(layers)
  options.known?.take(layers)
  const texts = readSources(options, report)
  const { known } = options
  const yaml = known?.documents ?? readYaml
  const walking = { sources: { ...sources, values: layers.values }, layers, yaml, known, collector }
  const { ours, removals } = walk(texts, walking)
  if (ours.length === 0 && !hasErrors(collector.problems)) report(emptyManifests(searched(options)))
  const unused = layers.values.unused()
  if (collector.problems.length + unused.length > 0) hideInLayers(options.project.layers)
  return collector.manifests(removals, { unusedValues: unused, sources: ours, extent: extentOf(options, texts) })
}

/** Whether what was read is all of the project, or the part that `-f` names; only layers are held against all of it. */
function extentOf({ project, paths = [], files }: ManifestInput, read: readonly OriginSource[]): 'all' | 'part' {
  if (paths.length === 0 || !project.layers) return 'all'
  const names = new Set(read.map(({ source }) => resolve(files.cwd, source.file)))
  let isMissing = false
  const all = findSources(whereOf(project, undefined), project, files, () => {
    isMissing = true
  })
  return !isMissing && all.every(({ path }) => names.has(resolve(files.cwd, path))) ? 'all' : 'part'
}

/** Values, defaults and patches may contain secrets, like manifests. */
function hideInLayers(layers: WrittenLayers = noLayers): void {
  for (const [name, { node }] of layers.given) hideNamed(name, node)
  for (const { name, fallback } of layers.declared) if (fallback) hideNamed(name, fallback)
  for (const { node } of layers.defaults) hideDoubtful(node)
  if (layers.patches?.is === 'list') for (const patch of layers.patches.items) hideDoubtful(patch)
}

/** The documents of a project as written: nothing is filled in, and no mistake is reported. */
export function writtenDocuments(
  options: Pick<ManifestInput, 'project' | 'paths' | 'files'>,
): readonly ManifestDocument[] {
  const silent = () => undefined
  return readSources(options, silent).flatMap(({ source, origin }) =>
    readYaml(source).documents.map((root) => readDocument(root, origin, silent)),
  )
}

interface OriginSource {
  readonly source: Source
  readonly origin: FileOrigin
}

function readSources(
  { project, paths, files }: Pick<ManifestInput, 'project' | 'paths' | 'files'>,
  report: ReportProblem,
): readonly OriginSource[] {
  const where = whereOf(project, paths)
  const limits: Limits = where.origin === 'named' ? { ...manifestLimits, pipes: where.pipes } : manifestLimits
  return findSources(where, project, files, report).flatMap((file) => readSource(file, limits, files, report))
}

function findSources(
  where: Where,
  project: ManifestInput['project'],
  files: Files,
  report: ReportProblem,
): readonly ManifestFile[] {
  const found = findManifests(where, files, report)
  const policies = policySources(project, files, () => undefined).map(({ file }) => file)
  const others = [project.file, join(project.dir, acceptedFile), ...(project.layers?.files ?? []), ...policies]
  return found.filter(({ path }) => !others.includes(path))
}

function whereOf(project: ManifestInput['project'], paths: ManifestInput['paths']): Where {
  // A user who names a pipe on the command line expects to wait for it, as with any program. A file of the project must not make
  // the user wait.
  if (paths && paths.length > 0) return { origin: 'named', paths, pipes: 'read' }
  if (project.manifests.length > 0)
    return { origin: 'named', paths: project.manifests, writtenAt: project.writtenAt, pipes: 'refuse' }
  return { origin: 'found', folder: project.dir, except: project.file }
}

const searched = ({ project, paths }: ManifestInput): string =>
  paths && paths.length > 0 ? paths.join(', ') : project.manifests.join(', ') || `the folder ${project.dir}`

function readSource(file: ManifestFile, limits: Limits, files: Files, report: ReportProblem): readonly OriginSource[] {
  const read = files.readText(file.path, limits)
  if ('text' in read) return [{ source: { file: file.path, ...read }, origin: file.origin }]
  report(notRead(file.path, read, 'take it out of the manifests'))
  return []
}

/** Whether a text may be a manifest, even one that lacks its apiVersion or is not valid JSON. */
const seemsManifest = (text: string): boolean =>
  /\bapiVersion["']?\s*:/.test(text) || (/\bkind["']?\s*:/.test(text) && /\bmetadata["']?\s*:/.test(text))

function documentsIn(
  { source, origin }: OriginSource,
  { yaml, collector }: Walking,
  { report }: ObjectCollector,
): readonly ManifestDocument[] {
  // Projects contain many JSON files that are not manifests, and reports about them would not help.
  const isOther = origin === 'found' && source.file.endsWith('.json') && !seemsManifest(source.text)
  if (isOther && (source.text.length > 2 ** 20 || !isAnswer(source.text))) return []
  const { documents, problems } = yaml(source)
  if (problems.length > 0) hideInUnreadable(source)
  // A file that nobody named is ignored if it is broken, or is a template of another program.
  const isForeign = origin === 'found' && hasErrors(problems) && !source.text.includes('gatewright')
  if (!isForeign) for (const problem of problems) report(problem)
  return documents
    .map((root) => {
      const document = guarded(root, () => readDocument(root, origin, report), collector)
      if (document.is === 'foreign') hideDoubtful(root)
      return document
    })
    .filter((document) => document.is !== 'nothing')
}

/** Hides possible secrets in the code frames of a document with problems. */
function guarded<Value>(root: Node, reading: () => Value, { problems }: Collector): Value {
  const before = problems.length
  const value = reading()
  if (problems.length > before) hideDoubtful(root)
  return value
}

/** What the reading of the texts depends on. */
interface Walking {
  readonly sources: ValueSources
  readonly layers: Layers
  readonly yaml: YamlReader
  readonly known: KnownReading | undefined
  readonly collector: Collector
}

interface Walked {
  /** The texts that contain documents of ours. */
  readonly ours: readonly Source[]
  readonly removals: readonly Removal[]
}

/** What was found; most of it waits until all texts are read. */
interface FoundDocuments {
  readonly ours: Source[]
  readonly below: WrittenDocument[]
  readonly removals: Removal[]
  readonly generators: MapNode[]
  readonly foreign: Foreign[]
}

/**
 * Reads objects from texts. Parents come before children, so that stand-alone children find the pins of their parents. Documents
 * of kinds at the root need no other documents: each is released before the next text is read.
 */
function walk(texts: readonly OriginSource[], walking: Walking): Walked {
  const { sources, known, collector } = walking
  const { objects } = collector
  const found: FoundDocuments = { ours: [], below: [], removals: [], generators: [], foreign: [] }
  for (const origin of texts) {
    if (known?.add(origin.source, objects)) found.ours.push(origin.source)
    else if (known) known.read(origin.source, objects, (noted) => readManifestText(origin, found, walking, noted))
    else readManifestText(origin, found, walking, objects)
  }
  const below = found.below.sort(byDepth)
  const isOuter = (document: WrittenDocument) => depthOf(document) <= ancestors(generated.kind).length
  for (const document of below.filter(isOuter)) readObjectDocument(document, collector, objects)
  const read = generate(found.generators, walking)
  for (const document of below.filter((each) => !isOuter(each))) readObjectDocument(document, collector, objects)
  // A file among the manifests that one of them reads is not foreign.
  for (const { file, problem } of found.foreign) {
    if (!read.has(sources.files.realPath(file))) objects.report(problem)
  }
  return { ours: [...found.ours, ...read.sources], removals: distinctRemovals(found.removals) }
}

/** Reads what needs no other documents. Returns whether that was the whole text, and the text has no placeholders. */
function readManifestText(
  origin: OriginSource,
  found: FoundDocuments,
  walking: Walking,
  objects: ObjectCollector,
): boolean {
  const { source } = origin
  const values = hasPlaceholders(source.text) ? walking.sources : undefined
  const documents = documentsIn(origin, walking, objects)
  if (documents.some(({ is }) => is !== 'foreign')) found.ours.push(source)
  let isAll = !values
  for (const document of documents) {
    if (document.is === 'object' && !document.kind.parent) {
      readObjectDocument({ ...document, values }, walking.collector, objects)
      continue
    }
    isAll = false
    switch (document.is) {
      case 'object':
        found.below.push({ ...document, values })
        break
      case 'removal':
        readRemovalDocument({ ...document, values }, found.removals, walking, objects)
        break
      case 'openapi':
        found.generators.push(document.root)
        break
      case 'foreign':
        found.foreign.push({ file: source.file, problem: document.problem })
        if (document.meant === 'object' && document.problem.severity === 'error') objects.misses()
        break
      case 'unknown':
        objects.misses()
        break
      case 'nothing':
    }
  }
  return isAll
}

/** A document that is not ours. */
interface Foreign {
  readonly file: string
  readonly problem: Problem
}

/** Reads the documents that generate objects, after the objects that contain these; returns the further files that were read. */
function generate(roots: readonly MapNode[], { sources, layers, yaml, collector }: Walking): ApiFiles {
  const { objects } = collector
  const { report } = objects
  const files = new ApiFiles(sources, yaml, report)
  const resolve = (node: Node) => resolveValues(node, sources, report)
  const written = sources.secrets === 'kept' ? literal : (text: string) => text
  for (const root of roots) {
    guarded(
      root,
      () => readOpenApi(root, { files, resolve, literal: written, layers, collector: objects, report }),
      collector,
    )
  }
  return files
}

const valueSources = (
  { env, files, project, vault, secretFolders = [], placeholders = 'filled in' }: ManifestInput,
  { objects }: Collector,
): ValueSources => ({
  env,
  files,
  vault,
  sopsFiles: new Map(),
  dir: project.dir,
  secrets:
    placeholders === 'kept'
      ? 'kept'
      : { public: [], env: [], ...project.secrets, folders: secretFolders, learn: objects.addSecret },
})

/** A document of an object, and the sources of its placeholders, if its text has any. */
type WrittenDocument = Extract<ManifestDocument, { is: 'object' }> & { readonly values: ValueSources | undefined }

const depthOf = ({ kind }: WrittenDocument): number => ancestors(kind).length

const byDepth = (left: WrittenDocument, right: WrittenDocument): number => depthOf(left) - depthOf(right)

function readObjectDocument(document: WrittenDocument, collector: Collector, objects: ObjectCollector): void {
  guarded(document.root, () => readWritten(document, objects), collector)
}

function readRemovalDocument(
  { root, values }: Pick<WrittenDocument, 'root' | 'values'>,
  removals: Removal[],
  { layers, collector }: Walking,
  { report }: ObjectCollector,
): void {
  const read = () => readRemoval(values ? resolveMap(root, values, report) : root, report)
  const found = guarded(root, read, collector)
  if (!found) return
  const { environments, ...removal } = found
  if (isForEnvironment(environments, `the removal of ${removal.address}`, layers, report)) removals.push(removal)
}

function readWritten({ kind, root, values }: WrittenDocument, objects: ObjectCollector): void {
  const { report } = objects
  const resolved = values ? resolveMap(root, { ...values, lacking: 'kept' }, report) : root
  const named = metadataOf(resolved)
  // Before the environment can leave an object out, it must be known which object it is.
  if (named) objects.lacks(lacksIn(named))
  const metadata = readMetadata(kind, named, 'document', root.range, report)
  objects.lacks(valueAt(resolved, 'spec')?.lacks ?? [])
  const entries = specEntries({ kind, root: resolved }, report)
  const ancestors = objects.pinned(metadata.ancestors, ({ kind }) => rangeOfParentKey(root.range, kind))
  const parents = { ancestors, parent: addressOfAncestors(ancestors), isInside: false, owner: metadata.owner }
  readObject({ kind, form: 'document', metadata, ...parents, entries, range: root.range }, objects)
}

/** The same removal twice counts once. */
function distinctRemovals(removals: readonly Removal[]): readonly Removal[] {
  return [...new Map(removals.map((removal) => [removal.address, removal])).values()].sort(byAddress)
}
