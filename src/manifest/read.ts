import { ancestors } from '../catalog/queries.js'
import { type Files, manifestLimits } from '../files/files.js'
import type { Limits } from '../files/ordinary-file.js'
import { type FileOrigin, findManifests, type ManifestFile, type Where } from '../files/paths.js'
import { emptyManifests, missingManifest } from '../problems/manifests.js'
import { hasErrors, type Problem } from '../problems/problem.js'
import { checkTogether } from './check.js'
import { digestOf } from './digest.js'
import { type ManifestDocument, readDocument, specEntries } from './document.js'
import { withoutDuplicates } from './duplicates.js'
import { foldLinks, foldRelations } from './fold.js'
import { type Gathering, Pins, type Relation } from './gathering.js'
import { hideDoubtful, hideInUnreadable } from './hide-secrets.js'
import { readMetadata } from './metadata.js'
import { type Node, valueAt } from './node.js'
import { readObject } from './object.js'
import { pinReferences } from './pin-references.js'
import type { Project } from './project.js'
import type { Manifests, Removal, Resource } from './resource.js'
import { nameBySecret } from './secret-names.js'
import type { Source } from './source.js'
import { hasPlaceholders, resolveMap, type ValueSources } from './values.js'
import { readYaml } from './yaml.js'

export interface ManifestInput {
  readonly project: Pick<Project, 'file' | 'dir' | 'manifests'>
  /** Files, folders and patterns that outrank the project's (`-f`), seen from where the program runs. */
  readonly paths?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly files: Files
  /** For the short hash by which addresses tell keys apart. */
  readonly fingerprintKey?: string | undefined
  /** What secrets written in clear are; a warning unless said otherwise. */
  readonly clearSecrets?: 'warning' | 'error' | undefined
}

/** Reads all manifests of a project and checks them offline. All problems are in the result, in the order of the files. */
export function readManifests(options: ManifestInput): Manifests {
  const problems: Problem[] = []
  const report = (problem: Problem) => {
    problems.push(problem)
  }
  const sources = readSources(options, report)
  const walked = walk(sources, options, watch(report))
  if (walked.documents === 0 && !hasErrors(problems)) report(emptyManifests(searched(options)))
  const { resources, removals } = walked
  checkTogether(resources, removals, report)
  let digest: string | undefined
  return {
    resources: [...resources].sort(byAddress),
    removals,
    problems: inOrder(problems),
    get digest() {
      digest ??= digestOf(resources, removals)
      return digest
    },
    secrets: [...walked.secrets].sort(),
  }
}

const byAddress = (left: { address: string }, right: { address: string }): number =>
  left.address < right.address ? -1 : 1

interface OriginSource {
  readonly source: Source
  readonly origin: FileOrigin
}

function readSources(
  { project, paths, files }: ManifestInput,
  report: (problem: Problem) => void,
): readonly OriginSource[] {
  const where = whereOf(project, paths)
  const limits: Limits = where.origin === 'named' ? { ...manifestLimits, pipes: where.pipes } : manifestLimits
  const found = findManifests(where, files, report)
  return found.filter((file) => file.path !== project.file).flatMap((file) => readSource(file, limits, files, report))
}

function whereOf(project: ManifestInput['project'], paths: ManifestInput['paths']): Where {
  // Who names a pipe on the command line waits for it, as for any program; a file of the project may not make one wait.
  if (paths && paths.length > 0) return { origin: 'named', paths, pipes: 'read' }
  if (project.manifests.length > 0) return { origin: 'named', paths: project.manifests, pipes: 'refuse' }
  return { origin: 'found', folder: project.dir, except: project.file }
}

const searched = ({ project, paths }: ManifestInput): string =>
  paths && paths.length > 0 ? paths.join(', ') : project.manifests.join(', ') || `the folder ${project.dir}`

function readSource(
  file: ManifestFile,
  limits: Limits,
  files: Files,
  report: (problem: Problem) => void,
): readonly OriginSource[] {
  const read = files.readText(file.path, limits)
  if ('text' in read) return [{ source: { file: file.path, ...read }, origin: file.origin }]
  report(missingManifest(file.path, read.failure))
  return []
}

function readText({ source, origin }: OriginSource, { report, read }: Watch): readonly ManifestDocument[] {
  const { documents, problems } = readYaml(source)
  if (problems.length > 0) hideInUnreadable(source)
  // A file that nobody named, broken or a template of something else, is no concern of ours.
  const isForeign = origin === 'found' && hasErrors(problems) && !source.text.includes('gatewright')
  if (!isForeign) for (const problem of problems) report(problem)
  return documents
    .map((root) => read(root, () => readDocument(root, origin, report)))
    .filter((document) => document.is !== 'nothing')
}

