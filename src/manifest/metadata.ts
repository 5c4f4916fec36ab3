import { type MetadataForm, metadataKeys } from '../catalog/metadata-keys.js'
import { openApiKind } from '../catalog/openapi.js'
import { ancestors, isWritable, metadataWord, wordsForName } from '../catalog/queries.js'
import { ownValue, recordOf } from '../catalog/record.js'
import { documentName } from '../catalog/shapes.js'
import type { Kind } from '../catalog/types.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import { badPointer, missingName, unknownMetadata, wrongType } from '../problems/manifests.js'
import type { ReportProblem } from '../problems/problem.js'
import { isMistyped, nearest } from '../problems/suggest.js'
import { itemsOf, readFlag, readNonEmpty, readString } from './field-value.js'
import { entryAt, formWords, isNull, keyWords, type MapNode, type Node } from './node.js'
import { readName } from './reference.js'
import type { Ancestor } from './resource.js'
import type { Scope } from './scope.js'
import { reportSecretNames } from './secret-paths.js'
import { hide, type LocatedPointer, type LocatedText, placeOf, type SourceRange } from './source.js'

/** The content of an object's `metadata`. */
export interface Metadata {
  readonly name: LocatedText | undefined
  readonly id: string | undefined
  readonly formerly: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly protect: boolean
  readonly ignore: readonly LocatedPointer[]
  readonly sensitive: readonly LocatedPointer[]
  /** Whether unknown fields are passed through; undefined: as in the object around it. */
  readonly extraFields: 'pass' | 'refuse' | undefined
  /** The environments that the object is limited to; `!name` means all but that one. Empty: all. */
  readonly environments: readonly { readonly name: string; readonly range: SourceRange }[]
  /** Fields by kind, as written, that the objects inside get unless they write them. */
  readonly defaults: Node | undefined
  /** JSON Pointers of fields that take no defaults. */
  readonly without: readonly LocatedPointer[]
  /** The parents of a stand-alone child, outermost first; fewer than the kind has if one is missing. */
  readonly ancestors: readonly Ancestor[]
  readonly owner: string | undefined
}

/** Reads `metadata`; `range`: the place for the message if it is missing. */
export function readMetadata(
  kind: Kind,
  node: Node | undefined,
  form: MetadataForm | 'generator',
  range: SourceRange,
  report: ReportProblem,
): Metadata {
  if (!node && form === 'inline') return noMetadata
  const { known, required } = metadataKeys(kind, form)
  // If it is empty, the missing keys are reported.
  const isNothing = node !== undefined && isNull(node) && required.length > 0
  const map = isNothing ? undefined : mapping(node, report)
  for (const { key, value } of map?.entries ?? []) if (!mayHoldSecrets(key)) reportSecretNames(value, report)
  const written = map?.entries.map(({ key }) => key) ?? []
  const lacksName = required.includes('name') && !written.includes('name')
  const forName = lacksName ? wordsForName(kind) : []
  for (const { key, range: at, value } of map?.entries ?? []) {
    if (known.includes(key)) continue
    // The value may be a secret in the wrong place: the name of a key is one of its fields.
    if (value.range.start > at.start) hide(value.range)
    const isForName = forName.includes(key)
    const suggestion = isForName ? 'name' : nearest(key, known)
    const place = isForName ? undefined : belongs(kind, key, form)
    report(unknownMetadata(placeOf(at), keyWords(key), suggestion, known, place))
  }
  // A node that is not a mapping is already reported.
  const isRead = map !== undefined || node === undefined || isNothing
  for (const word of isRead ? required : []) {
    if (written.includes(word) || isMistyped(word, written, known, word === 'name' ? forName : [])) continue
    report(
      missingName(
        placeOf(node?.range ?? range),
        form === 'generator' ? `${openApiKind} document` : kind.name,
        `metadata.${word}`,
      ),
    )
  }
  const reader: MetadataReader = { map, known, report }
  return {
    name: readMetadataName(reader),
    id: read(reader, 'id', readMetadataText),
    formerly: read(reader, 'formerly', readTexts) ?? [],
    labels: read(reader, 'labels', readLabels) ?? {},
    protect: read(reader, 'protect', readFlagOrText) ?? false,
    ignore: read(reader, 'ignore', readPointers) ?? [],
    sensitive: read(reader, 'sensitive', readPointers) ?? [],
    extraFields: passing(read(reader, 'extraFields', readFlagOrText)),
    environments: read(reader, 'environments', readEnvironmentNames) ?? nothing,
    defaults: read(reader, 'defaults', readDefaultsNode),
    without: read(reader, 'without', readPointers) ?? nothing,
    ancestors: ancestorsOf(kind, reader),
    owner: kind.within && read(reader, kind.within.metadata, readOwner),
  }
}

