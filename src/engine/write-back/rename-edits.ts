import { catalog } from '../../catalog/catalog.js'
import { metadataWord } from '../../catalog/queries.js'
import { isList, isObject, type Json } from '../../json/json.js'
import { withValueAt } from '../../json/patch.js'
import { keysOf, pointerTo } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import { escaped } from '../../live/value-form.js'
import { addressesOfAncestors, addressOfAncestors } from '../../manifest/ancestors.js'
import { fieldUses, type ReferenceUse } from '../../manifest/reference-use.js'
import type { Resource } from '../../manifest/resource.js'
import { holds } from '../../manifest/source.js'
import type { Edit } from '../../manifest/write/edit.js'
import { differences } from '../../planner/compare/fields.js'
import type { Matches } from '../../planner/match/match.js'
import { type Deciding, setEdit } from './deciding.js'

/** The edits for a renamed object: at the object itself, at links to it, and in separate documents of objects inside it. */
export function nameEdits(
  resource: Resource,
  { renamed, world }: Pick<Deciding, 'renamed' | 'world'>,
): readonly Edit[] {
  if (renamed.isEmpty) return []
  const { kind, key, ancestors, address, range } = resource
  const rename = (word: string, name: string | undefined): readonly Edit[] =>
    name === undefined ? [] : [{ is: 'rename', at: range.start, word, name: escaped(name) }]
  const { association } = catalog[kind]
  const linked = association && world.declaredUnder(undefined, association).find((each) => each.key === key)?.address
  const named = association ? (linked ?? addressOfAncestors([{ kind: association, name: key }])) : address
  const addresses = addressesOfAncestors(ancestors)
  const outer = isInline(resource, world)
    ? []
    : ancestors.flatMap((ancestor, index) =>
        rename(metadataWord(catalog[ancestor.kind]), renamed.nameOf(addresses[index] ?? '')),
      )
  return [...rename('name', renamed.nameOf(named ?? '')), ...outer]
}

/** Whether its text is inside the text of its parent. */
export function isInline({ range, parent }: Resource, { resources }: Pick<Matches, 'resources'>): boolean {
  const outer = parent === undefined ? undefined : resources.get(parent)?.range
  return outer !== undefined && holds(outer, range)
}

/**
 * The edits of fields that refer to a renamed object. Only the name changes, because git may have changed the rest of the field.
 */
export function referenceEdits(resource: Resource, live: LiveObject, deciding: Deciding): readonly Edit[] {
  const { renamed, references, wants } = deciding
  if (renamed.isEmpty) return []
  const changing = differences(resource, live, references).fields.filter((change) => wants(resource, change))
  return Object.values(catalog[resource.kind].fields).flatMap((field): readonly Edit[] => {
    const names = fieldUses(resource, field).flatMap((use) => newNames(use, resource, renamed))
    if (names.length === 0 || changing.some(({ path }) => path === `/${field.name}`)) return []
    const written = escaped(resource.fields[field.name] ?? null)
    const form = withShortReferences(
      names.reduce((value, { at, name }) => withValueAt(value, pointerTo(...at), name), written),
    )
    return [setEdit(resource, field, { path: [field.name], value: form, whole: form })]
  })
}

/** The positions of renamed targets in the value of a field, as keys, with the new names. */
function newNames(
  { ancestors, pointer = '' }: ReferenceUse,
  { fields }: Resource,
  renamed: Deciding['renamed'],
): readonly { readonly at: readonly string[]; readonly name: string }[] {
  const [field = '', ...path] = keysOf(pointer)
  const addresses = addressesOfAncestors(ancestors)
  return ancestors.flatMap(({ kind }, index) => {
    const name = renamed.nameOf(addresses[index] ?? '')
    const isItself = index === ancestors.length - 1
    const at = isItself ? [...path, 'name'] : [...path, metadataWord(catalog[kind]), 'name']
    return name === undefined || textAt(fields[field], at) === undefined ? [] : [{ at, name: escaped(name) }]
  })
}

function textAt(value: Json | undefined, [key, ...rest]: readonly string[]): string | undefined {
  if (key === undefined) return typeof value === 'string' ? value : undefined
  if (isList(value)) return textAt(value[Number(key)], rest)
  return isObject(value) ? textAt(value[key], rest) : undefined
}

/** References as people write them: a reference with only a name is a text. */
function withShortReferences(value: Json): Json {
  if (isList(value)) return value.map(withShortReferences)
  if (!isObject(value)) return value
  const { name, ...others } = value
  if (name !== undefined && Object.keys(others).length === 0) return name
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withShortReferences(each)]))
}
