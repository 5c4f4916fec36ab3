import { addressAndAbove, addressesNamed } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { hasSecretName, pickedFields, referredKind, targetOf } from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { append } from '../json/groups.js'
import type { Json } from '../json/json.js'
import { isList, isObject } from '../json/json.js'
import type { Image } from '../stores/record.js'
import type { Done } from './done.js'
import { linkedBy, parentsFor, type RecordedHolder } from './referred.js'

/** Keys that the run deleted and created elsewhere: what it created is the key that its users need. */
export function movedIn(done: readonly Done[]): readonly Done[] {
  const deleted = new Set(
    done.flatMap(({ action, kind, before }) => (action === 'delete' ? printOfName(kind, before) : [])),
  )
  return done.filter(
    (each) => each.action === 'create' && printOfName(each.kind, each.after).some((print) => deleted.has(print)),
  )
}

/** The fingerprint of a name that is a secret. */
function printOfName(kind: KindName, image: Image | undefined): readonly string[] {
  const row = catalog[kind]
  const print = hasSecretName(row) && row.naming !== undefined ? image?.fingerprints[row.naming] : undefined
  return print === undefined ? [] : [print]
}

/**
 * Objects that the run created and that an object that stays needs: it is inside them or refers to them, such as the package of a
 * key. By address, with the object that needs it. A needed object stays with everything in it, and with what that refers to.
 */
export function neededBy(kept: readonly Done[], done: readonly Done[]): ReadonlyMap<string, string> {
  const created = done.filter(({ action }) => action === 'create')
  const byAddress = new Map(created.map((each) => [each.address, each]))
  const inside = new Map<string, Done[]>()
  for (const each of created) for (const above of addressAndAbove(each.address)) append(inside, above, each)
  const needed = new Map<string, string>()
  const staying = new Set(kept.map(({ address }) => address))
  const open = [...kept]
  for (const user of open) {
    const around = [user.address, ...referredBy(user)].flatMap(addressAndAbove)
    const found = [
      ...around.flatMap((address) => byAddress.get(address) ?? []),
      ...(needed.has(user.address) ? (inside.get(user.address) ?? []) : []),
    ]
    for (const each of found) {
      if (staying.has(each.address)) continue
      staying.add(each.address)
      needed.set(each.address, user.address)
      open.push(each)
    }
  }
  return needed
}

/**
 * The addresses that an object refers to, by its fields, and by its name if it is a link. A reference that names its parents is
 * left out: an event does not need an endpoint that is deleted.
 */
function referredBy(user: Done): readonly string[] {
  const row = catalog[user.kind]
  const linked = linkedBy(user)
  const others = Object.values(row.fields).flatMap((field) => {
    const referred = referredKind(field)
    const value = user.after?.fields[field.name]
    if (referred === undefined || value === undefined) return []
    const target = targetOf(catalog[referred])
    return parentsFor(target, holderOf(user)).flatMap((parent) => addressesIn(value, target, parent))
  })
  return linked === undefined ? others : [linked, ...others]
}

const holderOf = ({ kind, address, after }: Done): RecordedHolder => ({ kind, address, fields: after?.fields ?? {} })

/** The addresses that a reference, or a list of them, may mean, including the objects that it picks inside them. */
function addressesIn(value: Json | undefined, target: Kind, parent: string | undefined): readonly string[] {
  if (isList(value)) return value.flatMap((each) => addressesIn(each, target, parent))
  const all = addressesNamed(target, value, parent)
  const picked = pickedFields(target).flatMap(({ field, kind }) =>
    isObject(value) ? all.flatMap((above) => addressesIn(value[field], kind, above)) : [],
  )
  return [...all, ...picked]
}
