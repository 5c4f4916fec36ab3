import { catalog } from '../../catalog/catalog.js'
import { isNamedOpenly } from '../../catalog/metadata-keys.js'
import { metadataWord } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import type { Json, JsonObject } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import { nameForm, pathTo } from '../../live/names.js'
import { ignoreForm, namingForm, needsId } from '../../live/object-form.js'
import { escaped } from '../../live/value-form.js'
import type { Staged } from './families.js'
import { familyMembers } from './families.js'
import { type Merging, mergedFields } from './merge.js'

/** The contents of a manifest for one object, as values: before defaults are removed, and before it becomes text. */
export interface ManifestForm {
  readonly kind: Kind
  /** The names in `metadata`: parents, owner, name, id. */
  readonly names: JsonObject
  /** The naming field and related fields, in the form of a parent's list. */
  readonly naming: JsonObject
  readonly fields: JsonObject
  /** The environments with the object. Undefined: the same as its parent. */
  readonly environments: readonly string[] | undefined
  readonly children: readonly ChildForms[]
  /** `metadata.ignore`, if something must be ignored. */
  readonly ignore: JsonObject
  /** One of its live objects. */
  readonly object: LiveObject
  /** `metadata.without` and `metadata.defaults`, after defaults are moved up. */
  readonly without?: readonly string[]
  readonly defaults?: JsonObject
}

interface ChildForms {
  readonly field: string
  readonly single: boolean
  readonly place: 'parent' | 'documents'
  readonly forms: readonly ManifestForm[]
}

/** The manifest of an object with everything inside it. `within`: the indexes of the stages that contain its parent. */
export function formOf(staged: Staged, within: readonly number[], merging: Merging): ManifestForm {
  const { kind, objects } = staged
  const [object] = familyMembers(staged)
  const fields = mergedFields(staged, merging)
  if (!object || !fields) throw new Error('stages were put together that no manifest can stand for')
  const present = objects.flatMap((each, stage) => (each ? [stage] : []))
  const isEverywhere = present.length === within.length
  const children = staged.children.map(({ child, place, items }): ChildForms => {
    const inside = place === 'parent' ? present : allStages(merging)
    const forms = items.map((item) => formOf(item, inside, merging))
    // A field for a single child can contain only one object.
    const isSplit = child.single && forms.length > 1
    return { field: child.field, single: child.single, place: isSplit ? 'documents' : place, forms }
  })
  return {
    kind,
    ...namesInStages(staged, merging),
    fields,
    environments: isEverywhere ? undefined : present.map((stage) => merging.words.stages[stage] ?? ''),
    children,
    ignore: escapedObject(ignoreForm(familyMembers(staged), merging.forms)),
    object,
  }
}

/** The names of the objects, in `metadata` and in a parent's list. */
export const namesInStages = ({ objects }: Pick<Staged, 'objects'>, merging: Merging) => ({
  names: inAll(objects, (each) => namesOfObject(each, merging), merging),
  naming: inAll(objects, (each) => inlineNaming(each, merging), merging),
})

export const allStages = ({ words }: Pick<Merging, 'words'>): readonly number[] => words.stages.map((_, stage) => stage)

function namesOfObject(object: LiveObject, { forms }: Merging): JsonObject {
  const kind = catalog[object.kind]
  const parents = pathTo(object)
    .slice(0, -1)
    .map((parent): [string, Json] => [metadataWord(catalog[parent.kind]), nameForm(parent, forms.live)])
  return escapedObject({
    ...Object.fromEntries(parents),
    ...(kind.within ? { [kind.within.metadata]: object.owner ?? '' } : {}),
    ...(isNamedOpenly(kind) ? { name: object.key } : {}),
    ...(needsId(object, forms) ? { id: object.id } : {}),
  })
}

function inlineNaming(object: LiveObject, { forms }: Merging): JsonObject {
  const kind = catalog[object.kind]
  return {
    ...namingForm(object, kind, forms),
    ...(kind.association && needsId(object, forms) ? { id: object.id } : {}),
  }
}

const escapedObject = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, escaped(value)]))

/** The names, if they are the same for all objects except for the words of the stages. */
function inAll(
  objects: Staged['objects'],
  formOf: (object: LiveObject) => JsonObject,
  { words, vary }: Merging,
): JsonObject {
  const forms = objects.map((object) => object && formOf(object))
  const isOne = new Set(objects.filter((object) => object !== undefined)).size === 1
  const [stage = 0] = forms.flatMap((form, index) => (form ? [index] : []))
  const first = forms[stage] ?? {}
  return Object.fromEntries(
    Object.entries(first).map(([key, value]): [string, Json] => {
      const vector = forms.map((form) => form && (form[key] ?? null))
      const isSame = isOne || vector.every((each) => each === undefined || each === value)
      if (isSame) return [key, value]
      const templates = (['exact', 'any case'] as const).map((spelling) =>
        vector.map((each, index) => (each === undefined ? undefined : words.templated(each, index, spelling))),
      )
      const found = templates.find((all) => all.every((each) => each === undefined || sameText(each, all[stage])))
      return [key, found?.[stage] ?? vary(vector, { word: key, as: 'field' }) ?? value]
    }),
  )
}

const sameText = (left: Json | undefined, right: Json | undefined) => JSON.stringify(left) === JSON.stringify(right)
