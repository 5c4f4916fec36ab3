import { addressOf, addressOfParent, parseAddress } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { isKindName } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'

/** The new names that are already in the texts. Callers from outside still use the addresses before these renames. */
export class Renames {
  /** New names, by the original addresses. */
  readonly #names: ReadonlyMap<string, string>
  /** Original names, by the addresses in which only the own name is new. */
  readonly #before: ReadonlyMap<string, string>

  constructor(names: ReadonlyMap<string, string> = new Map()) {
    this.#names = names
    this.#before = new Map([...names].flatMap(([address, name]) => nameBefore(address, name)))
  }

  get isEmpty(): boolean {
    return this.#names.size === 0
  }

  /** These renames together with more renames. The latter are given by their present addresses. */
  and(names: ReadonlyMap<string, string>): Renames {
    const others = [...names].map(([address, name]): [string, string] => [this.before(address), name])
    return new Renames(new Map([...this.#names, ...others]))
  }

  /** The new name of the object with that address. */
  nameOf(address: string): string | undefined {
    return this.#names.get(this.before(address))
  }

  /** The original address of an object. */
  before(address: string): string {
    const { steps } = (this.isEmpty ? undefined : parseAddress(address)) ?? {}
    if (!steps?.every(({ kind }) => isKindName(kind))) return address
    return steps.reduce((parent, { kind, name }) => (isKindName(kind) ? this.#step(kind, name, parent) : parent), '')
  }

  #step(kind: KindName, name: string | undefined, above: string): string {
    const row = catalog[kind]
    const parent = above === '' ? undefined : above
    // The name of a link is the name of its linked object.
    const linked = row.association && name !== undefined ? addressOf(catalog[row.association], name, undefined) : ''
    const before = this.#before.get(addressOf(row, name, parent)) ?? this.#before.get(linked)
    return addressOf(row, before ?? name, parent)
  }
}

function nameBefore(address: string, name: string): readonly [string, string][] {
  const { kind, steps } = parseAddress(address) ?? {}
  const before = steps?.at(-1)?.name
  if (kind === undefined || before === undefined) return []
  const parent = addressOfParent(catalog[kind], address)
  return [[addressOf(catalog[kind], name, parent === '' ? undefined : parent), before]]
}
