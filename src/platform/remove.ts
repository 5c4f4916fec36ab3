import { catalog } from '../catalog/catalog.js'
import { hasOwnId } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject } from '../json/json.js'
import type { Write } from './area.js'
import { type Entity, entityText, isEntityWithin } from './entity.js'
import { refersKey } from './indexes.js'
import type { RuleTable } from './kind-rules.js'
import { refuse } from './refusal.js'

/** Deletes an object with its contents. Refuses if another object could not exist without it. */
export function removeObject(write: Write & { readonly rules: RuleTable }, entity: Entity): void {
  const inside = descendants(entity)
  for (const each of inside) refuseWhileUsed(write, each, entity)
  write.rules[entity.kind]?.removing?.(write, entity)
  for (const each of inside) forget(write, each, entity)
  write.area.store.remove(entity)
}

/** The object and everything below it. */
function descendants(entity: Entity): readonly Entity[] {
  const below = [...entity.children.values()].flatMap((held) => [...held.values()])
  return [entity, ...below.flatMap(descendants)]
}

/**
 * For each kind, the kind of objects that prevent a deletion. The document does not say what a deletion does to these objects, and
 * this platform never loses anything silently. All other references to a deleted object are removed.
 */
const keepers: Readonly<Partial<Record<KindName, KindName>>> = {
  Service: 'PlanService',
  Package: 'PackageKey',
  Plan: 'PackageKey',
  ErrorSet: 'Endpoint',
}

function refuseWhileUsed(write: Write, used: Entity, removed: Entity): void {
  const keeper = keepers[used.kind]
  if (!keeper) return
  const users = referrers(write, used).filter((each) => each.kind === keeper && !isEntityWithin(each, removed))
  if (users.length === 0) return
  const places = [...new Set(users.map(placeWords))].sort().join(', ')
  refuse('id', `The ${used.kind} '${entityName(used)}' is used by ${users.length} ${keeper}: ${places}.`)
}

const referrers = (write: Write, entity: Entity): readonly Entity[] =>
  hasOwnId(entity.kind) ? write.area.store.found(refersKey(entity.id)) : []

/** Describes an object that uses another one. Instead of a key, its application is named: keys are secret. */
function placeWords(entity: Entity): string {
  const { parent } = entity
  const own = parent && catalog[entity.kind].association !== undefined ? parent : entity
  const displayed = own.kind === 'PackageKey' && own.parent ? own.parent : own
  const holder = displayed.parent ? ` of ${displayed.parent.kind} '${entityName(displayed.parent)}'` : ''
  return `${displayed.kind} '${entityName(displayed)}'${holder}`
}

function entityName(entity: Entity): string {
  return entityText(entity, catalog[entity.kind].naming ?? '') ?? entity.id
}

/** Removes a deleted object from everything that refers to it, and deletes the links to it. */
function forget(write: Write, gone: Entity, removed: Entity): void {
  for (const referrer of referrers(write, gone)) {
    if (isEntityWithin(referrer, removed)) continue
    if (catalog[referrer.kind].association === gone.kind) write.area.store.remove(referrer)
    else write.area.store.change(referrer, withoutId(referrer.fields, gone.id), referrer.updated)
  }
}

function withoutId(fields: JsonObject, id: string): JsonObject {
  const kept: Record<string, Json> = {}
  for (const [name, value] of Object.entries(fields)) {
    const rest = dropId(value, id)
    if (rest !== undefined) kept[name] = rest
  }
  return kept
}

function dropId(value: Json, id: string): Json | undefined {
  if (isList(value)) {
    return value.flatMap((each) => {
      const rest = dropId(each, id)
      return rest === undefined ? [] : [rest]
    })
  }
  if (!isObject(value)) return value
  return value.id === id ? undefined : withoutId(value, id)
}
