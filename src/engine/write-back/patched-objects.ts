import { addressOf, addressOfParent } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { hasSecretName } from '../../catalog/queries.js'
import { overlaps, pointerTo } from '../../json/pointer.js'
import type { Patch } from '../../manifest/compose/layers.js'
import { type Candidate, isAddressGlob, targetMatcher } from '../../manifest/compose/targets.js'
import type { Resource } from '../../manifest/resource.js'

/** The current patches, and the objects of the manifests to which each patch applies. */
export class PatchedObjects {
  readonly #patches: readonly Patch[]
  readonly #resources: readonly Resource[]
  readonly #matchers: readonly ((candidate: Candidate) => boolean)[]

  constructor(patches: readonly Patch[], resources: readonly Resource[]) {
    this.#patches = patches
    this.#resources = resources
    this.#matchers = patches.map(({ target }) => targetMatcher(target))
  }

  /** The patch that omits such an object. */
  omitting(candidate: Candidate): Patch | undefined {
    return this.#patches.find(({ omit }, index) => omit && this.#matchers[index]?.(candidate))
  }

  /** The address as a pattern that fits only this object. Undefined if there is none. */
  targetOf(resource: Resource): string | undefined {
    if (hasSecretName(catalog[resource.kind])) return undefined
    const target = resource.address.replaceAll('*', '?')
    if (!isAddressGlob(target)) return undefined
    if (!target.includes('?')) return target
    const fits = targetMatcher({ glob: target })
    const fitting = this.#resources.filter((each) => fits(candidateOf(each)))
    return fitting.length === 1 ? target : undefined
  }

  /** The patches that apply to an object and change a field, in their order. */
  touching(resource: Resource, pointer: string): readonly { readonly patch: Patch; readonly index: number }[] {
    const candidate = candidateOf(resource)
    return this.#patches.flatMap((patch, index) =>
      this.#matchers[index]?.(candidate) && (mergesInto(patch, pointer) || handsBack(patch, pointer))
        ? [{ patch, index }]
        : [],
    )
  }

  /** The last patch for exactly this address, if no later patch changes the field. */
  lastFor(resource: Resource, target: string, path: readonly string[]): number | undefined {
    const pointer = pointerTo(...path)
    const touching = this.touching(resource, pointer)
    const last = touching.at(-1)?.index ?? -1
    const index = this.#patches.findLastIndex(
      (patch) => !patch.omit && patch.merge.length > 0 && 'glob' in patch.target && patch.target.glob === target,
    )
    const isOverruled = touching.some(({ patch, index: at }) => at === index && handsBack(patch, pointer))
    return index >= last && index >= 0 && !isOverruled ? index : undefined
  }

  /** A patch that applies to the object, to its contents or to a link to it only with one of the two names. */
  byName({ kind, key, address }: Resource, name: string): Patch | undefined {
    const renamed = addressOf(catalog[kind], name, addressOfParent(catalog[kind], address) || undefined)
    return this.#patches.find((_, index) => {
      const fits = this.#matchers[index] ?? (() => false)
      return this.#resources.some((each) => {
        const isLink = catalog[each.kind].association === kind && each.key === key
        const isInside = each.address.startsWith(`${address}/`)
        if (each.address !== address && !isInside && !isLink) return false
        const now = candidateOf(each)
        const end = isLink
          ? addressOf(catalog[each.kind], name, each.parent)
          : renamed + each.address.slice(address.length)
        return fits(now) !== fits({ ...now, address: end, name: isInside ? now.name : name })
      })
    })
  }

  /** A patch that would match nothing without the object (`it`), or without its contents. */
  onlyFor({ address }: Resource, part: 'it' | 'what lies in it'): Patch | undefined {
    const goes = (each: Resource) =>
      each.address.startsWith(`${address}/`) || (part === 'it' && each.address === address)
    return this.#patches.find(({ expect }, index) => {
      const found = this.#resources.filter((each) => this.#matchers[index]?.(candidateOf(each)))
      return expect.atLeast > 0 && found.length > 0 && found.every(goes)
    })
  }
}

const candidateOf = ({ kind, key, address, labels }: Resource): Candidate => ({
  kind,
  address,
  name: hasSecretName(catalog[kind]) ? undefined : key,
  labels,
})

const mergesInto = ({ merge }: Patch, pointer: string): boolean =>
  merge.some(({ key }) => overlaps(pointerTo(key), pointer))

/** Whether a patch removes a field or changes it by an operation. Both happen after its merge. */
export const handsBack = ({ unset, json }: Patch, pointer: string): boolean =>
  unset.some((each) => overlaps(each.pointer, pointer)) ||
  json.some(({ operation }) => operation.op !== 'test' && overlaps(operation.path, pointer))
