import { basename } from 'node:path'
import { apiVersion } from '../../catalog/metadata-keys.js'
import { generated, openApiKind } from '../../catalog/openapi.js'
import { ownValue } from '../../catalog/record.js'
import { type Json, type JsonObject, objectOf, sameJson, withoutMembers } from '../../json/json.js'
import { pointerTo } from '../../json/pointer.js'
import type { ReportProblem } from '../../problems/problem.js'
import { Collector } from '../collector.js'
import { renderedDocuments } from '../compose/rendered.js'
import { type MapNode, type Node, nodeAt, nodeFrom, plain, valueAt } from '../node.js'
import type { ComposedObject } from '../object-text.js'
import type { ValueSources } from '../placeholder-sources.js'
import type { SourceRange } from '../source.js'
import { literal } from '../values.js'
import { readYaml } from '../yaml/read-yaml.js'
import { ApiFiles } from './api-files.js'
import { readOpenApi } from './read-openapi.js'

const { kind, route, row } = generated

/** The kind that contains the generated objects, and the key of `metadata` that names it. */
const parent = kind.parent?.kind ?? ''
export const parentWord = parent.charAt(0).toLowerCase() + parent.slice(1)

/** A document of kind OpenAPI that nobody wrote, for a file and the service with that name. */
export function openApiDocument(path: string, service: string): MapNode {
  const spec = { file: basename(path) }
  const node = nodeFrom({ apiVersion, kind: openApiKind, metadata: { [parentWord]: service }, spec }, rangeOfFile(path))
  if (node.is !== 'map') throw new Error('a document is a mapping')
  return node
}

/** If only the command line names a file, problems are reported at the file itself. */
const rangeOfFile = (path: string): SourceRange => ({
  source: { file: path, text: '', lines: 'none' },
  start: 0,
  end: 0,
})

/** The text at a key of a document's metadata, or of another part; a name may be {name, id}. */
export function writtenAt(root: MapNode, part: string, key: string): string | undefined {
  const node = nodeAt(root, pointerTo(part, key))
  const name = node?.is === 'map' ? valueAt(node, 'name') : node
  return name?.is === 'scalar' && name.value !== null ? String(name.value) : undefined
}

/** The title of an OpenAPI file; undefined if the file cannot be read, and the reason is reported. */
export function titleOf(
  path: string,
  from: Pick<ValueSources, 'files' | 'dir'>,
  report: ReportProblem,
): string | undefined {
  const name = path.includes('://') ? path : basename(path)
  const root = new ApiFiles(from, readYaml, report).open(name, { range: rangeOfFile(path) }, 'file')?.root
  return root?.is === 'map' ? writtenAt(root, 'info', 'title') : undefined
}

/**
 * The manifests that a document of kind OpenAPI generates. Placeholders stay as written, so that the manifests work in the same
 * environments.
 */
export function ejected(
  root: MapNode,
  from: Pick<ValueSources, 'files' | 'dir'>,
  report: ReportProblem,
): readonly JsonObject[] {
  const objects: ComposedObject[] = []
  const collector = new Collector({ composed: (object) => objects.push(object) })
  readOpenApi(withoutEnvironments(root), {
    files: new ApiFiles(from, readYaml, report),
    resolve: (node) => node,
    literal,
    layers: { environment: undefined, environments: [] },
    // Fields with placeholders do not have their final values: they are checked when the manifests are read.
    collector: collector.objects,
    report,
  })
  const environments = nodeAt(root, '/metadata/environments')
  const limit = environments === undefined ? {} : { environments: plain(environments) }
  return renderedDocuments(objects).map((document) => ({
    ...document,
    metadata: { ...objectOf(document.metadata), ...limit },
  }))
}

function withoutEnvironments(root: MapNode): MapNode {
  const entries = root.entries.map((entry) =>
    entry.key === 'metadata' && entry.value.is === 'map'
      ? {
          ...entry,
          value: { ...entry.value, entries: entry.value.entries.filter(({ key }) => key !== 'environments') },
        }
      : entry,
  )
  return { ...root, entries }
}

