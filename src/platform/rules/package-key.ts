import type { Json } from '../../json/json.js'
import { below, complain, findById, type PlatformArea, setFields, type Write } from '../area.js'
import { childrenIn, type Entity, entityText } from '../entity.js'
import { apikeyKey, idsIn } from '../indexes.js'
import type { KindRules, Writing } from '../kind-rules.js'

/** The length of generated keys if the package sets none. */
export const usualKeyLength = 24

/**
 * The package of a key never changes. The limits of a key and the number of a member's keys must be within the limits of the
 * plan.
 */
export const packageKeyRules: KindRules = {
  site: (write, body) => {
    const [id = ''] = idsIn(body.application)
    return { parent: findById(write.area, 'Application', id), slot: 'packageKeys' }
  },
  generate: (write, entity) => {
    const apikey = entityText(entity, 'apikey') ?? newKey(write, entity)
    setFields(write, entity, { apikey, status: entityText(entity, 'status') ?? firstStatus(write.area, entity) })
  },
  check: (write, entity, writing) => {
    checkPackage(write, entity, writing)
    checkDuplicate(write, entity, writing)
    checkCount(write, entity, writing)
    checkLimit(write, entity, writing, 'rateLimit')
    checkLimit(write, entity, writing, 'qpsLimit')
  },
}

/** The limits of a key, each with its source: per second, and per period of its plan. */
export function limitsOf(area: PlatformArea, key: Entity): Json {
  const plan = planOf(area, key)
  const period = (plan && entityText(plan, 'rateLimitPeriod')) ?? 'day'
  return [
    { period: 'second', ...ceilingOf(key, plan, 'qpsLimit') },
    { period, ...ceilingOf(key, plan, 'rateLimit') },
  ]
}

/** A ceiling of 0 without exemption means the limit of the plan (field notes, Writing). */
function ceilingOf(key: Entity, plan: Entity | undefined, limit: string): { source: string; ceiling: Json } {
  const own = key.fields[`${limit}Ceiling`]
  if (key.fields[`${limit}Exempt`] === true) return { source: 'key', ceiling: 0 }
  if (typeof own === 'number' && own !== 0) return { source: 'key', ceiling: own }
  return { source: 'plan', ceiling: plan?.fields[`${limit}Ceiling`] ?? 0 }
}

/** A key waits for approval if the member already has as many keys as the plan gives without review (A64). */
function firstStatus(area: PlatformArea, key: Entity): string {
  const free = planOf(area, key)?.fields.numKeysBeforeReview
  return typeof free === 'number' && free > 0 && keysOfMember(key).length > free ? 'waiting' : 'active'
}

/** All keys that the key's member has in the same plan, including the key itself. */
function keysOfMember(key: Entity): readonly Entity[] {
  const [planId] = idsIn(key.fields.plan)
  const member = key.parent?.parent
  if (!member) return []
  return childrenIn(member, 'applications')
    .flatMap((application) => childrenIn(application, 'packageKeys'))
    .filter((each) => idsIn(each.fields.plan)[0] === planId)
}

function newKey(write: Write, entity: Entity): string {
  const [packageId = ''] = idsIn(entity.fields.package)
  const length = findById(write.area, 'Package', packageId)?.fields.keyLength
  const make = () => write.area.ids.text(typeof length === 'number' && length > 0 ? length : usualKeyLength)
  let apikey = make()
  while (write.area.store.found(apikeyKey(packageId, apikey)).length > 0) apikey = make()
  return apikey
}

function checkPackage(write: Write, entity: Entity, { mode, body, path }: Writing): void {
  const [packageId = ''] = idsIn(entity.fields.package)
  const [givenId = packageId] = idsIn(body.package)
  if (mode === 'update' && givenId !== packageId) {
    complain(write, below(path, 'package'), 'A package key cannot move from one package to another.')
  }
  const plan = planOf(write.area, entity)
  if (plan && packageId !== '' && plan.parent?.id !== packageId) {
    complain(write, below(path, 'plan'), `The plan '${plan.id}' does not belong to the package '${packageId}'.`)
  }
}

function checkDuplicate(write: Write, entity: Entity, { path }: Writing): void {
  const [packageId = ''] = idsIn(entity.fields.package)
  const holders = write.area.store.found(apikeyKey(packageId, entityText(entity, 'apikey') ?? ''))
  if (holders.every((other) => other === entity)) return
  complain(write, below(path, 'apikey'), 'The apikey is a duplicate value in its package.')
}

/** A member may not have more keys in a plan than the plan allows (A64). */
function checkCount(write: Write, entity: Entity, { mode, before, path }: Writing): void {
  if (mode === 'update' && idsIn(before.plan)[0] === idsIn(entity.fields.plan)[0]) return
  const most = planOf(write.area, entity)?.fields.maxNumKeysAllowed
  if (typeof most !== 'number' || most === 0 || keysOfMember(entity).length <= most) return
  complain(write, below(path, 'plan'), `The plan allows a developer ${most} keys, and they are taken.`)
}

function checkLimit(write: Write, entity: Entity, { given, path }: Writing, limit: 'rateLimit' | 'qpsLimit'): void {
  const plan = planOf(write.area, entity)
  const field = `${limit}Ceiling`
  const desired = entity.fields[field]
  const most = plan?.fields[field]
  const exempt = `${limit}Exempt`
  const isReported = [field, exempt, 'plan'].some((name) => given[name] !== undefined)
  if (!isReported || plan?.fields[exempt] === true) return
  const mayOverride = plan?.fields[`${limit}KeyOverrideAllowed`] !== false
  if (entity.fields[exempt] === true && !mayOverride) {
    complain(write, below(path, exempt), `The plan does not allow its keys a ${exempt} of their own.`)
  }
  // A key with 0 has no limit of its own: the plan's limit applies. A plan with 0 has no maximum (A86).
  if (typeof desired !== 'number' || typeof most !== 'number' || desired === 0 || desired === most) return
  const at = below(path, field)
  if (most !== 0 && desired > most) complain(write, at, `${field} ${desired} is above the plan's maximum of ${most}.`)
  else if (!mayOverride) complain(write, at, `The plan does not allow its keys a ${field} of their own.`)
}

function planOf(area: PlatformArea, key: Entity): Entity | undefined {
  const [id] = idsIn(key.fields.plan)
  return id === undefined ? undefined : findById(area, 'Plan', id)
}
