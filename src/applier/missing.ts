import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import type { Client } from '../client/types.js'
import { type LiveObject, type Snapshot, withAllInside } from '../live/live-object.js'
import type { Resource } from '../manifest/resource.js'
import type { CreateChange, Plan, ReferenceTarget } from '../planner/plan.js'
import { existenceOf, listedAs, lookPatiently, pathIds, pausesWithin, type Search, type Waiting } from './existing.js'

/** The records about the object at an address, independent of the platform's lists. */
export interface Recorded {
  /** The id that the platform returned. */
  readonly id: string | undefined
  /** The time at which a run announced the create, if no outcome is recorded; milliseconds since 1970. */
  readonly announcedAt: number | undefined
}

/** An object that a plan would create although it exists, or may exist soon, according to the records. */
export type Missing =
  | Late
  /** The object exists under another name: a create would make a second one. */
  | {
      readonly is: 'renamed'
      readonly change: CreateChange
      readonly id: string
      readonly name: string
      /** The address at which it is declared now, although no manifest says that this is a rename. */
      readonly declared?: string
    }

/** The object exists, and the lists do not contain it yet. */
export interface Unlisted {
  readonly is: 'unlisted'
  readonly change: CreateChange
  readonly id: string
}

/** An object that may be listed soon. */
type Late =
  | Unlisted
  /** An interrupted run sent the create. The platform may still be executing it for `forMs`. */
  | { readonly is: 'announced'; readonly change: CreateChange; readonly forMs: number }

export interface MissingInput {
  readonly plan: Plan
  readonly resources: readonly Resource[]
  readonly snapshot: Snapshot
  readonly recorded: (address: string) => Recorded | undefined
  readonly client: Client
  readonly now: number
  readonly createPatienceMs: number
}

/** The creates of a plan that contradict the records. The recorded ids are requested before a list counts (design §4). */
export async function missingIn(input: MissingInput): Promise<readonly Missing[]> {
  const recorded = topmostCreates(input.plan).flatMap((change) => {
    const known = input.recorded(change.address)
    return known && mayDouble(change) ? [{ change, known }] : []
  })
  if (recorded.length === 0) return []
  const known: Indexes = {
    listed: new Map(withAllInside(input.snapshot.objects).map((object) => [liveKey(object), object])),
    addresses: new Map([...input.plan.matched].map(([address, object]) => [liveKey(object), address])),
    resources: new Map(input.resources.map((resource) => [resource.address, resource])),
  }
  const found = await Promise.all(recorded.map((each) => missing(each.change, each.known, known, input)))
  return found.flatMap((each) => each ?? [])
}

/** The live objects and the resources in indexes: each of thousands of creates may have a recorded id. */
interface Indexes {
  /** Live objects by kind and id. */
  readonly listed: ReadonlyMap<string, LiveObject>
  /** The addresses at which live objects are declared, by kind and id. */
  readonly addresses: ReadonlyMap<string, string>
  /** Resources by address. */
  readonly resources: ReadonlyMap<string, Resource>
}

const liveKey = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind} ${id}`

/** Whether a create may make a second object. An object without its own id is set and not created. */
function mayDouble(change: CreateChange): boolean {
  const kind = catalog[change.kind]
  return kind.naming !== undefined && !kind.association && !kind.fixedSet
}

/** The creates without those inside other creates: the children of an object that does not exist cannot exist either. */
function topmostCreates({ changes }: Plan): readonly CreateChange[] {
  const creates = changes.filter((change) => change.action === 'create')
  const addresses = new Set(creates.map((change) => change.address))
  return creates.filter(({ resource }) => resource.parent === undefined || !addresses.has(resource.parent))
}

async function missing(
  change: CreateChange,
  { id, announcedAt }: Recorded,
  known: Indexes,
  input: MissingInput,
): Promise<Missing | undefined> {
  if (id !== undefined) {
    const object = known.listed.get(liveKey({ kind: change.kind, id }))
    const byId = object ? listedOtherwise(change, object, known) : await unlisted(change, id, input)
    if (byId) return byId
  }
  const forMs = (announcedAt ?? Number.NEGATIVE_INFINITY) + input.createPatienceMs - input.now
  if (forMs <= 0) return undefined
  return { is: 'announced', change, forMs: Math.min(forMs, input.createPatienceMs) }
}

/**
 * The result for an object that is listed under another name. Undefined if another manifest pins that object, or has this name in
 * `formerly`: then this create is for a new object.
 */
function listedOtherwise(
  change: CreateChange,
  { kind, id, key }: LiveObject,
  { addresses, resources }: Indexes,
): Missing | undefined {
  if (key === change.resource.key || hasSecretName(catalog[change.kind])) return undefined
  const declared = addresses.get(liveKey({ kind, id }))
  if (declared === undefined) return { is: 'renamed', change, id, name: key }
  const other = resources.get(declared)
  const isRename = other?.id !== undefined || other?.formerly.includes(change.resource.key)
  return isRename ? undefined : { is: 'renamed', change, id, name: key, declared }
}

async function unlisted(change: CreateChange, id: string, input: MissingInput): Promise<Missing | undefined> {
  const ids = pathIds(change, liveId)
  if (!ids) return undefined
  const existence = await existenceOf({ change, ids }, id, input.client)
  switch (existence.is) {
    case 'gone':
      return undefined
    case 'there':
      return { is: 'unlisted', change, id }
    case 'renamed':
      return { is: 'renamed', change, id, name: existence.name }
  }
}

const liveId = (target: ReferenceTarget): string | undefined => (target.is === 'live' ? target.id : undefined)

/** Waits until each of these objects is listed under its name, or its time is over. Returns the listed ones with their ids. */
export async function awaitListed(
  expected: readonly Late[],
  { client, snapshot, createPatienceMs }: MissingInput,
  waiting: Waiting,
): Promise<readonly Unlisted[]> {
  const before = new Set(withAllInside(snapshot.objects).map(liveKey))
  const found = await Promise.all(
    expected.map(async (each): Promise<readonly Unlisted[]> => {
      const { change } = each
      const ids = pathIds(change, liveId)
      if (!ids) return []
      const search: Search = { change, ids }
      const newId = async (): Promise<string | undefined> => {
        const listed = (await listedAs(search, client, liveId)).map(({ id }) => String(id))
        return listed.find((id) => !before.has(liveKey({ kind: change.kind, id })))
      }
      const patience = each.is === 'announced' ? each.forMs : createPatienceMs
      const id = await lookPatiently(newId, pausesWithin(patience), waiting)
      return id === undefined ? [] : [{ is: 'unlisted', change, id }]
    }),
  )
  return found.flat()
}
