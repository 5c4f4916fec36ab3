import type { Json } from '../json/json.js'
import { placeOf } from '../manifest/source.js'
import type { ByLayers, LayerDifference } from '../planner/by-layers.js'
import type { Difference, FieldDifference } from '../planner/compare-areas.js'
import { masked } from '../secrets/hidden-words.js'
import { type Hiding, holdsSecret, showsSecret } from '../secrets/mask.js'
import { type PlaceDocument, placeDocument } from './place.js'
import type { TargetDocument } from './target.js'

/** Two sides compared, as it is written down: no secret is in it. */
export interface DiffDocument {
  readonly format: 'gatewright.diff/1'
  /** The sides, as the user named them. */
  readonly a: string
  readonly b: string
  /** The areas of the sides that are live. */
  readonly targets?: { readonly a?: TargetDocument; readonly b?: TargetDocument }
  readonly summary: {
    readonly onlyInA: number
    readonly onlyInB: number
    readonly different: number
    /** Of two environments: how many layers say something else. */
    readonly layers?: number
  }
  /** Of two environments: what differs because of a layer, by layers. */
  readonly layers?: readonly LayerDifferenceDocument[]
  /** Of two environments: what no layer explains. */
  readonly differences: readonly DifferenceDocument[]
}

export interface DifferenceDocument extends Omit<Difference, 'limited'> {
  /** Of an object that only one environment has: the place of the `metadata.environments` that says so. */
  readonly limited?: PlaceDocument
}

/** What a layer says, as it is written, and where. */
export interface SaidDocument extends PlaceDocument {
  readonly layer: string
  readonly value?: Json
}

export interface LayerDifferenceDocument extends Omit<LayerDifference, 'a' | 'b'> {
  readonly a?: SaidDocument
  readonly b?: SaidDocument
}

/** A side as the user named it; with its area if it is live. */
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
      fields: each.fields.map((field) => withoutSecrets(field, mask)),
    })),
  }
}

function layerDocument({ a, b, ...layer }: LayerDifference, mask: (text: string) => string): LayerDifferenceDocument {
  const sensitive = layer.sensitive || holdsSecret([a?.value ?? null, b?.value ?? null], mask)
  const said = (side: LayerDifference['a']): SaidDocument | undefined =>
    side && {
      layer: side.layer,
      ...placeDocument(placeOf(side.mark)),
      ...(side.value !== undefined && { value: sensitive ? hidden(side.value) : side.value }),
    }
  const [first, second] = [said(a), said(b)]
  return { ...layer, sensitive, ...(first && { a: first }), ...(second && { b: second }) }
}

const withoutSecrets = (field: FieldDifference, mask: Hiding): FieldDifference =>
  field.sensitive || showsSecret([field.a ?? null, field.b ?? null], mask)
    ? {
        ...field,
        sensitive: true,
        ...(field.a !== undefined && { a: hidden(field.a) }),
        ...(field.b !== undefined && { b: hidden(field.b) }),
      }
    : field

const hidden = (value: Json): Json => (value === null ? null : masked)
