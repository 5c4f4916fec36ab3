import { catalog } from '../catalog/catalog.js'
import type { Field, Kind } from '../catalog/types.js'
import type { Json } from '../json/json.js'

/** Ways in which a platform may change a name when it stores it. */
export const nameForms = {
  trim: (text: string) => text.trim(),
  collapse: (text: string) => text.trim().replaceAll(/\s+/g, ' '),
  lower: (text: string) => text.toLowerCase(),
  nfc: (text: string) => text.normalize('NFC'),
  escape: (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
} as const

export type NameForm = keyof typeof nameForms

export const isNameForm = (text: string): text is NameForm => Object.hasOwn(nameForms, text)

/** The stored value of a field. The forms apply to names, and to the user name that an application has from its member. */
export function storedName(forms: readonly NameForm[], kind: Kind, field: Field, value: Json): Json {
  const isName = field.name !== 'id' && (field.name === kind.naming || field.name === namingOfParent(kind))
  if (!isName || typeof value !== 'string') return value
  return forms.reduce((text, form) => nameForms[form](text), value)
}

const namingOfParent = (kind: Kind): string | undefined => kind.parent && catalog[kind.parent.kind].naming
