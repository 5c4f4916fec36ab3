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
import { insideStyle, isMergeKey, pairKey, pairOf, type YamlDocument } from './yaml-locations.js'
import type { Style } from './yaml-text.js'

/** What contains a node. */
type AnchorHolder =
  | { readonly is: 'pair'; readonly map: YAMLMap; readonly pair: Pair; readonly style: Style }
  | { readonly is: 'item'; readonly seq: YAMLSeq; readonly alias: Alias | undefined; readonly style: Style }

/** A place that repeats an anchored node: an alias, or a mapping that merges it (`<<: *base`). */
type Repeat = { readonly is: 'alias'; readonly at: AnchorHolder } | { readonly is: 'merge'; readonly by: YAMLMap }

/** A change that preserves a place that repeats an anchored node, when that node changes. */
export type Override =
  /** The mapping gets a key of its own. */
  | { readonly is: 'member'; readonly map: YAMLMap; readonly style: Style; readonly key: string; readonly value: Json }
  /** The alias is replaced by the value that it stands for. */
  | { readonly is: 'value'; readonly at: AnchorHolder; readonly value: Json }

/** The effect of the change of one member on everything that repeats it. */
export interface Repeated {
  readonly overrides: readonly Override[]
  /**
   * What no override can prevent. `added`: other mappings would get a member that they do not have. `lost`: other mappings merge
   * a mapping that may be removed.
   */
  readonly unkept: 'added' | 'lost' | undefined
}

interface MemberChange {
  readonly part: 'whole' | 'entries'
  readonly none?: Json | undefined
  /** The new value of the whole member, if it is known. */
  readonly desired?: Json | undefined
}

const nothing: Repeated = { overrides: [], unkept: undefined }

/** What the aliases and merge keys of a text repeat. Values are as written, with their placeholders and escapes. */
export class Anchors {
  readonly #parents = new Map<Node, AnchorHolder>()
  readonly #styles = new Map<YAMLMap, Style>()
  readonly #repeats = new Map<Node, Repeat[]>()
  readonly #targets = new Map<Alias, Node>()

  constructor(documents: readonly YamlDocument[]) {
    for (const document of documents) this.#walk(document.contents, undefined, 'block', document)
  }

  #walk(node: unknown, holder: AnchorHolder | undefined, style: Style, document: YamlDocument): void {
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

  #repeatAt(at: AnchorHolder): Repeat {
    if (at.is === 'pair' && isMergeKey(at.pair)) return { is: 'merge', by: at.map }
    const outer = at.is === 'item' ? this.#parents.get(at.seq) : undefined
    return outer?.is === 'pair' && isMergeKey(outer.pair) ? { is: 'merge', by: outer.map } : { is: 'alias', at }
  }

  /**
   * What repeats a member of a mapping, if that member is new or gets another value. If only its `entries` change, the contents
   * of the remaining entries are not affected. `none`: the value that means that there is no such member, for mappings that never
   * had it.
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
      if (!parent) return joinedRepeats(found)
      node = collectionOf(parent)
      member = parent.is === 'pair' ? pairKey(parent.pair) : undefined
    }
  }

  /** What repeats a node that is removed, or a part of it. */
  ofRemoved(node: Node): Repeated {
    if (this.#repeats.size === 0) return nothing
    const isMerged = this.#of(node).some(({ is }) => is === 'merge')
    return joinedRepeats([
      this.#ofWhole(node),
      this.#ofInner(node),
      { overrides: [], unkept: isMerged ? 'lost' : undefined },
    ])
  }

  /** The value that a mapping merges under a key that it does not have itself, or undefined. */
  inherited(map: YAMLMap, key: string): Json | undefined {
    const source = this.#sources(map).find((each) => this.#has(each, key))
    return source && this.#member(source, key)
  }

  /** The pair of the nearest mapping around a place: a change at the place changes the value of the pair. */
  pairAround(at: AnchorHolder): { readonly map: YAMLMap; readonly key: string | undefined } | undefined {
    if (at.is === 'pair') return { map: at.map, key: pairKey(at.pair) }
    const outer = this.#parents.get(at.seq)
    return outer && this.pairAround(outer)
  }

  #of = (node: Node): readonly Repeat[] => this.#repeats.get(node) ?? []

  #ofWhole(target: Node): Repeated {
    return joinedRepeats(
      this.#of(target).flatMap((repeat) => {
        if (repeat.is === 'alias' || !isMap(target)) return [this.#kept(repeat, target, undefined)]
        return this.#keys(target).map((key) => this.#kept(repeat, target, key))
      }),
    )
  }

  /** The effect on mappings that merge another one, if that one gets the desired value. */
  #ofMerged(map: YAMLMap, desired: Json): Repeated {
    const mergers = this.#of(map).flatMap((repeat) => (repeat.is === 'merge' ? [repeat.by] : []))
    if (mergers.length === 0) return nothing
    if (!isObject(desired) || Object.keys(desired).length === 0) return { overrides: [], unkept: 'lost' }
    const isNew = (key: string) => !this.#has(map, key) && mergers.some((by) => !this.#has(by, key))
    return { overrides: [], unkept: Object.keys(desired).some(isNew) ? 'added' : undefined }
  }

  /** The effect on what repeats anchors inside a value, which may be removed with the value. */
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
    return joinedRepeats(found)
  }

  #isInside(node: Node, outer: Node): boolean {
    for (let parent = this.#parents.get(node); parent; ) {
      const around = collectionOf(parent)
      if (around === outer) return true
      parent = this.#parents.get(around)
    }
    return false
  }

  /** The change that preserves a place that repeats a target, if a member of the target changes. */
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

  /** The mappings that a mapping merges; the one that takes precedence comes first. */
  #sources(map: YAMLMap): readonly YAMLMap[] {
    return map.items.filter(isMergeKey).flatMap(({ value }) => {
      const list: readonly unknown[] = isSeq(value) ? value.items : [value]
      return list.map((each) => (isAlias(each) ? this.#targets.get(each) : each)).filter(isMap)
    })
  }

  #has = (map: YAMLMap, key: string): boolean =>
    pairOf(map, key) !== undefined || this.#sources(map).some((source) => this.#has(source, key))

  #keys(map: YAMLMap): readonly string[] {
    const own = map.items.filter((pair) => !isMergeKey(pair)).flatMap((pair) => pairKey(pair) ?? [])
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

const collectionOf = (holder: AnchorHolder): YAMLMap | YAMLSeq => (holder.is === 'pair' ? holder.map : holder.seq)

function joinedRepeats(found: readonly Repeated[]): Repeated {
  const unkept = found.map((each) => each.unkept)
  return {
    overrides: found.flatMap(({ overrides }) => overrides),
    unkept: unkept.find((each) => each === 'lost') ?? unkept.find((each) => each !== undefined),
  }
}
