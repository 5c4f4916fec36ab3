import { addressAndAbove } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { addedChildren, type ChildField } from '../../catalog/queries.js'
import type { Operation } from '../../catalog/types.js'
import { append, groupBy } from '../../json/groups.js'
import { isNested, operationFor, parentAddress, throughParent } from '../block.js'
import {
  type Change,
  type CreateChange,
  type DeleteChange,
  madeTargets,
  type Plan,
  type ReplaceChange,
  referencesIn,
  type UpdateChange,
} from '../plan.js'
import { isAddedByPlatform } from '../prune/ownership.js'
import { targetKey } from '../references/scope.js'
import { pickSteps } from './link-steps.js'
import { made, type Step, type StepSettings } from './step.js'

/** The need that is met when an object has its temporary values. */
const temporarily = (address: string): string => `temporary ${address}`
const removed = (address: string): string => `removed ${address}`

/** The requests that make the changes of a plan. Blocked changes have none. */
export function stepsOf(changes: Plan['changes'], settings: StepSettings): readonly Step[] {
  const context = contextOf(changes, settings)
  const { creates } = context
  const trees = new Map<string, CreateChange[]>()
  const lists = new Map<string, Change[]>()
  const steps: Step[] = []
  const wholeLists = new Set(changes.map((change) => listGroup(change, creates)))
  for (const change of changes) {
    // A list is written as a whole, so a separate update of an object in it would be overwritten by the list.
    const along = change.action === 'update' ? listKey(change) : undefined
    const group = along !== undefined && wholeLists.has(along) ? along : listGroup(change, creates)
    if (group !== undefined) append(lists, group, change)
    else if (change.action === 'create') append(trees, rootOfTree(change, context).address, change)
    else steps.push(...otherSteps(change, context))
  }
  for (const [address, members] of trees) {
    const root = creates.get(address)
    if (root) steps.push(...treeSteps(root, members, context))
  }
  for (const members of lists.values()) steps.push(...listSteps(members))
  return steps
}

/** The changes of a plan in indexes for the steps, so that time and memory are linear in their number. */
interface StepContext {
  readonly settings: StepSettings
  readonly creates: ReadonlyMap<string, CreateChange>
  /** The creates of children, by the address of the parent. */
  readonly createdUnder: ReadonlyMap<string, readonly CreateChange[]>
  /** The deletes that are part of another delete, by the address of that one. */
  readonly deletedWith: ReadonlyMap<string, readonly DeleteChange[]>
}

function contextOf(changes: Plan['changes'], settings: StepSettings): StepContext {
  const creates = new Map<string, CreateChange>()
  const createdUnder = new Map<string, CreateChange[]>()
  const deletedWith = new Map<string, DeleteChange[]>()
  for (const change of changes) {
    if (change.action === 'create') {
      creates.set(change.address, change)
      if (change.resource.parent !== undefined) append(createdUnder, change.resource.parent, change)
    }
    if (change.action === 'delete' && change.within !== undefined) append(deletedWith, change.within, change)
  }
  return { settings, creates, createdUnder, deletedWith }
}

/** The topmost create whose request also makes this create. */
function rootOfTree(change: CreateChange, context: StepContext): CreateChange {
  const { creates, settings } = context
  if (settings.nesting === 'one by one' || !isNested(change, creates, settings) || isPlatformAdded(change, creates))
    return change
  const parent = creates.get(parentAddress(change) ?? '')
  return parent ? rootOfTree(parent, context) : change
}

/** Whether the platform adds an object with this name by itself. It is searched for before it is created. */
function isPlatformAdded(change: Change, creates: ReadonlyMap<string, CreateChange>): boolean {
  const parent = creates.get(parentAddress(change) ?? '')
  if (change.action !== 'create' || !parent) return false
  const { kind, resource } = change
  return isAddedByPlatform({ kind, key: resource.key }) || (catalog[kind].fixedSet && isPlatformAdded(parent, creates))
}

function treeSteps(root: CreateChange, members: readonly CreateChange[], context: StepContext): readonly Step[] {
  const operation = createOperation(root)
  if (!operation) return []
  const inside = insideTree(members, context)
  const create: Step = {
    id: `create ${root.address}`,
    work: 'create',
    operation,
    change: root,
    members: [root, ...members.filter((member) => member !== root)],
    inside,
    needs: [...needsOf(members, inside), ...temporaryNeeds(members)],
    gives: members.map((member) => made(member.address)),
  }
  const follows = members.flatMap((member) => followStep(member, inside) ?? [])
  return [create, ...follows, ...members.flatMap((member) => removeDefaultsSteps(member, context))]
}

