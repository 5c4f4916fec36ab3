import { addressOf, ownerAddress, parseAddress } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { apiVersion, documentKeys, metadataKeys } from '../catalog/metadata-keys.js'
import { openApiKind } from '../catalog/openapi.js'
import { policyKind } from '../catalog/policy-schema.js'
import { ancestors, findKind, isWritable, kindNames, kinds } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import type { FileOrigin } from '../files/find-manifests.js'
import { environmentAmongManifests } from '../problems/compose.js'
import {
  badAddress,
  type ForeignDocument,
  manifestList,
  missingName,
  notOurApiVersion,
  projectAmongManifests,
  skippedDocument,
  specOfRemoved,
  unknownManifestKind,
  wrongType,
} from '../problems/manifests.js'
import { policyAmongManifests } from '../problems/policies.js'
import type { Place, Problem, ReportProblem } from '../problems/problem.js'
import { isMistyped, nearest } from '../problems/suggest.js'
import { readString } from './field-value.js'
import { type Metadata, readEnvironmentNames } from './metadata.js'
import {
  displayedText,
  type Entry,
  entryAt,
  formWords,
  isNull,
  type MapNode,
  type Node,
  nodeAt,
  scalarText,
  valueAt,
} from './node.js'
import type { Removal } from './resource.js'
import { reportSecretNames } from './secret-paths.js'
import { placeOf } from './source.js'
import { reportUnknownDocumentKeys, reportUnknownMetadata } from './unknown-keys.js'
import { readYaml } from './yaml/read-yaml.js'

/** The kinds of documents besides those of the catalogue. */
const projectKind = 'Project'

export const removedKind = 'Removed'

const environmentKind = 'Environment'

/** These documents are next to projects, and `fleet` reads them. */
const fleetKinds: readonly string[] = ['Fleet', 'Area']

/** What a document is, before its fields are read. */
export type ManifestDocument =
  | { readonly is: 'object'; readonly kind: Kind; readonly root: MapNode }
  | { readonly is: 'removal'; readonly root: MapNode }
  /** Objects are generated from it. */
  | { readonly is: 'openapi'; readonly root: MapNode }
  /**
   * Not one of our documents. `problem` is reported unless another reader takes the document. `object`: it names a kind of ours.
   */
  | { readonly is: 'foreign'; readonly problem: Problem; readonly meant: 'object' | 'anything' }
  /** Its kind is unknown, which is reported. It may be meant as an object. */
  | { readonly is: 'unknown' }
  | { readonly is: 'nothing' }

const nothing: ManifestDocument = { is: 'nothing' }

/** Finds out what a document is. A document that is not ours is an error, or skipped with a note in files that nobody named. */
export function readDocument(root: Node, origin: FileOrigin, report: ReportProblem): ManifestDocument {
  if (root.is !== 'map') {
    if (isListOfOurs(root)) return foreign(manifestList(placeOf(root.range)), 'object')
    const seems = seemsAnswer(root) ? 'answer' : 'anything'
    if (origin === 'found') return foreign(skippedDocument(placeOf(root.range), seems))
    if (seems === 'answer') return foreign(notOurApiVersion(placeOf(root.range), undefined, apiVersion, seems))
    return foreign(wrongType(placeOf(root.range), 'a manifest', 'a mapping', formWords(root)))
  }
  const strange = whyNotOurs(root, origin)
  const kind = findKind(scalarText(valueAt(root, 'kind')) ?? '')
  if (strange) {
    // `init` writes schemas below a project file that names no manifests.
    if (strange.severity === 'note' && isSchema(root)) return nothing
    // Otherwise the user would add the version, and only then learn that the document belongs elsewhere.
    const misplaced = strange.severity === 'error' && !isOfOthers(root) ? misplacedDocument(root) : undefined
    if (misplaced) report(misplaced)
    return foreign(strange, kind ? 'object' : 'anything')
  }
  reportUnknownDocumentKeys(root, report, (key) => kind && belongs(kind, key))
  return readKind(root, report)
}

