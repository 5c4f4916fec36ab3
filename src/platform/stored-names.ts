import { catalog } from '../catalog/catalog.js'
import type { Field, Kind } from '../catalog/types.js'
import type { Json } from '../json/json.js'

/** How a platform may store a name that it was given. */
export const nameForms = {
  trim: (text: string) => text.trim(),
  collapse: (text: string) => text.trim().replaceAll(/\s+/g, ' '),
  lower: (text: string) => text.toLowerCase(),
  nfc: (text: string) => text.normalize('NFC'),
  escape: (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
} as const

export type NameForm = keyof typeof nameForms

export const isNameForm = (text: string): text is NameForm => Object.hasOwn(nameForms, text)

/** The value of a field as it is stored: names, and the user name that an application has from its member, in the forms. */
export function storedName(forms: readonly NameForm[], kind: Kind, field: Field, value: Json): Json {
  const isName = field.name !== 'id' && (field.name === kind.naming || field.name === namingOfParent(kind))
  if (!isName || typeof value !== 'string') return value
  return forms.reduce((text, form) => nameForms[form](text), value)
}

const namingOfParent = (kind: Kind): string | undefined => kind.parent && catalog[kind.parent.kind].naming
