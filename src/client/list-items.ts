import type { Kind } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { answeredList } from './answer.js'
import { nestedIn } from './nesting.js'

/**
 * What each object of a list must have. If anything else counted as an object, or as no object, everything would be created
 * again.
 */
export interface ItemForm {
  readonly id: boolean
  readonly name: { readonly field: string; readonly may: 'be missing' | 'not be missing' } | undefined
  readonly lists: readonly { readonly field: string; readonly items: ItemForm }[]
}

/** An object that lacks a member, or has a wrong value in it. */
interface Lack {
  readonly item: Json
  /** The dotted path of the member. */
  readonly member: string
}

/** The requested paths that identify the objects of a kind, and those in their lists. */
export function itemForm(kind: Kind, paths: readonly string[]): ItemForm {
  return {
    id: paths.includes('id'),
    name: nameForm(kind, paths),
    lists: nestedIn(kind)
      .filter(({ holds }) => holds !== 'single')
      .map(({ field, kind: inner }) => ({ field, items: itemForm(inner, below(field, paths)) }))
      .filter(({ items }) => items.id || items.name !== undefined || items.lists.length > 0),
  }
}

/** A link may be answered with only its id. A name that is not required in a create may be missing: that of an error set. */
function nameForm({ naming, fields, association }: Kind, paths: readonly string[]): ItemForm['name'] {
  if (naming === undefined || naming === 'id' || !paths.includes(naming)) return undefined
  const isRequired = fields[naming]?.create === 'Req' && association === undefined
  return { field: naming, may: isRequired ? 'not be missing' : 'be missing' }
}

const below = (field: string, paths: readonly string[]): readonly string[] =>
  paths.filter((path) => path.startsWith(`${field}.`)).map((path) => path.slice(field.length + 1))

/** The first object in a list, or in a list inside it, that lacks what was requested; undefined if there is none. */
export function lackIn(objects: readonly JsonObject[], form: ItemForm, way = ''): Lack | undefined {
  for (const item of objects) {
    const lack = lackOf(item, form, way)
    if (lack) return lack
  }
  return undefined
}

function lackOf(item: JsonObject, { id, name, lists }: ItemForm, way: string): Lack | undefined {
  if (id && !isId(item.id)) return { item, member: `${way}id` }
  if (name && !isName(item[name.field], name.may)) return { item, member: way + name.field }
  for (const { field, items } of lists) {
    // The document renders an empty list as one empty string.
    const held = answeredList(item[field]).filter((each) => each !== '')
    const stray = held.find((each) => !isObject(each))
    if (stray !== undefined) return { item: stray, member: `${way}${field}` }
    const lack = lackIn(held.filter(isObject), items, `${way}${field}.`)
    if (lack) return lack
  }
  return undefined
}

/** JSON loses the last digits of a larger number: it would be the id of another object. */
const isId = (value: Json | undefined): boolean =>
  Number.isSafeInteger(value) || (typeof value === 'string' && value !== '')

const isName = (value: Json | undefined, may: 'be missing' | 'not be missing'): boolean =>
  value === undefined || value === null || value === '' ? may === 'be missing' : typeof value === 'string'
