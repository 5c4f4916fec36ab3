import { catalog } from '../../catalog/catalog.js'
import { childField, hasSecretName } from '../../catalog/queries.js'
import { spelledPath } from '../../catalog/vocabulary.js'
import type { Texts } from '../../files/overlay.js'
import { groupBy } from '../../json/groups.js'
import { isObject, type Json, type JsonObject } from '../../json/json.js'
import { nested, pointerTo } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import { escaped } from '../../live/value-form.js'
import { metadataRange } from '../../manifest/ranges.js'
import { declaredOf, type Manifests, type Resource } from '../../manifest/resource.js'
import { placeOf, type Source, type SourceRange, startKey, textOfRange } from '../../manifest/source.js'
import type { Edit, SetEdit } from '../../manifest/write/edit.js'
import { editLayers, type LayerEdit } from '../../manifest/write/edit-layers.js'
import type { Problem } from '../../problems/problem.js'
import {
  notWrittenBack,
  notWrittenIntoSource,
  patchesWritten,
  secretDiffers,
  valueKept,
  valueWritten,
  writtenForAll,
} from '../../problems/write-back.js'
import type { LayersNow } from './layers.js'
import { documentFrom, limitedTo } from './new-document.js'
import { handsBack, PatchedObjects } from './patched-objects.js'
import { hasPlaceholder, wholeValue } from './placeholders.js'
import type { DesiredField, Routing } from './routing.js'
import { type DesiredValue, valueEdit } from './value-edits.js'

/** Sends each edit to the layer that gave the value (design §2.1, A155). */
export class Router {
  readonly #routing: Routing
  readonly #now: LayersNow
  readonly #edits = new Map<LayerEdit, Resource>()
  readonly #values: DesiredValue[] = []
  readonly #patched: PatchedObjects
  readonly #forAll = new Map<string, Set<string>>()
  /** Documents of new children, by the source at whose end they are added. */
  readonly documents = new Map<Source, readonly JsonObject[]>()
  #starts: ReadonlyMap<string, ReadonlySet<string> | 'unknown'> | undefined

  constructor(routing: Routing) {
    this.#routing = routing
    this.#now = routing.access.now(routing.texts)
    this.#patched = new PatchedObjects(this.#now.patches, routing.manifests.resources)
  }

