import type { MetadataForm } from '../catalog/metadata-keys.js'
import { documentName } from '../catalog/shapes.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import { type Entry, type MapNode, type Node, nodeAt, valueAt } from './node.js'
import type { Source, SourceRange } from './source.js'
import { readYaml } from './yaml/read-yaml.js'

/**
 * Where the parts of one object are written, by JSON Pointers into its fields. The places are found only when a message needs
 * them.
 */
export interface SourceRanges {
  /** The place of a field, of a member in it, or of a list entry; undefined if nothing is written there. */
  at(pointer: string): SourceRange | undefined
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
  readonly range: SourceRange
  readonly value: Node
}

/** The places of an object that no manifest writes: none. */
export const noRanges: SourceRanges = { at: () => undefined, layersAt: () => [], layerAt: () => undefined }

/**
 * The place of an object, and the places in it. A document has its fields in `spec`; an inline child is its fields. The place of
 * a field or member is that of its key; the place of a list entry is the entry itself. No nodes are kept, because an area has
 * 100,000 of them: the text is read again when a message needs a place.
 */
export class WrittenObject implements SourceRange, SourceRanges {
  readonly source: Source
  readonly start: number
  readonly end: number
  readonly #form: MetadataForm

  constructor({ source, start, end }: SourceRange, form: MetadataForm) {
    this.source = source
    this.start = start
    this.end = end
    this.#form = form
  }

  at(pointer: string): SourceRange | undefined {
    return writtenAt(this.#entries(), pointer)?.range
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
export const composedRanges = (entries: readonly Entry[]): SourceRanges => ({
  at: (pointer) => writtenAt(entries, pointer)?.range,
  layersAt: (pointer) => layersOf(writtenAt(entries, pointer)),
  layerAt: (pointer) => nearestLayer(entries, pointer),
})

function takesValues(source: Source): boolean {
  source.takesValues ??= source.text.includes('${value:')
  return source.takesValues
}

/** The same layers with the places of other ranges: entries of lists are counted as in the result, not as written. */
export const withPlaces = (ranges: SourceRanges, { at }: Pick<SourceRanges, 'at'>): SourceRanges => ({
  at,
  layersAt: (requested) => ranges.layersAt(requested),
  layerAt: (requested) => ranges.layerAt(requested),
})

/** The same with one more place, which takes precedence. */
export const withRange = (ranges: SourceRanges, pointer: string, range: SourceRange): SourceRanges =>
  withPlaces(ranges, { at: (requested) => (requested === pointer ? range : ranges.at(requested)) })

/** The same with several more places, by their pointers. */
export const withRanges = (ranges: SourceRanges, places: ReadonlyMap<string, SourceRange>): SourceRanges =>
  withPlaces(ranges, { at: (requested) => places.get(requested) ?? ranges.at(requested) })

/** The value of a key in the metadata of a document; the object itself if there is none. */
export function metadataRange(object: SourceRange, key: string): SourceRange {
  const node = nodeOf(object)
  return (node && nodeAt(node, pointerTo('metadata', key))?.range) ?? object
}

/** The same, or undefined if the metadata has no such key. */
export function writtenMetadata(object: SourceRange, key: string): SourceRange | undefined {
  const range = metadataRange(object, key)
  return range === object ? undefined : range
}

/** A text that was read again, with its mappings by their places. */
interface ReadAgain extends Source {
  maps?: ReadonlyMap<string, MapNode>
}

const rangeKey = ({ start, end }: SourceRange): string => `${start}-${end}`

/** The mapping at exactly this place of its text. */
function nodeOf(range: SourceRange): MapNode | undefined {
  const source: ReadAgain = range.source
  source.maps ??= mapsIn(source)
  return source.maps.get(rangeKey(range))
}

function mapsIn(source: Source): ReadonlyMap<string, MapNode> {
  const maps = new Map<string, MapNode>()
  for (const document of readYaml(source).documents) collect(document, maps)
  return maps
}

function collect(node: Node, maps: Map<string, MapNode>): void {
  if (node.is === 'list') for (const item of node.items) collect(item, maps)
  // An alias is the same node as the one that it repeats, so it is collected once.
  if (node.is !== 'map' || maps.has(rangeKey(node.range))) return
  maps.set(rangeKey(node.range), node)
  for (const { value } of node.entries) collect(value, maps)
}

/** A pair of a mapping, or an entry of a list. */
type WrittenEntry = Omit<Entry, 'key'>

function writtenAt(entries: readonly Entry[], pointer: string): WrittenEntry | undefined {
  const [name = '', ...steps] = keysOf(pointer)
  let written: WrittenEntry | undefined = entries.find((entry) => entry.key === name)
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

function layersOf(written: WrittenEntry | undefined): readonly WrittenLayer[] {
  const layers: WrittenLayer[] = []
  for (let each = written; each; each = each.covers) {
    layers.push({ layer: each.layer ?? 'manifest', range: each.range, value: each.value })
  }
  return layers
}

/** A single scalar is a list of one. */
function innerOf(node: Node, step: string): WrittenEntry | undefined {
  switch (node.is) {
    case 'map':
      return node.entries.find((entry) => documentName(entry.key) === documentName(step))
    case 'list': {
      const item = node.items[Number(step)]
      return item && { range: item.range, value: item }
    }
    case 'scalar':
      return step === '0' ? { range: node.range, value: node } : undefined
  }
}
