import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { isObject, type Json } from '../../json/json.js'
import { insideStyle, isMergeKey, keyOf, pairOf, type YamlDocument } from './yaml-locations.js'
import type { Style } from './yaml-text.js'

/** Where a node stands. */
type Holder =
  | { readonly is: 'pair'; readonly map: YAMLMap; readonly pair: Pair; readonly style: Style }
  | { readonly is: 'item'; readonly seq: YAMLSeq; readonly alias: Alias | undefined; readonly style: Style }

/** A place that says what an anchored node says: an alias, or a mapping that merges it (`<<: *base`). */
type Repeat = { readonly is: 'alias'; readonly at: Holder } | { readonly is: 'merge'; readonly by: YAMLMap }

/** What keeps a place that repeats an anchored node as it is while that node changes. */
export type Override =
  /** The mapping gets the key for itself. */
  | { readonly is: 'member'; readonly map: YAMLMap; readonly style: Style; readonly key: string; readonly value: Json }
  /** The alias gives way to what it stands for. */
  | { readonly is: 'value'; readonly at: Holder; readonly value: Json }

/** What a change of one member means for all that repeats it. */
export interface Repeated {
  readonly overrides: readonly Override[]
  /**
   * What no override can keep: `added`, others would have a member that they do not have; `lost`, others merge a mapping
   * that may go.
   */
  readonly unkept: 'added' | 'lost' | undefined
}

export interface MemberChange {
  readonly part: 'whole' | 'entries'
  readonly none?: Json | undefined
  /** The whole that takes the place of the member, where it is known. */
  readonly desired?: Json | undefined
}

const nothing: Repeated = { overrides: [], unkept: undefined }

/** What aliases and merges of a text repeat. Values are as written: placeholders and their escapes are kept. */
export class Anchors {
  readonly #parents = new Map<Node, Holder>()
  readonly #styles = new Map<YAMLMap, Style>()
  readonly #repeats = new Map<Node, Repeat[]>()
  readonly #targets = new Map<Alias, Node>()

  constructor(documents: readonly YamlDocument[]) {
    for (const document of documents) this.#walk(document.contents, undefined, 'block', document)
  }

