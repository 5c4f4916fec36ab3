import { addressOf, ownerAddress } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { childField, findKind, hasSecretName, kindsInside } from '../../catalog/queries.js'
import { ownValue } from '../../catalog/record.js'
import type { Kind, KindName } from '../../catalog/types.js'
import { groupBy } from '../../json/groups.js'
import { isObject, type Json, type JsonObject, objectOf, sameJson } from '../../json/json.js'
import { patched } from '../../json/patch.js'
import { keysOf, pointerTo } from '../../json/pointer.js'
import { patchExpectation, patchFailed, patchWithoutEffect, patchWithoutTarget } from '../../problems/compose.js'
import type { ReportProblem } from '../../problems/problem.js'
import { limitedNearest } from '../../problems/suggest.js'
import { addressesOfAncestors, addressOfAncestors } from '../ancestors.js'
import { noMetadata } from '../metadata.js'
import { asSecret, type Entry, isNull, type Node, nodeFrom, plain, type ScalarNode, valueAt } from '../node.js'
import { checkFields } from '../object.js'
import { checkPointer } from '../object-checks.js'
import { takenOut } from '../object-children.js'
import type { ObjectCollector } from '../object-collector.js'
import type { ObjectText } from '../object-text.js'
import type { Absence, PatchEffect } from '../resource.js'
import { placeOf, type SourceRange } from '../source.js'
import { absencesBy, absencesByWithout, takenFrom } from './absences.js'
import { mayWrite, readDefaults } from './defaults.js'
import { isForEnvironment } from './for-environment.js'
import type { Defaults, Layers, Patch } from './layers.js'
import { overlay, withoutEntry, writes } from './overlay.js'
import { addressOfTarget, type Candidate, kindOfTarget, targetMatcher } from './targets.js'

/** The results of one patch so far. */
interface Effect {
  readonly patch: Patch
  /** Its position among the patches. */
  readonly index: number
  readonly fits: (candidate: Candidate) => boolean
  readonly matched: string[]
  /** The places of these objects. */
  readonly ranges: SourceRange[]
  changed: boolean
  /** Whether its fields were read together with an object, and so are checked. */
  isRead: boolean
  /** Whether one of its objects, left out or not, allows unknown fields. */
  isOpen: boolean
}

/** The patches that may be for objects of a kind. There may be thousands, so those that name one address are found by it. */
interface EffectsOfKind {
  readonly count: number
  readonly byAddress: ReadonlyMap<string, readonly Effect[]>
  readonly others: readonly Effect[]
}

/** An object with its defaults, and the defaults that it opts out of. */
type WithDefaults = Pick<ObjectText, 'entries' | 'absent'>

/** An object with its patches; `omittedBy`: the position of the first patch that leaves it out. */
interface PatchedEntries {
  readonly entries: readonly Entry[]
  readonly absent: readonly Absence[] | undefined
  readonly omittedBy: number | undefined
}

/** Applies the layers to objects, parents before their children, and remembers what each patch has matched. */
export class Composer {
  readonly #layers: Omit<Layers, 'values'>
  readonly #report: ReportProblem
  readonly #effects: readonly Effect[]
  readonly #effectsOf = new Map<KindName, EffectsOfKind>()
  /** The defaults of project and environment, merged, by kind. */
  readonly #defaultsOf = new Map<KindName, readonly Entry[]>()
  /** `metadata.defaults`, by the address of the object that has them. */
  readonly #inherited = new Map<string, Defaults>()
  /** The kinds that these defaults are for. */
  readonly #inheriting = new Set<KindName>()
  /**
   * Objects that are left out, and how many patches come before the reason and still match them: 0 if the environment does not
   * have the object.
   */
  readonly #leftOut = new Map<string, number>()
  /** Single children that a patch removes by writing null in their parent, with the same number. */
  readonly #takenOut = new Map<string, number>()
  /** The kinds of objects that allow unknown fields, or may do so. */
  readonly #open = new Set<KindName>()
  /** Objects of this environment that can contain others: another document of the same address may be left out. */
  readonly #holders = new Set<string>()
  readonly #addresses: string[] = []
  readonly #owner: string

