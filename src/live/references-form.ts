import { catalog } from '../catalog/catalog.js'
import { hasSecretName, referredKind, targetOf } from '../catalog/queries.js'
import { nestedReferenceForm, type ReferenceForm, referenceForm } from '../catalog/reference-form.js'
import type { IsSecret } from '../catalog/secret-places.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject, objectsIn } from '../json/json.js'
import { bySpelling } from '../json/order.js'
import type { Problem } from '../problems/problem.js'
import { danglingReference } from '../problems/write-back.js'
import type { LiveIndex } from './live-index.js'
import type { LiveObject } from './live-object.js'
import { addressOfLive, isAmbiguous, nameForm, parentNames } from './names.js'
import { escaped, type Fullness, plainForm } from './value-form.js'
import type { Variables } from './variables.js'

/** What the writing of live objects depends on. */
export interface FormContext {
  readonly live: LiveIndex
  readonly variables: Variables
  readonly fullness: Fullness
  readonly vocabulary: Vocabulary
  /** Finds secrets, which must not be in manifests. */
  readonly isSecret: IsSecret
  /** Whether a secret was applied at a JSON Pointer in an object; undefined if this is not needed. */
  readonly wasSecret?: (object: LiveObject, path: string) => boolean
  /** Whether a child is not written inside its parent. */
  readonly leavesOut?: (object: LiveObject) => boolean
  report(problem: Problem): void
}

/**
 * The references of one field by name, in the form of manifests. undefined if there are none to write, or if one of them has no
 * name here: a list without it would remove it.
 */
export function referencesForm(
  object: LiveObject,
  field: Field,
  value: Json,
  { live, fullness, report }: Omit<FormContext, 'variables'>,
): Json | undefined {
  const entries = objectsIn(value)
  if (entries.length === 0) return fullness === 'full' && field.type.is === 'list' ? [] : undefined
  const inside: { readonly list: string; readonly unnamed: readonly string[] }[] = []
  const leave = (list: string, unnamed: readonly string[]) => inside.push({ list, unnamed })
  const forms = formsOf(object, field, entries, { live, purpose: 'write', leave })
  const unnamed = unnamedAmong(entries, forms)
  if (unnamed.length === 0) {
    for (const each of inside)
      report(danglingReference(addressOfLive(object), `${field.name}.${each.list}`, each.unnamed))
    return escaped(held(field, forms))
  }
  report(danglingReference(addressOfLive(object), field.name, unnamed))
  return undefined
}

/** The entries that no manifest can name, as the platform shows them. */
const unnamedAmong = (entries: readonly JsonObject[], forms: readonly (Json | undefined)[]): readonly string[] =>
  entries
    .filter((_, index) => forms[index] === undefined)
    .map(({ id, name }) => (typeof name === 'string' ? `"${name}", id ${String(id)}` : String(id)))

/** The same in the form of plans and records: only names, or ids for objects without a name, and everything that is live. */
export const displayedReferences = (object: LiveObject, field: Field, value: Json, live: LiveIndex): Json =>
  held(field, formsOf(object, field, objectsIn(value), { live, purpose: 'show' }))

const held = ({ type }: Field, forms: readonly (Json | undefined)[]): Json =>
  type.is === 'list' ? forms.filter((form) => form !== undefined).sort(bySpelling) : (forms[0] ?? null)

interface ReferenceSpelling {
  readonly live: LiveIndex
  /** `write`: the result can be read again, and each reference means one object; `show`: everything that is live. */
  readonly purpose: 'write' | 'show'
  /** Called for each list inside a reference that is not written because something in it has no name here. */
  readonly leave?: (list: string, unnamed: readonly string[]) => void
}

function formsOf(
  object: LiveObject,
  field: Field,
  entries: readonly JsonObject[],
  spelling: ReferenceSpelling,
): readonly (Json | undefined)[] {
  const referred = referredKind(field)
  if (referred === undefined) return []
  const form = referenceForm(catalog[object.kind], referred)
  return entries.map((entry) => entryForm(entry, referred, form, spelling))
}

function entryForm(
  entry: JsonObject,
  referred: KindName,
  form: ReferenceForm,
  spelling: ReferenceSpelling,
): Json | undefined {
  const { live, purpose } = spelling
  const kind = targetOf(catalog[referred]).name
  const target = live.byId(kind, String(entry.id))
  // A secret name is only in its own field.
  const open = hasSecretName(catalog[kind]) ? undefined : target?.key || entry.name
  const name = open || (purpose === 'show' && entry.id)
  if (typeof name !== 'string') return undefined
  // A plan would not find it.
  if (purpose === 'write' && !target && (form.parents.length > 0 || live.isRead(kind))) return undefined
  const isPinned = purpose === 'write' && target !== undefined && isAmbiguous(target, live)
  const spelled: JsonObject = {
    ...(target && form.parents.length > 0 ? parentsForm(target, spelling) : {}),
    name,
    ...(isPinned ? { id: target.id } : {}),
    ...membersForm(entry, form, spelling),
    ...nestedForm(entry, target, form, spelling),
  }
  // Alone, the name "*" would stand for everything.
  const isEverything = form.everything === 'allowed' && name === '*'
  return Object.keys(spelled).length === 1 && !isEverything ? name : spelled
}

const parentsForm = (target: LiveObject, { live, purpose }: ReferenceSpelling): JsonObject =>
  parentNames(target, (parent) => (purpose === 'write' ? nameForm(parent, live) : parent.key))

function membersForm(entry: JsonObject, { members }: ReferenceForm, { purpose }: ReferenceSpelling): JsonObject {
  const forms = members.flatMap((field): [string, Json][] => {
    const live = entry[field.name]
    if (live === undefined || live === null) return []
    const form = purpose === 'write' ? plainForm(field.type, live) : live
    return form === undefined ? [] : [[field.name, form]]
  })
  return Object.fromEntries(forms)
}

/** What a reference picks inside its object; nothing is written if there is nothing to pick from. */
function nestedForm(
  entry: JsonObject,
  target: LiveObject | undefined,
  { nested }: ReferenceForm,
  spelling: ReferenceSpelling,
): JsonObject {
  const lists = nested.flatMap(({ field, kind, picks }): [string, Json][] => {
    const picked = entry[field]
    if (picks === 'one') {
      // When a live object is shown, an absent pick is shown as null, so that it can be restored.
      if (picked === null && spelling.purpose === 'show') return [[field, null]]
      const form = isObject(picked) ? innerForm(picked, kind, spelling) : undefined
      if (isObject(picked) && form === undefined) spelling.leave?.(field, unnamedAmong([picked], [form]))
      return form === undefined ? [] : [[field, form]]
    }
    // Some platforms leave an empty list out. When a live object is shown, it is shown as empty, so that it can be restored.
    if (picked === undefined && spelling.purpose === 'show') return [[field, []]]
    if (!Array.isArray(picked)) return []
    const isOutOfNothing = target?.children.every((child) => child.kind !== kind.name) ?? false
    if (spelling.purpose === 'write' && picked.length === 0 && isOutOfNothing) return []
    const all = objectsIn(picked)
    const forms = all.map((each) => innerForm(each, kind, spelling))
    const known = forms.filter((form) => form !== undefined)
    if (known.length === forms.length) return [[field, known.sort(bySpelling)]]
    spelling.leave?.(field, unnamedAmong(all, forms))
    return []
  })
  return Object.fromEntries(lists)
}

const innerForm = (entry: JsonObject, kind: Kind, spelling: ReferenceSpelling): Json | undefined =>
  entryForm(entry, kind.name, nestedReferenceForm(kind), spelling)