  #walk(node: unknown, holder: Holder | undefined, style: Style, document: YamlDocument): void {
    if (isAlias(node)) {
      const target = node.resolve(document)
      if (!target || !holder) return
      this.#targets.set(node, target)
      this.#repeats.set(target, [...(this.#repeats.get(target) ?? []), this.#repeatAt(holder)])
    } else if (isMap(node)) {
      if (holder) this.#parents.set(node, holder)
      this.#styles.set(node, style)
      const inner = insideStyle(style, node)
      for (const pair of node.items)
        this.#walk(pair.value, { is: 'pair', map: node, pair, style: inner }, inner, document)
    } else if (isSeq(node)) {
      if (holder) this.#parents.set(node, holder)
      const inner = insideStyle(style, node)
      for (const item of node.items) {
        const alias = isAlias(item) ? item : undefined
        this.#walk(item, { is: 'item', seq: node, alias, style: inner }, inner, document)
      }
    } else if (isScalar(node) && holder) this.#parents.set(node, holder)
  }

  #repeatAt(at: Holder): Repeat {
    if (at.is === 'pair' && isMergeKey(at.pair)) return { is: 'merge', by: at.map }
    const outer = at.is === 'item' ? this.#parents.get(at.seq) : undefined
    return outer?.is === 'pair' && isMergeKey(outer.pair) ? { is: 'merge', by: outer.map } : { is: 'alias', at }
  }

  /**
   * What repeats a member of a mapping that gets another value, or that is new. Where only its `entries` change, what lies
   * in those that stay is not concerned. `none`: what says that there is no such member, for those that never had it.
   */
  ofMember(map: YAMLMap, key: string, { part, none, desired }: MemberChange): Repeated {
    if (this.#repeats.size === 0) return nothing
    const value = pairOf(map, key)?.value
    const found: Repeated[] = isNode(value) ? [this.#ofWhole(value)] : []
    if (isNode(value) && part === 'whole') found.push(this.#ofInner(value))
    if (isMap(value) && desired !== undefined) found.push(this.#ofMerged(value, desired))
    let [node, member]: [Node, string | undefined] = [map, key]
    for (let parent = this.#parents.get(node); ; parent = this.#parents.get(node)) {
      const [around, word] = [node, member]
      found.push(...this.#of(around).map((repeat) => this.#kept(repeat, around, word, none)))
      if (!parent) return joined(found)
      node = collectionOf(parent)
      member = parent.is === 'pair' ? keyOf(parent.pair) : undefined
    }
  }

  /** What repeats a node that goes, or a part of it. */
  ofRemoved(node: Node): Repeated {
    if (this.#repeats.size === 0) return nothing
    const isMerged = this.#of(node).some(({ is }) => is === 'merge')
    return joined([this.#ofWhole(node), this.#ofInner(node), { overrides: [], unkept: isMerged ? 'lost' : undefined }])
  }

  /** What a mapping merges under a key that it does not have itself, or undefined. */
  inherited(map: YAMLMap, key: string): Json | undefined {
    const source = this.#sources(map).find((each) => this.#has(each, key))
    return source && this.#member(source, key)
  }

  /** The pair of the nearest mapping that a place lies in: what changes there changes its value. */
  pairAround(at: Holder): { readonly map: YAMLMap; readonly key: string | undefined } | undefined {
    if (at.is === 'pair') return { map: at.map, key: keyOf(at.pair) }
    const outer = this.#parents.get(at.seq)
    return outer && this.pairAround(outer)
  }

  #of = (node: Node): readonly Repeat[] => this.#repeats.get(node) ?? []

  #ofWhole(target: Node): Repeated {
    return joined(
      this.#of(target).flatMap((repeat) => {
        if (repeat.is === 'alias' || !isMap(target)) return [this.#kept(repeat, target, undefined)]
        return this.#keys(target).map((key) => this.#kept(repeat, target, key))
      }),
    )
  }

  /** What mappings that merge another one could not keep, once that is what is desired. */
  #ofMerged(map: YAMLMap, desired: Json): Repeated {
    const mergers = this.#of(map).flatMap((repeat) => (repeat.is === 'merge' ? [repeat.by] : []))
    if (mergers.length === 0) return nothing
    if (!isObject(desired) || Object.keys(desired).length === 0) return { overrides: [], unkept: 'lost' }
    const isNew = (key: string) => !this.#has(map, key) && mergers.some((by) => !this.#has(by, key))
    return { overrides: [], unkept: Object.keys(desired).some(isNew) ? 'added' : undefined }
  }

  /** Anchors inside a value that may go with it. */
  #ofInner(value: Node): Repeated {
    const found: Repeated[] = []
    for (const [target, repeats] of this.#repeats) {
      if (target === value || !this.#isInside(target, value)) continue
      for (const repeat of repeats) {
        const place = repeat.is === 'merge' ? repeat.by : collectionOf(repeat.at)
        if (place === value || this.#isInside(place, value)) continue
        found.push(repeat.is === 'merge' ? { overrides: [], unkept: 'lost' } : this.#kept(repeat, target, undefined))
      }
    }
    return joined(found)
  }

  #isInside(node: Node, outer: Node): boolean {
    for (let parent = this.#parents.get(node); parent; ) {
      const around = collectionOf(parent)
      if (around === outer) return true
      parent = this.#parents.get(around)
    }
    return false
  }

  /** What keeps a place as it is that repeats a target of which a member changes. */
  #kept(repeat: Repeat, target: Node, member: string | undefined, none?: Json): Repeated {
    if (repeat.is === 'alias')
      return { overrides: [{ is: 'value', at: repeat.at, value: this.#json(target) }], unkept: undefined }
    const { by } = repeat
    if (member === undefined || pairOf(by, member)) return nothing
    const source = this.#sources(by).find((each) => each === target || this.#has(each, member))
    if (source !== target) return nothing
    const value = this.inherited(by, member) ?? none
    if (value === undefined) return { overrides: [], unkept: 'added' }
    const style = this.#styles.get(by) ?? 'block'
    return { overrides: [{ is: 'member', map: by, style, key: member, value }], unkept: undefined }
  }

  /** The mappings that one merges, the one that takes precedence first. */
  #sources(map: YAMLMap): readonly YAMLMap[] {
    return map.items.filter(isMergeKey).flatMap(({ value }) => {
      const list: readonly unknown[] = isSeq(value) ? value.items : [value]
      return list.map((each) => (isAlias(each) ? this.#targets.get(each) : each)).filter(isMap)
    })
  }

  #has = (map: YAMLMap, key: string): boolean =>
    pairOf(map, key) !== undefined || this.#sources(map).some((source) => this.#has(source, key))

  #keys(map: YAMLMap): readonly string[] {
    const own = map.items.filter((pair) => !isMergeKey(pair)).flatMap((pair) => keyOf(pair) ?? [])
    return [...new Set([...own, ...this.#sources(map).flatMap((source) => this.#keys(source))])]
  }

  #member(map: YAMLMap, key: string): Json | undefined {
    const own = pairOf(map, key)
    return own ? this.#json(own.value) : this.inherited(map, key)
  }

  #json(node: unknown): Json {
    if (isAlias(node)) return this.#json(this.#targets.get(node))
    if (isSeq(node)) return node.items.map((item) => this.#json(item))
    if (isMap(node)) return Object.fromEntries(this.#keys(node).map((key) => [key, this.#member(node, key) ?? null]))
    const value: unknown = isScalar(node) ? node.value : null
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
  }
}

const collectionOf = (holder: Holder): YAMLMap | YAMLSeq => (holder.is === 'pair' ? holder.map : holder.seq)

function joined(found: readonly Repeated[]): Repeated {
  const unkept = found.map((each) => each.unkept)
  return {
    overrides: found.flatMap(({ overrides }) => overrides),
    unkept: unkept.find((each) => each === 'lost') ?? unkept.find((each) => each !== undefined),
  }
}
