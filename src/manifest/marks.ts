import type { MetadataForm } from '../catalog/metadata-keys.js'
import { documentName } from '../catalog/shapes.js'
import { keysOf } from '../json/pointer.js'
import { type Entry, type MapNode, type Node, valueAt } from './node.js'
import type { Mark, Source } from './source.js'
import { readYaml } from './yaml/read-yaml.js'

/**
 * Where the parts of one object are written, by JSON Pointers into its fields. The places are found only when a message needs
 * them.
 */
export interface Marks {
  /** The place of a field, of a member in it, or of a list entry; undefined if nothing is written there. */
  at(pointer: string): Mark | undefined
  /** The layers that write a field or a member of it: the one that wins first, then those that it covers. */
  layersAt(pointer: string): readonly WrittenLayer[]
  /**
   * The layer that wins for a field or for what contains it; undefined if that is the manifest, without values. This is cheap: a
   * text is read again only if it has values.
   */
  layerAt(pointer: string): WrittenLayer | undefined
}

/** What one layer writes to a field; `layer`: `manifest`, or the name of the layer in messages. */
export interface WrittenLayer {
  readonly layer: string
  readonly mark: Mark
  readonly value: Node
}

/** The places of an object that no manifest writes: none. */
export const noMarks: Marks = { at: () => undefined, layersAt: () => [], layerAt: () => undefined }

/**
 * The place of an object, and the places in it. A document has its fields in `spec`; an inline child is its fields. The place of
 * a field or member is that of its key; the place of a list entry is the entry itself. No nodes are kept, because an area has
 * 100,000 of them: the text is read again when a message needs a place.
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

/** The places in an object that layers have changed: those of its composed fields. */
export const composedMarks = (entries: readonly Entry[]): Marks => ({
  at: (pointer) => writtenAt(entries, pointer)?.mark,
  layersAt: (pointer) => layersOf(writtenAt(entries, pointer)),
  layerAt: (pointer) => nearestLayer(entries, pointer),
})

function takesValues(source: Source): boolean {
  source.takesValues ??= source.text.includes('${value:')
  return source.takesValues
}

/** The same layers with the places of other marks: entries of lists are counted as in the result, not as written. */
export const withPlaces = (marks: Marks, { at }: Pick<Marks, 'at'>): Marks => ({
  at,
  layersAt: (asked) => marks.layersAt(asked),
  layerAt: (asked) => marks.layerAt(asked),
})

/** The same with one more place, which takes precedence. */
export const withMark = (marks: Marks, pointer: string, mark: Mark): Marks =>
  withPlaces(marks, { at: (asked) => (asked === pointer ? mark : marks.at(asked)) })

/** The same with several more places, by their pointers. */
export const withMarks = (marks: Marks, places: ReadonlyMap<string, Mark>): Marks =>
  withPlaces(marks, { at: (asked) => places.get(asked) ?? marks.at(asked) })

/** The value of a key in the metadata of a document; the object itself if there is none. */
export function metadataMark(object: Mark, key: string): Mark {
  const node = nodeOf(object)
  const metadata = node && valueAt(node, 'metadata')
  return (metadata?.is === 'map' ? valueAt(metadata, key)?.mark : undefined) ?? object
}

/** The same, or undefined if the metadata has no such key. */
export function writtenMetadata(object: Mark, key: string): Mark | undefined {
  const mark = metadataMark(object, key)
  return mark === object ? undefined : mark
}

/** A text that was read again, with its mappings by their places. */
interface ReadAgain extends Source {
  maps?: ReadonlyMap<string, MapNode>
}

const rangeOf = ({ start, end }: Mark): string => `${start}-${end}`

/** The mapping at exactly this place of its text. */
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
  // An alias is the same node as the one that it repeats, so it is collected once.
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

/** Shorthand has no places for its parts: then the place of the field counts. */
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

/** A single scalar is a list of one. */
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