/**
 * These fields follow from the path of an endpoint, so they are never defaults. Other fields are, if all endpoints have the same
 * value.
 */
const ownFields: readonly string[] = [route.path, route.verbs, row.target, row.detection, row.methods]

/** The service, with the fields that all endpoints have in common as defaults, and the endpoints without these fields. */
export function withDefaults(service: string, documents: readonly JsonObject[]): readonly JsonObject[] {
  const specs = documents.map(specOf)
  const [first, ...others] = specs
  const common = Object.entries(first ?? {}).filter(
    ([name, value]) =>
      others.length > 0 && !ownFields.includes(name) && others.every((each) => says(each, name, value)),
  )
  const names = common.map(([name]) => name)
  const defaults = names.length === 0 ? {} : { defaults: { [kind.name]: Object.fromEntries(common) } }
  return [
    { apiVersion, kind: parent, metadata: { name: service, ...defaults } },
    ...documents.map((document) => ({ ...document, spec: withoutMembers(specOf(document), names) })),
  ]
}

/** Null clears a field; an unwritten field is left alone. */
const says = (spec: JsonObject, name: string, value: Json): boolean => {
  const written = ownValue(spec, name)
  return written !== undefined && sameJson(written, value)
}

const specOf = ({ spec }: JsonObject): JsonObject => objectOf(spec)

/** A difference between one document and what the OpenAPI file gives now. */
interface EjectEdit {
  readonly at: number
  readonly field: string
  readonly value: Json
}

interface EjectEdits {
  readonly edits: readonly EjectEdit[]
  /** Documents that are missing in the text. */
  readonly added: readonly JsonObject[]
  /** Documents of the text that the OpenAPI file no longer gives. */
  readonly left: readonly MapNode[]
}

/** How an earlier text differs from what the OpenAPI file gives now. What people added to the text stays. */
export function differencesIn(roots: readonly Node[], service: string, documents: readonly JsonObject[]): EjectEdits {
  const maps = roots.flatMap((root) => (root.is === 'map' ? [root] : []))
  const known = new Map(
    maps
      .filter((root) => kindIn(root) === kind.name && writtenAt(root, 'metadata', parentWord) === service)
      .map((root) => [writtenAt(root, 'metadata', 'name') ?? '', root]),
  )
  const holder = maps.find((root) => kindIn(root) === parent && writtenAt(root, 'metadata', 'name') === service)
  const defaults = holder ? defaultsIn(plain(holder)) : {}
  const edits = documents.flatMap((document) => {
    const root = known.get(metadataName(document))
    if (!root) return []
    const written: JsonObject = { ...defaults, ...specOf(objectOf(plain(root))) }
    return Object.entries(specOf(document)).flatMap(([field, value]): readonly EjectEdit[] =>
      says(written, field, value) ? [] : [{ at: root.range.start, field, value }],
    )
  })
  const names = new Set(documents.map(metadataName))
  return {
    edits,
    added: documents
      .filter((document) => !known.has(metadataName(document)))
      .map((document) => ({
        ...document,
        spec: Object.fromEntries(
          Object.entries(specOf(document)).filter(([field, value]) => !says(defaults, field, value)),
        ),
      })),
    left: [...known].flatMap(([name, root]) => (names.has(name) ? [] : [root])),
  }
}

const metadataName = ({ metadata }: JsonObject): string => String(objectOf(metadata).name ?? '')

const kindIn = (root: MapNode): string => {
  const node = valueAt(root, 'kind')
  return node?.is === 'scalar' ? String(node.value) : ''
}

const defaultsIn = (document: Json): JsonObject =>
  objectOf(objectOf(objectOf(objectOf(document).metadata).defaults)[kind.name])

/** Whether a document declares the service. */
export const declares = (root: MapNode, service: string): boolean =>
  kindIn(root) === parent && writtenAt(root, 'metadata', 'name') === service
