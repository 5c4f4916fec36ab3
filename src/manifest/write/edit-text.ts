import { isAlias, isMap, isScalar, isSeq, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'
import { documentName } from '../../catalog/shapes.js'
import { asList, isObject, type Json, type JsonObject } from '../../json/json.js'
import { Anchors, type Override, type Repeated } from './anchors.js'
import type { Edit, EditContext, Edited, SetEdit } from './edit.js'
import { type Reconciling, reconcile, says } from './reconcile.js'
import { inLinesOf, nextLine, spliced } from './splice.js'
import { TextEditor } from './text-editor.js'
import {
  type DocumentRange,
  insideStyle,
  isWritten,
  type Location,
  type Locations,
  locationsIn,
  pairKey,
  pairOf,
  startOf,
} from './yaml-locations.js'
import type { Style } from './yaml-text.js'

/**
 * Makes edits in a text. Only the nodes that they name change; comments, order, anchors and layout stay. What repeats such a node
 * by its anchor gets a value of its own: the old one.
 */
export function editText(text: string, edits: readonly Edit[], context: EditContext): Edited {
  const session = new TextEdits(text, context)
  for (const edit of edits) session.take(edit)
  return session.finish()
}

class TextEdits {
  readonly #text: string
  readonly #context: EditContext
  readonly #locations: Locations
  readonly #editor: TextEditor
  readonly #anchors: Anchors
  readonly #lost: Edit[] = []
  readonly #shared: Edit[] = []
  readonly #overrides: Override[] = []
  readonly #changed = new Map<YAMLMap, Set<string>>()
  readonly #kept: { edit: Edit; offset: number }[] = []
  readonly #replaced: { edit: Edit; offset: number; placeholder: string }[] = []
  readonly #names = new Map<Location, Record<string, Json>>()
  readonly #lists = new Map<YAMLSeq, ListChange>()
  readonly #documents = new Set<number>()

  constructor(text: string, context: EditContext) {
    this.#text = text
    this.#context = context
    this.#locations = locationsIn(text)
    this.#anchors = new Anchors(this.#locations.documents)
    this.#editor = new TextEditor(text)
  }

  take(edit: Edit): void {
    const location = this.#locations.byStart.get(edit.at)
    if (!location) {
      this.#lost.push(edit)
      return
    }
    if (!isAtHome(location, this.#context.fieldAt(edit.at))) {
      this.#shared.push(edit)
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
        this.#remove(location, edit)
        return
    }
  }

  #set(location: Location, edit: SetEdit): void {
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
      this.#add(home.map, location.style, { key: field, value: edit.whole }, edit)
      return
    }
    const from: MapEntry = { map: home.map, pair, style: insideStyle(location.style, home.map) }
    const target = this.#follow(from, members)
    if (target === 'not-there') this.#replaceWhole({ ...from, style: home.style }, edit)
    else if ('pair' in target) this.#reconcile(target, edit, edit.value)
    else this.#add(target.map, target.style, { key: target.key, value: edit.value }, edit)
  }

  #add(map: YAMLMap, style: Style, { key, value }: { readonly key: string; readonly value: Json }, edit: Edit): void {
    if (this.#mayChange(map, key, edit, 'whole')) this.#editor.addPair(map, style, key, value)
  }

  #follow(from: MapEntry, members: readonly string[]): MapEntry | MissingEntry | 'not-there' {
    let target: MapEntry | MissingEntry = from
    for (const [index, member] of members.entries()) {
      if (!('pair' in target) || !isMap(target.pair.value)) return 'not-there'
      const map: YAMLMap = target.pair.value
      const pair = pairOf(map, member)
      if (!pair && index < members.length - 1) return 'not-there'
      const { style }: MapEntry = target
      target = pair ? { map, pair, style: insideStyle(style, map) } : { map, key: member, style }
    }
    return target
  }

  /** Whether a member may change without a change of others; the overrides that preserve the others are remembered. */
  #mayChange(map: YAMLMap, key: string, edit: Edit, part: 'whole' | 'entries', desired?: Json): boolean {
    const none = this.#context.newMembers === 'never' ? undefined : noneFor(edit)
    return this.#keeps(this.#anchors.ofMember(map, key, { part, none, desired }), { map, key }, edit)
  }

  #keeps(
    { overrides, unkept }: Repeated,
    changed: { readonly map: YAMLMap; readonly key: string } | undefined,
    edit: Edit,
  ): boolean {
    if (unkept === 'lost' || (unkept === 'added' && this.#context.newMembers === 'never')) {
      this.#shared.push(edit)
      return false
    }
    this.#overrides.push(...overrides)
    if (changed) this.#markChanged(changed.map, changed.key)
    return true
  }

  #markChanged(map: YAMLMap, key: string): void {
    const keys = this.#changed.get(map) ?? new Set()
    this.#changed.set(map, keys.add(key))
  }

  #reconcile({ map, pair, style }: MapEntry, edit: Extract<Edit, { is: 'set' | 'rename' }>, desired: Json): void {
    const { value } = pair
    const isPlaceholder = isScalar(value) && typeof value.value === 'string' && value.value.includes('${')
    if (edit.is === 'set' && edit.secrecy === 'secret' && (isPlaceholder || isAlias(value))) {
      this.#kept.push({ edit, offset: value.range?.[0] ?? 0 })
      return
    }
    const context: Reconciling = {
      editor: this.#editor,
      depth: edit.is === 'set' ? edit.depth : 'exact',
      resolve: this.#context.resolve,
      follow: this.#locations.follow,
      replacing: (placeholder, offset) => {
        this.#replaced.push({ edit, offset, placeholder })
      },
    }
    if (says(value, desired, context) || !this.#mayChange(map, pairKey(pair) ?? '', edit, 'whole', desired)) return
    reconcile(pair, style, desired, context)
  }

  /** If an alias or a placeholder stands for the whole, a member cannot be changed alone: a secret next to it would be lost. */
  #replaceWhole(at: MapEntry, edit: SetEdit): void {
    if (edit.secrecy === 'beside a secret' && isWritten(at.pair.value)) this.#shared.push(edit)
    else this.#reconcile(at, edit, edit.whole)
  }

  #rename(location: Location, edit: Extract<Edit, { is: 'rename' }>): void {
    if (!isMap(location.node)) {
      this.#bareNames.set(location, edit.name)
      return
    }
    const metadata = pairOf(location.node, 'metadata')?.value
    const home = edit.word === 'name' ? this.#contents(location) : 'missing'
    const naming = this.#context.namingAt(edit.at) ?? 'name'
    if (isMap(metadata)) this.#renameIn(metadata, edit.word, location.style, edit)
    if (typeof home !== 'string') this.#renameIn(home.map, naming, location.style, edit)
  }

  #renameIn(map: YAMLMap, word: string, style: Style, edit: Extract<Edit, { is: 'rename' }>): void {
    const pair = pairOf(map, word)
    // The name of a parent may be written next to its id.
    if (isMap(pair?.value)) this.#renameIn(pair.value, 'name', style, edit)
    else if (pair) this.#reconcile({ map, pair, style }, edit, edit.name)
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
    if (!this.#mayChange(home.map, edit.field, edit, 'entries')) return
    const pair = pairOf(home.map, edit.field)
    if (!pair) {
      const inherited = this.#inherited(home.map, edit.field)
      this.#editor.addPair(home.map, location.style, edit.field, [...inherited, edit.value])
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

  /** The entries of a list that a mapping merges, when the mapping first gets a list of its own. */
  #inherited(map: YAMLMap, field: string): readonly Json[] {
    const key = `${startOf(map)} ${field}`
    if (this.#ownLists.has(key)) return []
    this.#ownLists.add(key)
    return asList(this.#anchors.inherited(map, field))
  }

  readonly #ownLists = new Set<string>()

  readonly #emptyLists = new Map<Pair, { style: Style; values: Json[]; whole: Json; isNothing: boolean }>()

  #remove({ node, holder, style }: Location, edit: Edit): void {
    if (holder.is === 'document') {
      this.#documents.add(holder.index)
      return
    }
    const list = holder.is === 'item' && holder.of.is === 'pair' ? holder.of : undefined
    const { map, pair } = holder.is === 'pair' ? holder : { map: list?.map, pair: list?.pair }
    if (!this.#keeps(this.#anchors.ofRemoved(node), undefined, edit)) return
    if (map && pair && !this.#mayChange(map, pairKey(pair) ?? '', edit, 'entries')) return
    if (holder.is === 'pair') this.#editor.removePair(holder.map, holder.pair, style)
    else this.#list(holder.seq, pair, style).removed.add(holder.index)
  }

  #list(seq: YAMLSeq, pair: Pair | undefined, style: Style): ListChange {
    const known = this.#lists.get(seq) ?? { pair, style, removed: new Set<number>(), added: [] }
    this.#lists.set(seq, known)
    return known
  }

  /** The mapping with the fields of an object: the object itself, or the `spec` of a document. */
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

  /** A child that is only a name becomes a mapping. */
  #extendName(location: Location, field: string, value: Json): void {
    this.#names.set(location, { ...this.#names.get(location), [field]: value })
  }

  finish(): Edited {
    const editor = this.#editor
    for (const [location, fields] of this.#specs) this.#writeSpec(location, fields)
    for (const [location, name] of this.#bareNames) {
      if (!this.#names.has(location)) this.#replaceName(location, name)
    }
    for (const [location, fields] of this.#names) this.#writeName(location, fields)
    for (const [pair, { style, values, whole, isNothing }] of this.#emptyLists) {
      editor.replaceValue(pair, style, isNothing ? values : whole)
    }
    for (const [seq, { pair, style, removed, added }] of this.#lists)
      editor.changeList(seq, pair, style, removed, added)
    this.#keepOthers()
    const isLeft = this.#removeDocuments()
    const text = isLeft ? spliced(this.#text, inLinesOf(this.#text, editor.finish())) : undefined
    return { text, kept: this.#kept, lost: this.#lost, shared: this.#shared, replaced: this.#replaced }
  }

  /** What repeats a changed node gets a value of its own, unless an edit has given it one. */
  #keepOthers(): void {
    for (const override of this.#overrides) {
      const place = override.is === 'member' ? override : this.#anchors.pairAround(override.at)
      if (place?.key !== undefined && this.#changed.get(place.map)?.has(place.key)) continue
      if (place?.key !== undefined && override.is === 'member') this.#markChanged(place.map, place.key)
      this.#write(override)
    }
  }

  #write(override: Override): void {
    if (override.is === 'member') this.#editor.addPair(override.map, override.style, override.key, override.value)
    else if (override.at.is === 'pair') this.#editor.replaceValue(override.at.pair, override.at.style, override.value)
    else if (override.at.alias) this.#editor.replaceItem(override.at.alias, override.at.style, override.value)
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
    this.#replaceName(location, {
      [naming]: this.#bareNames.get(location) ?? String(location.node.value),
      ...fields,
    })
  }

  /** A single name in the place of a list is a list of one. */
  #replaceName({ node, holder, style }: Location, value: Json): void {
    if (!isScalar(node)) return
    if (holder.is === 'pair') this.#editor.replaceValue(holder.pair, style, isObject(value) ? [value] : value)
    else this.#editor.replaceItem(node, style, value)
  }

  /** Removes documents; returns whether any document is left. */
  #removeDocuments(): boolean {
    const { documentRanges } = this.#locations
    if (this.#documents.size === 0) return true
    if (this.#documents.size >= documentRanges.length) return false
    let before: DocumentRange | undefined
    for (const [index, range] of documentRanges.entries()) {
      if (this.#documents.has(index)) {
        this.#editor.replaceLines(range.start, range.end, '')
        continue
      }
      if (this.#documents.has(index - 1)) this.#separate(before, range)
      before = range
    }
    return true
  }

  /** Separates a document from the one before it after the documents between them are removed. */
  #separate(before: DocumentRange | undefined, { start, mark }: DocumentRange): void {
    if (before) {
      const needed = mark === undefined ? '---\n' : '...\n'
      if (mark !== start && !before.isEnded) this.#editor.replaceLines(start, start, needed)
      return
    }
    // If the first document of a file had no mark, the file keeps its leading comment, and the new first document gets no mark
    // either.
    const behind = mark === undefined ? mark : nextLine(this.#text, mark + 1)
    const isBare = mark === start && this.#text.slice(start, behind).trim() === '---'
    if (isBare && this.#locations.documentRanges[0]?.mark === undefined)
      this.#editor.replaceLines(start, behind ?? start, '')
  }
}

/**
 * Whether an object is written where it belongs. What an alias takes from elsewhere, such as the metadata, is not its own text.
 */
function isAtHome({ holder }: Location, field: string | undefined): boolean {
  if (holder.is === 'document') return true
  const around = holder.is === 'item' ? holder.of : holder
  return around.is === 'pair' && documentName(pairKey(around.pair) ?? '') === documentName(field ?? '')
}

/** The value that means that there are no such children. A field has no such value. */
function noneFor(edit: Edit): Json | undefined {
  if (edit.is === 'append') return []
  return edit.is === 'set' && edit.of === 'child' ? null : undefined
}

interface ListChange {
  readonly pair: Pair | undefined
  readonly style: Style
  readonly removed: Set<number>
  readonly added: Json[]
}

/** A member of a mapping, and the style of what is in it. */
interface MapEntry {
  readonly map: YAMLMap
  readonly pair: Pair
  readonly style: Style
}

interface MissingEntry {
  readonly map: YAMLMap
  readonly key: string
  readonly style: Style
}
