import {
  type Alias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Json } from '../../json/json.js'
import { isList, isObject, parseJson, someText } from '../../json/json.js'
import { columnOf, lineStart, nextLine, type Splice } from './splice.js'
import { colonAfter, dashOf, endOf, insideStyle, isWritten, startOf, startOfPair } from './yaml-locations.js'
import { behindKey, inlineJson, inlineText, itemText, pairText, type Style } from './yaml-text.js'

/** Collects the replacements that change a YAML text in place: everything else keeps its bytes. */
export class TextEditor {
  readonly text: string
  readonly splices: Splice[] = []
  readonly #inlineText: (value: Json) => string
  readonly #maps = new Map<YAMLMap, MapChange>()

  constructor(text: string) {
    this.text = text
    this.#inlineText = isObject(parseJson(text)) ? inlineJson : inlineText
  }

  /** Adds a key to a mapping that does not have it; two values for the same key are merged. */
  addPair(map: YAMLMap, style: Style, key: string, value: Json): void {
    const { added } = this.#changeOf(map, style)
    added.set(key, joinedValues(added.get(key), value))
  }

  removePair(map: YAMLMap, pair: Pair, style: Style): void {
    this.#changeOf(map, style).removed.add(map.items.indexOf(pair))
  }

  /** Removals and additions depend on each other: all changes of a mapping are written at once, at the end. */
  #changeOf(map: YAMLMap, style: Style): MapChange {
    const known = this.#maps.get(map) ?? { style, removed: new Set(), added: new Map() }
    this.#maps.set(map, known)
    return known
  }

  /** Gives an existing key another value. */
  replaceValue(pair: Pair, style: Style, value: Json): void {
    const node = pair.value
    const inline = style === 'flow' ? this.#inlineText(value) : this.#behindKey(pair, value)
    if (!isWritten(node)) this.#fillIn(pair, style, inline, value)
    else if (inline !== undefined && isOnItsLine(node)) {
      this.#removeTag(pair)
      // A comment between brackets stays.
      if (this.#commentsInside(node).length > 0 && inline.startsWith(this.text.charAt(startOf(node))))
        this.#replace(startOf(node), startOf(node) + 1, inline.slice(0, -1))
      else this.#replace(startOf(node), node.range?.[1] ?? 0, inline)
    } else this.#replaceBlock(pair, node, inline, value)
  }

  /** The value for the line of its key; undefined if it needs several lines. */
  #behindKey(pair: Pair, value: Json): string | undefined {
    const column = columnOf(this.text, startOfPair(pair))
    return (
      behindKey(value) ?? (this.#takesComment(value, column, endOf(pair, this.text)) ? inlineText(value) : undefined)
    )
  }

  /** Whether a comment below is indented like the lines of a text in the value: then it would become a part of that text. */
  #takesComment(value: Json, column: number, end: number): boolean {
    if (!someText(value, (each) => each.includes('\n'))) return false
    const [, indent] = /^(?:[ \t]*\r?\n)*( *)#/.exec(this.text.slice(nextLine(this.text, end))) ?? []
    return indent !== undefined && indent.length > column + 1
  }

  /** A tag describes the old value: `!!str 5`. */
  #removeTag({ srcToken }: Pair): void {
    const tag = srcToken?.sep?.find(({ type }) => type === 'tag')
    if (!tag) return
    const end = tag.offset + tag.source.length
    const [gap = ''] = /^[ \t]*/.exec(this.text.slice(end)) ?? []
    this.#replace(tag.offset, end + gap.length, '')
  }

  #fillIn(pair: Pair, style: Style, inline: string | undefined, value: Json): void {
    const at = colonAfter(pair)
    if (at === undefined) {
      this.#fillInWithColon(pair, style, inline === undefined ? this.#blockAfterKey(pair, value) : ` ${inline}`)
      return
    }
    const [comment = ''] = /^[ \t]*#[^\r\n]*/.exec(this.text.slice(at)) ?? []
    if (inline !== undefined) this.#replace(at, at, ` ${inline}`)
    // A comment of the key stays in its line, behind the `|` of a text.
    else
      this.#replace(
        at,
        at + comment.length,
        this.#blockAfterKey(pair, value).replace(/$/m, () => comment),
      )
  }

  #fillInWithColon(pair: Pair, style: Style, value: string): void {
    const at = endOf(pair, this.text)
    const column = columnOf(this.text, startOfPair(pair))
    if (style === 'flow') this.#replace(at, at, `:${value}`)
    else this.#insertLines(at, `${' '.repeat(column)}:${value}\n`, 2 * column + 1)
  }

  #replaceBlock(pair: Pair, node: Node, inline: string | undefined, value: Json): void {
    const { text } = this
    const end = endOf(pair, text)
    const endsLine = text[end - 1] === '\n'
    if (inline !== undefined && isOnItsLine(node)) {
      this.#replace(startOf(node), end, inline)
      return
    }
    // A comment behind the old value would become a part of the new one.
    const [behind = ''] = endsLine ? [] : (/^[ \t]*#[^\r\n]*/.exec(text.slice(end)) ?? [])
    const anchor = 'anchor' in node && node.anchor ? ` &${node.anchor}` : ''
    const colon = colonAfter(pair) ?? endOf(pair.key, text)
    const lines = inline === undefined ? this.#blockAfterKey(pair, value) : `${anchor} ${inline}`
    const indent = `\n${' '.repeat(columnOf(text, startOfPair(pair)) + 2)}`
    const inside = isScalarJson(value) ? [] : this.#commentsInside(node).map((each) => indent + each)
    const comments = [this.#commentsBefore(node, colon), behind, ...inside].join('')
    const after = lines.replace(/$/m, () => comments)
    this.#replace(colon, end + behind.length, endsLine ? `${after}\n` : after)
  }

  /** The comments between brackets that contain nothing else. */
  #commentsInside(node: Node): readonly string[] {
    if (!isCollection(node) || !node.flow || node.items.length > 0) return []
    return this.text.slice(startOf(node), node.range?.[1]).match(/(?<=[\s[{])#[^\r\n]*/g) ?? []
  }

  /** The comments behind a key, and behind the `|` or `>` of its text: they stay. */
  #commentsBefore(node: Node, colon: number): string {
    const start = startOf(node)
    const isBelow = isCollection(node) && !isOnItsLine(node)
    const end = isOnItsLine(node) ? start : nextLine(this.text, isBelow ? colon : start)
    return (this.text.slice(colon, end).match(/(?<=\s)#[^\r\n]*/g) ?? []).map((each) => ` ${each}`).join('')
  }

  /** The text behind the colon for a value of several lines, without the last line end. */
  #blockAfterKey(pair: Pair, value: Json): string {
    const column = columnOf(this.text, startOfPair(pair))
    const { value: old } = pair
    const anchor = isNode(old) && 'anchor' in old ? old.anchor : undefined
    return pairText('k', value, column, anchor)
      .slice(column + 2)
      .trimEnd()
  }

  #changeMap(map: YAMLMap, { style, removed, added }: MapChange): void {
    if (insideStyle(style, map) === 'flow' || map.items.length === 0) {
      const pairs = added.size === 0 ? '' : this.#inlineText(Object.fromEntries(added)).slice(1, -1)
      this.#changeFlow(map, removed, pairs)
      return
    }
    for (const index of removed) this.#removeLines(map, index, removed)
    if (added.size === 0) return
    const column = columnOf(this.text, startOfPair(map.items[0]))
    const end = endOf(map.items.at(-1), this.text)
    const lines = [...added].map(([key, value]) =>
      this.#takesComment(value, column, end)
        ? `${' '.repeat(column)}${inlineText({ [key]: value }).slice(1, -1)}\n`
        : pairText(key, value, column),
    )
    this.#insertLines(end, lines.join(''), 2 * column)
  }

  #removeLines({ items }: YAMLMap, index: number, removed: ReadonlySet<number>): void {
    const { text } = this
    const pair = items[index]
    const start = startOfPair(pair)
    const begin = lineStart(text, start)
    const end = nextLine(text, endOf(pair, text))
    if (text.slice(begin, start).trim() === '') {
      this.#replace(begin, end, '')
      return
    }
    // If the first pair behind a "-" is removed, the next remaining one takes its place.
    const next = items.find((_, each) => each > index && !removed.has(each))
    if (next) this.#replace(start, startOfPair(next), '')
    else this.#replace(start, endOf(pair, text), '{}')
  }

  /** Removes entries between brackets, and adds others, as given, behind the remaining ones. */
  #changeFlow(node: YAMLMap | YAMLSeq, removed: ReadonlySet<number>, added: string): void {
    const { text } = this
    const { items } = node
    const last = items.findLastIndex((_, index) => !removed.has(index))
    if (last === -1) {
      const [open, close] = [startOf(node) + 1, (node.range?.[1] ?? 0) - 1]
      this.#replace(open, items.length === 0 ? open : close, added)
      return
    }
    const at = endOf(items[last], text)
    if (added !== '') this.#replace(at, at, `, ${added}`)
    for (const [first, final] of consecutiveRanges(removed)) this.#removeItems(items, first, final)
  }

  #removeItems(items: readonly unknown[], first: number, final: number): void {
    const { text } = this
    const [before, next] = [items[first - 1], items[final + 1]]
    const [begin, end] = [startOfItem(items[first]), endOf(items[final], text)]
    const isLast = next === undefined && before !== undefined
    const from = isLast ? endOf(before, text) : begin
    const to = next === undefined ? end : startOfItem(next)
    const between = items.slice(first, final + 1)
    const gaps = between.reduce<[number, string]>(
      ([at, found], item) => [endOf(item, text), found + text.slice(at, startOfItem(item))],
      [from, ''],
    )
    const hasComment = `${gaps[1]}${text.slice(end, to)}`.includes('#') || /^[ \t]*,?[ \t]*#/.test(text.slice(end))
    if (!hasComment) this.#replace(from, to, '')
    else for (const item of between) this.#removeWithComment(startOfItem(item), endOf(item, text))
  }

  /** Between brackets, a comment in the line of an entry belongs to the entry; any other comment does not. */
  #removeWithComment(start: number, end: number): void {
    const { text } = this
    const [behind = '', comma] = /^[ \t]*(,)?[ \t]*(?:#[^\r\n]*)?/.exec(text.slice(end)) ?? []
    const begin = lineStart(text, start)
    const isLine = text.slice(begin, start).trim() === '' && /^[\r\n]/.test(text.slice(end + behind.length))
    this.#replace(isLine ? begin : start, isLine ? nextLine(text, end + behind.length) : end + behind.length, '')
    // The comma may be below the comment.
    const [below] = comma === undefined ? (/^(?:\s|#[^\r\n]*[\r\n])*,/.exec(text.slice(end)) ?? []) : []
    if (below !== undefined) this.#replace(end + below.length - 1, end + below.length, '')
  }

  /** Removes entries of a list and adds others at its end; the list is the value of `pair`. */
  changeList(
    seq: YAMLSeq,
    pair: Pair | undefined,
    style: Style,
    removed: ReadonlySet<number>,
    added: readonly Json[],
  ): void {
    if (pair && removed.size === seq.items.length) {
      if (removed.size > 0 || added.length > 0) this.replaceValue(pair, style, [...added])
      return
    }
    const first = dashOf(seq, 0)
    if (insideStyle(style, seq) === 'flow' || first === undefined) {
      this.#changeFlow(seq, removed, added.map((value) => this.#inlineText(value)).join(', '))
      return
    }
    for (const index of removed) this.#removeItem(seq, index)
    if (added.length === 0) return
    const column = columnOf(this.text, first)
    // A list may have the same column as its key: its entries still come before the next key.
    const end = endOf(seq, this.text)
    const lines = added.map((value) =>
      this.#takesComment(value, column, end)
        ? `${' '.repeat(column)}- ${inlineText(value)}\n`
        : itemText(value, column),
    )
    this.#insertLines(end, lines.join(''), 2 * column + 1)
  }

  /** Adds entries before another one of a list; the comments above that one stay with it. */
  putBefore(seq: YAMLSeq, index: number, pair: Pair, style: Style, added: readonly Json[]): void {
    const dash = dashOf(seq, index)
    if (insideStyle(style, seq) === 'flow' || dash === undefined) {
      const at = startOfEntry(seq, index)
      this.#replace(at, at, added.map((value) => `${this.#inlineText(value)}, `).join(''))
      return
    }
    const column = columnOf(this.text, dash)
    const end = index > 0 ? this.#endOfItem(seq, index - 1) : (colonAfter(pair) ?? endOf(pair.key, this.text))
    const between = this.text.slice(nextLine(this.text, end), lineStart(this.text, dash))
    // An anchor of the list may be on a line of its own.
    const isFree = between.split('\n').every((line) => /^\s*(?:#|$)/.test(line))
    this.#insertLines(
      isFree ? end : lineStart(this.text, dash),
      added.map((value) => itemText(value, column)).join(''),
      2 * column + 1,
    )
  }

  #endOfItem(seq: YAMLSeq, index: number): number {
    const item = seq.items[index]
    return isWritten(item) ? endOf(item, this.text) : (dashOf(seq, index) ?? 0) + 1
  }

  #removeItem(seq: YAMLSeq, index: number): void {
    const { text } = this
    const dash = dashOf(seq, index) ?? 0
    const end = nextLine(text, this.#endOfItem(seq, index))
    this.#replace(text.slice(lineStart(text, dash), dash).trim() === '' ? lineStart(text, dash) : dash, end, '')
  }

  /** Replaces a value in a list. */
  replaceItem(node: Scalar | Alias, style: Style, value: Json): void {
    const [start = 0, end = 0] = node.range ?? []
    const column = columnOf(this.text, start)
    if (style === 'flow' || this.#takesComment(value, column - 2, end)) {
      this.#replace(start, end, this.#inlineText(value))
      return
    }
    // A comment stays in the first line: in the last one it may be behind a text, and become a part of it.
    const [comment = ''] = /^[ \t]+#[^\r\n]*/.exec(this.text.slice(end)) ?? []
    const lines = itemText(value, column - 2)
      .slice(column)
      .trimEnd()
    this.#replace(
      start,
      end + comment.length,
      lines.replace(/$/m, () => comment),
    )
  }

  #insertLines(after: number, lines: string, depth: number): void {
    const at = nextLine(this.text, after)
    const needsBreak = at === this.text.length && !this.text.endsWith('\n')
    this.splices.push({ start: at, end: at, text: needsBreak ? `\n${lines}` : lines, depth })
  }

  #replace(start: number, end: number, text: string): void {
    this.splices.push({ start, end, text })
  }

  /** Replaces a range of lines. */
  replaceLines(start: number, end: number, text: string): void {
    this.#replace(start, end, text)
  }

  /** It is called once, after all other changes. */
  finish(): readonly Splice[] {
    for (const [map, change] of this.#maps) this.#changeMap(map, change)
    this.#maps.clear()
    return this.splices
  }
}

