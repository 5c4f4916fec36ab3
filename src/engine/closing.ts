import type { ChangeResult } from '../applier/run.js'
import { catalog } from '../catalog/catalog.js'
import {
  addedChildren,
  ancestors,
  childFields,
  inverseReferenceFields,
  kinds,
  linkFields,
  ownFields,
  perKind,
  referredKind,
  rootOf,
  targetOf,
} from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { estimateRead } from '../client/estimate.js'
import { collectionOf, kindOfCollection } from '../client/nesting.js'
import type { ReadCost, Reading } from '../client/types.js'
import { objectsIn, textOf } from '../json/json.js'
import type { Earlier, ReadSpec, Snapshot, TouchedObject } from '../live/live-object.js'
import { rootAbove } from '../live/names.js'
import { type Change, isCreating, type Plan } from '../planner/plan.js'
import { listsIn, requestsFor, type TouchedRoot } from './closing-requests.js'

/**
 * The objects that an apply reads again after its last change: those in which something changed. They are read by pages or one by
 * one, whichever is cheaper (A201).
 */
export interface Closing {
  /** Root kinds that are missing here have not changed. */
  readonly touched: ReadonlyMap<KindName, 'pages' | readonly TouchedRoot[]>
  /** The number of requests, without those for links. */
  readonly requests: number
  /** The live objects whose links are read again, by kind and id. */
  readonly links: ReadonlySet<string>
}

/** A plan, and the reading from which it was made. */
export interface PlannedReading {
  readonly plan: Plan
  readonly snapshot: Snapshot
  readonly notOffered: Reading['notOffered']
  readonly cost: readonly ReadCost[]
  /** The specification of the reading. */
  readonly spec: ReadSpec
}

type GivenReading = Pick<PlannedReading, 'plan' | 'cost' | 'snapshot'>

/** What is read again after all changes of a plan are made. */
export function closingOf({ plan, cost, snapshot }: GivenReading): Closing {
  const found = touchedBy(plan)
  const added = addedObjects(plan)
  const touched = new Map<KindName, 'pages' | readonly TouchedRoot[]>()
  let requests = 0
  for (const part of cost) {
    const kind = kindOfCollection(part.collection)
    if (!kind || (!found.pages.has(kind.name) && !found.roots.has(kind.name))) continue
    const roots = [...(found.roots.get(kind.name)?.values() ?? [])]
    const inPages = estimateRead([part, ...listsIn(kind, cost)], added)
    const oneByOne = found.pages.has(kind.name) ? undefined : requestsFor(kind, roots, part, { cost, snapshot })
    const isCheaper = oneByOne !== undefined && oneByOne < inPages
    touched.set(kind.name, isCheaper ? roots : 'pages')
    requests += isCheaper ? oneByOne : inPages
  }
  return { touched, requests, links: otherLinks(plan, snapshot) }
}

/** The earlier reading, and which parts of it are read again after the changes. `spec`: what must be known then. */
export function earlierFor(
  planned: PlannedReading,
  results: ReadonlyMap<string, ChangeResult>,
  spec: ReadSpec,
): Earlier {
  const { touched, links } = closingOf(planned)
  const again = new Map<KindName, 'pages' | readonly TouchedObject[]>()
  for (const [kind, roots] of touched) again.set(kind, roots === 'pages' ? roots : withIds(roots, results))
  for (const [name, fields] of spec.fields) {
    const known = planned.spec.fields.get(name)
    // Created objects are read again to find the objects that the platform added by itself.
    if (!known && addsByItself(name)) continue
    if (!known || fields.some((field) => !known.includes(field))) again.set(rootOf(catalog[name]).name, 'pages')
  }
  const unset = new Set(planned.plan.changes.flatMap(unsetFields))
  return {
    snapshot: planned.snapshot,
    notOffered: planned.notOffered,
    touched: again,
    hasOtherLinks: (kind, id) => links.has(`${kind} ${id}`),
    mayLack: (kind, field) => unset.has(`${kind} ${field}`),
  }
}

