import {
  type Alias,
  isCollection,
  isNode,
  isScalar,
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Json } from '../../json/json.js'
import { isList, isObject, parseJson } from '../../json/json.js'
import { columnOf, lineStart, nextLine, type Splice } from './splice.js'
import { colonAfter, dashOf, endOf, insideStyle, isWritten, startOf } from './yaml-locations.js'
import { behindKey, inlineJson, inlineText, itemText, pairText, type Style } from './yaml-text.js'

/** Collects the replacements that change a YAML text in place: whatever is not named keeps its bytes. */
export class TextEditor {
  readonly text: string
  readonly splices: Splice[] = []
  readonly #inlineText: (value: Json) => string
  readonly #newPairs = new Map<YAMLMap, { readonly style: Style; readonly values: Map<string, Json> }>()

  constructor(text: string) {
    this.text = text
    this.#inlineText = isObject(parseJson(text)) ? inlineJson : inlineText
  }

  /** Adds a key to a mapping that has it not; what is added twice is put together. */
  addPair(map: YAMLMap, style: Style, key: string, value: Json): void {
    const known = this.#newPairs.get(map) ?? { style, values: new Map<string, Json>() }
    known.values.set(key, joined(known.values.get(key), value))
    this.#newPairs.set(map, known)
  }

  /** Gives an existing key another value. */
  replaceValue(pair: Pair, style: Style, value: Json): void {
    const node = pair.value
    const inline = style === 'flow' ? this.#inlineText(value) : behindKey(value)
    if (!isWritten(node)) this.#fillIn(pair, inline, value)
    else if (inline !== undefined && isOnItsLine(node)) this.#replace(startOf(node), node.range?.[1] ?? 0, inline)
    else this.#replaceBlock(pair, node, inline, value)
  }