  /** `owner`: what messages call the owner of the layers. */
  constructor(
    layers: Omit<Layers, 'values'>,
    report: ReportProblem,
    owner = `environment ${layers.environment ?? ''}`,
  ) {
    this.#layers = layers
    this.#report = report
    this.#owner = owner
    this.#effects = layers.patches.map((patch, index) => {
      const fits = targetMatcher(patch.target)
      return { patch, index, fits, matched: [], ranges: [], changed: patch.isBroken, isRead: false, isOpen: false }
    })
  }

  /**
   * The object with its layers; the same text if no layer concerns it; undefined if the environment does not have the object. If
   * a patch leaves the object out, the patches before that one still count it (A430).
   */
  compose(text: ObjectText, key: string, id: string | undefined): ObjectText | undefined {
    const isPlain = this.#isPlain(text)
    const isHolder = this.#layers.environments.length > 0 && kindsInside(text.kind).length > 0
    if (isPlain && !isHolder) return text
    const candidate = candidateOf(text, key, id)
    if (text.metadata.extraFields === 'pass') {
      this.#open.add(text.kind.name)
      for (const effect of this.#effectsOn(candidate)) effect.isOpen = true
    }
    const limit = isPlain ? undefined : this.#limitOf(text, candidate.address)
    if (limit === 0) {
      if (!this.#leftOut.has(candidate.address)) this.#leftOut.set(candidate.address, limit)
      // The objects inside it are not read, and may allow unknown fields.
      for (const kind of kindsInside(text.kind)) this.#open.add(kind)
      return undefined
    }
    if (isHolder && limit === undefined) this.#holders.add(candidate.address)
    return isPlain ? text : this.#composed(text, candidate, limit)
  }

  /** `limit`: how many of the patches apply; undefined: all. */
  #composed(text: ObjectText, candidate: Candidate, limit: number | undefined): ObjectText {
    const { address } = candidate
    if (this.#effectsFor(text.kind.name).count > 0 && limit === undefined) this.#addresses.push(address)
    this.#inherit(text, address)
    const effects = this.#effectsOn(candidate).filter(({ index }) => limit === undefined || index < limit)
    const composed = this.#withPatches(this.#withDefaults(text), effects, candidate, text)
    const { entries, absent, omittedBy = limit } = composed
    if (omittedBy !== undefined) {
      this.#leftOut.set(address, omittedBy)
      this.#holders.delete(address)
      return { ...text, entries, isLeftOut: true }
    }
    for (const effect of effects) effect.isRead ||= !text.isLeftOut
    if (effects.length > 0)
      return { ...text, entries, absent, metadata: ignoringReleased(text, entries, effects), isPatched: true }
    return entries === text.entries && !absent ? text : { ...text, entries, absent }
  }

  /** Whether an object of this address was left out. */
  leavesOut(address: string): boolean {
    return this.#leftOut.has(address)
  }

  /** The patches, with what they have matched so far. */
  effects(): readonly PatchEffect[] {
    return this.#effects.map(({ patch: { layer, range, target, omit, ...patch }, ranges }) => {
      return { layer, range, target: target.words, omit, removes: removedBy(patch), matched: ranges }
    })
  }

  /**
   * Reports patches that have matched or changed nothing, and the mistakes in patches and defaults that no object was read with.
   * It is called after all objects are composed. If a manifest or an object was not read, the missing objects may be there.
   */
  finish(collector: ObjectCollector, isAllRead: boolean): void {
    for (const { fields } of [...this.#layers.defaults, ...this.#inherited.values()]) {
      for (const [kind, entries] of fields) this.#checkDefaults(catalog[kind], entries, collector, isAllRead)
    }
    const nearest = limitedNearest()
    for (const effect of this.#effects) {
      const { patch, matched, changed, isRead, isOpen } = effect
      const { expect, target } = patch
      if (!isRead) this.#checkUnread({ patch, isOpen: isOpen || !isAllRead }, collector)
      const isTooMuch = matched.length > expect.atMost
      if (!isAllRead && !isTooMuch) continue
      if (matched.length === 0 && expect.atLeast > 0) {
        this.#report(
          patchWithoutTarget(
            placeOf(target.range),
            this.#owner,
            target.words,
            nearest(target.words, () => this.#addresses),
          ),
        )
      } else if (matched.length < expect.atLeast || isTooMuch) {
        this.#report(patchExpectation(placeOf(expect.range), target.words, matched, expect))
      } else if (matched.length > 0 && !changed) {
        this.#report(patchWithoutEffect(placeOf(patch.range), target.words))
      }
    }
  }

  /** Whether no layer concerns the object, as with most objects of most projects. */
  #isPlain({ kind, metadata: { environments, defaults, without: left } }: ObjectText): boolean {
    const isBare = environments.length === 0 && !defaults && left.length === 0
    const isFree = this.#defaultsFor(kind).length === 0 && this.#effectsFor(kind.name).count === 0
    return isBare && isFree && !this.#inheriting.has(kind.name) && this.#leftOut.size === 0
  }

  /** How many of the patches apply to an object that is left out; undefined: all, because nothing leaves it out so far. */
  #limitOf({ metadata, ancestors, isLeftOut }: ObjectText, address: string): number | undefined {
    if (!isForEnvironment(metadata.environments, address, this.#layers, this.#report)) return 0
    if (this.#leftOut.size === 0 && !isLeftOut) return undefined
    const around = addressesOfAncestors(ancestors).flatMap((outer) =>
      this.#holders.has(outer) ? [] : (this.#leftOut.get(outer) ?? []),
    )
    // If only other layers leave the object out, all patches of these layers apply. For example, the environment leaves out an
    // object that a document generates.
    const limits = isLeftOut ? [...around, this.#takenOut.get(address) ?? []].flat() : around
    return limits.length > 0 ? Math.min(...limits) : undefined
  }

  #inherit({ kind, metadata }: ObjectText, address: string): void {
    if (!metadata.defaults) return
    const layer = `metadata.defaults of ${address}`
    const inherited = readDefaults(metadata.defaults, layer, this.#report, kindsInside(kind))
    this.#inherited.set(address, inherited)
    for (const kind of inherited.fields.keys()) this.#inheriting.add(kind)
  }

  #withDefaults({ kind, entries, metadata, ancestors, parent, absent }: ObjectText): WithDefaults {
    // The address of the innermost ancestor is known: it is that of the parent.
    const addressAt = (index: number) =>
      index === ancestors.length - 1 ? parent : addressOfAncestors(ancestors.slice(0, index + 1))
    const inherited = !this.#inheriting.has(kind.name)
      ? []
      : ancestors.flatMap((_, index) => this.#inherited.get(addressAt(index) ?? '') ?? [])
    const typeOf = (name: string) => kind.fields[name]?.type
    const all = inherited
      .map(({ fields }) => fields.get(kind.name) ?? [])
      .reduce((lower, upper) => overlay(lower, upper, typeOf), this.#defaultsFor(kind))
    if (all.length === 0) return { entries, absent }
    const left = metadata.without.reduce((given, { pointer }) => withoutEntry(given, keysOf(pointer)), all)
    return {
      entries: overlay(left, entries, typeOf),
      absent: [...(absent ?? []), ...absencesByWithout(metadata, all)],
    }
  }

  #defaultsFor(kind: Kind): readonly Entry[] {
    const known = this.#defaultsOf.get(kind.name)
    if (known) return known
    const made = this.#layers.defaults
      .map(({ fields }) => fields.get(kind.name) ?? [])
      .reduce<readonly Entry[]>((lower, upper) => overlay(lower, upper, (name) => kind.fields[name]?.type), [])
    this.#defaultsOf.set(kind.name, made)
    return made
  }

  #effectsFor(kind: KindName): EffectsOfKind {
    const known = this.#effectsOf.get(kind)
    if (known) return known
    const all = this.#effects.filter(({ patch }) => (kindOfTarget(patch.target) ?? kind) === kind)
    const byAddress = groupBy(all, ({ patch }) => addressOfTarget(patch.target) ?? '')
    const made = { count: all.length, byAddress, others: byAddress.get('') ?? [] }
    this.#effectsOf.set(kind, made)
    return made
  }

  /** The patches of an object, in written order. */
  #effectsOn(candidate: Candidate): readonly Effect[] {
    const { byAddress, others } = this.#effectsFor(candidate.kind)
    const matching = others.filter(({ fits }) => fits(candidate))
    const named = byAddress.get(candidate.address)
    return named ? [...named, ...matching].sort((left, right) => left.index - right.index) : matching
  }

  #withPatches(
    { entries, absent: withoutDefaults = [] }: WithDefaults,
    effects: readonly Effect[],
    { address }: Candidate,
    text: ObjectText,
  ): PatchedEntries {
    let composed = entries
    let omittedBy: number | undefined
    let absent = withoutDefaults
    for (const effect of effects) {
      effect.matched.push(address)
      effect.ranges.push(text.range)
      if (effect.patch.omit) {
        effect.changed = true
        omittedBy ??= effect.index
      } else if (omittedBy === undefined) {
        const after: readonly Entry[] = this.#patched(composed, effect, text)
        effect.changed ||= !sameJson(valueOfEntries(composed), valueOfEntries(after))
        for (const { child } of takenOut(text.kind, composed, after))
          this.#takenOut.set(addressOf(child.kind, undefined, address), effect.index)
        absent = absencesBy(effect.patch, text.kind, composed, absent)
        composed = after
      }
    }
    const left = absent.filter(({ path }) => !writes(composed, keysOf(path)))
    return { entries: composed, absent: left.length > 0 ? left : undefined, omittedBy }
  }

  #patched(entries: readonly Entry[], effect: Effect, { kind }: ObjectText): readonly Entry[] {
    const { patch } = effect
    const typeOf = (name: string) => kind.fields[name]?.type
    const merged = overlay(entries, patch.merge, typeOf)
    if (!this.#isAllowed(patch, kind)) {
      effect.changed = true
      return merged
    }
    for (const { pointer, node } of patch.unset) {
      checkPointer(pointer, { kind, entries: merged }, placeOf(node.range), (problem) => {
        effect.changed = true
        this.#report(problem)
      })
    }
    const left = patch.unset.reduce((given, { pointer }) => withoutEntry(given, keysOf(pointer)), merged)
    return patch.json.length === 0 ? left : this.#withOperations(left, effect)
  }

  /**
   * Whether everything that a patch takes away, or changes by JSON Patch, belongs to the fields of an object; otherwise this is
   * reported.
   */
  #isAllowed({ unset, json }: Patch, kind: Kind): boolean {
    const touched = [
      ...unset.map(({ pointer, node: { range } }) => ({ pointer, range })),
      ...json.flatMap(({ operation: { op, path, from, value }, node: { range } }) => {
        if (op === 'test') return []
        // A single child that is written as null is removed, as in a manifest.
        const isRemoval = value === null && keysOf(path).length === 1 && childField(kind, path.slice(1))?.single
        return [...(isRemoval ? [] : [path]), ...(op === 'move' && from ? [from] : [])].map((pointer) => ({
          pointer,
          range,
        }))
      }),
    ]
    return touched
      .map(({ pointer, range }) => mayWrite(kind, keysOf(pointer)[0] ?? '', placeOf(range), this.#report))
      .every(Boolean)
  }

  /** Their mistakes count even if no object takes them. Objects may allow unknown members, and report them. */
  #checkDefaults(kind: Kind, entries: readonly Entry[], collector: ObjectCollector, isAllRead: boolean): void {
    const [first] = entries
    if (!first) return
    const isOpen = this.#open.has(kind.name) || !isAllRead
    const metadata = isOpen ? passing : noMetadata
    const report: ReportProblem = (problem) => {
      if (problem.code !== 'extra-field') collector.report(problem)
    }
    checkFields({ kind, metadata, entries, range: first.range }, { ...collector, report })
  }

  /** The fields that it may write are known if its target names the kind (A429). */
  #checkUnread({ patch, isOpen }: Pick<Effect, 'patch' | 'isOpen'>, collector: ObjectCollector): void {
    const kind = findKind(kindOfTarget(patch.target) ?? '')
    if (!kind || !this.#isAllowed(patch, kind)) return
    const { report } = collector
    for (const { pointer, node } of isOpen ? [] : patch.unset) {
      checkPointer(pointer, { kind, entries: [] }, placeOf(node.range), report)
    }
    const whole = patch.json.flatMap(({ operation: { op, path }, node }): readonly Entry[] => {
      const [key = '', ...members] = keysOf(path)
      const isWritten = node.is === 'map' && (op === 'add' || op === 'replace')
      const value = isWritten ? valueAt(node, 'value') : undefined
      return value && members.length === 0 ? [{ key, range: node.range, value }] : []
    })
    const metadata = isOpen ? passing : noMetadata
    checkFields({ kind, metadata, entries: [...patch.merge, ...whole], range: patch.range }, collector)
  }

  #withOperations(entries: readonly Entry[], effect: Effect): readonly Entry[] {
    const { json, layer } = effect.patch
    const before = valueOfEntries(entries)
    const result = patched(
      before,
      json.map(({ operation }) => operation),
    )
    if ('fault' in result) {
      effect.changed = true
      const failed = json[result.index]
      if (failed) {
        const [name = ''] = keysOf(result.path)
        const covered = entries.find(({ key }) => key === name)
        this.#report(
          patchFailed(placeOf(failed.node.range), result.path, result.fault, covered && placeOf(covered.range)),
        )
      }
      return entries
    }
    const after = result.value
    const rangeOf = (name: string) => json.findLast(({ operation }) => keysOf(operation.path)[0] === name)?.node.range
    const filledIn = placeholdersIn([...entries.map((entry) => entry.value), ...json.map(({ node }) => node)])
    const kept = entries.flatMap((entry): readonly Entry[] => {
      const value = ownValue(after, entry.key)
      if (value === undefined) return []
      return sameJson(value, ownValue(before, entry.key)) ? [entry] : [composedEntry(entry.key, value, entry)]
    })
    const added = Object.entries(after).filter(([name]) => !Object.hasOwn(before, name))
    return [...kept, ...added.map(([name, value]) => composedEntry(name, value, undefined))]

    function composedEntry(key: string, value: Json, covers: Entry | undefined): Entry {
      const range = rangeOf(key) ?? covers?.range ?? json[0]?.node.range
      if (!range) throw new Error('an operation without a place')
      const isSecret =
        covers?.value.secret || json.some(({ node, operation }) => node.secret && keysOf(operation.path)[0] === key)
      const node = withPlaceholders(nodeAbove(value, covers?.value, range, layer), filledIn)
      return { key, range, value: isSecret ? asSecret(node) : node, layer, ...(covers && { covers }) }
    }
  }
}

