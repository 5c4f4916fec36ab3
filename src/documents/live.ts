import { nameInAddress } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { hasSecretName, isWritable } from '../catalog/queries.js'
import { withSecretsHidden } from '../catalog/secret-places.js'
import type { Field, Kind } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import { hasWords, spelled, type Vocabulary } from '../catalog/vocabulary.js'
import type { Json } from '../json/json.js'
import type { LiveIndex } from '../live/live-index.js'
import type { LiveObject } from '../live/live-object.js'
import { liveFields } from '../live/object-form.js'
import { masked } from '../secrets/hidden-words.js'
import { type Hiding, showsSecret } from '../secrets/mask.js'

/** One live object for output, without secrets. */
export interface LiveDocument {
  readonly address: string
  readonly kind: string
  /** '' for a single child. */
  readonly id: string
  /** The name; if it is secret, in the form that the address has. '' for a single child. */
  readonly name: string
  readonly fields: readonly DisplayedField[]
}

/** A field. Secrets are masked. */
export interface DisplayedField {
  readonly name: string
  readonly value: Json
  /** The order of importance for a table, from 0, the most important; undefined if the field is not worth a column. */
  readonly rank: number | undefined
}

/** The mask for secrets, and the vocabulary of the words. */
export interface Wording {
  readonly mask: Hiding
  readonly vocabulary: Vocabulary
}

export function liveDocument(
  object: LiveObject,
  address: string,
  live: LiveIndex,
  { mask, vocabulary }: Wording,
): LiveDocument {
  const kind = catalog[object.kind]
  return {
    address,
    kind: object.kind,
    id: object.id,
    name: hasSecretName(kind) ? nameInAddress(address) : object.key,
    fields: Object.entries(liveFields(object, live))
      .filter(([name]) => name !== 'id' || kind.naming === 'id')
      .map(([name, value]) => displayedField(kind, name, value, { mask, vocabulary })),
  }
}

function displayedField(kind: Kind, name: string, value: Json, { mask, vocabulary }: Wording): DisplayedField {
  const field = kind.fields[name]
  if (field?.secret) return { name, value: value === null ? null : masked, rank: undefined }
  const open = withSecretsHidden(field?.type, value, (each) => showsSecret(each, mask), masked)
  if (open === masked) return { name, value: open, rank: undefined }
  const worded = field && hasWords(field.type) ? spelled(field.type, open, vocabulary) : open
  return { name, value: worded, rank: field && name !== kind.naming ? rankOf(kind, field, value) : undefined }
}

/** The most important fields come first: the approval, the route, and the required fields. */
function rankOf(kind: Kind, field: Field, value: Json): number | undefined {
  if (field.name === kind.approval?.field) return 0
  if (!isWritable(field) || sameValue(field.type, undefined, value, field.default)) return undefined
  if (kind.route && Object.values(kind.route).includes(field.name)) return 1
  if (field.create === 'Req') return 2
  return field.fetch === 'Imp' ? 3 : 4
}