/** Where a key belongs that is written next to metadata and spec; undefined if no manifest of the kind has it. */
function belongs(kind: Kind, key: string): 'metadata' | 'spec' | undefined {
  if (metadataKeys(kind, 'document').known.includes(key)) return 'metadata'
  return Object.values(kind.fields).some((field) => field.name === key && isWritable(field)) ? 'spec' : undefined
}

/** A list of manifests is never skipped: its objects that were applied before would be deleted. */
const isListOfOurs = (root: Node): boolean =>
  root.is === 'list' &&
  root.items.some((item) => item.is === 'map' && scalarText(valueAt(item, 'apiVersion')) === apiVersion)

const foreign = (problem: Problem, meant: 'object' | 'anything' = 'anything'): ManifestDocument => ({
  is: 'foreign',
  problem,
  meant,
})

/** Why a document is not ours; undefined if it is. */
function whyNotOurs(root: MapNode, origin: FileOrigin): Problem | undefined {
  const node = valueAt(root, 'apiVersion')
  const written = scalarText(node)
  if (written === apiVersion) return undefined
  const seems = foreignDocument(root, written)
  if (origin === 'found' && isForeign(root, written)) return skippedDocument(placeOf(root.range), seems)
  return notOurApiVersion(placeOf(node?.range ?? root.range), node && displayedText(node), apiVersion, seems)
}

function foreignDocument(root: MapNode, written: string | undefined): ForeignDocument {
  if (['openapi', 'swagger'].some((key) => valueAt(root, key) !== undefined)) return 'openapi'
  if (written === undefined) return seemsAnswer(root) ? 'answer' : 'anything'
  return findKind(scalarText(valueAt(root, 'kind')) ?? '') ? 'another version' : 'anything'
}

/**
 * An object in an answer of the interface has an id and no apiVersion. Lists of objects and snapshot files contain such objects.
 */
function seemsAnswer(root: Node): boolean {
  if (root.is === 'list') return root.items.length > 0 && root.items.every(seemsAnswer)
  if (root.is !== 'map') return false
  const has = (key: string): boolean => valueAt(root, key) !== undefined
  if (has('id') && ['name', 'created', 'domain', 'username'].some(has)) return true
  return root.entries.length > 0 && root.entries.every(({ key, value }) => collections.has(key) && value.is === 'list')
}

/** The names of the collections at the root of the interface. */
const collections: ReadonlySet<string> = new Set(
  kinds.flatMap(({ parent, operations }) => (parent ? [] : (operations.list?.path.split('/')[1] ?? []))),
)

/** Whether a text is JSON like an answer of the interface. */
export function isAnswer(text: string): boolean {
  const { documents } = readYaml({ file: '', text })
  return documents.length === 1 && documents.every(seemsAnswer)
}

/**
 * A mistyped or forgotten apiVersion must not make an object disappear: a document is skipped only if it clearly is something
 * else.
 */
function isForeign(root: MapNode, written: string | undefined): boolean {
  if (written !== undefined) return isOfOthers(root)
  const kind = scalarText(valueAt(root, 'kind'))
  return kind === undefined || findKind(kind) === undefined
}

/** Whether its apiVersion is that of another program. */
function isOfOthers(root: MapNode): boolean {
  const written = scalarText(valueAt(root, 'apiVersion'))
  return written !== undefined && !written.includes('gatewright') && nearest(written, [apiVersion]) === undefined
}

/** Whether it is a JSON Schema, such as ours for editors: it describes our keys, and has none of them itself. */
const isSchema = (root: MapNode): boolean =>
  /^https?:\/\/json-schema\.org\//.test(scalarText(valueAt(root, '$schema')) ?? '') &&
  documentKeys.every((key) => valueAt(root, key) === undefined)

/** The problem to report for a document of ours that does not belong among the manifests. */
function misplacedDocument(root: MapNode): Problem | undefined {
  const node = valueAt(root, 'kind')
  const problem = misplaced.get(scalarText(node) ?? '')
  return node && problem?.(placeOf(node.range))
}

const misplaced: ReadonlyMap<string, (place: Place) => Problem> = new Map([
  [projectKind, projectAmongManifests],
  [environmentKind, environmentAmongManifests],
  [policyKind, policyAmongManifests],
])