/**
 * Objects that a tree contains, or that the platform adds to it. They have no id before the request is answered, so references to
 * them are written by a later update.
 */
function insideTree(members: readonly CreateChange[], { creates, createdUnder }: StepContext): ReadonlySet<string> {
  const inside = new Set(members.map((member) => member.address))
  for (const member of members) {
    for (const child of createdUnder.get(member.address) ?? []) {
      if (isPlatformAdded(child, creates)) inside.add(child.address)
    }
  }
  return inside
}

/** A message of a fixed set exists as soon as its set exists, so it is written by an update. */
function createOperation(change: CreateChange): Operation | undefined {
  const kind = catalog[change.kind]
  return kind.operations.create ?? (kind.fixedSet ? kind.operations.update : undefined)
}

function needsOf(members: readonly Change[], inside: ReadonlySet<string>): readonly string[] {
  const addresses = new Set(members.flatMap((member) => member.dependsOn))
  return [...addresses].filter((address) => !inside.has(address)).map(made)
}

function followStep(change: CreateChange, inside: ReadonlySet<string>): Step | undefined {
  const operation = catalog[change.kind].operations.update
  const names = followingFields(change, inside)
  if (names.length === 0 || !operation) return undefined
  return {
    id: `complete ${change.address}`,
    work: 'follow',
    operation,
    change,
    members: [change],
    values: Object.fromEntries(Object.entries(change.values).filter(([name]) => names.includes(name))),
    needs: [made(change.address), ...needsOf([change], new Set())],
    gives: [],
  }
}

/** The fields that the request which creates the object cannot contain. */
export function followingFields(change: CreateChange | ReplaceChange, inside: ReadonlySet<string>): readonly string[] {
  const { fields } = catalog[change.kind]
  return Object.entries(change.values).flatMap(([name, value]) => {
    const follows = fields[name]?.afterCreate || madeTargets(referencesIn(value)).some((address) => inside.has(address))
    return follows ? [name] : []
  })
}

/**
 * Deletes the objects that the platform added by itself and that are missing in a written list. They count as created by this
 * run.
 */
function removeDefaultsSteps(change: CreateChange, { createdUnder, settings }: StepContext): readonly Step[] {
  if (settings.prune === 'none') return []
  return addedChildren(catalog[change.kind]).flatMap(
    ({ field, kind: { name: child, operations } }): readonly Step[] => {
      const children = (createdUnder.get(change.address) ?? []).filter(({ kind }) => kind === child)
      const operation = operations.delete
      if (!change.resource.wholeLists.includes(field) || children.length === 0 || !operation) return []
      const declared = children.map((each) => each.address)
      return [
        {
          id: `remove-defaults ${change.address} ${field}`,
          work: 'remove-defaults',
          operation,
          change,
          members: [change],
          child,
          declared,
          needs: [made(change.address), ...declared.map(made)],
          gives: [],
        },
      ]
    },
  )
}

function otherSteps(change: Change, context: StepContext): readonly Step[] {
  switch (change.action) {
    case 'update':
      return pickSteps(change, needsOf([change], new Set()), context.settings) ?? updateSteps(change)
    case 'delete':
      return change.within === undefined ? deleteStep(change, context.deletedWith.get(change.address) ?? []) : []
    case 'replace':
      return replaceSteps(change, context)
    case 'create':
    case 'blocked':
      return []
  }
}

function updateSteps(change: UpdateChange): readonly Step[] {
  const operation = operationFor(catalog[change.kind], 'update')
  if (!operation) return []
  const base = { operation, change, members: [change] } as const
  const needs = [...change.dependsOn.map(made), ...temporaryNeeds([change])]
  const update: Step = {
    ...base,
    work: 'update',
    id: `update ${change.address}`,
    values: change.values,
    needs: change.temporary ? [...needs, temporarily(change.address)] : needs,
    gives: [made(change.address)],
  }
  if (!change.temporary) return [update]
  const before: Step = {
    ...base,
    work: 'temporary',
    id: `temporary ${change.address}`,
    values: change.temporary.values,
    needs: [],
    gives: [temporarily(change.address)],
  }
  return [before, update]
}

