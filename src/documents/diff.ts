import type { Json } from '../json/json.js'
import { placeOf } from '../manifest/source.js'
import type { ByLayers, LayerDifference } from '../planner/by-layers.js'
import type { Difference, FieldDifference } from '../planner/compare-areas.js'
import { masked } from '../secrets/hidden-words.js'
import { type Hiding, holdsSecret, showsSecret } from '../secrets/mask.js'
import { type PlaceDocument, placeDocument } from './place.js'
import type { TargetDocument } from './target.js'

/** A comparison of two sides as a document, without secrets: `gatewright.diff/1`. */
export interface DiffDocument {
  readonly format: 'gatewright.diff/1'
  /** The names of the sides, as the user gave them. */
  readonly a: string
  readonly b: string
  /** The targets of live sides. */
  readonly targets?: { readonly a?: TargetDocument; readonly b?: TargetDocument }
  readonly summary: {
    readonly onlyInA: number
    readonly onlyInB: number
    readonly different: number
    /** Only for two environments: the number of layers that differ. */
    readonly layers?: number
  }
  /** Only for two environments: the differences that layers cause, by layer. */
  readonly layers?: readonly LayerDifferenceDocument[]
  /** The differences; for two environments those that no layer explains. */
  readonly differences: readonly DifferenceDocument[]
}

export interface DifferenceDocument extends Omit<Difference, 'limited'> {
  /** If only one environment has the object: the position of the `metadata.environments` that limits it. */
  readonly limited?: PlaceDocument
}

/** The value that a layer sets, as it is written, and its position. */
export interface LayerValueDocument extends PlaceDocument {
  readonly layer: string
  readonly value?: Json
}

export interface LayerDifferenceDocument extends Omit<LayerDifference, 'a' | 'b'> {
  readonly a?: LayerValueDocument
  readonly b?: LayerValueDocument
}

/** The name of a side as the user gave it, and its target if it is live. */
export interface NamedSide {
  readonly name: string
  readonly target?: TargetDocument
}

export function diffDocument(
  a: NamedSide,
  b: NamedSide,
  { differences, layers }: Pick<ByLayers, 'differences'> & Partial<ByLayers>,
  mask: Hiding,
): DiffDocument {
  const count = (where: Difference['in']) => differences.filter((each) => each.in === where).length
  const summary = { onlyInA: count('a'), onlyInB: count('b'), different: count('both') }
  return {
    format: 'gatewright.diff/1',
    a: a.name,
    b: b.name,
    ...((a.target || b.target) && {
      targets: { ...(a.target && { a: a.target }), ...(b.target && { b: b.target }) },
    }),
    summary: layers ? { ...summary, layers: layers.length } : summary,
    ...(layers && { layers: layers.map((each) => layerDocument(each, mask)) }),
    differences: differences.map(({ limited, ...each }) => ({
      ...each,
      ...(limited && { limited: placeDocument(placeOf(limited)) }),
      fields: each.fields.map((field) => withoutSecretSides(field, mask)),
    })),
  }
}

function layerDocument({ a, b, ...layer }: LayerDifference, mask: (text: string) => string): LayerDifferenceDocument {
  const sensitive = layer.sensitive || holdsSecret([a?.value ?? null, b?.value ?? null], mask)
  const valueOn = (side: LayerDifference['a']): LayerValueDocument | undefined =>
    side && {
      layer: side.layer,
      ...placeDocument(placeOf(side.range)),
      ...(side.value !== undefined && { value: sensitive ? hidden(side.value) : side.value }),
    }
  const [first, second] = [valueOn(a), valueOn(b)]
  return { ...layer, sensitive, ...(first && { a: first }), ...(second && { b: second }) }
}

const withoutSecretSides = (field: FieldDifference, mask: Hiding): FieldDifference =>
  field.sensitive || showsSecret([field.a ?? null, field.b ?? null], mask)
    ? {
        ...field,
        sensitive: true,
        ...(field.a !== undefined && { a: hidden(field.a) }),
        ...(field.b !== undefined && { b: hidden(field.b) }),
      }
    : field

const hidden = (value: Json): Json => (value === null ? null : masked)
