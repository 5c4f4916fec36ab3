import type { Json } from '../json/json.js'
import type { PlaceDocument } from './place.js'

/** Where a text is written: its place, and the text itself, unless it may hold a secret. */
export interface WrittenPlace extends PlaceDocument {
  /** In one line, cut if it is long; absent where it may hold a secret. */
  readonly text?: string
}

/** What one layer writes of a field, and the values that it takes. */
export interface LayerDocument extends WrittenPlace {
  /** `manifest`, `defaults of the project`, `patches[0] of environment prod`. */
  readonly layer: string
  readonly values: readonly (WrittenPlace & { readonly name: string; readonly layer: string })[]
}

/** A field with everything that is written of it, the layer that wins first. */
export interface FieldLayers {
  readonly path: string
  readonly value: Json
  readonly sensitive: boolean
  /** Of a secret that is not set here. */
  readonly unavailable?: true
  /** It is not managed, as a patch or `metadata.without` takes it out; its value is null. */
  readonly absent?: true
  readonly layers: readonly LayerDocument[]
}

/** Where the fields of one object come from: `gatewright.origins/1`. */
export interface OriginsDocument {
  readonly format: 'gatewright.origins/1'
  readonly environment?: string
  readonly address: string
  readonly kind: string
  readonly source: PlaceDocument
  readonly fields: readonly FieldLayers[]
}