/** The needs of a change that takes a value of another object: only the temporary values of that object, not its whole update. */
const temporaryNeeds = (members: readonly Change[]): readonly string[] =>
  members.flatMap((change) => change.afterTemporary ?? []).map(temporarily)

/**
 * The same deletes for a platform that keeps an object while one of these lists in it has entries: the contents are deleted
 * first, by separate requests. Empty if there are no contents, or if they may not be deleted.
 */
export function emptyingSteps(
  [root, ...inside]: readonly [DeleteChange, ...DeleteChange[]],
  lists: readonly ChildField[],
  { conventionalOperations }: Pick<StepSettings, 'conventionalOperations'>,
): readonly Step[] {
  const mayGo = ({ kind: { operations } }: ChildField): boolean =>
    operations.delete !== undefined && (operations.delete.documented || conventionalOperations === 'use')
  const kinds = new Set(lists.filter(mayGo).map(({ kind }) => kind.name))
  const first = inside.filter(({ kind, live }) => kinds.has(kind) && live.parent === root.live)
  if (first.length === 0) return []
  const emptied = new Set(first.map(({ address }) => address))
  const contents = groupBy(inside, ({ address }) => addressAndAbove(address).find((each) => emptied.has(each)))
  return [
    ...first.flatMap((each) => {
      const within = (contents.get(each.address) ?? []).filter((inner) => inner !== each)
      return deleteStep(each, within).map((step) => ({ ...step, needs: [] }))
    }),
    ...deleteStep(root, contents.get(undefined) ?? []).map((step) => ({
      ...step,
      needs: first.map(({ address }) => made(address)),
    })),
  ]
}

function deleteStep(change: DeleteChange, deletedWith: readonly DeleteChange[]): readonly Step[] {
  const operation = operationFor(catalog[change.kind], 'delete')
  if (!operation) return []
  const members = [change, ...deletedWith]
  const inside = new Set(members.map((member) => member.address))
  return [
    {
      id: `delete ${change.address}`,
      work: 'delete',
      operation,
      change,
      members,
      needs: needsOf(members, inside),
      gives: members.map((member) => made(member.address)),
    },
  ]
}

function replaceSteps(change: ReplaceChange, { deletedWith }: StepContext): readonly Step[] {
  const { delete: remove, create } = catalog[change.kind].operations
  if (!remove || !create) return []
  const inside = deletedWith.get(change.address) ?? []
  const needs = [...change.dependsOn.map(made), ...temporaryNeeds([change])]
  return [
    {
      id: `delete ${change.address}`,
      work: 'delete',
      operation: remove,
      change,
      members: [change, ...inside],
      needs,
      gives: [removed(change.address), ...inside.map((each) => made(each.address))],
    },
    {
      id: `create ${change.address}`,
      work: 'create',
      operation: create,
      change,
      members: [change],
      inside: new Set([change.address]),
      needs: [...needs, removed(change.address)],
      gives: [made(change.address)],
    },
  ]
}

/** The group of changes that one update of their parent makes together. Undefined for a change with its own request. */
function listGroup(change: Change, creates: ReadonlyMap<string, CreateChange>): string | undefined {
  if (change.action === 'blocked' || change.action === 'replace') return undefined
  const kind = catalog[change.kind]
  if (!kind.parent || !throughParent(kind, change.action)) return undefined
  const parent = change.path[catalog[kind.parent.kind].idParameter]
  if (!parent || (parent.is === 'desired' && kind.fixedSet && creates.has(parent.address))) return undefined
  return listKey(change)
}

/** The list of the parent that contains an object. */
function listKey(change: Change): string | undefined {
  const { parent: row } = catalog[change.kind]
  const parent = row && change.path[catalog[row.kind].idParameter]
  return parent && `${change.kind} ${targetKey(parent)}`
}

function listSteps(members: readonly Change[]): readonly Step[] {
  const [change] = members
  const row = change && catalog[change.kind].parent
  const operation = row && catalog[row.kind].operations.update
  if (!change || !operation) return []
  const inside = new Set(members.map((member) => member.address))
  return [
    {
      id: `list ${change.address}`,
      work: 'list',
      operation,
      change,
      members,
      needs: needsOf(members, inside),
      gives: members.map((member) => made(member.address)),
    },
  ]
}