const passing = { ...noMetadata, extraFields: 'pass' } as const

/** A field that a patch releases keeps its live value, even if it was applied before (A345). */
function ignoringReleased(
  { kind, metadata }: ObjectText,
  entries: readonly Entry[],
  effects: readonly Effect[],
): ObjectText['metadata'] {
  // A pointer to an owned child releases nothing, and is already reported.
  const left = effects
    .flatMap(({ patch }) => patch.unset)
    .filter(({ pointer }) => !writes(entries, keysOf(pointer)) && !childField(kind, keysOf(pointer)[0] ?? ''))
  if (left.length === 0) return metadata
  const released = left.map(({ pointer, node: { range } }) => ({ pointer, range }))
  return { ...metadata, ignore: [...metadata.ignore, ...released] }
}

/** A value that replaces another one. Members that stay the same keep the layers below. */
function nodeAbove(value: Json, covered: Node | undefined, range: SourceRange, layer: string): Node {
  if (!isObject(value) || covered?.is !== 'map') return nodeFrom(value, range)
  const entries = Object.entries(value).map(([key, inner]): Entry => {
    const covers = covered.entries.find((entry) => entry.key === key)
    if (covers && sameJson(plain(covers.value), inner)) return covers
    return { key, range, layer, value: nodeAbove(inner, covers?.value, range, layer), ...(covers && { covers }) }
  })
  return { is: 'map', entries, range }
}