/** The objects with their ids, or `pages` if an answer contained no id. */
function withIds(
  roots: readonly TouchedRoot[],
  results: ReadonlyMap<string, ChangeResult>,
): 'pages' | readonly TouchedObject[] {
  const objects: TouchedObject[] = []
  for (const root of roots) {
    const id = root.is === 'created' ? results.get(root.address)?.id : root.id
    if (!id) return 'pages'
    objects.push({ id, is: root.is === 'deleted' ? 'deleted' : 'there' })
  }
  return objects
}

const unsetFields = ({ kind, fields }: Change): readonly string[] =>
  fields.flatMap(({ path, after }) => (after === undefined || after === null ? [`${kind} ${fieldAt(path)}`] : []))

/** Whether the platform adds other objects by itself to the object that a change creates. */
export const bringsMore = (change: Change): boolean =>
  isCreating(change) && addedChildren(catalog[change.kind]).length > 0

const addsByItself = (name: KindName): boolean =>
  kinds.some((each) => addedChildren(each).some((child) => child.kind.name === name))

/** The change in the number of objects of each collection by the plan. */
function addedObjects(plan: Plan): Readonly<Record<string, number>> {
  const added: Record<string, number> = {}
  for (const change of plan.changes) {
    const kind = catalog[change.kind]
    if (kind.parent || (change.action !== 'create' && change.action !== 'delete')) continue
    const collection = collectionOf(kind)
    added[collection] = (added[collection] ?? 0) + (change.action === 'create' ? 1 : -1)
  }
  return added
}

interface ConcernedObjects {
  /** Root kinds of which it is not known which objects are concerned. */
  readonly pages: Set<KindName>
  /** The objects of the other kinds, each once. */
  readonly roots: Map<KindName, Map<string, TouchedRoot>>
}

function touchedBy(plan: Plan): ConcernedObjects {
  const found: ConcernedObjects = { pages: new Set(), roots: new Map() }
  const created = new Set(
    plan.changes.flatMap((change) => (isCreating(change) && !catalog[change.kind].parent ? [change.address] : [])),
  )
  for (const change of plan.changes) {
    if (change.action === 'blocked') continue
    const kind = rootOf(catalog[change.kind])
    const roots = kind.within ? undefined : rootsOf(change, plan, created)
    if (!roots) found.pages.add(kind.name)
    const known = found.roots.get(kind.name) ?? new Map<string, TouchedRoot>()
    for (const root of roots ?? []) {
      const key = root.is === 'created' ? root.address : root.id
      if (known.get(key)?.is !== 'deleted') known.set(key, root)
    }
    found.roots.set(kind.name, known)
    for (const name of alsoConcerned(change, roots ?? [])) if (name !== kind.name) found.pages.add(name)
  }
  return found
}

/** The root objects that a change concerns. Undefined if one of them is unknown. */
function rootsOf(
  change: Exclude<Change, { action: 'blocked' }>,
  plan: Plan,
  created: ReadonlySet<string>,
): readonly TouchedRoot[] | undefined {
  const roots: TouchedRoot[] = []
  if ('live' in change) {
    const root = rootAbove(change.live)
    if (root.id === '') return undefined
    const isGone = root === change.live && change.action !== 'update'
    roots.push({ id: root.id, is: isGone ? 'deleted' : 'there' })
  }
  if (isCreating(change)) {
    const address = rootAddress(change.address)
    const target = change.path[rootOf(catalog[change.kind]).idParameter]
    if (created.has(address)) roots.push({ is: 'created', address })
    else {
      const id = target?.is === 'live' ? target.id : plan.matched.get(address)?.id
      if (!id) return undefined
      roots.push({ id, is: 'there' })
    }
  }
  return roots
}

/** The address of the root object: the first two parts of an address. */
const rootAddress = (address: string): string => {
  const end = address.indexOf('/', address.indexOf('/') + 1)
  return end === -1 ? address : address.slice(0, end)
}

/**
 * The root kinds whose objects may change together with the object of a change: those that refer to it, if its name or existence
 * changes; and those whose lists contain it.
 */
