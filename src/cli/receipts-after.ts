import type { ChangeResult } from '../applier/run.js'
import { catalog } from '../catalog/catalog.js'
import type { Json } from '../catalog/types.js'
import type { Resource } from '../manifest/resource.js'
import type { Base, Fingerprint } from '../planner/base.js'
import type { Plan } from '../planner/plan.js'
import type { Image, Receipt } from '../records/record.js'

export interface AfterRun {
  readonly run: string
  readonly resources: readonly Resource[]
  /** What a plan of the same manifests says after the run. */
  readonly plan: Plan
  readonly results: ReadonlyMap<string, ChangeResult>
  /** The addresses that the run was to create. */
  readonly created: ReadonlySet<string>
  /** What was known before. */
  readonly base: Base | undefined
  readonly receipts: readonly Receipt[]
  readonly fingerprint: Fingerprint
}

/** The receipts that a run leaves: of every declared object that is as it was declared, or that the run has made. */
export function receiptsAfter(after: AfterRun): {
  readonly keep: readonly Receipt[]
  readonly forget: readonly string[]
} {
  const earlier = new Map(after.receipts.map((receipt) => [receipt.address, receipt]))
  const open = new Set([...after.plan.changes.map((change) => change.address), ...after.plan.leftAlone])
  const keep: Receipt[] = []
  for (const resource of after.resources) {
    const live = after.plan.matched.get(resource.address)
    if (!live || resource.implied) continue
    const known = earlier.get(resource.address)
    const isMade = after.created.has(resource.address) && after.results.get(resource.address)?.outcome !== 'failed'
    // What is not as it was declared keeps the base that it had.
    if (open.has(resource.address) && !isMade) continue
    const origin = isMade || (known?.origin === 'created' && known.id === live.id) ? 'created' : 'adopted'
    const image = imageOf(resource, after.fingerprint)
    const receipt = {
      address: resource.address,
      kind: resource.kind,
      id: live.id,
      image,
      run: after.run,
      origin,
    } as const
    keep.push(known && isSameReceipt(known, receipt) ? known : receipt)
  }
  return {
    keep: [...keep, ...carriedOver(after, earlier)].filter((each) => earlier.get(each.address) !== each),
    forget: gone(after),
  }
}

/** The managed fields of a resource; secrets by their fingerprints only, write-only ones as well. */
export function imageOf(resource: Resource, fingerprint: Fingerprint): Image {
  const kind = catalog[resource.kind]
  const fields: Record<string, Json> = {}
  const fingerprints: Record<string, string> = {}
  for (const [name, value] of Object.entries(resource.fields)) {
    if (!kind.fields[name]?.secret) fields[name] = value
    else if (value !== null) {
      const print = fingerprint(value)
      if (print !== undefined) fingerprints[name] = print
    }
  }
  return { fields, fingerprints }
}

const isSameReceipt = (left: Receipt, right: Receipt): boolean =>
  left.id === right.id && left.origin === right.origin && JSON.stringify(left.image) === JSON.stringify(right.image)

/** What only the journal of an unfinished run knew, no manifest declares and still stands: it may be pruned later. */
function carriedOver(
  { base, plan, run, resources }: AfterRun,
  earlier: ReadonlyMap<string, Receipt>,
): readonly Receipt[] {
  const declared = new Set(resources.map((resource) => resource.address))
  const standing = new Map(plan.unmanaged.map((each) => [each.address, each]))
  return [...(base?.objects.values() ?? [])].flatMap((object): Receipt[] => {
    const live = standing.get(object.address)
    if (!live || earlier.has(object.address) || declared.has(object.address)) return []
    const { address, kind, fields, fingerprints } = object
    return [{ address, kind, id: live.id, image: { fields, fingerprints }, run, origin: 'created' }]
  })
}

/** Receipts of objects that are neither declared nor there any more. */
function gone({ base, plan, resources, receipts }: AfterRun): readonly string[] {
  const declared = new Set(resources.map((resource) => resource.address))
  const standing = new Set(plan.standing)
  const known = new Set([...receipts.map((receipt) => receipt.address), ...(base?.objects.keys() ?? [])])
  return [...known].filter((address) => !declared.has(address) && !standing.has(address)).sort()
}