  #fillIn(pair: Pair, inline: string | undefined, value: Json): void {
    const at = colonAfter(pair, this.text)
    const [comment = ''] = /^[ \t]*#[^\r\n]*/.exec(this.text.slice(at)) ?? []
    // A comment of the key stays in its line.
    const behind = inline === undefined ? at + comment.length : at
    this.#replace(behind, behind, inline === undefined ? this.#blockAfterKey(pair, value) : ` ${inline}`)
  }

  #replaceBlock(pair: Pair, node: Node, inline: string | undefined, value: Json): void {
    const { text } = this
    const end = endOf(pair, text)
    const endsLine = text[end - 1] === '\n'
    const lineEnd = text.indexOf('\n', end)
    const rest = endsLine ? '' : text.slice(end, lineEnd === -1 ? text.length : lineEnd).trim()
    // A comment behind the old value would become part of a block scalar.
    const isSafe = rest === '' || isObject(value) || Array.isArray(value)
    const anchor = 'anchor' in node && node.anchor ? ` &${node.anchor}` : ''
    const oneLine = inline ?? (isSafe ? undefined : this.#inlineText(value))
    if (oneLine !== undefined && isOnItsLine(node)) {
      this.#replace(startOf(node), end, oneLine)
      return
    }
    const colon = colonAfter(pair, text)
    const lines = oneLine === undefined ? this.#blockAfterKey(pair, value) : `${anchor} ${oneLine}`
    const after = lines.replace(/$/m, this.#commentsBefore(node, colon))
    this.#replace(colon, end, endsLine ? `${after}\n` : after)
  }

  /** The comments behind a key, and behind the `|` or `>` of its text: they stay. */
  #commentsBefore(node: Node, colon: number): string {
    const start = startOf(node)
    const isBelow = isCollection(node) && !isOnItsLine(node)
    const end = isOnItsLine(node) ? start : nextLine(this.text, isBelow ? colon : start)
    return (this.text.slice(colon, end).match(/(?<=\s)#[^\r\n]*/g) ?? []).map((each) => ` ${each}`).join('')
  }

  /** What stands behind the colon of a value of several lines; without the last line end. */
  #blockAfterKey({ key, value: old }: Pair, value: Json): string {
    const column = columnOf(this.text, startOf(key))
    const anchor = isNode(old) && 'anchor' in old ? old.anchor : undefined
    return pairText('k', value, column, anchor)
      .slice(column + 2)
      .trimEnd()
  }

  removePair(map: YAMLMap, pair: Pair, style: Style): void {
    if (insideStyle(style, map) === 'flow') this.#removeBetween(map.items, map.items.indexOf(pair))
    else this.#removeLines(map, pair)
  }

  #removeLines(map: YAMLMap, pair: Pair): void {
    const { text } = this
    const start = startOf(pair.key)
    const begin = lineStart(text, start)
    const end = nextLine(text, endOf(pair, text))
    if (text.slice(begin, start).trim() === '') this.#replace(begin, end, '')
    else this.#removeFirst(map, pair, start)
  }

  /** The first pair behind a "-": the next one takes its place. */
  #removeFirst(map: YAMLMap, pair: Pair, start: number): void {
    const next = map.items[map.items.indexOf(pair) + 1]
    if (next) this.#replace(start, startOf(next.key), '')
    else this.#replace(start, endOf(pair, this.text), '{}')
  }

  #removeBetween(items: readonly unknown[], index: number): void {
    const { text } = this
    const start = (item: unknown) => startOf(isPairLike(item) ? item.key : item)
    const [item, next, before] = [items[index], items[index + 1], items[index - 1]]
    const [begin, end] = [start(item), endOf(item, text)]
    const from = next === undefined && before !== undefined ? endOf(before, text) : begin
    const to = next === undefined ? end : start(next)
    const around = text.slice(from, begin) + text.slice(end, to)
    const hasComment = around.includes('#') || /^[ \t]*,?[ \t]*#/.test(text.slice(end))
    if (hasComment) this.#removeWithComment(begin, end)
    else this.#replace(from, to, '')
  }

  /** Between brackets, a comment in the line of an entry is about that; any other one is not. */
  #removeWithComment(start: number, end: number): void {
    const { text } = this
    const [behind = ''] = /^[ \t]*,?[ \t]*(?:#[^\r\n]*)?/.exec(text.slice(end)) ?? []
    const begin = lineStart(text, start)
    const isLine = text.slice(begin, start).trim() === '' && /^[\r\n]/.test(text.slice(end + behind.length))
    this.#replace(isLine ? begin : start, isLine ? nextLine(text, end + behind.length) : end + behind.length, '')
  }

  /** Takes entries out of a list and puts others behind it; the list itself is a value of `pair`. */
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
    for (const index of removed) this.#removeItem(seq, index, style)
    if (added.length > 0) this.#addItems(seq, style, added)
  }

  #removeItem(seq: YAMLSeq, index: number, style: Style): void {
    const dash = dashOf(seq, index)
    if (insideStyle(style, seq) === 'flow' || dash === undefined) {
      this.#removeBetween(seq.items, index)
      return
    }
    const { text } = this
    const item = seq.items[index]
    const end = nextLine(text, isWritten(item) ? endOf(item, text) : dash + 1)
    this.#replace(text.slice(lineStart(text, dash), dash).trim() === '' ? lineStart(text, dash) : dash, end, '')
  }

  #addItems(seq: YAMLSeq, style: Style, added: readonly Json[]): void {
    const first = dashOf(seq, 0)
    if (insideStyle(style, seq) === 'flow' || first === undefined) {
      const at = endOf(seq.items.at(-1), this.text)
      this.#replace(at, at, added.map((value) => `, ${this.#inlineText(value)}`).join(''))
      return
    }
    const column = columnOf(this.text, first)
    // A list may stand in the column of its key: its entries come before the next key all the same.
    const lines = added.map((value) => itemText(value, column)).join('')
    this.#insertLines(endOf(seq, this.text), lines, 2 * column + 1)
  }

  /** Replaces a value in a list. */
  replaceItem(node: Scalar | Alias, style: Style, value: Json): void {
    const [start = 0, end = 0] = node.range ?? []
    const column = columnOf(this.text, start)
    const text =
      style === 'flow'
        ? this.#inlineText(value)
        : itemText(value, column - 2)
            .slice(column)
            .trimEnd()
    this.#replace(start, end, text)
  }

  #insertLines(after: number, lines: string, depth: number): void {
    const at = nextLine(this.text, after)
    const needsBreak = at === this.text.length && !this.text.endsWith('\n')
    this.splices.push({ start: at, end: at, text: needsBreak ? `\n${lines}` : lines, depth })
  }

  #replace(start: number, end: number, text: string): void {
    this.splices.push({ start, end, text })
  }

  /** Takes out a stretch of lines, or puts some there. */
  replaceLines(start: number, end: number, text: string): void {
    this.#replace(start, end, text)
  }

  /** To be called once, when everything else is said. */
  finish(): readonly Splice[] {
    for (const [map, { style, values }] of this.#newPairs) this.#insertPairs(map, style, values)
    this.#newPairs.clear()
    return this.splices
  }

  #insertPairs(map: YAMLMap, style: Style, values: ReadonlyMap<string, Json>): void {
    const last = map.items.at(-1)
    if (insideStyle(style, map) === 'flow' || !last) {
      this.#insertInline(map, last, values)
      return
    }
    const column = columnOf(this.text, startOf(map.items[0]?.key))
    const lines = [...values].map(([key, value]) => pairText(key, value, column)).join('')
    this.#insertLines(endOf(last, this.text), lines, 2 * column)
  }

  #insertInline(map: YAMLMap, last: Pair | undefined, values: ReadonlyMap<string, Json>): void {
    const pairs = this.#inlineText(Object.fromEntries(values)).slice(1, -1)
    const at = last ? endOf(last, this.text) : startOf(map) + 1
    this.#replace(at, at, last ? `, ${pairs}` : pairs)
  }
}

/** Plain and quoted texts, aliases and brackets can be exchanged in their line. */
function isOnItsLine(node: unknown): boolean {
  if (isCollection(node)) return node.flow === true
  return !(isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED))
}

const isPairLike = (item: unknown): item is Pair => typeof item === 'object' && item !== null && 'key' in item

/** Two values for one new key: lists are put together, and so are mappings. */
function joined(known: Json | undefined, added: Json): Json {
  if (known === undefined) return added
  if (isList(known) && isList(added)) return [...known, ...added]
  if (!isObject(known) || !isObject(added)) return added
  const result: Record<string, Json> = { ...known }
  for (const [key, value] of Object.entries(added)) result[key] = joined(known[key], value)
  return result
}
