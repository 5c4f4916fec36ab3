import { addressOf, pinnedId } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { isNamedOpenly } from '../catalog/metadata-keys.js'
import { ambiguousParent, nameIsAddress } from '../problems/manifests.js'
import type { ReportProblem } from '../problems/problem.js'
import type { Ancestor, Resource } from './resource.js'
import { placeOf, type SourceRange } from './source.js'

/** Where an object names one of its parents, or an object that it refers to. It is called only when a message shows the place. */
export type RangeOfName = (named: Ancestor) => SourceRange

/** The parents of an object's children: its own parents and the object itself. */
export function ancestorsBelow(
  { kind, ancestors }: Pick<Resource, 'kind' | 'ancestors'>,
  key: string,
  id: string | undefined,
): readonly Ancestor[] {
  return [...ancestors, { kind, name: key, ...(id === undefined ? {} : { id }) }]
}

/** The address of each of these parents, outermost first. */
export const addressesOfAncestors = (ancestors: readonly Ancestor[]): readonly string[] =>
  ancestors.map((_, index) => addressThrough(ancestors.slice(0, index + 1), 'with pins'))

/** The address of the innermost of these parents; undefined for objects at the root. */
export const addressOfAncestors = (ancestors: readonly Ancestor[]): string | undefined =>
  ancestors.length === 0 ? undefined : addressThrough(ancestors, 'with pins')

const addressThrough = (ancestors: readonly Ancestor[], form: 'with pins' | 'names'): string =>
  ancestors.reduce(
    (parent, { kind, name, id }) =>
      addressOf(catalog[kind], name, parent === '' ? undefined : parent, form === 'names' ? undefined : id),
    '',
  )

/** The address without pins: names only. */
export const pathOf = (ancestors: readonly Ancestor[]): string | undefined =>
  ancestors.length === 0 ? undefined : addressThrough(ancestors, 'names')

/** The path of an object's parents. Their address is known, and without pins it is the path. */
export const pathOfParents = ({ ancestors, parent }: Pick<Resource, 'ancestors' | 'parent'>): string | undefined =>
  isPinned(ancestors) ? pathOf(ancestors) : parent

const isPinned = (ancestors: readonly Ancestor[]): boolean => ancestors.some(({ id }) => id !== undefined)

/** The path of an object itself. */
export function pathOfResource(resource: Resource): string {
  const { key, id, ancestors, address } = resource
  const kind = catalog[resource.kind]
  // Without pins the path is the address. Areas have thousands of these long texts, so no second one is made.
  if (id === undefined && !isPinned(ancestors) && isNamedOpenly(kind)) return address
  return addressOf(kind, key, pathOfParents(resource))
}

/** The pins of declared objects. A name without a pin means the pinned object if only one has that name. */
export class Pins {
  readonly #ids = new Map<string, Set<string | undefined>>()
  /** Objects that are not yet among the ids. Most projects have no pins and never need the ids. */
  readonly #pending: Resource[] = []
  #isAny = false

  /** Whether nothing is pinned, as in most projects. */
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

  /** The same names with their declared pins; a name that could have several pins is reported. */
  resolve(ancestors: readonly Ancestor[], rangeOf: RangeOfName, report: ReportProblem): readonly Ancestor[] {
    if (this.areNone) return ancestors
    this.#takeIn()
    return ancestors.map((ancestor, index) => {
      if (ancestor.id !== undefined) return ancestor
      const path = pathOf(ancestors.slice(0, index + 1)) ?? ''
      const ids = this.#ids.get(path)
      if (!ids) return this.#withoutPin(ancestors, index, rangeOf, report) ?? ancestor
      if (ids.has(undefined)) return ancestor
      const pins = [...ids].flatMap((id) => id ?? []).sort()
      const [only] = pins
      if (pins.length > 1) report(ambiguousParent(placeOf(rangeOf(ancestor)), path, pins))
      return only === undefined ? ancestor : { ...ancestor, id: only }
    })
  }

  /** The name without the pin that is written into it, in the way in which addresses show pinned objects; this is reported. */
  #withoutPin(
    ancestors: readonly Ancestor[],
    index: number,
    rangeOf: RangeOfName,
    report: ReportProblem,
  ): Ancestor | undefined {
    const ancestor = ancestors[index]
    if (!ancestor) return undefined
    const { kind, name: written } = ancestor
    const nameBefore = (id: string) => written.slice(0, -id.length - 1)
    const idsOf = (name: string) => this.#ids.get(pathOf([...ancestors.slice(0, index), { kind, name }]) ?? '')
    const id = pinnedId(written, (each) => idsOf(nameBefore(each))?.has(each) ?? false)
    if (id === undefined) return undefined
    report(nameIsAddress(placeOf(rangeOf(ancestor)), written, nameBefore(id), id))
    return { kind, name: nameBefore(id), id }
  }
}
