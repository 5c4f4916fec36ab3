import type { MetadataForm } from '../catalog/metadata-keys.js'
import { documentName } from '../catalog/shapes.js'
import { keysOf } from '../json/pointer.js'
import { type Entry, type MapNode, type Node, valueAt } from './node.js'
import type { Mark, Source } from './source.js'
import { readYaml } from './yaml/read-yaml.js'

/** Where the parts of one object are written, by JSON Pointers into its fields: looked for only when a message asks. */
export interface Marks {
  /** The place of a field, of a member in it, or of an entry of a list; undefined where nothing is written there. */
  at(pointer: string): Mark | undefined
  /** Who writes a field or a member of it: the layer that wins first, then what it covers. */
  layersAt(pointer: string): readonly WrittenLayer[]
  /**
   * The layer that wins, of a field or of what it lies in; undefined where that is the manifest, and takes no values. Cheap:
   * a text is read once more only if values stand in it.
   */
  layerAt(pointer: string): WrittenLayer | undefined
}

/** What one layer writes of a field; `layer` is `manifest`, or its name in messages. */
export interface WrittenLayer {
  readonly layer: string
  readonly mark: Mark
  readonly value: Node
}

/** Those of an object that no manifest writes. */
export const noMarks: Marks = { at: () => undefined, layersAt: () => [], layerAt: () => undefined }

/**
 * The place of an object, and the places in it: a document has its fields in `spec`, an inline child is its fields. Of a
 * field and of a member the key is told, of an entry of a list the entry itself. No nodes are kept for it, as an area has
 * 100,000 of them: the text is read once more when a message asks.
 */
export class WrittenObject implements Mark, Marks {
  readonly source: Source
  readonly start: number
  readonly end: number
  readonly #form: MetadataForm

  constructor({ source, start, end }: Mark, form: MetadataForm) {
    this.source = source
    this.start = start
    this.end = end
    this.#form = form
  }

  at(pointer: string): Mark | undefined {
    return writtenAt(this.#entries(), pointer)?.mark
  }

  layersAt(pointer: string): readonly WrittenLayer[] {
    return layersOf(writtenAt(this.#entries(), pointer))
  }

  layerAt(pointer: string): WrittenLayer | undefined {
    return takesValues(this.source) ? nearestLayer(this.#entries(), pointer) : undefined
  }

  #entries(): readonly Entry[] {
    const node = nodeOf(this)
    const fields = node && this.#form === 'document' ? valueAt(node, 'spec') : node
    return fields?.is === 'map' ? fields.entries : []
  }
}

/** The places in an object that layers have written in: those of its fields as they are composed. */
export const composedMarks = (entries: readonly Entry[]): Marks => ({
  at: (pointer) => writtenAt(entries, pointer)?.mark,
  layersAt: (pointer) => layersOf(writtenAt(entries, pointer)),
  layerAt: (pointer) => nearestLayer(entries, pointer),
})

function takesValues(source: Source): boolean {
  source.takesValues ??= source.text.includes('${value:')
  return source.takesValues
}

/** The same with the places of others: entries of lists count as they are, not as they are written. */
export const withPlaces = (marks: Marks, { at }: Pick<Marks, 'at'>): Marks => ({
  at,
  layersAt: (asked) => marks.layersAt(asked),
  layerAt: (asked) => marks.layerAt(asked),
})

/** The same and one place more, which takes precedence over the others. */
export const withMark = (marks: Marks, pointer: string, mark: Mark): Marks =>
  withPlaces(marks, { at: (asked) => (asked === pointer ? mark : marks.at(asked)) })

/** The same for several places, by their pointers. */
export const withMarks = (marks: Marks, places: ReadonlyMap<string, Mark>): Marks =>
  withPlaces(marks, { at: (asked) => places.get(asked) ?? marks.at(asked) })

/** The value of a key in the metadata of a document; where none is written, the object itself. */
export function metadataMark(object: Mark, key: string): Mark {
  const node = nodeOf(object)
  const metadata = node && valueAt(node, 'metadata')
  return (metadata?.is === 'map' ? valueAt(metadata, key)?.mark : undefined) ?? object
}

/** The same, or undefined where the metadata has no such key. */
export function writtenMetadata(object: Mark, key: string): Mark | undefined {
  const mark = metadataMark(object, key)
  return mark === object ? undefined : mark
}

/** A text that was read once more, with the mappings in it by their places. */
interface ReadAgain extends Source {
  maps?: ReadonlyMap<string, MapNode>
}

const rangeOf = ({ start, end }: Mark): string => `${start}-${end}`

/** The mapping at just that place of its text. */
function nodeOf(mark: Mark): MapNode | undefined {
  const source: ReadAgain = mark.source
  source.maps ??= mapsIn(source)
  return source.maps.get(rangeOf(mark))
}

function mapsIn(source: Source): ReadonlyMap<string, MapNode> {
  const maps = new Map<string, MapNode>()
  for (const document of readYaml(source).documents) collect(document, maps)
  return maps
}

function collect(node: Node, maps: Map<string, MapNode>): void {
  if (node.is === 'list') for (const item of node.items) collect(item, maps)
  // An alias gives the very node that it repeats: once is enough.
  if (node.is !== 'map' || maps.has(rangeOf(node.mark))) return
  maps.set(rangeOf(node.mark), node)
  for (const { value } of node.entries) collect(value, maps)
}

/** A pair of a mapping, or an entry of a list. */
type Written = Omit<Entry, 'key'>

function writtenAt(entries: readonly Entry[], pointer: string): Written | undefined {
  const [name = '', ...steps] = keysOf(pointer)
  let written: Written | undefined = entries.find((entry) => entry.key === name)
  for (const step of steps) written = written && innerOf(written.value, step)
  return written
}

/** Shorthand has no place for what it stands for: then that of the field itself. */
function nearestLayer(entries: readonly Entry[], pointer: string): WrittenLayer | undefined {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const [layer] = layersOf(writtenAt(entries, at))
    if (layer) return layer
  }
  return undefined
}

function layersOf(written: Written | undefined): readonly WrittenLayer[] {
  const layers: WrittenLayer[] = []
  for (let each = written; each; each = each.covers) {
    layers.push({ layer: each.layer ?? 'manifest', mark: each.mark, value: each.value })
  }
  return layers
}

/** A bare scalar is a list of one. */
function innerOf(node: Node, step: string): Written | undefined {
  switch (node.is) {
    case 'map':
      return node.entries.find((entry) => documentName(entry.key) === documentName(step))
    case 'list': {
      const item = node.items[Number(step)]
      return item && { mark: item.mark, value: item }
    }
    case 'scalar':
      return step === '0' ? { mark: node.mark, value: node } : undefined
  }
}
