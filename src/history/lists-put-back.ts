import { addressesNamed } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { inverseReferenceFields, referredKind } from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import { append } from '../json/groups.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { entriesIn } from '../planner/compare/withdrawals.js'
import type { UpdateChange } from '../planner/plan.js'
import type { Receipt } from '../stores/record.js'
import type { EndedRun } from './run-journal.js'

/**
 * The field of an object may name the list of another object. A change of that other object puts the list back; the applied state
 * of the object itself is then as before, too.
 */
type ListedNow = (receipt: Receipt) => Receipt

/** An object that a rollback has put into a list again, or has taken out of it. */
interface Moved {
  readonly field: string
  readonly holder: UpdateChange
  readonly is: 'in' | 'out'
}

export function listsPutBack({ plan, run }: Pick<EndedRun, 'plan' | 'run'>, receipts: readonly Receipt[]): ListedNow {
  const known = new Map(receipts.map((receipt) => [`${receipt.kind} ${receipt.id}`, receipt.image.fields]))
  const isWritten = ({ kind, live }: UpdateChange, list: string): boolean =>
    known.get(`${kind} ${live.id}`)?.[list] !== undefined
  const moved = new Map<string, Moved[]>()
  for (const change of plan.changes) {
    if (change.action !== 'update' || run.results.get(change.address)?.outcome !== 'applied') continue
    for (const [id, each] of movedBy(change, isWritten)) append(moved, id, each)
  }
  return (receipt) => {
    const all = moved.get(`${receipt.kind} ${receipt.id}`) ?? []
    // It may have moved from one list to another.
    const fields = [...all].sort((one, other) => other.is.localeCompare(one.is)).reduce(listed, receipt.image.fields)
    return fields === receipt.image.fields ? receipt : { ...receipt, image: { ...receipt.image, fields } }
  }
}

function movedBy(
  holder: UpdateChange,
  isWritten: (holder: UpdateChange, list: string) => boolean,
): readonly (readonly [string, Moved])[] {
  return Object.entries(holder.values).flatMap(([list, value]) => {
    const field = catalog[holder.kind].fields[list]
    const kind = field && referredKind(field)
    const inverse = kind && inverseReferenceFields(catalog[kind]).find((each) => each.list === field)
    if (!inverse || value.is !== 'references') return []
    const then = new Set(entriesIn(holder.live, list).map(({ id }) => String(id)))
    const now = new Set(value.entries.flatMap(({ target }) => (target.is === 'live' ? [target.id] : [])))
    const left = [...then].filter((id) => !now.has(id))
    // A list that is written has its own entries in the receipt of its object.
    const joined = isWritten(holder, list) ? [] : [...now].filter((id) => !then.has(id))
    const named = (ids: readonly string[], is: Moved['is']) =>
      ids.map((id) => [`${kind} ${id}`, { field: inverse.field.name, holder, is }] as const)
    return [...named(left, 'out'), ...named(joined, 'in')]
  })
}

function listed(fields: JsonObject, { field, holder, is }: Moved): JsonObject {
  const value = fields[field]
  const others = () => Object.entries(fields).filter(([name]) => name !== field)
  if (is === 'out') {
    const isThis = value !== undefined && addressesNamed(catalog[holder.kind], value).includes(holder.address)
    return isThis ? recordOf(others()) : fields
  }
  // The applied null had taken it out of every list.
  if (value === null) return recordOf(others())
  return isObject(value) ? fields : recordOf([...others(), [field, referenceTo(holder)]])
}

function referenceTo({ resource: { key, id } }: UpdateChange): Json {
  return id === undefined ? { name: key } : { name: key, id }
}
