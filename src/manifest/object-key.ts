import { hasSecretName, keyOfName, rankOf } from '../catalog/queries.js'
import { pointerTo } from '../json/pointer.js'
import { clearedRequired, nameDiffers, wrongType } from '../problems/manifests.js'
import { readNonEmpty, readString } from './field-value.js'
import { type Entry, isNull } from './node.js'
import { isSecretText, keepSecret, type ObjectReading } from './reading.js'
import { reportSecretNames } from './secret-paths.js'
import { placeOf } from './source.js'

/** The natural key: from `metadata` of a document, from the naming field of an inline child; undefined if there is none. */
export function readKey(reading: ObjectReading): string | undefined {
  const { kind, metadata, entries } = reading.text
  if (kind.naming === undefined) return ''
  const written = entries.find((entry) => entry.key === kind.naming)
  const at = `${kind.name}.${kind.naming}`
  const text = written && readKeyText(written, at, reading)
  const key = metadata.name?.text ?? text
  if (metadata.name && text !== undefined && text !== key) {
    reading.scope.report(nameDiffers(placeOf(written?.value.range ?? reading.text.range), at, text, metadata.name.text))
  }
  if (hasSecretName(kind)) return readSecretKey(text, written, reading)
  if (key === undefined) return undefined
  reading.keyRange = metadata.name?.range
  keepKey(key, reading)
  return keyOfName(kind, key)
}

function readKeyText(written: Entry, words: string, reading: ObjectReading): string | undefined {
  const { text, scope } = reading
  if (!hasSecretName(text.kind) && written.value.secret) {
    reportSecretNames(written.value, scope.report)
    return undefined
  }
  if (isNull(written.value)) {
    scope.report(clearedRequired(placeOf(written.range), text.kind.name, written.key))
    return undefined
  }
  if (hasSecretName(text.kind) && !isSecretText(written, words, reading)) return undefined
  const name = readString(written.value, words, scope)
  if (name !== '') return name
  scope.report(wrongType(placeOf(written.value.range), words, 'a name', 'an empty text'))
  return undefined
}

/** A link is identified by the name of the object that it refers to; this name is not one of its fields. */
function keepKey(key: string, { text, fields }: ObjectReading): void {
  const { kind } = text
  if (kind.naming !== undefined && !kind.association)
    fields.push({ name: kind.naming, rank: rankOf(kind, kind.naming), value: key })
}

/** A secret name may be missing: then the object is identified by the object that it refers to. */
function readSecretKey(
  text: string | undefined,
  written: Entry | undefined,
  reading: ObjectReading,
): string | undefined {
  if (!written) return ''
  if (written.value.secret && text === undefined) {
    // The secret is not set here: the object is one of those that are identified without it.
    reading.unavailable.push(pointerTo(written.key))
    return ''
  }
  if (text === undefined) return undefined
  keepKey(text, reading)
  keepSecret(written, text, reading)
  return text
}

/** A link is a reference. As in references, `id` next to the name chooses one of several objects. */
export function readLinkId({ text, scope }: ObjectReading): string | undefined {
  const written = text.kind.association ? text.entries.find((entry) => entry.key === 'id') : undefined
  const at = `${text.kind.name}.id`
  const id = written && readNonEmpty(written.value, at, scope)
  const { id: pinned } = text.metadata
  if (written && id !== undefined && pinned !== undefined && id !== pinned) {
    scope.report(nameDiffers(placeOf(written.value.range), at, id, pinned))
  }
  return id
}
