import fc from 'fast-check'
import { catalog } from '../../../src/catalog/catalog.js'
import type { Field, KindName } from '../../../src/catalog/types.js'
import type { Json } from '../../../src/json/json.js'
import { anyOf, domains, nameText } from '../drawn.js'
import type { Chance } from './chance.js'
import {
  allItems,
  childrenOf,
  type Item,
  isRequired,
  isSecret,
  itemsOf,
  type Links,
  type Origin,
  type Project,
  valueFields,
} from './items.js'

/** The means for drawing items. */
export interface Drawing {
  readonly project: Project
  readonly chance: Chance
  readonly origin: Origin
}

export const files = 4

const sampled = <Value>(arbitrary: fc.Arbitrary<Value>, { chance }: Drawing): Value => {
  const [value] = fc.sample(arbitrary, { seed: chance.seed(), numRuns: 1 })
  return value as Value
}

/** A name that nothing in the project has or had. */
export function freshName(drawing: Drawing): string {
  const { names, next } = drawing.project
  for (let tries = 0; tries < 5; tries += 1) {
    const name = sampled(nameText, drawing)
    if (names.has(name)) continue
    names.add(name)
    return name
  }
  names.add(`n${next}`)
  return `n${next}`
}

/** A value for a field; required ones are not empty. */
function freshValue(field: Field, drawing: Drawing): Json {
  if (isRequired(field) && field.type.is === 'string') return sampled(nameText, drawing)
  return sampled(anyOf(field.type), drawing)
}

const messageIds = ['ERR_403_DEVELOPER_OVER_QPS', 'ERR_403_NOT_AUTHORIZED', 'ERR_CUSTOM']

/** A new item of a kind, in its parent, with its children; its references are added later. */
export function addItem(drawing: Drawing, kindName: KindName, parent: Item | undefined, links: Links = {}): Item {
  const { project, chance } = drawing
  const kind = catalog[kindName]
  const item: Item = {
    number: project.next,
    kind,
    name: '',
    formerly: [],
    parent,
    children: [],
    fields: new Map(),
    secrets: new Map(),
    home: parent && chance.percent(70) ? 'inline' : 'apart',
    file: chance.below(files),
    moves: 0,
    links,
  }
  project.next += 1
  item.name = drawnName(item, drawing)
  drawValues(item, drawing)
  const siblings = parent ? parent.children : project.roots
  siblings.push(item)
  drawChildren(item, drawing)
  return item
}

function drawnName({ kind, parent, number }: Item, drawing: Drawing): string {
  if (kind.naming === undefined || kind.association) return ''
  if (kind.fixedSet && parent) {
    const taken = parent.children.map((each) => each.name)
    return messageIds.find((id) => !taken.includes(id)) ?? `ERR_${number}`
  }
  if (kind.naming === 'domain') return `d${number}.example`
  if (kind.naming === 'apikey') return `key-${number}-${drawing.chance.below(1000)}`
  return freshName(drawing)
}

function drawValues(item: Item, drawing: Drawing): void {
  const { chance } = drawing
  for (const field of valueFields(item.kind, drawing.origin)) {
    if (!isRequired(field) && !chance.percent(22)) continue
    writeValue(item, field, drawing)
  }
  const path = item.kind.route?.path
  if (path !== undefined) item.fields.set(path, `/p${item.number}`)
}

/** Writes a random value into a field. */
export function writeValue(item: Item, field: Field, drawing: Drawing): void {
  if (isSecret(field)) item.secrets.set(field.name, `secret-${item.number}-${field.name}-${drawing.chance.below(1e6)}`)
  else item.fields.set(field.name, freshValue(field, drawing))
}

/** The maximum number of children of a kind. */
const most: Readonly<Partial<Record<KindName, number>>> = {
  Endpoint: 3,
  Method: 2,
  Cache: 1,
  SystemDomainAuthentication: 1,
  ErrorSet: 2,
  ErrorMessage: 2,
  Plan: 2,
  Application: 2,
}

function drawChildren(item: Item, drawing: Drawing): void {
  for (const [name, limit] of Object.entries(most) as [KindName, number][]) {
    if (catalog[name].parent?.kind !== item.kind.name) continue
    const count = drawing.chance.below(limit + 1)
    for (let index = 0; index < count; index += 1) addItem(drawing, name, item)
  }
}

