import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'
import { isBesideNames } from '../../catalog/reference-form.js'
import { domainOf } from '../../catalog/value.js'
import { groupBy } from '../../json/groups.js'
import type { Json, JsonObject } from '../../json/json.js'
import { isList, isObject, objectOf } from '../../json/json.js'
import { canonicalText } from '../../json/order.js'
import type { TextEditor } from './text-editor.js'
import { insideStyle, isMergeKey, isWritten, pairKey, pairOf } from './yaml-locations.js'
import type { Style } from './yaml-text.js'

/**
 * How much of a written value is managed. `exact`: all of it; `references`: in a list of references, only the written parts of
 * each reference.
 */
export type Depth = 'exact' | 'references'

export interface Reconciling {
  readonly editor: TextEditor
  readonly depth: Depth
  /** The text with its placeholders filled in; undefined if one of them has no value. */
  resolve(text: string): string | undefined
  /** Whether the other entries stay when a list changes; `in order`: a list is one value. */
  readonly lists?: 'as sets' | 'in order'
  /** The node that an alias repeats. */
  follow(alias: Alias): Node | undefined
  /** Called with every placeholder that is replaced. */
  replacing(placeholder: string, offset: number): void
}

/** Changes the parts of a pair's value that differ from `desired`, and nothing else. */
export function reconcile(pair: Pair, style: Style, desired: Json, context: Reconciling): void {
  const node = pair.value
  if (says(node, desired, context)) return
  if (isMap(node) && isObject(desired) && staysSome(node, desired, context)) reconcileMap(node, style, desired, context)
  else if (isSeq(node) && isList(desired) && context.lists !== 'in order')
    reconcileList(node, pair, style, desired, context)
  else replace(pair, style, desired, context)
}

function replace(pair: Pair, style: Style, desired: Json, { editor, replacing }: Reconciling): void {
  const node = pair.value
  if (isScalar(node) && typeof node.value === 'string' && /(?<!\$)\$\{/.test(node.value)) {
    replacing(node.value, node.range?.[0] ?? 0)
  }
  editor.replaceValue(pair, style, desired)
}

/**
 * Whether any member of a mapping stays. If not, the mapping is replaced. A mapping that merges others is replaced too, because
 * the merged members need not be live.
 */
function staysSome(map: YAMLMap, desired: JsonObject, { depth }: Reconciling): boolean {
  const stays = (pair: Pair) => Object.hasOwn(desired, pairKey(pair) ?? '')
  return depth === 'references' || (!map.items.some(isMergeKey) && map.items.some(stays))
}

function reconcileMap(map: YAMLMap, style: Style, desired: JsonObject, context: Reconciling): void {
  const inside = insideStyle(style, map)
  for (const [key, value] of Object.entries(desired)) {
    const pair = pairOf(map, key)
    if (pair) reconcile(pair, inside, value, context)
    else if (context.depth === 'exact') context.editor.addPair(map, style, key, value)
  }
  for (const pair of map.items) {
    const key = pairKey(pair)
    if (key === undefined || Object.hasOwn(desired, key)) continue
    if (context.depth === 'exact') context.editor.removePair(map, pair, style)
    // If a reference picks nothing, `desired` does not have the member. It is managed as long as it is written, so it becomes
    // empty.
    else if (isBesideNames(key) && isSeq(pair.value)) reconcile(pair, inside, [], context)
  }
}

function reconcileList(seq: YAMLSeq, pair: Pair, style: Style, desired: readonly Json[], context: Reconciling): void {
  const byIdentity = groupBy(desired.keys(), (index) => identity(plainText(desired[index] ?? null, context)))
  const found = new Set<number>()
  const removed = new Set<number>()
  seq.items.forEach((item, index) => {
    const written = plain(item, context)
    const at = written === undefined ? undefined : byIdentity.get(identity(written))?.shift()
    if (at === undefined) removed.add(index)
    else {
      found.add(at)
      const reported = objectOf(desired[at])
      if (isMap(item)) reconcileMap(item, insideStyle(style, seq), reported, { ...context, depth: 'references' })
    }
  })
  const added = desired.filter((_, index) => !found.has(index))
  if (removed.size > 0 || added.length > 0) context.editor.changeList(seq, pair, style, removed, added)
}

/** Two list entries have the same meaning if this is the same for both: the value, the host or the name. */
function identity(value: Json): string {
  if (!isObject(value)) return JSON.stringify(value)
  const host = domainOf(value)
  if (typeof host === 'string') return JSON.stringify(host)
  const parts = Object.entries(value).filter(([key, each]) => !isBesideNames(key) && !Array.isArray(each))
  const [only, ...others] = parts
  if (only?.[0] === 'name' && others.length === 0) return JSON.stringify(only[1])
  return JSON.stringify(parts.map(([key, each]) => [key, nameOrValue(each)]).sort())
}

const nameOrValue = (value: Json): Json => (isObject(value) && value.name !== undefined ? value.name : value)

/** Whether a node has exactly this value, with placeholders and aliases filled in. */
export function says(node: unknown, desired: Json, context: Reconciling): boolean {
  const written = plain(node, context)
  if (written === undefined) return false
  return canonicalText(written, 'as written') === canonicalText(plainText(desired, context), 'as written')
}

/** The value of a node; for an alias, that of its anchor; undefined if it is not known. */
function plain(node: unknown, context: Reconciling): Json | undefined {
  const target = isAlias(node) ? context.follow(node) : node
  return isWritten(target) && !isAlias(target) ? plainNode(target, context) : undefined
}

function plainNode(node: Node, context: Reconciling): Json | undefined {
  if (isScalar(node)) return typeof node.value === 'string' ? context.resolve(node.value) : scalarJson(node.value)
  if (isSeq(node)) {
    const items = node.items.map((item) => plain(item, context))
    return items.some((item) => item === undefined)
      ? undefined
      : items.flatMap((item) => (item === undefined ? [] : [item]))
  }
  if (!isMap(node)) return undefined
  const entries: [string, Json][] = []
  for (const pair of node.items) {
    const [key, value] = [pairKey(pair), plain(pair.value, context)]
    if (key === undefined || isMergeKey(pair) || value === undefined) return undefined
    entries.push([key, value])
  }
  return Object.fromEntries(entries)
}

const scalarJson = (value: unknown): Json | undefined =>
  value === null || typeof value === 'number' || typeof value === 'boolean' ? value : undefined

/** The value to write, without its escapes. */
function plainText(value: Json, context: Reconciling): Json {
  if (typeof value === 'string') return context.resolve(value) ?? value
  if (isList(value)) return value.map((each) => plainText(each, context))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainText(inner, context)]))
}
