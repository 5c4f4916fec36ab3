import { ownFields, referredKind } from '../../../src/catalog/queries.js'
import type { Field } from '../../../src/catalog/types.js'
import type { Json, JsonObject } from '../../../src/json/json.js'
import { isObject } from '../../../src/json/json.js'
import { allItems, childrenOf, type Item, isSecret, isSingle, type Project, shown, valueFields } from './items.js'
import { allLive, isBlank, type LiveObject } from './live.js'
import { isMeant } from './meaning.js'

/** The live object of each item, and the differences. */
export interface Verdict {
  readonly live: ReadonlyMap<Item, LiveObject>
  readonly findings: readonly string[]
}

/** Compares a live area with a project, object by object and field by field. */
export function judge(project: Project, area: readonly LiveObject[]): Verdict {
  const live = new Map<Item, LiveObject>()
  const findings: string[] = []
  const report = (text: string) => findings.push(text)
  // Links are identified by their targets, and are in packages.
  const [holders, others] = [true, false].map((isHolder) =>
    project.roots.filter(({ kind }) => (kind.name === 'Package') === isHolder),
  )
  matchAll([...(others ?? []), ...(holders ?? [])], area, live, report)
  for (const [item, object] of live) {
    judgeValues(item, object, report)
    judgeLinks(item, object, live, report)
  }
  const known = new Set(live.values())
  for (const object of allLive(area))
    if (!known.has(object) && !isAdded(project, object, live)) report(`${told(object)} is live, and nobody wrote it`)
  return { live, findings }
}

const told = (object: LiveObject): string =>
  `${object.parent ? `${told(object.parent)}/` : ''}${object.kind.name} ${JSON.stringify(object.name)} (${object.id})`

function matchAll(
  items: readonly Item[],
  objects: readonly LiveObject[],
  live: Map<Item, LiveObject>,
  report: (text: string) => void,
): void {
  for (const item of items) {
    const found = objects.filter((object) => isThis(item, object, live))
    if (found.length === 0 && saysNothing(item)) continue
    if (found.length !== 1) report(`${shown(item)} is live ${found.length} times`)
    const [object] = found
    if (!object) continue
    live.set(item, object)
    matchAll(item.children, object.children, live, report)
  }
}

/** An empty cache and no cache are the same. */
const saysNothing = ({ kind, fields, secrets }: Item): boolean =>
  isSingle(kind) &&
  secrets.size === 0 &&
  Object.values(kind.fields).every((field) => isMeant(field, undefined, fields.get(field.name)))

function isThis(item: Item, object: LiveObject, live: ReadonlyMap<Item, LiveObject>): boolean {
  if (object.kind !== item.kind) return false
  if (isSingle(item.kind)) return true
  const { service, package: packageItem } = item.links
  if (service) return object.id === live.get(service)?.id
  if (packageItem && item.name === '') return idsIn(object.value.package)[0] === live.get(packageItem)?.id
  return object.name === item.name
}

/** Objects that a platform adds by itself: its own roles, and a set of messages if nobody writes the list of sets. */
function isAdded(project: Project, object: LiveObject, live: ReadonlyMap<Item, LiveObject>): boolean {
  if (object.kind.name === 'ErrorMessage' || object.value.isPredefined === true) return true
  if (isSingle(object.kind)) return isBlank(object)
  if (object.kind.name !== 'ErrorSet') return false
  const service = allItems(project).find((item) => live.get(item) === object.parent)
  return service !== undefined && !childrenOf(service, 'ErrorSet').some((each) => each.home === 'inline')
}

function judgeValues(item: Item, object: LiveObject, report: (text: string) => void): void {
  // The texts of a message that nobody wrote are the platform's own.
  const isFixed = item.kind.fixedSet
  for (const field of valueFields(item.kind, 'known')) {
    if (field.writeOnly) continue
    const written = isSecret(field) ? item.secrets.get(field.name) : item.fields.get(field.name)
    const found = object.value[field.name]
    if (written === undefined && (isFixed || isFilled(item, field.name))) continue
    if (isMeant(field, written, found)) continue
    report(
      `${shown(item)} ${field.name}: ${written === undefined ? 'not written' : JSON.stringify(written)}, but live ${JSON.stringify(found)}`,
    )
  }
  const path = item.kind.route?.path
  if (path !== undefined && item.fields.get(path) !== object.value[path])
    report(
      `${shown(item)} ${path}: ${JSON.stringify(item.fields.get(path))}, but live ${JSON.stringify(object.value[path])}`,
    )
}

