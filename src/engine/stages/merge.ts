import { catalog } from '../../catalog/catalog.js'
import { elementOf } from '../../catalog/queries.js'
import { memberOf } from '../../catalog/shapes.js'
import type { FieldType } from '../../catalog/types.js'
import { isList, isObject, type Json, type JsonObject } from '../../json/json.js'
import { canonicalText } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import type { FormContext } from '../../live/references-form.js'
import type { Variables } from '../../live/variables.js'
import { explicitForm, memberForm } from '../write-back/decide.js'
import type { Staged } from './families.js'
import type { StageWords } from './stage-words.js'
import type { Use, Vector } from './vectors.js'

export interface Merging {
  readonly words: StageWords
  readonly forms: FormContext
  readonly variables: Variables
  /** The fields of one object, as an export writes them. */
  fieldsOf(object: LiveObject): JsonObject
  /** The text in manifests for values that differ between the stages. Undefined if there is none. */
  vary(vector: Vector, use: Use): Json | undefined
}

/** The fields of one manifest for the objects of all stages. Undefined if one manifest cannot represent all of them. */
export function mergedFields(
  { kind, objects }: Pick<Staged, 'kind' | 'objects'>,
  merging: Merging,
): JsonObject | undefined {
  const forms = objects.map((object) => object && merging.fieldsOf(object))
  const names = [...new Set(forms.flatMap((form) => (form ? Object.keys(form) : [])))]
  const members: [string, Json][] = []
  for (const name of namesInOrder(names, forms)) {
    const vector = filled(name, objects, forms, merging)
    const field = kind.fields[name]
    const at = { use: { word: name, as: 'field' }, type: field?.type, objects, path: [name] } as const
    const value = vector && merged(vector, at, merging)
    if (value === undefined) return undefined
    members.push([name, value])
  }
  return Object.fromEntries(members)
}

/** Whether the objects can be merged: each field that an object does not write has a written form. */
export function canMerge({ kind, objects }: Pick<Staged, 'kind' | 'objects'>, merging: Omit<Merging, 'vary'>): boolean {
  return mergedFields({ kind, objects }, { ...merging, vary: () => null }) !== undefined
}

/** The names in the order of the first object that has all of them, or else unchanged. */
function namesInOrder(names: readonly string[], forms: readonly (JsonObject | undefined)[]): readonly string[] {
  const whole = forms.find((form) => form && Object.keys(form).length === names.length)
  return whole ? Object.keys(whole) : names
}

/**
 * The values of a field in each stage. If an object does not write the field because it is empty, the empty value is written when
 * other stages have a value. Undefined if there is no such form.
 */
function filled(
  name: string,
  objects: Staged['objects'],
  forms: readonly (JsonObject | undefined)[],
  { forms: context, variables }: Pick<Merging, 'forms' | 'variables'>,
): Vector | undefined {
  const values = objects.map((object, index): Json | undefined => {
    const field = object && catalog[object.kind].fields[name]
    const written = forms[index]?.[name]
    if (!object || written !== undefined || !field) return written
    return explicitForm(object, field, { forms: context, variables })
  })
  return values.every((value, index) => (value === undefined) === (objects[index] === undefined)) ? values : undefined
}

interface At {
  readonly use: Use
  readonly type: FieldType | undefined
  readonly objects: Staged['objects']
  /** The keys of the path in the object, beginning with the field. */
  readonly path: readonly string[]
}

function merged(vector: Vector, at: At, merging: Merging): Json | undefined {
  const present = vector.filter((value) => value !== undefined)
  const [first] = present
  if (first === undefined || isSame(present)) return first
  const templated = sameTemplate(vector, merging.words)
  if (templated !== undefined) return templated
  if (present.every(isObject)) {
    const members = mergedMembers(vector, at, merging)
    if (members !== 'not alike') return members
  }
  if (present.every(isList)) {
    const items = mergedItems(vector, at, merging)
    if (items !== 'not alike') return items
  }
  return merging.vary(vector, at.use)
}

const isSame = ([first, ...others]: readonly Json[]): boolean => {
  if (others.every((other) => other === first)) return true
  const text = first === undefined ? '' : canonicalText(first, 'sets')
  return others.every((other) => canonicalText(other, 'sets') === text)
}

/** The value with placeholders for the words of the stages, if the result is the same in all stages. */
function sameTemplate(vector: Vector, words: StageWords): Json | undefined {
  for (const spelling of ['exact', 'any case'] as const) {
    const templates = vector.flatMap((value, stage) =>
      value === undefined ? [] : [words.templated(value, stage, spelling)],
    )
    if (isSame(templates)) return templates[0]
  }
  return undefined
}

/**
 * Merges members one by one: those of a value object, because they are managed one by one, and those of a map if every stage has
 * the same keys.
 */
function mergedMembers(vector: Vector, at: At, merging: Merging): JsonObject | undefined | 'not alike' {
  const maps = vector.map((value) => (isObject(value) ? value : undefined))
  const keys = [...new Set(maps.flatMap((map) => (map ? Object.keys(map) : [])))]
  const shape = at.type?.is === 'shape' ? at.type.shape : undefined
  const isAlike = shape || maps.every((map) => !map || Object.keys(map).length === keys.length)
  if (!isAlike || at.type?.is === 'list' || at.type?.is === 'reference') return 'not alike'
  const members: [string, Json][] = []
  for (const key of keys) {
    const path = [...at.path, key]
    const values = maps.map((map, index) => map && (map[key] ?? memberAt(at.objects[index], path, merging)))
    const inner = { ...at, path, type: shape && memberOf(shape, key)?.type, use: { word: key, as: 'field' as const } }
    const value = merged(values, inner, merging)
    if (value === undefined || values.some((each, index) => (each === undefined) !== (maps[index] === undefined))) {
      return undefined
    }
    members.push([key, value])
  }
  return Object.fromEntries(members)
}

function memberAt(
  object: LiveObject | undefined,
  [name = '', ...members]: readonly string[],
  { forms }: Merging,
): Json | undefined {
  const field = object && catalog[object.kind].fields[name]
  return field && memberForm(field, object, members, forms)
}

/** Merges lists of which one entry differs: only that entry varies. */
function mergedItems(vector: Vector, at: At, merging: Merging): Json | undefined | 'not alike' {
  const lists = vector.map((value) => (isList(value) ? value : undefined))
  const present = lists.filter((list) => list !== undefined)
  const textOf = (value: Json) => canonicalText(value, 'sets')
  const common = new Set(
    (present[0] ?? [])
      .map(textOf)
      .filter((text) => present.every((list) => list.some((item) => textOf(item) === text))),
  )
  const own = lists.map((list) => list?.filter((item) => !common.has(textOf(item))))
  const isOne = own.every((items) => !items || (items.length === 1 && typeof items[0] === 'string'))
  if (!isOne) return 'not alike'
  const item = merged(
    own.map((items) => items?.[0]),
    { ...at, type: at.type && elementOf(at.type), use: { word: at.use.word, as: 'item' } },
    merging,
  )
  return item === undefined ? undefined : (present[0] ?? []).map((each) => (common.has(textOf(each)) ? each : item))
}