/** Reports problems, and sees to it that frames of a document with problems show nothing that may be a secret. */
interface Watch {
  readonly report: (problem: Problem) => void
  readonly read: <Value>(root: Node, reading: () => Value) => Value
}

function watch(report: (problem: Problem) => void): Watch {
  let reported = 0
  return {
    report: (problem) => {
      reported += 1
      report(problem)
    },
    read: (root, reading) => {
      const before = reported
      const value = reading()
      if (reported > before) hideDoubtful(root)
      return value
    },
  }
}

interface Walked {
  /** How many documents are ours. */
  readonly documents: number
  readonly resources: readonly Resource[]
  readonly removals: readonly Removal[]
  readonly secrets: ReadonlySet<string>
}

/**
 * From texts to resources: parents before children, so that what stands alone finds the pins of its parents. Documents of
 * kinds at the root need nothing of the others: each is let go before the next text is read.
 */
function walk(sources: readonly OriginSource[], options: ManifestInput, watching: Watch): Walked {
  const { report } = watching
  const gathered: Resource[] = []
  const relations: Relation[] = []
  const secrets = new Set<string>()
  const pins = new Pins()
  const gathering: Gathering = {
    clearSecrets: options.clearSecrets ?? 'warning',
    report,
    add: (resource) => {
      gathered.push(resource)
      pins.add(resource)
    },
    relate: (relation) => {
      relations.push(relation)
    },
    addSecret: (value) => {
      secrets.add(value)
    },
    pinned: (chain, mark) => pins.resolve(chain, () => mark, report),
  }
  const below: Written[] = []
  const removals: ManifestDocument[] = []
  let documents = 0
  for (const source of sources) {
    const values = hasPlaceholders(source.source.text) ? options : undefined
    for (const document of readText(source, watching)) {
      documents += 1
      if (document.is !== 'object') removals.push(document)
      else if (document.kind.parent) below.push({ ...document, values })
      else watching.read(document.root, () => readObjectDocument({ ...document, values }, gathering))
    }
  }
  for (const document of below.sort(byDepth)) {
    watching.read(document.root, () => readObjectDocument(document, gathering))
  }
  const named = nameBySecret(gathered, options.fingerprintKey, report)
  const linked = foldLinks(withoutDuplicates(named, report), report)
  const resources = pinReferences(foldRelations(linked, relations, gathering.pinned), pins, report)
  return { documents, resources, removals: removalsOf(removals), secrets }
}

/** A document of an object, and where its placeholders take their values from, if its text has any. */
type Written = Extract<ManifestDocument, { is: 'object' }> & { readonly values: ValueSources | undefined }

const byDepth = (left: Written, right: Written): number => ancestors(left.kind).length - ancestors(right.kind).length

function readObjectDocument({ kind, root, values }: Written, gathering: Gathering): void {
  const { report } = gathering
  const resolved = values ? resolveMap(root, values, report) : root
  const metadata = readMetadata(kind, valueAt(resolved, 'metadata'), 'document', root.mark, report)
  const entries = specEntries({ kind, root: resolved }, report)
  const chain = gathering.pinned(metadata.ancestors, root.mark)
  readObject(
    { kind, form: 'document', metadata, ancestors: chain, owner: metadata.owner, entries, mark: root.mark },
    gathering,
  )
}

function removalsOf(documents: readonly ManifestDocument[]): readonly Removal[] {
  const removals = documents.flatMap((document) => (document.is === 'removal' ? [document.removal] : []))
  // The same removal twice says nothing more.
  return [...new Map(removals.map((removal) => [removal.address, removal])).values()].sort(byAddress)
}

/** By file and place, problems without a place first. What aliases repeat is read, and its mistakes are reported, several times. */
function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const sorted = [...problems].sort(compare)
  return sorted.filter((problem, index) => {
    const before = sorted[index - 1]
    return before === undefined || compare(before, problem) !== 0
  })
}

const compare = (left: Problem, right: Problem): number =>
  compareText(left.place?.file, right.place?.file) || compareWithin(left, right)

function compareText(left = '', right = ''): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function compareWithin(left: Problem, right: Problem): number {
  const lines = (left.place?.line ?? 0) - (right.place?.line ?? 0)
  const columns = (left.place?.column ?? 0) - (right.place?.column ?? 0)
  return lines || columns || compareText(left.code, right.code) || compareText(left.message, right.message)
}