/**
 * The texts in these values that come from placeholders, with their nodes: a JSON Patch works on plain values, and loses the
 * nodes. They are secrets, set or not, texts that may stand for numbers, and placeholders without a value, which are already
 * reported.
 */
function placeholdersIn(
  nodes: readonly Node[],
  found = new Map<string, ScalarNode>(),
): ReadonlyMap<string, ScalarNode> {
  for (const node of nodes) {
    if (node.is === 'scalar') {
      const isFilledIn = node.secret || node.from !== 'text'
      if (isFilledIn && typeof node.value === 'string' && !found.get(node.value)?.secret) found.set(node.value, node)
    } else placeholdersIn(node.is === 'list' ? node.items : node.entries.map(({ value }) => value), found)
  }
  return found
}

/** The same value, in which each of these texts is its placeholder again, wherever the text was copied or moved. */
function withPlaceholders(node: Node, filledIn: ReadonlyMap<string, ScalarNode>): Node {
  switch (node.is) {
    case 'scalar': {
      const known = filledIn.get(String(node.value))
      return known && (known.secret || typeof node.value === 'string') ? { ...known, range: node.range } : node
    }
    case 'list': {
      const items = node.items.map((item) => withPlaceholders(item, filledIn))
      return { ...node, items, ...(items.some(({ secret }) => secret) && { secret: true }) }
    }
    case 'map': {
      const entries = node.entries.map((entry) => ({ ...entry, value: withPlaceholders(entry.value, filledIn) }))
      return { ...node, entries, ...(entries.some(({ value }) => value.secret) && { secret: true }) }
    }
  }
}