  get #environment(): string | undefined {
    return this.#routing.access.environment
  }

  /** The edit to make in the manifest. Undefined if another layer gets the edit, or if it cannot be made. */
  route(resource: Resource, edit: Edit): Edit | undefined {
    if (resource.generatedBy && !this.#mayPatch(edit)) {
      this.#routing.report(generatedNotWritten(resource, edit))
      return undefined
    }
    switch (edit.is) {
      case 'set':
        return edit.of === 'field' ? this.#field(resource, edit) : this.#child(resource, edit)
      case 'append':
        return this.#child(resource, edit)
      case 'remove':
        return this.#removal(resource, edit)
      case 'rename':
        return edit
    }
  }

  /** Whether an edit of an object without a text can become a patch. */
  #mayPatch(edit: Edit): boolean {
    const isForPatch = edit.is === 'remove' || (edit.is === 'set' && edit.of === 'field')
    return isForPatch && this.#environment !== undefined && this.#routing.access.into === 'environment'
  }

  /** Whether a new name can be written. Names are the same in all environments. */
  mayRename(resource: Resource, name: string): boolean {
    if (resource.generatedBy) {
      this.#routing.report(generatedNotWritten(resource, { is: 'rename' }))
      return false
    }
    const patch = this.#patched.byName(resource, name)
    if (patch) {
      this.#refuse(resource, 'its new name', `${patch.layer} uses the name: rename both`, patch.range)
      return false
    }
    const { naming = 'name' } = catalog[resource.kind]
    const [written] = resource.ranges.layersAt(`/${naming}`)
    const range = written?.value.range ?? metadataRange(resource.range, 'name')
    const isPlain = range.start === resource.range.start || !hasPlaceholder(textOfRange(range))
    if (isPlain && this.#isForManifest(resource)) return true
    const reason = isPlain
      ? 'names cannot be patched; --into manifest renames it in all environments'
      : 'its name is written with a placeholder'
    this.#refuse(resource, 'its new name', reason, range)
    return false
  }

  /** Whether a patch omits the live object, so that no manifest can declare it. This is reported. */
  isOmitted(object: LiveObject, address: string): boolean {
    const { kind, key } = object
    const candidate = { kind, address, name: hasSecretName(catalog[kind]) ? undefined : key, labels: {} }
    const patch = this.#patched.omitting(candidate)
    if (!patch) return false
    this.#routing.keep(notWrittenBack(address, 'the live object', `${patch.layer} leaves it out`, placeOf(patch.range)))
    return true
  }

  #refuse(resource: Resource, what: string, reason: string, range: SourceRange): undefined {
    this.#routing.report(notWrittenBack(resource.address, what, reason, placeOf(range)))
  }

  /** Whether an edit may be made in the manifest: no other environment uses it, or the edit is for all environments. */
  #isForManifest(resource: Resource): boolean {
    const { into } = this.#routing.access
    const others = this.#othersOf(resource)
    if (others.length > 0 && into === 'environment') return false
    for (const name of others) this.#forAll.set(name, (this.#forAll.get(name) ?? new Set()).add(resource.address))
    return true
  }

  /** The other environments that use a manifest. An environment that cannot be read may use any manifest. */
  #othersOf({ range }: Resource): readonly string[] {
    const { access, texts } = this.#routing
    this.#starts ??= new Map(access.others.map((name) => [name, startsIn(access.manifestsIn(name, texts))]))
    const key = startKey(range)
    return [...this.#starts].flatMap(([name, starts]) => (starts === 'unknown' || starts.has(key) ? [name] : []))
  }

  #field(resource: Resource, edit: SetEdit): Edit | undefined {
    const { path } = edit
    const pointer = pointerTo(...path)
    const layers = path.map((_, index) => resource.ranges.layersAt(pointerTo(...path.slice(0, index + 1)))[0])
    const exact = layers.at(-1)
    const top = layers.findLast((layer) => layer !== undefined)
    if (edit.secrecy === 'secret' && exact && hasPlaceholder(textOfRange(exact.value.range))) {
      this.#routing.report(secretDiffers(placeOf(exact.range), `${resource.address} ${path.join(' ')}`))
      return undefined
    }
    for (const [index, layer] of layers.entries()) {
      const name = layer && wholeValue(layer)
      if (name === undefined) continue
      const members = this.#keysOf(resource, path).slice(index + 1)
      this.#values.push({ resource, path, value: edit.value, name, members, range: layer?.range ?? resource.range })
      return undefined
    }
    if (exact && hasPlaceholder(textOfRange(exact.value.range))) {
      return this.#refuse(resource, path.join('.'), 'the written value has a placeholder, which is kept', exact.range)
    }
    const isPatched = this.#now.patches.some(({ layer }) => layer === top?.layer)
    if (isPatched) return this.#patch({ resource, path, value: edit.value })
    // A field that a patch hands back is not managed here, so an export does not write it.
    if (!exact && this.#patched.touching(resource, pointer).some(({ patch }) => handsBack(patch, pointer)))
      return undefined
    const isDefault = top !== undefined && top.layer !== 'manifest'
    if (!resource.generatedBy && (this.#environment === undefined || this.#isForManifest(resource))) {
      if (!isDefault) return edit
      const keys = this.#keysOf(resource, path)
      return { ...edit, path: keys, whole: nested(keys.slice(1), edit.value) }
    }
    return this.#patch({ resource, path, value: edit.value })
  }

  /** The path in a manifest, in the vocabulary of the platform. */
  #keysOf({ kind }: Resource, [name = '', ...members]: readonly string[]): readonly string[] {
    return [name, ...spelledPath(catalog[kind].fields[name]?.type, members, this.#routing.vocabulary)]
  }

  #patch({ resource, path, value }: DesiredField): undefined {
    const target = this.#patched.targetOf(resource)
    if (target === undefined || this.#environment === undefined)
      return this.#refuse(resource, path.join('.'), 'no patch can apply to this object only', resource.range)
    const edit: LayerEdit = {
      is: 'merge',
      target: escaped(target),
      index: this.#patched.lastFor(resource, target, path),
      path: this.#keysOf(resource, path),
      value,
    }
    this.#edits.set(edit, resource)
  }

  #child(resource: Resource, edit: Exclude<Edit, { is: 'rename' } | { is: 'remove' }>): Edit | undefined {
    const environment = this.#environment
    const field = edit.is === 'append' ? edit.field : (edit.path[0] ?? '')
    if (environment === undefined || this.#isForManifest(resource)) return edit
    if (edit.is === 'append' && !resource.wholeLists.includes(field)) {
      // A written list would be the whole list in all environments, so the child becomes a separate document.
      return this.#document(resource, field, edit.value, environment)
    }
    if (resource.removedChildren.includes(field)) {
      const reason = 'null says for all environments that there is none; --into manifest changes it for all'
      return this.#refuse(resource, field, reason, resource.range)
    }
    const value = isObject(edit.value) ? limitedTo(environment, edit.value) : edit.value
    return edit.is === 'append' ? { ...edit, value, whole: [value] } : { ...edit, value, whole: value }
  }

  #document(resource: Resource, field: string, form: Json, environment: string): undefined {
    const { source } = resource.range
    const child = childField(catalog[resource.kind], field)
    if (!child || !isObject(form) || source.file.endsWith('.json')) {
      const reason = 'its manifest does not write that list; --into manifest writes it for all environments'
      return this.#refuse(resource, field, reason, resource.range)
    }
    const document = limitedTo(environment, documentFrom(child.kind, form, resource))
    const known = this.documents.get(source) ?? []
    this.documents.set(source, [...known, document])
  }

  #removal(resource: Resource, edit: Edit): Edit | undefined {
    const { access, purpose } = this.#routing
    const what = 'its deletion'
    const isWritten = resource.generatedBy === undefined
    const isText = isWritten && (this.#environment === undefined || access.into === 'manifest' || purpose === 'export')
    // A patch whose only object has no text any more would be an error.
    const target = this.#patched.targetOf(resource)
    const own = this.#patched.onlyFor(resource, 'it')
    if (isText && !own && this.#isForManifest(resource)) return edit
    if (own && (access.into === 'manifest' || this.#environment === undefined))
      return this.#refuse(resource, what, `${own.layer} is only for this object: remove both`, own.range)
    if (target === undefined)
      return this.#refuse(resource, what, 'no patch can apply to this object only', resource.range)
    const inner = this.#patched.onlyFor(resource, 'what lies in it')
    if (inner)
      return this.#refuse(resource, what, `${inner.layer} is for objects in it: remove that patch`, inner.range)
    const index = this.#now.patches.findIndex((patch) => 'glob' in patch.target && patch.target.glob === target)
    this.#edits.set({ is: 'omit', target: escaped(target), index: index < 0 ? undefined : index }, resource)
    return undefined
  }

  /** The texts of the layers after the edits, by file. Empty if nothing changes. May be called only once. */
  finish(): Texts {
    for (const [name, [first, ...others]] of groupBy(this.#values, (each) => each.name))
      if (first) this.#value(name, [first, ...others])
    const { report, keep } = this.#routing
    if (this.#forAll.size > 0) {
      const objects = new Set([...this.#forAll.values()].flatMap((addresses) => [...addresses]))
      keep(writtenForAll([...this.#forAll.keys()], [...objects].sort()))
    }
    if (this.#edits.size === 0) return new Map()
    const { file, text, home } = this.#now
    const edited = editLayers(text, home, [...this.#edits.keys()], { resolve: (each) => this.#routing.valueOf(each) })
    for (const edit of edited.refused) {
      const resource = this.#edits.get(edit)
      const what = edit.is === 'merge' ? edit.path.join('.') : 'a difference'
      const reason = `an anchor in ${file} shares the text of environment ${home.environment ?? ''} with others`
      if (resource) report(notWrittenBack(resource.address, what, reason, undefined))
      this.#edits.delete(edit)
    }
    this.#reportPatches()
    return edited.text === text ? new Map() : new Map([[file, edited.text]])
  }

  #reportPatches(): void {
    const made = [...this.#edits]
    const fields = made.filter(([edit]) => edit.is === 'merge')
    const omitted = made.filter(([edit]) => edit.is === 'omit').map(([, { address }]) => address)
    if (fields.length + omitted.length === 0) return
    const objects = [...new Set(fields.map(([, { address }]) => address))]
    const { into } = this.#routing.access
    const counts = { fields: fields.length, objects: objects.length, omitted, into }
    this.#routing.keep(patchesWritten(this.#environment ?? '', this.#now.file, counts))
  }

  /** Edits a value. If other fields would then differ from their live values, patches the fields instead. */
  #value(name: string, desired: readonly [DesiredValue, ...DesiredValue[]]): void {
    const done = valueEdit(name, desired, this.#routing, this.#now)
    switch (done.is) {
      case 'written':
        this.#edits.set(done.edit, desired[0].resource)
        this.#routing.keep(valueWritten(done.name, this.#environment, this.#now.file, done.also))
        return
      case 'kept':
        this.#routing.keep(valueKept(done.name, this.#environment ?? '', done.others))
        for (const each of desired) this.#patch(each)
        return
      case 'refused':
        for (const { resource, path, range } of desired)
          this.#refuse(resource, path.join('.'), done.reason, done.range ?? range)
        return
    }
  }
}

/** The message about a difference that cannot be written, because the object is generated and no layer can contain it. */
export const generatedNotWritten = (
  { address, range, ranges, generatedBy }: Resource,
  edit: Pick<Edit, 'is'> & { readonly path?: readonly string[]; readonly field?: string },
): Problem =>
  notWrittenIntoSource(
    address,
    edit.path?.join('.') ?? edit.field ?? (edit.is === 'rename' ? 'its new name' : 'its deletion'),
    range.source.file,
    generatedBy?.source.file ?? '',
    placeOf((edit.path && ranges.at(pointerTo(...edit.path))) ?? range),
  )

function startsIn({ resources, problems }: Manifests): ReadonlySet<string> | 'unknown' {
  if (problems.some(({ severity, code }) => severity === 'error' && code !== 'unset-variable')) return 'unknown'
  return new Set(declaredOf(resources).map(({ range }) => startKey(range)))
}