const isScalarJson = (value: Json): boolean => !isList(value) && !isObject(value)

/** The changes of a mapping: the removed pairs, by their positions, and the added ones. */
interface MapChange {
  readonly style: Style
  readonly removed: Set<number>
  readonly added: Map<string, Json>
}

/** Ranges of consecutive numbers, each with its first and last number. */
function consecutiveRanges(numbers: ReadonlySet<number>): readonly (readonly [number, number])[] {
  const found: [number, number][] = []
  for (const each of [...numbers].sort((one, other) => one - other)) {
    const last = found.at(-1)
    if (last && last[1] === each - 1) last[1] = each
    else found.push([each, each])
  }
  return found
}

/** Whether a node can be replaced in its line: plain and quoted texts, aliases and brackets can. */
function isOnItsLine(node: unknown): boolean {
  if (isCollection(node)) return node.flow === true
  return !(isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED))
}

/** Where an entry between brackets begins: at its tag or its anchor, if it has one. */
function startOfEntry(seq: YAMLSeq, index: number): number {
  const token = seq.srcToken?.type === 'flow-collection' ? seq.srcToken.items[index] : undefined
  const property = token?.start.find(({ type }) => type === 'anchor' || type === 'tag')
  return property?.offset ?? startOfItem(seq.items[index])
}

const startOfItem = (item: unknown): number => (isPair(item) ? startOfPair(item) : startOf(item))

/** Merges two values for one new key: lists are appended, and mappings are merged. */
function joinedValues(known: Json | undefined, added: Json): Json {
  if (known === undefined) return added
  if (isList(known) && isList(added)) return [...known, ...added]
  if (!isObject(known) || !isObject(added)) return added
  const result: Record<string, Json> = { ...known }
  for (const [key, value] of Object.entries(added)) result[key] = joinedValues(known[key], value)
  return result
}
