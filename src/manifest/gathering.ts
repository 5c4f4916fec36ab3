import { addressOf, pinnedId } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { isNamedOpenly } from '../catalog/metadata-keys.js'
import type { KindName } from '../catalog/types.js'
import { ambiguousParent, nameIsAddress } from '../problems/manifests.js'
import type { Problem, ReportProblem } from '../problems/problem.js'
import type { ComposedObject, ObjectText } from './object-text.js'
import type { Ancestor, Name, Resource } from './resource.js'
import { type Mark, placeOf } from './source.js'

/** A field of one object that stands for an entry in the list of another: an endpoint that names its maintenance event. */
export interface InverseReference {
  /** The object that is to be in the list: its address, which is its parents and its name. */
  readonly from: Resource
  readonly field: string
  readonly to: Name
  readonly mark: Mark
}

/** Where an object names one of its parents, or what it refers to; asked only when a message shows it. */
export type MarkOfName = (named: Ancestor) => Mark

export interface LackingSecrets {
  readonly kind: KindName
  readonly fields: readonly string[]
  /** What is reported if there is no other such object. */
  readonly alone: Problem
}

/** What is collected while the documents are walked. */
export interface Gathering {
  readonly clearSecrets: 'warning' | 'error'
  report(problem: Problem): void
  add(resource: Resource): void
  /** An object is written, and nobody can tell which one it is: others may mean it. */
  misses(): void
  /** What the chosen environment does not give of a value that is used; each is told once. */
  lacks(problems: readonly Problem[]): void
  relate(inverseReference: InverseReference): void
  addSecret(value: string): void
  /** An object without secrets that a create needs: exports leave them out, so there may be hundreds. */
  lacksSecrets(object: LackingSecrets): void
  /**
   * The object with its layers; the very same text where none says anything of it; undefined if the environment does not
   * have it.
   */
  compose(text: ObjectText, key: string, id: string | undefined): ObjectText | undefined
  /** Is told every object as the layers leave it. */
  composed(object: ComposedObject): void
  /** The parents with their pins, as far as the manifests that are already read give them; `markOf`: where one is named. */
  pinned(ancestors: readonly Ancestor[], markOf: MarkOfName): readonly Ancestor[]
}

/** The same, but objects are only checked and not taken: their names or parents are not known. */
export const checkingOnly = (gathering: Gathering): Gathering => ({
  ...gathering,
  add: () => undefined,
  relate: () => undefined,
})

/** The same, but nothing is told either: layers alone see the objects, as they are left out. */
export const lookingOnly = (gathering: Gathering): Gathering => ({
  ...checkingOnly(gathering),
  report: () => undefined,
  misses: () => undefined,
  lacks: () => undefined,
  lacksSecrets: () => undefined,
  composed: () => undefined,
})

/** The parents of what an object contains: its own parents and the object itself. */
export function chainBelow(
  { kind, ancestors }: Pick<Resource, 'kind' | 'ancestors'>,
  key: string,
  id: string | undefined,
): readonly Ancestor[] {
  return [...ancestors, { kind, name: key, ...(id === undefined ? {} : { id }) }]
}

/** The address that parents give to what they contain; undefined for objects at the root. */
export const addressOfAncestors = (ancestors: readonly Ancestor[]): string | undefined =>
  ancestors.length === 0 ? undefined : joined(ancestors, 'with pins')

const joined = (ancestors: readonly Ancestor[], form: 'with pins' | 'names'): string =>
  ancestors.reduce(
    (parent, { kind, name, id }) =>
      addressOf(catalog[kind], name, parent === '' ? undefined : parent, form === 'names' ? undefined : id),
    '',
  )

/** The address without any pin: what a name alone can say. */
export const pathOf = (ancestors: readonly Ancestor[]): string | undefined =>
  ancestors.length === 0 ? undefined : joined(ancestors, 'names')

/** The same of the parents of an object, whose address is known: without pins the two are one. */
export const pathOfParents = ({ ancestors, parent }: Pick<Resource, 'ancestors' | 'parent'>): string | undefined =>
  isPinned(ancestors) ? pathOf(ancestors) : parent

const isPinned = (ancestors: readonly Ancestor[]): boolean => ancestors.some(({ id }) => id !== undefined)

/** The same of an object itself. */
export function pathOfResource(resource: Resource): string {
  const { key, id, ancestors, address } = resource
  const kind = catalog[resource.kind]
  // Without pins the two are one: areas hold thousands of these long texts.
  if (id === undefined && !isPinned(ancestors) && isNamedOpenly(kind)) return address
  return addressOf(kind, key, pathOfParents(resource))
}

/** The pins of declared objects: names that manifests give alone mean the pinned object where there is just one. */
export class Pins {
  readonly #ids = new Map<string, Set<string | undefined>>()
  /** Those not yet among the ids: most projects pin nothing, and never ask. */
  readonly #pending: Resource[] = []
  #isAny = false

  /** Whether nothing is pinned at all, which is the rule. */
  get areNone(): boolean {
    return !this.#isAny
  }

  add(resource: Resource): void {
    this.#isAny ||= resource.id !== undefined
    this.#pending.push(resource)
  }

  #takeIn(): void {
    for (const resource of this.#pending.splice(0)) {
      const path = pathOfResource(resource)
      const ids = this.#ids.get(path)
      if (ids) ids.add(resource.id)
      else this.#ids.set(path, new Set([resource.id]))
    }
  }

  /** The same names with the pins that are declared for them; a name that could mean several pins is reported. */
  resolve(ancestors: readonly Ancestor[], markOf: MarkOfName, report: ReportProblem): readonly Ancestor[] {
    if (this.areNone) return ancestors
    this.#takeIn()
    return ancestors.map((ancestor, index) => {
      if (ancestor.id !== undefined) return ancestor
      const path = pathOf(ancestors.slice(0, index + 1)) ?? ''
      const ids = this.#ids.get(path)
      if (!ids) return this.#withoutPin(ancestors, index, markOf, report) ?? ancestor
      if (ids.has(undefined)) return ancestor
      const pins = [...ids].flatMap((id) => id ?? []).sort()
      const [only] = pins
      if (pins.length > 1) report(ambiguousParent(placeOf(markOf(ancestor)), path, pins))
      return only === undefined ? ancestor : { ...ancestor, id: only }
    })
  }

  /** What is meant by a name that is written as addresses show a pinned object; that is reported. */
  #withoutPin(
    ancestors: readonly Ancestor[],
    index: number,
    markOf: MarkOfName,
    report: ReportProblem,
  ): Ancestor | undefined {
    const ancestor = ancestors[index]
    if (!ancestor) return undefined
    const { kind, name: written } = ancestor
    const nameBefore = (id: string) => written.slice(0, -id.length - 1)
    const idsOf = (name: string) => this.#ids.get(pathOf([...ancestors.slice(0, index), { kind, name }]) ?? '')
    const id = pinnedId(written, (each) => idsOf(nameBefore(each))?.has(each) ?? false)
    if (id === undefined) return undefined
    report(nameIsAddress(placeOf(markOf(ancestor)), written, nameBefore(id), id))
    return { kind, name: nameBefore(id), id }
  }
}
