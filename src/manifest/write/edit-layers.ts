import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'
import { append } from '../../json/groups.js'
import { type Json, type JsonObject, objectOf } from '../../json/json.js'
import { nested, withMember } from '../../json/pointer.js'
import { Anchors, type Repeated } from './anchors.js'
import { type Reconciling, reconcile } from './reconcile.js'
import { inLinesOf, spliced } from './splice.js'
import { TextEditor } from './text-editor.js'
import { insideStyle, type Locations, locationsIn, pairKey, pairOf } from './yaml-locations.js'
import type { Style } from './yaml-text.js'

/** Where the layers of one environment are written; without an environment, those of the project itself. */
export interface LayerHome {
  readonly environment: string | undefined
  /** `project`: in the project file; `document`: a document of kind Environment. */
  readonly form: 'project' | 'document'
}

/** One change of an environment; `index`: the position of the patch that it changes, undefined for a new patch. */
export type LayerEdit =
  | {
      readonly is: 'merge'
      readonly target: string
      readonly index: number | undefined
      readonly path: readonly string[]
      readonly value: Json
    }
  | { readonly is: 'omit'; readonly target: string; readonly index: number | undefined }
  | { readonly is: 'value'; readonly name: string; readonly value: Json }
  /** A whole patch; `ahead`: the patch that a new one comes before; undefined: the new one is the last. */
  | {
      readonly is: 'patch'
      readonly index: number | undefined
      readonly ahead: number | undefined
      readonly patch: JsonObject
    }

interface EditedLayers {
  readonly text: string
  /** Edits that would change what an anchor repeats elsewhere, or that do not find what they change. */
  readonly refused: readonly LayerEdit[]
}

/** How texts are compared with written ones: as they are, or with their placeholders filled in. */
type ReconcileInput = Pick<Reconciling, 'resolve' | 'lists'>

/** Makes edits in the text with an environment; comments, order and layout stay. */
export function editLayers(
  text: string,
  home: LayerHome,
  edits: readonly LayerEdit[],
  comparing: ReconcileInput,
): EditedLayers {
  const session = new LayerEdits(text, home, comparing)
  const refused = edits.filter((edit) => !session.take(edit))
  return { text: session.finish(), refused }
}

/** A mapping that is, or will be, the value of a key; `style`: that of its pairs. */
interface EntryHolder {
  readonly map: YAMLMap
  readonly pair: Pair | undefined
  readonly key: string
  readonly style: Style
}

class LayerEdits {
  readonly #text: string
  readonly #home: LayerHome
  readonly #locations: Locations
  readonly #anchors: Anchors
  readonly #editor: TextEditor
  readonly #context: Reconciling
  readonly #holder: EntryHolder | undefined
  /** New patches by their targets, in the order of the edits. */
  readonly #patches = new Map<string, { readonly target: string; merge?: JsonObject; omit?: true }>()
  /** New whole patches, by the patch that they come before. */
  readonly #whole = new Map<number | undefined, JsonObject[]>()
  /** What is written if there is nothing yet. */
  readonly #fresh: { values?: Record<string, Json> } = {}