/** Every project has these, so that the hosts of endpoints are allowed. */
function addDomains(drawing: Drawing): void {
  for (const name of domains) {
    const item = addItem(drawing, 'Domain', undefined)
    item.name = name
  }
}

/** A project of all kinds. */
export function drawProject(drawing: Drawing): void {
  const { chance } = drawing
  addDomains(drawing)
  const counts: readonly (readonly [KindName, number])[] = [
    ['Domain', 1],
    ['Role', 1 + chance.below(3)],
    ['Service', 1 + chance.below(3)],
    ['Package', 1 + chance.below(2)],
    ['ScheduledMaintenanceEvent', chance.below(3)],
    ['Member', 1 + chance.below(2)],
  ]
  for (const [kind, count] of counts) {
    for (let index = 0; index < count; index += 1) addItem(drawing, kind, undefined)
  }
  for (const plan of itemsOf(drawing.project, 'Plan')) {
    for (const service of chance.some(itemsOf(drawing.project, 'Service'), 60)) addPlanService(drawing, plan, service)
  }
  for (const application of itemsOf(drawing.project, 'Application')) {
    if (chance.percent(70)) addKey(drawing, application)
  }
  for (const item of allItems(drawing.project)) relink(item, drawing)
}

/** Gives a plan access to a service, unless it has it. */
export function addPlanService(drawing: Drawing, plan: Item, service: Item): Item | undefined {
  if (childrenOf(plan, 'PlanService').some((each) => each.links.service === service)) return undefined
  return addItem(drawing, 'PlanService', plan, { service })
}

/** A key of an application for some plan; undefined if there is no plan. */
export function addKey(drawing: Drawing, application: Item): Item | undefined {
  const plan = drawing.chance.pick(itemsOf(drawing.project, 'Plan'))
  if (!plan?.parent) return undefined
  return addItem(drawing, 'PackageKey', application, { plan, package: plan.parent })
}

/** Draws the references of an item again; false for kinds without references that may change. */
export function relink(item: Item, drawing: Drawing): boolean {
  const { chance, project } = drawing
  const { links } = item
  switch (item.kind.name) {
    case 'Service':
      links.rolesIn ??= chance.percent(60) ? 'list' : 'documents'
      links.roles = chance.percent(85)
        ? new Map(
            chance.some(itemsOf(project, 'Role'), 50).map((role) => [role, chance.pick(['read', 'write']) ?? 'read']),
          )
        : undefined
      return true
    case 'Member':
      links.roles = chance.percent(85)
        ? new Map(chance.some(itemsOf(project, 'Role'), 50).map((role) => [role, '']))
        : undefined
      return true
    case 'ScheduledMaintenanceEvent':
      if (links.endpointsIn === 'endpoints')
        for (const endpoint of links.endpoints ?? []) endpoint.links.hadEvent = true
      links.endpointsIn ??= chance.percent(70) ? 'list' : 'endpoints'
      links.endpoints =
        links.endpointsIn === 'endpoints' || chance.percent(85) ? freeEndpoints(item, drawing) : undefined
      return true
    case 'PlanService':
      links.access = drawnAccess(item, drawing)
      return true
    case 'Endpoint':
      if (drawing.origin === 'documented' || !item.parent) return false
      links.errorSet = chance.percent(40) ? chance.pick(childrenOf(item.parent, 'ErrorSet')) : undefined
      return true
    default:
      return false
  }
}

/** An endpoint has at most one event. */
function freeEndpoints(event: Item, { project, chance }: Drawing): Set<Item> {
  const others = itemsOf(project, 'ScheduledMaintenanceEvent').filter((each) => each !== event)
  const taken = new Set(others.flatMap((each) => [...(each.links.endpoints ?? [])]))
  return new Set(chance.some(itemsOf(project, 'Endpoint'), 30).filter((endpoint) => !taken.has(endpoint)))
}

function drawnAccess({ links }: Item, { chance }: Drawing): Links['access'] {
  const { service } = links
  if (!service || chance.percent(15)) return undefined
  if (chance.percent(35)) return '*'
  return new Map(
    chance
      .some(childrenOf(service, 'Endpoint'), 60)
      .map((endpoint) => [
        endpoint,
        chance.percent(30) ? '*' : new Set(chance.some(childrenOf(endpoint, 'Method'), 60)),
      ]),
  )
}
