import { addressOf, addressOfParent, parseAddress } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { isKindName } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'

/** The names that texts have got already: whoever asks from outside knows objects by those before. */
export class Renames {
  /** New names, by the addresses before all of them. */
  readonly #names: ReadonlyMap<string, string>
  /** Names before, by the addresses with nothing but the own name new. */
  readonly #before: ReadonlyMap<string, string>

  constructor(names: ReadonlyMap<string, string> = new Map()) {
    this.#names = names
    this.#before = new Map([...names].flatMap(([address, name]) => nameBefore(address, name)))
  }

  get isEmpty(): boolean {
    return this.#names.size === 0
  }

  /** The same and these, by their addresses as they are now. */
  and(names: ReadonlyMap<string, string>): Renames {
    const others = [...names].map(([address, name]): [string, string] => [this.before(address), name])
    return new Renames(new Map([...this.#names, ...others]))
  }

  /** The new name of what an address was that of. */
  nameOf(address: string): string | undefined {
    return this.#names.get(this.before(address))
  }

  /** The address that an object had before all this. */
  before(address: string): string {
    const { steps } = (this.isEmpty ? undefined : parseAddress(address)) ?? {}
    if (!steps?.every(({ kind }) => isKindName(kind))) return address
    return steps.reduce((parent, { kind, name }) => (isKindName(kind) ? this.#step(kind, name, parent) : parent), '')
  }

  #step(kind: KindName, name: string | undefined, above: string): string {
    const row = catalog[kind]
    const parent = above === '' ? undefined : above
    // A link has the name of what it links to.
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