function readKind(root: MapNode, report: ReportProblem): ManifestDocument {
  const node = valueAt(root, 'kind')
  const name = scalarText(node)
  const kind = name === undefined ? undefined : findKind(name)
  if (kind) return { is: 'object', kind, root }
  if (name === removedKind) return { is: 'removal', root }
  if (name === openApiKind) return { is: 'openapi', root }
  if (name !== undefined && fleetKinds.includes(name)) return nothing
  const problem = misplacedDocument(root)
  if (problem) {
    report(problem)
    return nothing
  }
  // A mistyped key is reported as mistyped.
  if (
    !node &&
    isMistyped(
      'kind',
      root.entries.map(({ key }) => key),
      documentKeys,
    )
  )
    return { is: 'unknown' }
  const known = [...kindNames, openApiKind, removedKind]
  const place = placeOf(node?.range ?? root.range)
  report(unknownManifestKind(place, node && displayedText(node), name && nearest(name, known), known))
  return { is: 'unknown' }
}

/** The `metadata` of a document. A mistyped key, which is reported, is read as `metadata`. */
export function metadataOf(root: MapNode): Node | undefined {
  const mistyped = root.entries.find(
    ({ key }) => !documentKeys.includes(key) && nearest(key, documentKeys) === 'metadata',
  )
  return valueAt(root, 'metadata') ?? mistyped?.value
}

/** The fields that `spec` writes. */
export function specEntries({ kind, root }: { kind: Kind; root: MapNode }, report: ReportProblem): readonly Entry[] {
  const spec = valueAt(root, 'spec')
  if (!spec || isNull(spec)) return []
  if (spec.is === 'map') return spec.entries
  // Already reported where it was resolved.
  if (spec.is === 'scalar' && spec.from === 'unresolved') return []
  const fields = `the fields of ${kind.name}`
  const hint = `write ${fields}, each as key: value with a space after the colon`
  report(wrongType(placeOf(spec.range), 'spec', fields, formWords(spec), hint))
  return []
}

const removalKeys: readonly string[] = ['address', 'environments']

/** The address in a document of kind Removed, and the environments that it is limited to; undefined without an address. */
export function readRemoval(
  root: MapNode,
  report: ReportProblem,
): (Removal & Pick<Metadata, 'environments'>) | undefined {
  const metadata = valueAt(root, 'metadata')
  reportUnknownMetadata(metadata, removalKeys, report)
  const spec = entryAt(root, 'spec')
  if (spec && !isNull(spec.value)) report(specOfRemoved(placeOf(spec.range)))
  const node = nodeAt(root, '/metadata/address')
  if (!node) {
    report(missingName(placeOf(metadata?.range ?? root.range), removedKind, 'metadata.address'))
    return undefined
  }
  reportSecretNames(node, report)
  const written = node.secret ? undefined : readString(node, 'metadata.address', { report })
  if (written === undefined) return undefined
  const removal = removalOf(written, node)
  if (!removal) report(badAddress(placeOf(node.range), written, 'Service/Orders API/Endpoint/orders'))
  const limits = nodeAt(root, '/metadata/environments')
  const environments = limits ? readEnvironmentNames(limits, 'metadata.environments', report) : []
  return removal && { ...removal, environments }
}

/** The address in its canonical spelling; undefined unless its steps are a kind and the parents of this kind. */
function removalOf(written: string, { range }: Node): Removal | undefined {
  const parsed = parseAddress(written)
  if (!parsed) return undefined
  const kind = catalog[parsed.kind]
  const expected = [...(kind.within ? [kind.within.name] : []), ...[...ancestors(kind), kind].map(({ name }) => name)]
  const isWhole =
    parsed.steps.length === expected.length && parsed.steps.every((step, index) => step.kind === expected[index])
  if (!isWhole) return undefined
  const address = parsed.steps.reduce<string | undefined>((parent, step) => {
    const stepKind = findKind(step.kind)
    return stepKind ? addressOf(stepKind, step.name, parent) : ownerAddress(step.kind, step.name ?? '')
  }, undefined)
  return address === undefined ? undefined : { address, kind: kind.name, range }
}
