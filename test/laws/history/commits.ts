import { escapeName } from '../../../src/catalog/address.js'
import type { KindName } from '../../../src/catalog/types.js'
import type { Json } from '../../../src/json/json.js'
import { domains } from '../drawn.js'
import { chanceOf, seedOf } from './chance.js'
import {
  addItem,
  addKey,
  addPlanService,
  type Drawing,
  drawProject,
  files,
  freshName,
  relink,
  writeValue,
} from './draw.js'
import {
  allItems,
  childrenOf,
  emptyProject,
  type Item,
  isRequired,
  isSecret,
  isSingle,
  itemsOf,
  nameOf,
  type Origin,
  type Project,
  removeItem,
  shown,
  valueFields,
  withChildren,
} from './items.js'
import { makeLawful } from './lawful.js'
import { type WrittenProject, writtenProject } from './written.js'

/** One state of a project in its history. */
export interface Commit {
  /** 0 is the first. */
  readonly number: number
  /** The edits since the commit before, as text. */
  readonly edits: readonly string[]
  readonly project: Project
  readonly written: WrittenProject
}

export interface HistoryOptions {
  readonly origin: Origin
  readonly commits: number
  /** Edits to omit, as "2.3": the third of commit 2. This makes a failed history smaller. */
  readonly without?: ReadonlySet<string>
}

/** The commits of a seed, one after another: the project is always the same object, so use it before the next commit. */
export function* historyOf(seed: number, { origin, commits, without = new Set() }: HistoryOptions): Generator<Commit> {
  const project = emptyProject()
  drawProject({ project, origin, chance: chanceOf(seedOf(seed, 0)) })
  makeLawful(project)
  yield { number: 0, edits: [], project, written: writtenProject(project) }
  for (let number = 1; number <= commits; number += 1) {
    const chance = chanceOf(seedOf(seed, number))
    const count = 2 + chance.below(6)
    const turn: Lease = { touched: new Set(), removals: [] }
    const done: string[] = []
    for (let index = 1; index <= count; index += 1) {
      if (without.has(`${number}.${index}`)) continue
      const drawing = { project, origin, chance: chanceOf(seedOf(seed, number, index)) }
      const words = edit(drawing, turn)
      if (words !== undefined) done.push(`${number}.${index} ${words}`)
    }
    makeLawful(project)
    yield { number, edits: done, project, written: writtenProject(project, stillGone(project, turn)) }
  }
}

/** Removals of objects that were not added again in the same commit. */
function stillGone(project: Project, { removals }: Lease): readonly string[] {
  const there = new Set(allItems(project).map((item) => addressOf(lineOf(item))))
  return removals.filter((address) => !there.has(address))
}

/** The edits of one commit so far. */
interface Lease {
  /** Items that were added or renamed in it. */
  readonly touched: Set<Item>
  /** Addresses that are removed by a document. */
  readonly removals: string[]
}

type Edit = (drawing: Drawing, turn: Lease) => string | undefined

const edits: readonly (readonly [weight: number, Edit])[] = [
  [24, change],
  [8, clear],
  [8, leaveOut],
  [9, rename],
  [9, remove],
  [7, move],
  [14, relinkOne],
  [12, add],
  [6, rewrite],
  [3, forgetNames],
  [2, swapPaths],
]

const lots: readonly Edit[] = edits.flatMap(([weight, each]) => Array.from({ length: weight }, () => each))

/** One random edit; undefined if no possible one was found. */
function edit(drawing: Drawing, turn: Lease): string | undefined {
  for (let tries = 0; tries < 4; tries += 1) {
    const words = drawing.chance.pick(lots)?.(drawing, turn)
    if (words !== undefined) return words
  }
  return undefined
}

const isFixed = (item: Item): boolean => item.kind.name === 'Domain' && domains.includes(item.name)

function change(drawing: Drawing): string | undefined {
  const { chance, project, origin } = drawing
  const item = chance.pick(allItems(project))
  const fields = item ? valueFields(item.kind, origin).filter((field) => !field.immutable && !field.writeOnly) : []
  const field = chance.pick(fields)
  if (!item || !field) return undefined
  writeValue(item, field, drawing)
  return `change ${shown(item)} ${field.name} = ${JSON.stringify(item.fields.get(field.name))}`
}