/** Values that platforms fill in although the catalogue has no default for them. */
const isFilled = ({ kind }: Item, field: string): boolean =>
  (kind.name === 'PackageKey' && field === 'status') || (kind.name === 'ErrorSet' && field === 'type')

const idsIn = (value: Json | undefined): readonly string[] => entriesOf(value).map((each) => String(each.id))

function entriesOf(value: Json | undefined): readonly JsonObject[] {
  const list: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value ?? null]
  return list.filter(isObject)
}

function judgeLinks(
  item: Item,
  object: LiveObject,
  live: ReadonlyMap<Item, LiveObject>,
  report: (text: string) => void,
): void {
  const { links } = item
  const same = (what: string, desired: readonly (Item | undefined)[], found: readonly string[]): void => {
    const ids = desired.map((each) => (each && live.get(each)?.id) ?? '?').sort()
    if (JSON.stringify(ids) !== JSON.stringify([...found].sort()))
      report(
        `${shown(item)} ${what}: ${desired.map((each) => (each ? shown(each) : '?')).join(', ')}, but live ${found.join(', ')} (desired ids ${ids.join(', ')})`,
      )
  }
  switch (item.kind.name) {
    case 'Service':
    case 'Member':
      same('roles', [...(links.roles?.keys() ?? [])], idsIn(object.value.roles))
      judgeActions(item, object, live, report)
      return
    case 'ScheduledMaintenanceEvent':
      same('endpoints', [...(links.endpoints ?? [])], idsIn(object.value.endpoints))
      return
    case 'PackageKey':
      same('plan', [links.plan], idsIn(object.value.plan))
      same('package', [links.package], idsIn(object.value.package))
      return
    case 'PlanService':
      judgeAccess(item, object, same)
      return
    case 'Endpoint':
      same('errorSet', links.errorSet ? [links.errorSet] : [], idsIn(object.value.errorSet))
      return
    default:
      // Fields that only recorded platforms keep are not drawn.
      if (ownFields(item.kind).some((field) => isDrawn(field) && referredKind(field) !== undefined))
        report(`${shown(item)}: its references are not looked at`)
  }
}

const isDrawn = ({ readOnly, origin }: Field): boolean => readOnly === undefined && origin === 'document'

function judgeActions(
  item: Item,
  object: LiveObject,
  live: ReadonlyMap<Item, LiveObject>,
  report: (text: string) => void,
): void {
  const roles: readonly Json[] = Array.isArray(object.value.roles) ? (object.value.roles as readonly Json[]) : []
  for (const [role, action] of item.links.roles ?? []) {
    const found = roles.find((each) => isObject(each) && each.id === live.get(role)?.id)
    if (action !== '' && isObject(found) && found.action !== action)
      report(`${shown(item)}: the role ${role.name} may ${action}, but live ${String(found.action)}`)
  }
}

function judgeAccess(
  { links }: Item,
  object: LiveObject,
  same: (what: string, desired: readonly Item[], found: readonly string[]) => void,
): void {
  const { service, access } = links
  if (!service) return
  const endpoints = access === '*' ? childrenOf(service, 'Endpoint') : [...(access?.keys() ?? [])]
  same('endpoints', endpoints, idsIn(object.value.endpoints))
  const found: readonly Json[] = Array.isArray(object.value.endpoints)
    ? (object.value.endpoints as readonly Json[])
    : []
  const methods = endpoints.flatMap((endpoint) => {
    const chosen = access instanceof Map ? access.get(endpoint) : '*'
    return chosen instanceof Set ? [...chosen] : childrenOf(endpoint, 'Method')
  })
  same(
    'methods',
    methods,
    found.filter(isObject).flatMap((each) => idsIn(each.methods)),
  )
}