/** JSON Pointers of the fields that a patch releases, and of the children that it removes by writing null. */
const removedBy = (patch: Pick<Patch, 'unset' | 'json' | 'merge'>): readonly string[] => [
  ...takenFrom(patch).map(({ pointer }) => pointer),
  ...patch.merge.filter(({ value }) => isNull(value)).map(({ key }) => pointerTo(key)),
]

const valueOfEntries = (entries: readonly Entry[]): JsonObject => {
  const value = plain({ is: 'map', entries, range: { source: { file: '', text: '' }, start: 0, end: 0 } })
  return objectOf(value)
}

/** An object as targets see it. If a secret names the kind, another part of the address is the name: the package of a key. */
export function candidateOf(text: ObjectText, key: string, id: string | undefined): Candidate {
  const { kind, owner, parent, metadata } = text
  const within = kind.within && owner !== undefined ? ownerAddress(kind.within.name, owner) : parent
  const name = hasSecretName(kind) ? displayedName(text) : key
  const address = addressOf(
    kind,
    kind.naming === undefined ? undefined : name,
    within,
    hasSecretName(kind) ? undefined : id,
  )
  return { kind: kind.name, address, name: hasSecretName(kind) ? undefined : key, labels: metadata.labels }
}

function displayedName({ kind, entries }: ObjectText): string {
  const written = entries.find(({ key }) => key === kind.namedBy)?.value
  const value = written && plain(written)
  const name = isObject(value) ? value.name : value
  return typeof name === 'string' ? name : ''
}
