import type { Json } from '../json/json.js'
import type { PlaceDocument } from './place.js'

/** The position of a text, and the text itself, unless it may contain a secret. */
export interface WrittenPlace extends PlaceDocument {
  /** On one line, cut if it is long; absent if it may contain a secret. */
  readonly text?: string
}

/** The text of one layer for a field, and the values that it uses. */
export interface LayerDocument extends WrittenPlace {
  /** Such as `manifest`, `defaults of the project`, `patches[0] of environment prod`. */
  readonly layer: string
  readonly values: readonly (WrittenPlace & { readonly name: string; readonly layer: string })[]
}

/** A field with all layers that set it, the effective one first. */
export interface FieldLayers {
  readonly path: string
  readonly value: Json
  readonly sensitive: boolean
  /** For a secret that is not set here. */
  readonly unavailable?: true
  /** The field is not managed, because a patch or `metadata.without` removes it; its value is null. */
  readonly absent?: true
  readonly layers: readonly LayerDocument[]
}

/** The origins of the fields of one object: `gatewright.origins/1`. */
export interface OriginsDocument {
  readonly format: 'gatewright.origins/1'
  readonly environment?: string
  readonly address: string
  readonly kind: string
  readonly source: PlaceDocument
  readonly fields: readonly FieldLayers[]
}
