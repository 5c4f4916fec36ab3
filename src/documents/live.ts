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

/** One live object as it is shown: no secret is in it. */
export interface LiveDocument {
  readonly address: string
  readonly kind: string
  /** '' for a child that exists once. */
  readonly id: string
  /** As its address shows it where it is secret; '' for a child that exists once. */
  readonly name: string
  readonly fields: readonly ShownField[]
}

/** Secrets come masked. */
export interface ShownField {
  readonly name: string
  readonly value: Json
  /** How little it tells beside others on one line, from 0; undefined: nothing worth a column. */
  readonly rank: number | undefined
}

/** Which secrets are hidden, and whose words stand there. */
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
      .map(([name, value]) => shownField(kind, name, value, { mask, vocabulary })),
  }
}

function shownField(kind: Kind, name: string, value: Json, { mask, vocabulary }: Wording): ShownField {
  const field = kind.fields[name]
  if (field?.secret) return { name, value: value === null ? null : masked, rank: undefined }
  const open = withSecretsHidden(field?.type, value, (each) => showsSecret(each, mask), masked)
  if (open === masked) return { name, value: open, rank: undefined }
  const worded = field && hasWords(field.type) ? spelled(field.type, open, vocabulary) : open
  return { name, value: worded, rank: field && name !== kind.naming ? rankOf(kind, field, value) : undefined }
}

/** What makes an object what it is comes first: its approval, its address, what it cannot be without. */
function rankOf(kind: Kind, field: Field, value: Json): number | undefined {
  if (field.name === kind.approval?.field) return 0
  if (!isWritable(field) || sameValue(field.type, undefined, value, field.default)) return undefined
  if (kind.route && Object.values(kind.route).includes(field.name)) return 1
  if (field.create === 'Req') return 2
  return field.fetch === 'Imp' ? 3 : 4
}
