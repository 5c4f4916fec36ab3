import { catalog } from '../../catalog/catalog.js'
import { type PickedField, pickedFields, referredKind } from '../../catalog/queries.js'
import type { Kind, KindName, Operation } from '../../catalog/types.js'
import type { Json, JsonObject } from '../../json/json.js'
import { asList, isObject } from '../../json/json.js'
import type { Change, ReferenceEntry, UpdateChange } from '../plan.js'
import { targetKey } from '../references/scope.js'
import { made, type Step, type StepSettings } from './step.js'

/**
 * If a platform ignores the links nested in an update, they are written one by one through separate routes that platforms are
 * known to have (design §5; field notes, Writing). By then, every object has an id.
 */

/** Whether a change is an update of links that have separate routes. */
export const hasLinkRoutes = (change: Change): change is UpdateChange =>
  change.action === 'update' && Object.keys(change.values).some((name) => routesFor(change.kind, name) !== undefined)

/** One step for each missing link, and one for each link that must be removed. */
export function linkSteps(changes: readonly UpdateChange[]): readonly Step[] {
  return changes.flatMap((change) =>
    Object.entries(change.values).flatMap(([name, value]) => {
      const routes = routesFor(change.kind, name)
      if (!routes || value.is !== 'references') return []
      const owner: Owner = { change, routes, ids: liveIds(change), id: `link ${change.address}`, needs: [] }
      return stepsWithin(owner, value.entries, change.live.fields[name])
    }),
  )
}

/**
 * The steps of an update that only changes picks of which at most one is possible: the filters of a plan's methods. They are not
 * nested, but written one after another through the paths that clients of real platforms use (A317). Undefined for any other
 * update.
 */
export function pickSteps(
  change: UpdateChange,
  needs: readonly string[],
  { conventionalOperations }: Pick<StepSettings, 'conventionalOperations'>,
): readonly Step[] | undefined {
  const { kind, values, live } = change
  if (conventionalOperations === 'refuse') return undefined
  const isPickedAlone = Object.entries(values).every(([name, value]) => {
    const routes = routesFor(kind, name)
    return routes && value.is === 'references' && sameBesidePicks(value.entries, live.fields[name], routes)
  })
  const steps = isPickedAlone ? linkSteps([change]) : []
  if (steps.length === 0) return undefined
  return steps.map((step, index) => ({
    ...step,
    tried: 'nothing',
    needs: index === 0 ? needs : [steps[index - 1]?.id ?? ''],
    gives: index === steps.length - 1 ? [step.id, made(change.address)] : [step.id],
  }))
}

/** Whether two lists of links name the same objects. Picks of which at most one is possible are not compared. */
function sameBesidePicks(desired: readonly ReferenceEntry[], answered: Json | undefined, routes: Routes): boolean {
  if (routes.picks === 'one') return true
  const live = byId(answered)
  if (live.size !== desired.length) return false
  return desired.every(({ target, nested }) => {
    const present = target.is === 'live' ? live.get(target.id) : undefined
    const inner = nested && routes.nested(nested.field)
    return present && (!inner || sameBesidePicks(nested.entries, present[nested.field], inner))
  })
}

const byId = (answered: Json | undefined): ReadonlyMap<string, JsonObject> =>
  new Map(asList(answered).flatMap((each) => (isObject(each) ? [[String(each.id), each] as const] : [])))

interface Routes {
  readonly kind: Kind
  readonly picks: PickedField['picks']
  readonly create: Operation
  readonly remove: Operation
  readonly nested: (field: string) => Routes | undefined
}

/** The object with a list of links: the object of a change, or one of its links. */
interface Owner {
  readonly change: UpdateChange
  readonly routes: Routes
  readonly ids: Readonly<Record<string, string>>
  readonly id: string
  readonly needs: readonly string[]
}

function routesFor(owner: KindName, name: string): Routes | undefined {
  const field = catalog[owner].fields[name]
  const referred = field && referredKind(field)
  return referred && routesOf(owner, referred, 'any')
}

function routesOf(owner: KindName, kind: KindName, picks: PickedField['picks']): Routes | undefined {
  const { [`create${kind}`]: create, [`delete${kind}`]: remove, update } = catalog[owner].operations
  if (!create || !remove || !update || !create.path.startsWith(update.path)) return undefined
  const nested = (field: string): Routes | undefined => {
    const picked = pickedFields(catalog[kind]).find((each) => each.field === field)
    return picked && routesOf(owner, picked.kind.name, picked.picks)
  }
  return { kind: catalog[kind], picks, create, remove, nested }
}

function stepsWithin(owner: Owner, desired: readonly ReferenceEntry[], answered: Json | undefined): readonly Step[] {
  const { routes, ids, needs } = owner
  const live = byId(answered)
  const kept = new Set(desired.map(({ target }) => targetKey(target)))
  const removals = [...live.keys()]
    .filter((id) => !kept.has(targetKey({ is: 'live', id })))
    .map((id) => removalOf(owner, id))
  // If there is room for only one link, the other one is removed first.
  const isOne = routes.picks === 'one'
  const before = isOne ? [...needs, ...removals.map((step) => step.id)] : needs
  const steps: Step[] = []
  for (const { target, nested } of desired) {
    // If the same run creates the target, the link is created with it, except for a pick.
    if (target.is !== 'live' && !isOne) continue
    const known = target.is === 'live' ? target.id : target.address
    const present = live.get(known)
    const id = `${owner.id}/${routes.kind.name} ${known}`
    if (!present)
      steps.push({ ...baseOf(owner), id, operation: routes.create, ids, to: target, needs: before, gives: [id] })
    const inner = nested && routes.nested(nested.field)
    if (!nested || !inner) continue
    const below = { ...ids, [routes.kind.idParameter]: known }
    const link: Owner = { ...owner, routes: inner, ids: below, id, needs: present ? needs : [id] }
    steps.push(...stepsWithin(link, nested.entries, present?.[nested.field]))
  }
  return isOne ? [...removals, ...steps] : [...steps, ...removals]
}

function removalOf(owner: Owner, id: string): Step {
  const { kind, remove } = owner.routes
  // A route may have another parameter name for the link than the paths of its target.
  const parameter = /\{(\w+)\}$/.exec(remove.path)?.[1] ?? kind.idParameter
  const ids = { ...owner.ids, [parameter]: id }
  const step = `un${owner.id}/${kind.name} ${id}`
  return { ...baseOf(owner), id: step, operation: remove, ids, to: undefined, needs: owner.needs, gives: [step] }
}

const baseOf = ({ change }: Owner) => ({ work: 'link', change, members: [change], tried: 'nested' }) as const

const liveIds = (change: UpdateChange): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(change.path).flatMap(([parameter, target]) =>
      target.is === 'live' ? [[parameter, target.id]] : [],
    ),
  )