/** Where a field belongs that is written in metadata. */
function belongs(kind: Kind, key: string, form: MetadataForm | 'generator'): 'in spec' | 'beside metadata' | undefined {
  const field = ownValue(kind.fields, key)
  if (form === 'generator' || !field || !isWritable(field)) return undefined
  return form === 'document' ? 'in spec' : 'beside metadata'
}

const nothing: readonly never[] = []

/** The metadata of most inline children. */
export const noMetadata: Metadata = {
  name: undefined,
  id: undefined,
  formerly: [],
  labels: {},
  protect: false,
  ignore: [],
  sensitive: [],
  extraFields: undefined,
  environments: [],
  defaults: undefined,
  without: [],
  ancestors: [],
  owner: undefined,
}

function passing(flag: boolean | undefined): Metadata['extraFields'] {
  if (flag === undefined) return undefined
  return flag ? 'pass' : 'refuse'
}

interface MetadataReader {
  readonly map: MapNode | undefined
  readonly known: readonly string[]
  readonly report: Scope['report']
}

function mapping(node: Node | undefined, report: Scope['report']): MapNode | undefined {
  if (!node || node.is === 'map') return node
  report(wrongType(placeOf(node.range), 'metadata', 'a mapping', formWords(node)))
  return undefined
}

/** Defaults are fields of other objects. */
const mayHoldSecrets = (key: string): boolean => key === 'defaults'

function read<Value>(
  { map, known, report }: MetadataReader,
  key: string,
  reading: (node: Node, at: string, report: Scope['report']) => Value | undefined,
): Value | undefined {
  const entry = map && known.includes(key) ? entryAt(map, key) : undefined
  // A message about a secret would show the secret if it is too short to be masked.
  if (!entry || (entry.value.secret && !mayHoldSecrets(key))) return undefined
  return reading(entry.value, `metadata.${key}`, report)
}

function readMetadataName(reader: MetadataReader): Metadata['name'] {
  const text = read(reader, 'name', readMetadataText)
  const entry = reader.map && entryAt(reader.map, 'name')
  return text === undefined || !entry ? undefined : { text, range: entry.value.range }
}

function ancestorsOf(kind: Kind, reader: MetadataReader): readonly Ancestor[] {
  return ancestors(kind).flatMap((ancestor) => {
    const word = metadataWord(ancestor)
    const name = read(reader, word, (node, at, report) => readName(node, at, { report }))
    return name ? [{ kind: ancestor.name, ...name }] : []
  })
}

const readMetadataText = (node: Node, at: string, report: Scope['report']): string | undefined =>
  readNonEmpty(node, at, { report })

/** The identifier of an owner may look like a number. */
function readOwner(node: Node, at: string, report: Scope['report']): string | undefined {
  if (node.is === 'scalar' && Number.isSafeInteger(node.value)) return String(node.value)
  return readMetadataText(node, at, report)
}

/** Texts of placeholders can also be true or false. */
function readFlagOrText(node: Node, at: string, report: Scope['report']): boolean | undefined {
  const text = node.is === 'scalar' && node.from === 'placeholder' ? node.value : undefined
  return text === 'true' || text === 'false' ? text === 'true' : readFlag(node, at, report)
}

function readTexts(node: Node, at: string, report: Scope['report']): readonly string[] {
  return itemsOf(node, at, { report }).flatMap((item) => readMetadataText(item, at, report) ?? [])
}

/** The texts of `metadata.environments`. */
export const readEnvironmentNames = (node: Node, at: string, report: Scope['report']): Metadata['environments'] =>
  itemsOf(node, at, { report }).flatMap((item) => {
    const name = readMetadataText(item, at, report)
    return name === undefined ? [] : [{ name, range: item.range }]
  })

/** Its content is read later, when the layers are known. */
function readDefaultsNode(node: Node, at: string, report: Scope['report']): Node | undefined {
  if (!isNull(node)) return node
  report(wrongType(placeOf(node.range), at, 'a mapping of kinds', formWords(node)))
  return undefined
}

function readLabels(node: Node, at: string, report: Scope['report']): Readonly<Record<string, string>> | undefined {
  const map = mapping(node, () => report(wrongType(placeOf(node.range), at, 'a mapping of texts', formWords(node))))
  const labels = recordOf<string>()
  for (const { key, value } of map?.entries ?? []) {
    const text = readString(value, `${at}.${key}`, { report })
    if (text !== undefined) labels[key] = text
  }
  return labels
}

function readPointers(node: Node, at: string, report: Scope['report']): Metadata['ignore'] {
  return itemsOf(node, at, { report }).flatMap((item) => {
    const pointer = readMetadataText(item, at, report)
    if (pointer === undefined) return []
    if (pointer.startsWith('/'))
      return [{ pointer: pointerTo(...keysOf(pointer).map(documentName)), range: item.range }]
    report(badPointer(placeOf(item.range), pointer, `/${pointer.replaceAll('.', '/')}`))
    return []
  })
}