  constructor(text: string, home: LayerHome, comparing: ReconcileInput) {
    this.#text = text
    this.#home = home
    this.#locations = locationsIn(text)
    this.#anchors = new Anchors(this.#locations.documents)
    this.#editor = new TextEditor(text)
    this.#holder = this.#find()
    this.#context = {
      editor: this.#editor,
      depth: 'exact',
      ...comparing,
      follow: (alias: Alias) => this.#locations.follow(alias),
      replacing: () => undefined,
    }
  }

  /** Makes an edit; returns whether that is possible. */
  take(edit: LayerEdit): boolean {
    const { pair } = this.#holder ?? {}
    if (!this.#holder || isAlias(pair?.value)) return false
    const map = isMap(pair?.value) ? pair.value : undefined
    if (edit.is === 'value') return this.#setValue(map, edit.name, edit.value)
    const list = map && pairOf(map, 'patches')
    if (edit.index !== undefined) return this.#change(map, list, edit.index, edit)
    if (isAlias(list?.value) || (map && !list && this.#anchors.inherited(map, 'patches') !== undefined)) return false
    if (map && !this.#isOwn(this.#anchors.ofMember(map, 'patches', { part: 'entries' }))) return false
    if (edit.is === 'patch') {
      append(this.#whole, edit.ahead, edit.patch)
      return true
    }
    const known = this.#patches.get(edit.target) ?? { target: edit.target }
    this.#patches.set(
      edit.target,
      edit.is === 'omit'
        ? { target: edit.target, omit: true }
        : { ...known, merge: objectOf(withMember(known.merge, edit.path, edit.value)) },
    )
    return true
  }

  /** The pair that contains the environment. */
  #find(): EntryHolder | undefined {
    const { environment, form } = this.#home
    if (form === 'document') {
      const roots = this.#locations.documents.flatMap(({ contents }) => (isMap(contents) ? [contents] : []))
      const root = roots.find((each) => metadataName(each) === environment)
      return root && holderAt(root, 'block', 'spec')
    }
    const root = this.#locations.documents[0]?.contents
    const spec = isMap(root) ? holderAt(root, 'block', 'spec') : undefined
    if (environment === undefined) return spec
    const all = below(spec, 'environments')
    return all && below(all, environment)
  }

  #isOwn({ overrides, unkept }: Repeated): boolean {
    return overrides.length === 0 && unkept === undefined
  }

  #change(map: YAMLMap | undefined, list: Pair | undefined, index: number, edit: LayerEdit): boolean {
    const patch = isSeq(list?.value) ? list.value.items[index] : undefined
    if (!map || !this.#holder || !isSeq(list?.value) || !isMap(patch) || edit.is === 'value') return false
    if (edit.is === 'patch') return this.#replace(patch, this.#styleOf(map, list.value), edit.patch)
    const style = this.#styleOf(map, list.value)
    if (edit.is === 'omit') return this.#omit(patch, style)
    if (!this.#areOwn(patch, ['merge'])) return false
    this.#setIn(patch, style, ['merge', ...edit.path], edit.value)
    return true
  }

  /** Objects that are left out cannot be changed as well, so everything else in the patch is removed. */
  #omit(patch: YAMLMap, style: Style): boolean {
    const gone = patch.items.filter((pair) => changing.has(pairKey(pair) ?? ''))
    const keys = ['omit', ...gone.flatMap((pair) => pairKey(pair) ?? [])]
    if (!this.#areOwn(patch, keys)) return false
    this.#setIn(patch, style, ['omit'], true)
    for (const pair of gone) this.#editor.removePair(patch, pair, style)
    return true
  }

  #areOwn(map: YAMLMap, keys: readonly string[]): boolean {
    return keys.every((key) => this.#isOwn(this.#anchors.ofMember(map, key, { part: 'whole' })))
  }

  #replace(map: YAMLMap, style: Style, patch: JsonObject): boolean {
    const gone = map.items.filter((pair) => !Object.hasOwn(patch, pairKey(pair) ?? ''))
    const keys = [...Object.keys(patch), ...gone.flatMap((pair) => pairKey(pair) ?? [])]
    if (!this.#areOwn(map, keys)) return false
    for (const [key, value] of Object.entries(patch)) this.#setIn(map, style, [key], value)
    for (const pair of gone) this.#editor.removePair(map, pair, style)
    return true
  }

  /** The style of the entries of a list in the environment's mapping. */
  #styleOf(map: YAMLMap, list: YAMLSeq): Style {
    return insideStyle(insideStyle(this.#holder?.style ?? 'block', map), list)
  }

  #setIn(map: YAMLMap, style: Style, [key = '', ...rest]: readonly string[], value: Json): void {
    const pair = pairOf(map, key)
    const inner = insideStyle(style, map)
    if (!pair) this.#editor.addPair(map, style, key, nested(rest, value))
    else if (rest.length > 0 && isMap(pair.value)) this.#setIn(pair.value, inner, rest, value)
    else reconcile(pair, inner, nested(rest, value), this.#context)
  }

  #setValue(map: YAMLMap | undefined, name: string, value: Json): boolean {
    if (!map) {
      this.#fresh.values = { ...this.#fresh.values, [name]: value }
      return true
    }
    const values = pairOf(map, 'values')
    if (isAlias(values?.value) || (!values && this.#anchors.inherited(map, 'values') !== undefined)) return false
    const own = isMap(values?.value) ? values.value : undefined
    const declared = own && pairOf(own, name)?.value
    // Without an environment, the declaration gives the value: as shorthand, or as its default.
    const path = this.#home.environment === undefined && isMap(declared) ? [name, 'default'] : [name]
    const [at, key] = path.length === 2 && isMap(declared) ? [declared, 'default'] : [own, name]
    if (at && !this.#areOwn(at, [key])) return false
    this.#setIn(map, this.#holder?.style ?? 'block', ['values', ...path], value)
    return true
  }

  finish(): string {
    this.#writePatches([...[...this.#patches.values()].map(asJson), ...(this.#whole.get(undefined) ?? [])])
    this.#putPatchesAhead()
    return spliced(this.#text, inLinesOf(this.#text, this.#editor.finish()))
  }

  #writePatches(patches: readonly Json[]): void {
    const holder = this.#holder
    if (!holder) return
    const { pair, style } = holder
    const map = isMap(pair?.value) ? pair.value : undefined
    if (!map) {
      const content = { ...this.#fresh, ...(patches.length > 0 && { patches }) }
      if (Object.keys(content).length === 0) return
      if (pair) this.#editor.replaceValue(pair, style, content)
      else this.#editor.addPair(holder.map, style, holder.key, content)
    } else if (patches.length > 0) {
      const list = pairOf(map, 'patches')
      const inner = insideStyle(style, map)
      if (!list) this.#editor.addPair(map, style, 'patches', patches)
      else if (isSeq(list.value) && list.value.items.length > 0)
        this.#editor.changeList(list.value, list, inner, new Set(), patches)
      else this.#editor.replaceValue(list, inner, patches)
    }
  }

  #putPatchesAhead(): void {
    const { pair, style = 'block' } = this.#holder ?? {}
    const map = isMap(pair?.value) ? pair.value : undefined
    const list = map && pairOf(map, 'patches')
    if (!map || !isSeq(list?.value)) return
    for (const [index, patches] of this.#whole) {
      if (index !== undefined) this.#editor.putBefore(list.value, index, list, insideStyle(style, map), patches)
    }
  }
}

/** The keys of a patch that change objects. */
const changing: ReadonlySet<string> = new Set(['merge', 'unset', 'json'])

const asJson = ({ target, merge, omit }: { target: string; merge?: JsonObject; omit?: true }): Json => ({
  target,
  ...(merge && { merge }),
  ...(omit && { omit }),
})

const holderAt = (map: YAMLMap, style: Style, key: string): EntryHolder => ({
  map,
  pair: pairOf(map, key),
  key,
  style: insideStyle(style, map),
})

const below = (holder: EntryHolder | undefined, key: string): EntryHolder | undefined =>
  isMap(holder?.pair?.value) ? holderAt(holder.pair.value, holder.style, key) : undefined

function metadataName(root: YAMLMap): string | undefined {
  const metadata = pairOf(root, 'metadata')?.value
  const name = isMap(metadata) ? pairOf(metadata, 'name')?.value : undefined
  return isScalar(name) ? String(name.value) : undefined
}