/** A written field that may be omitted. */
function optionalField({ chance, project, origin }: Drawing) {
  const locations = allItems(project).flatMap((item) =>
    valueFields(item.kind, origin)
      .filter((field) => !isRequired(field) && (item.fields.has(field.name) || item.secrets.has(field.name)))
      .map((field) => ({ item, field })),
  )
  return chance.pick(locations)
}

function clear(drawing: Drawing): string | undefined {
  const location = optionalField(drawing)
  if (!location || isSecret(location.field)) return undefined
  location.item.fields.set(location.field.name, null)
  return `clear ${shown(location.item)} ${location.field.name}`
}

function leaveOut(drawing: Drawing): string | undefined {
  const location = optionalField(drawing)
  // A secret that is not written any more stays as it is (A131).
  if (!location || isSecret(location.field)) return undefined
  location.item.fields.delete(location.field.name)
  return `leave out ${shown(location.item)} ${location.field.name}`
}

function rename(drawing: Drawing, { touched }: Lease): string | undefined {
  const { chance, project } = drawing
  const item = chance.pick(
    allItems(project).filter(
      ({ kind, name }) => name !== '' && !kind.fixedSet && !kind.fields[kind.naming ?? '']?.immutable,
    ),
  )
  if (!item || touched.has(item) || isFixed(item)) return undefined
  const before = shown(item)
  item.formerly.push(item.name)
  item.name = item.kind.naming === 'domain' ? `r${chance.below(1e6)}.example` : freshName(drawing)
  touched.add(item)
  return `rename ${before} to ${JSON.stringify(item.name)}`
}

/** Some objects must stay: domains of endpoints, and the last written error set of a service. */
function isRemovable(item: Item): boolean {
  if (isFixed(item) || item.kind.fixedSet) return false
  return item.kind.name !== 'ErrorSet' || !item.parent || childrenOf(item.parent, 'ErrorSet').length > 1
}

function remove(drawing: Drawing, turn: Lease): string | undefined {
  const { chance, project } = drawing
  const item = chance.pick(allItems(project).filter(isRemovable))
  if (!item || withChildren([item]).some((each) => turn.touched.has(each))) return undefined
  if (itemsOf(project, item.kind.name).length === 1 && item.parent === undefined) return undefined
  const ancestors = lineOf(item)
  const isSaid = chance.percent(25) && !ancestors.some((each) => isNewlyNamed(each, turn)) && !isSecretLine(ancestors)
  if (isSaid) {
    turn.removals.push(addressOf(ancestors))
    // A new name in the same commit would make this the address of another object.
    for (const each of ancestors) turn.touched.add(each)
  }
  const words = `remove ${shown(item)}${isSaid ? ' by a document' : ''}`
  removeItem(project, item)
  return words
}

const lineOf = (item: Item): readonly Item[] => (item.parent ? [...lineOf(item.parent), item] : [item])

const isNewlyNamed = (item: Item, { touched }: Lease): boolean =>
  touched.has(item) || (item.links.service !== undefined && touched.has(item.links.service))

const isSecretLine = (line: readonly Item[]): boolean => line.some(({ kind }) => kind.naming === 'apikey')

const addressOf = (line: readonly Item[]): string =>
  line.map((item) => (isSingle(item.kind) ? item.kind.name : `${item.kind.name}/${escapeName(nameOf(item))}`)).join('/')

/** The possible new parents of an object of a kind: it is another object there, except for a key in another plan. */
function move(drawing: Drawing, { touched }: Lease): string | undefined {
  const { chance, project } = drawing
  const kinds: readonly KindName[] = ['PackageKey', 'Endpoint', 'Plan', 'Application', 'Method']
  const kind = chance.pick(kinds) ?? 'PackageKey'
  const item = chance.pick(itemsOf(project, kind))
  if (!item?.parent || touched.has(item)) return undefined
  if (kind === 'PackageKey') return moveKey(item, drawing)
  const { parent } = item
  const target = chance.pick(itemsOf(project, parent.kind.name).filter((each) => each !== parent))
  if (!target || target.children.some((each) => each.kind === item.kind && each.name === item.name)) return undefined
  const words = `move ${shown(item)} to ${shown(target)}`
  removeItem(project, item)
  item.parent = target
  item.formerly = []
  // References to it meant the old one; its own references may not exist in the new place.
  item.links.errorSet = undefined
  target.children.push(item)
  for (const each of withChildren([item])) {
    each.moves += 1
    touched.add(each)
  }
  return words
}

