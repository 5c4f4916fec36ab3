import { isAlias, isMap, isScalar, isSeq, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'
import type { Json, JsonObject } from '../../json/json.js'
import { type Depth, reconcile } from './reconcile.js'
import { nextLine, type Splice, spliced } from './splice.js'
import { TextEditor } from './text-editor.js'
import { insideStyle, isWritten, type Location, type Locations, locationsIn, pairOf } from './yaml-locations.js'
import type { Style } from './yaml-text.js'

/** One change to what a manifest says; `at` is where its object begins in the text, as the reader remembers it. */
export type Edit =
  /** Writes a value at a path of field and member names; `whole` is the field in full, where only that can be written. */
  | {
      readonly is: 'set'
      readonly at: number
      readonly path: readonly string[]
      readonly value: Json
      readonly whole: Json
      readonly depth: Depth
      readonly secrecy: 'secret' | 'open'
    }
  /** Puts an owned child behind its siblings; `whole` is the list in full. */
  | { readonly is: 'append'; readonly at: number; readonly field: string; readonly value: Json; readonly whole: Json }
  /** Gives the object another name (`word` is "name"), or says the new name of what it lies in. */
  | { readonly is: 'rename'; readonly at: number; readonly word: string; readonly name: string }
  /** Takes the object out. */
  | { readonly is: 'remove'; readonly at: number }

export interface Edited {
  /** Undefined where nothing is left to be said. */
  readonly text: string | undefined
  /** Secrets whose placeholder has another value than the live one: they are kept. */
  readonly kept: readonly { readonly edit: Edit; readonly offset: number }[]
  /** Edits of objects that do not stand where they were said to. */
  readonly lost: readonly Edit[]
  /** Placeholders that gave way to the live value. */
  readonly replaced: readonly { readonly edit: Edit; readonly offset: number; readonly placeholder: string }[]
}

export interface EditContext {
  /** The naming field of the object that begins there, for children that are written as a bare name. */
  namingAt(at: number): string | undefined
  resolve(text: string): string | undefined
}

/** Brings edits into a text: only the nodes that they name change; comments, order, anchors and layout stay. */
export function editText(text: string, edits: readonly Edit[], context: EditContext): Edited {
  const session = new Session(text, context)
  for (const edit of edits) session.take(edit)
  return session.finish()
}

class Session {
  readonly #text: string
  readonly #context: EditContext
  readonly #locations: Locations
  readonly #editor: TextEditor
  readonly #lost: Edit[] = []
  readonly #kept: { edit: Edit; offset: number }[] = []
  readonly #replaced: { edit: Edit; offset: number; placeholder: string }[] = []
  readonly #names = new Map<Location, Record<string, Json>>()
  readonly #lists = new Map<YAMLSeq, ListChange>()
  readonly #documents = new Set<number>()

  constructor(text: string, context: EditContext) {
    this.#text = text
    this.#context = context
    this.#locations = locationsIn(text)
    this.#editor = new TextEditor(text)
  }

  take(edit: Edit): void {
    const location = this.#locations.byStart.get(edit.at)
    if (!location) {
      this.#lost.push(edit)
      return
    }
    switch (edit.is) {
      case 'set':
        this.#set(location, edit)
        return
      case 'append':
        this.#append(location, edit)
        return
      case 'rename':
        this.#rename(location, edit)
        return
      case 'remove':
        this.#remove(location)
        return
    }
  }

  #set(location: Location, edit: Extract<Edit, { is: 'set' }>): void {
    const home = this.#contents(location)
    const [field = '', ...members] = edit.path
    if (home === 'bare') {
      this.#extendName(location, field, edit.whole)
      return
    }
    if (home === 'missing') {
      this.#addSpec(location, { [field]: edit.whole })
      return
    }
    const pair = pairOf(home.map, field)
    if (!pair) {
      this.#editor.addPair(home.map, location.style, field, edit.whole)
      return
    }
    const target = this.#follow({ pair, map: home.map }, members, insideStyle(location.style, home.map))
    if (target === 'not-there') {
      this.#reconcile(pair, home.style, edit, edit.whole)
      return
    }
    if (target.is === 'missing') {
      this.#editor.addPair(target.map, target.style, target.key, edit.value)
      return
    }
    this.#reconcile(target.pair, target.style, edit, edit.value)
  }

  #follow(from: { pair: Pair; map: YAMLMap }, members: readonly string[], style: Style): Target | 'not-there' {
    let target: Target = { is: 'found', pair: from.pair, style }
    for (const [index, member] of members.entries()) {
      if (target.is === 'missing' || !isMap(target.pair.value)) return 'not-there'
      const map: YAMLMap = target.pair.value
      const pair = pairOf(map, member)
      const inner = insideStyle(target.style, map)
      if (!pair && index < members.length - 1) return 'not-there'
      target = pair ? { is: 'found', pair, style: inner } : { is: 'missing', map, key: member, style: target.style }
    }
    return target
  }

  #reconcile(pair: Pair, style: Style, edit: Extract<Edit, { is: 'set' | 'rename' }>, desired: Json): void {
    const { value } = pair
    const isPlaceholder = isScalar(value) && typeof value.value === 'string' && value.value.includes('${')
    if (edit.is === 'set' && edit.secrecy === 'secret' && (isPlaceholder || isAlias(value))) {
      this.#kept.push({ edit, offset: value.range?.[0] ?? 0 })
      return
    }
    reconcile(pair, style, desired, {
      editor: this.#editor,
      depth: edit.is === 'set' ? edit.depth : 'exact',
      resolve: this.#context.resolve,
      follow: this.#locations.follow,
      replacing: (placeholder, offset) => {
        this.#replaced.push({ edit, offset, placeholder })
      },
    })
  }

  #rename(location: Location, edit: Extract<Edit, { is: 'rename' }>): void {
    if (!isMap(location.node)) {
      this.#bareNames.set(location, edit.name)
      return
    }
    const metadata = pairOf(location.node, 'metadata')?.value
    const home = edit.word === 'name' ? this.#contents(location) : 'missing'
    const naming = this.#context.namingAt(edit.at) ?? 'name'
    const pairs = [
      isMap(metadata) ? pairOf(metadata, edit.word) : undefined,
      typeof home === 'string' ? undefined : pairOf(home.map, naming),
    ]
    for (const pair of pairs.filter((each) => each !== undefined)) {
      // The name of what an object lies in may stand beside its id.
      const inner = isMap(pair.value) ? pairOf(pair.value, 'name') : pair
      if (inner) this.#reconcile(inner, location.style, edit, edit.name)
    }
  }

  readonly #bareNames = new Map<Location, string>()

  #append(location: Location, edit: Extract<Edit, { is: 'append' }>): void {
    const home = this.#contents(location)
    if (home === 'bare') {
      this.#extendName(location, edit.field, [edit.value])
      return
    }
    if (home === 'missing') {
      this.#addSpec(location, { [edit.field]: [edit.value] })
      return
    }
    const pair = pairOf(home.map, edit.field)
    if (!pair) {
      this.#editor.addPair(home.map, location.style, edit.field, [edit.value])
      return
    }
    if (!isSeq(pair.value) || pair.value.items.length === 0) {
      const list = this.#emptyLists.get(pair) ?? {
        style: home.style,
        values: [],
        whole: edit.whole,
        isNothing: !isWritten(pair.value) || isSeq(pair.value),
      }
      list.values.push(edit.value)
      this.#emptyLists.set(pair, list)
      return
    }
    this.#list(pair.value, pair, home.style).added.push(edit.value)
  }

  readonly #emptyLists = new Map<Pair, { style: Style; values: Json[]; whole: Json; isNothing: boolean }>()

  #remove(location: Location): void {
    const { holder } = location
    switch (holder.is) {
      case 'document':
        this.#documents.add(holder.index)
        return
      case 'pair':
        this.#editor.removePair(holder.map, holder.pair, location.style)
        return
      case 'item': {
        const pair = holder.of.is === 'pair' ? holder.of.pair : undefined
        this.#list(holder.seq, pair, location.style).removed.add(holder.index)
      }
    }
  }

  #list(seq: YAMLSeq, pair: Pair | undefined, style: Style): ListChange {
    const known = this.#lists.get(seq) ?? { pair, style, removed: new Set<number>(), added: [] }
    this.#lists.set(seq, known)
    return known
  }

  /** The mapping that holds the fields of an object: the object itself, or the `spec` of a document. */
  #contents(location: Location): { map: YAMLMap; style: Style } | 'missing' | 'bare' {
    if (!isMap(location.node)) return 'bare'
    if (location.holder.is !== 'document')
      return { map: location.node, style: insideStyle(location.style, location.node) }
    const spec = pairOf(location.node, 'spec')?.value
    return isMap(spec) ? { map: spec, style: insideStyle(insideStyle(location.style, location.node), spec) } : 'missing'
  }

  readonly #specs = new Map<Location, JsonObject>()

  #addSpec(location: Location, fields: JsonObject): void {
    this.#specs.set(location, { ...this.#specs.get(location), ...fields })
  }

  /** A child that is written as its name alone becomes a mapping. */
  #extendName(location: Location, field: string, value: Json): void {
    this.#names.set(location, { ...this.#names.get(location), [field]: value })
  }

  finish(): Edited {
    const editor = this.#editor
    for (const [location, fields] of this.#specs) this.#writeSpec(location, fields)
    for (const [location, name] of this.#bareNames) {
      if (isScalar(location.node) && !this.#names.has(location)) editor.replaceItem(location.node, location.style, name)
    }
    for (const [location, fields] of this.#names) this.#writeName(location, fields)
    for (const [pair, { style, values, whole, isNothing }] of this.#emptyLists) {
      editor.replaceValue(pair, style, isNothing ? values : whole)
    }
    for (const [seq, { pair, style, removed, added }] of this.#lists)
      editor.changeList(seq, pair, style, removed, added)
    const isLeft = this.#removeDocuments()
    const text = isLeft ? spliced(this.#text, inLinesOf(this.#text, editor.finish())) : undefined
    return { text, kept: this.#kept, lost: this.#lost, replaced: this.#replaced }
  }

  #writeSpec(location: Location, fields: JsonObject): void {
    if (!isMap(location.node)) return
    const pair = pairOf(location.node, 'spec')
    if (pair) this.#editor.replaceValue(pair, insideStyle(location.style, location.node), fields)
    else this.#editor.addPair(location.node, location.style, 'spec', fields)
  }

  #writeName(location: Location, fields: JsonObject): void {
    if (!isScalar(location.node)) return
    const naming = this.#context.namingAt(location.node.range?.[0] ?? 0) ?? 'name'
    this.#editor.replaceItem(location.node, location.style, {
      [naming]: this.#bareNames.get(location) ?? String(location.node.value),
      ...fields,
    })
  }

  /** Whether any document is left. */
  #removeDocuments(): boolean {
    const { documentStarts: starts, contentStarts } = this.#locations
    if (this.#documents.size > 0 && this.#documents.size >= contentStarts.length) return false
    const isGone = (index: number) => this.#documents.has(index)
    for (const index of this.#documents) {
      // The first one has no mark of its own, and keeps the comment that leads the file.
      const start = starts[index] ?? contentStarts[index] ?? 0
      const next = starts[index + 1] ?? this.#text.length
      const isFirst = starts.slice(0, index).every((_, before) => isGone(before)) && starts[0] === undefined
      this.#editor.replaceLines(start, isFirst ? nextLine(this.#text, next + 1) : next, '')
    }
    return true
  }
}

/** New lines end as those of the text do. */
function inLinesOf(text: string, splices: readonly Splice[]): readonly Splice[] {
  if (!text.includes('\r\n')) return splices
  return splices.map((splice) => ({ ...splice, text: splice.text.replaceAll('\n', '\r\n') }))
}

interface ListChange {
  readonly pair: Pair | undefined
  readonly style: Style
  readonly removed: Set<number>
  readonly added: Json[]
}

type Target =
  | { readonly is: 'found'; readonly pair: Pair; readonly style: Style }
  | { readonly is: 'missing'; readonly map: YAMLMap; readonly key: string; readonly style: Style }