function alsoConcerned(change: Change, roots: readonly TouchedRoot[]): readonly KindName[] {
  const kind = catalog[change.kind]
  const isNew = change.action === 'create' && roots.some(({ is }) => is === 'created')
  const isOther = changesIdentity(change)
  const isWritten = (field: string) => change.fields.some(({ path }) => fieldAt(path) === field)
  const listed = inverseOf(kind).flatMap((each) => (isOther || isWritten(each.field) ? [each.root] : []))
  return isOther && !isNew ? [...listed, ...referrersOf(kind)] : listed
}

/** The inverse references of a kind, and the lists to which its inverse references belong, each with the other root kind. */
const inverseOf = perKind((kind) => [
  ...inverseReferenceFields(kind).map(({ field, owner }) => ({ field: field.name, root: rootOf(owner).name })),
  ...kinds.flatMap((each) =>
    inverseReferenceFields(each)
      .filter(({ owner }) => owner === kind)
      .map(({ list }) => ({ field: list.name, root: rootOf(each).name })),
  ),
])

/** Whether references to the object of a change may change. */
function changesIdentity({ action, kind, fields }: Change): boolean {
  const { naming } = catalog[kind]
  return action !== 'update' || fields.some(({ path }) => fieldAt(path) === naming)
}

/**
 * The root kinds that refer to a kind, to its descendants, or to its ancestors, because a reference can pick objects inside its
 * target.
 */
const referrersOf = perKind((kind): readonly KindName[] => {
  const related = new Set([...ancestors(kind), ...treeOf(kind)].map(({ name }) => name))
  return kinds.flatMap((each) => {
    const refers =
      (each.association !== undefined && related.has(each.association)) ||
      ownFields(each).some((field) => {
        const referred = referredKind(field)
        return referred !== undefined && related.has(targetOf(catalog[referred]).name)
      })
    return refers ? [rootOf(each).name] : []
  })
})

const treeOf = (kind: Kind): readonly Kind[] => [kind, ...childFields(kind).flatMap((child) => treeOf(child.kind))]

/** The first part of a path in an object: "cors" in "/cors/maxAge". */
const fieldAt = (path: string): string => {
  const end = path.indexOf('/', 1)
  return path.slice(1, end === -1 ? undefined : end)
}

/** The live objects whose links a plan writes, and those with links to objects that are deleted or renamed. */
function otherLinks(plan: Plan, { objects }: Snapshot): Closing['links'] {
  const written = new Set<string>()
  const changed = new Map<KindName, Set<string>>()
  for (const change of plan.changes) {
    if (change.action === 'blocked') continue
    const kind = catalog[change.kind]
    if (isLinkTarget(kind) && change.action !== 'create' && changesIdentity(change)) {
      changed.set(kind.name, (changed.get(kind.name) ?? new Set()).add(change.live.id))
    }
    const own = ownLinks(kind)
    const isOwn = own.length > 0 && change.fields.some(({ path }) => own.includes(fieldAt(path)))
    if (isOwn && 'live' in change) written.add(`${kind.name} ${change.live.id}`)
    const { parent } = kind
    if (!parent || !linkFields(catalog[parent.kind]).some((links) => links.kind === kind)) continue
    const id = parentId(change, parent.kind, plan)
    if (id !== undefined) written.add(`${parent.kind} ${id}`)
  }
  if (changed.size === 0) return written
  for (const { kind, id, fields } of objects) {
    const isLinked = linkFields(catalog[kind]).some(({ field, kind: { association } }) => {
      const targets = association && changed.get(association)
      return targets && objectsIn(fields[field]).some((link) => targets.has(textOf(link.id) ?? ''))
    })
    if (isLinked) written.add(`${kind} ${id}`)
  }
  return written
}

const ownLinks = perKind((kind) => linkFields(kind).map(({ field }) => field))

function parentId(change: Change, parent: KindName, plan: Plan): string | undefined {
  if ('live' in change && change.live) return change.live.parent?.id
  const target = change.path[catalog[parent].idParameter]
  if (target?.is === 'live') return target.id
  return 'resource' in change ? plan.matched.get(change.resource.parent ?? '')?.id : undefined
}

const isLinkTarget = perKind((kind) =>
  kinds.some((each) => linkFields(each).some((links) => links.kind.association === kind.name)),
)