function moveKey(key: Item, { chance, project }: Drawing): string | undefined {
  const plan = chance.pick(itemsOf(project, 'Plan').filter((each) => each !== key.links.plan))
  if (!plan?.parent) return undefined
  const words = `move ${shown(key)} to ${shown(plan)}`
  // A key cannot move from one package to another: it is another key there.
  if (key.links.package !== plan.parent) key.moves += 1
  key.links.plan = plan
  key.links.package = plan.parent
  return words
}

function relinkOne(drawing: Drawing): string | undefined {
  const { chance, project } = drawing
  const kinds: readonly KindName[] = ['Service', 'Member', 'ScheduledMaintenanceEvent', 'PlanService', 'Endpoint']
  const item = chance.pick(itemsOf(project, chance.pick(kinds) ?? 'PlanService'))
  return item && relink(item, drawing) ? `relink ${shown(item)}` : undefined
}

function add(drawing: Drawing, { touched }: Lease): string | undefined {
  const item = added(drawing)
  if (!item) return undefined
  for (const each of withChildren([item])) {
    relink(each, drawing)
    touched.add(each)
  }
  return `add ${shown(item)}`
}

const rootKinds: readonly KindName[] = ['Domain', 'Role', 'Service', 'Package', 'Member', 'ScheduledMaintenanceEvent']
const childKinds: readonly KindName[] = [
  'Endpoint',
  'Method',
  'Cache',
  'SystemDomainAuthentication',
  'ErrorSet',
  'ErrorMessage',
  'Plan',
  'PlanService',
  'Application',
  'PackageKey',
]

function added(drawing: Drawing): Item | undefined {
  const { chance, project } = drawing
  if (chance.percent(25)) return addItem(drawing, chance.pick(rootKinds) ?? 'Role', undefined)
  const kind = chance.pick(childKinds) ?? 'Method'
  if (kind === 'PlanService') {
    const [plan, service] = [chance.pick(itemsOf(project, 'Plan')), chance.pick(itemsOf(project, 'Service'))]
    return plan && service && addPlanService(drawing, plan, service)
  }
  const parent = chance.pick(itemsOf(project, parentOf[kind] ?? 'Service'))
  if (!parent) return undefined
  if (kind === 'PackageKey') return addKey(drawing, parent)
  const has = childrenOf(parent, kind).length
  if ((kind === 'Cache' || kind === 'SystemDomainAuthentication') && has > 0) return undefined
  if (kind === 'ErrorMessage' && has >= 3) return undefined
  return addItem(drawing, kind, parent)
}

const parentOf: Readonly<Partial<Record<KindName, KindName>>> = {
  Endpoint: 'Service',
  Method: 'Endpoint',
  Cache: 'Endpoint',
  SystemDomainAuthentication: 'Endpoint',
  ErrorSet: 'Service',
  ErrorMessage: 'ErrorSet',
  Plan: 'Package',
  Application: 'Member',
  PackageKey: 'Application',
}

/** Writes the same differently: another file, nested or separate, a list or documents. */
function rewrite({ chance, project }: Drawing): string {
  for (const item of chance.some(allItems(project), 40)) {
    item.file = chance.below(files)
    if (item.parent) item.home = chance.percent(60) ? 'inline' : 'apart'
    if (item.links.rolesIn && item.links.roles) item.links.rolesIn = chance.percent(50) ? 'list' : 'documents'
  }
  return 'rewrite'
}

function forgetNames({ chance, project }: Drawing, { touched }: Lease): string | undefined {
  const renamed = allItems(project).filter((item) => item.formerly.length > 0 && !touched.has(item))
  if (renamed.length === 0) return undefined
  for (const item of chance.some(renamed, 70)) item.formerly = []
  return 'forget earlier names'
}

function swapPaths({ chance, project }: Drawing): string | undefined {
  const endpoints = itemsOf(project, 'Endpoint')
  const [one, other] = [chance.pick(endpoints), chance.pick(endpoints)]
  if (!one || !other || one === other) return undefined
  const path = (item: Item): Json => item.fields.get('requestPathAlias') ?? null
  const [first, second] = [path(one), path(other)]
  one.fields.set('requestPathAlias', second)
  other.fields.set('requestPathAlias', first)
  return `swap the paths of ${shown(one)} and ${shown(other)}`
}
