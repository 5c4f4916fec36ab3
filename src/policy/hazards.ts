import { catalog } from '../catalog/catalog.js'
import type { Hazard } from '../catalog/hazards.js'
import { ancestors, elementOf, hasSecretName, pickedFields, referredKind } from '../catalog/queries.js'
import type { FieldType, KindName } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import type { Json, JsonObject } from '../json/json.js'
import { objectsIn, textEntries } from '../json/json.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import type { Change, FieldChange, Plan, ReferenceEntry } from '../planner/plan.js'
import { counted } from '../problems/suggest.js'
import { isLonger, isMove, isOwnLimit, type Move, PlanTerms } from './moved-keys.js'
import type { Usage } from './usage.js'

/**
 * Typed consequences of changes for the users of keys (design §4, Deletes). There is none if no live key uses what the change
 * touches.
 */

/** A possible consequence; `about` is the live object whose users are affected. */
interface Danger {
  readonly hazard: Hazard
  readonly about: { readonly kind: KindName; readonly id: string }
  readonly words: string
}

/** Whether any change may have consequences: only then must the users of objects be known. */
export const mayBeHazardous = (plan: Plan): boolean =>
  plan.changes.some((change) => isMove(change) || dangersOf(change).length > 0)

/**
 * The plan with the hazards of its changes, each with the number of keys that it affects. `usage` must be made from `snapshot`.
 */
export function withHazards(plan: Plan, usage: Usage, snapshot: Snapshot): Plan {
  const terms = new PlanTerms(plan, snapshot)
  const moved = new Set(plan.changes.filter(isMove).map((change) => change.live.id))
  return { ...plan, changes: plan.changes.map((change) => hazarded(change, usage, terms, moved)) }
}

/**
 * `moved`: the ids of keys that change to another plan or package. They change before the plan or package that they leave is
 * deleted.
 */
function hazarded(change: Change, usage: Usage, terms: PlanTerms, moved: ReadonlySet<string>): Change {
  const dangers = [...dangersOf(change, terms), ...(isMove(change) ? moveDangers(change, terms) : [])]
  const real = dangers.flatMap((danger) => {
    const isLeft = change.action === 'delete' && isNamedByKeys(danger.about.kind)
    const { keys, applications } = usage.of(danger.about.kind, danger.about.id, isLeft ? moved : undefined)
    return keys === 0
      ? []
      : [
          {
            hazard: danger.hazard,
            words: `${danger.words}: ${counted(keys, 'key')} of ${counted(applications, 'application')}`,
          },
        ]
  })
  if (real.length === 0) return change
  const words = [...new Set(real.map((each) => each.words))]
  const hazards = [...new Set(real.map((each) => each.hazard))].sort()
  return { ...change, hazards, reason: [change.reason, ...words].filter((each) => each !== undefined).join('; ') }
}

/** The dangers of a change; without `terms`, all that are possible. */
function dangersOf(change: Change, terms?: PlanTerms): readonly Danger[] {
  switch (change.action) {
    case 'create':
    case 'blocked':
      return []
    case 'delete':
      return change.within === undefined ? deleteDangers(change.live) : []
    case 'replace':
      return hasSecretName(catalog[change.kind]) ? [] : deleteDangers(change.live)
    case 'update':
      return [
        ...change.fields
          .filter(({ path }) => !terms || !isOwnLimit(change, path.slice(1)) || terms.isLowered(change, path.slice(1)))
          .flatMap((field) => fieldDangers(change.live, field)),
        ...lostReferences(change),
      ]
  }
}

const moveDangers = (change: Move, terms: PlanTerms): readonly Danger[] =>
  terms.lossesOf(change).map((loss) => ({ ...loss, about: { kind: change.kind, id: change.live.id } }))

function deleteDangers(live: LiveObject): readonly Danger[] {
  const kind = catalog[live.kind]
  const about = { kind: live.kind, id: live.id }
  if (holdsKeys(live.kind)) {
    // Both have the same text, so that the keys are counted once.
    const isFinal = !kind.parent && isAccount(live.kind)
    const words = hasSecretName(kind)
      ? 'the key is deleted'
      : `${live.kind} is deleted with what it holds${isFinal ? ', and its account cannot be recreated' : ''}`
    const lost: Danger = { hazard: 'KEY_LOSS', about, words }
    return isFinal ? [lost, { ...lost, hazard: 'IRREVERSIBLE' }] : [lost]
  }
  if (kind.naming === undefined) {
    return live.parent && Object.values(kind.fields).some((field) => field.secret)
      ? [{ hazard: 'AUTH_WEAKENED', about: { kind: live.parent.kind, id: live.parent.id }, words: `${live.kind} goes` }]
      : []
  }
  if (kind.association && live.parent) {
    const { parent } = live
    // A role decides what is visible in the portal; it does not affect calls.
    if (!kind.operations.delete) return []
    return [
      {
        hazard: 'TRAFFIC_STOP',
        about: { kind: parent.kind, id: parent.id },
        words: `${parent.kind} ${parent.key} loses ${kind.association} ${live.key}`,
      },
    ]
  }
  // An object that is picked for another one limits the answers to calls of that one.
  if (kind.pickedAs !== undefined && live.parent) {
    const { parent } = live
    const words = `${parent.kind} ${parent.key} loses ${live.kind} ${live.key}`
    return [{ hazard: 'AUTH_WEAKENED', about: { kind: parent.kind, id: parent.id }, words }]
  }
  return [{ hazard: 'TRAFFIC_STOP', about, words: `plans lose ${live.kind} ${live.key}` }]
}

/** Kinds that contain keys, and kinds that a key refers to: if such an object is deleted, its keys are deleted too. */
const holdsKeys = (name: KindName): boolean =>
  isNamedByKeys(name) ||
  keyKinds().some((key) => key.name === name || ancestors(key).some((each) => each.name === name))

/** Whether a key refers to an object of that kind and may change to another one: its plan, and its package. */
const isNamedByKeys = (name: KindName): boolean =>
  keyKinds().some(({ fields }) => Object.values(fields).some((field) => referredKind(field) === name))

const keyKinds = () => Object.values(catalog).filter(hasSecretName)

/** A kind that is created with a value that nobody can read back: a password. */
const isAccount = (name: KindName): boolean => Object.values(catalog[name].fields).some((field) => field.writeOnly)

function fieldDangers(live: LiveObject, field: FieldChange): readonly Danger[] {
  const name = field.path.slice(1)
  const { fields, consequences } = catalog[live.kind]
  const { limits, periods, exemptions, weaker, routes, active } = consequences
  // A field that is cleared, or no longer written, gets the platform's default.
  const after = field.after ?? fields[name]?.default ?? null
  const danger = (hazard: Hazard): readonly Danger[] => [
    {
      hazard,
      about: { kind: live.kind, id: live.id },
      // A host name or a limit may come from a secret.
      words: field.sensitive ? `${name} changes` : `${name} becomes ${JSON.stringify(after)}`,
    },
  ]
  if (limits?.includes(name) && isLower(field.before, after)) return danger('LIMIT_LOWERED')
  if (periods?.includes(name) && isLonger(fields[name]?.type, field.before, after)) return danger('LIMIT_LOWERED')
  if (exemptions?.includes(name) && !after) return danger('LIMIT_LOWERED')
  if (weaker?.[name] !== undefined && (after ?? false) === weaker[name]) return danger('AUTH_WEAKENED')
  if (routes?.includes(name) && losesSome(fields[name]?.type, field)) return danger('TRAFFIC_STOP')
  if (active?.[name] !== undefined && field.before === active[name]) return danger('TRAFFIC_STOP')
  return []
}

/** 0 means no own limit: any other number is lower. */
const isLower = (before: Json | undefined, after: Json): boolean =>
  typeof after === 'number' && after > 0 && (typeof before !== 'number' || before === 0 || after < before)

/** A host name that differs only in case is the same one. */
function losesSome(type: FieldType | undefined, { before, after }: FieldChange): boolean {
  const left = textEntries(after)
  return textEntries(before).some(
    (text) => !left.some((each) => type && sameValue(elementOf(type), each, text, undefined)),
  )
}

/** A link that loses an object that it gave access to: "Plan Gold loses Endpoint orders". */
function lostReferences(change: Extract<Change, { action: 'update' }>): readonly Danger[] {
  const { parent, fields } = change.live
  if (!catalog[change.kind].association || !parent) return []
  return Object.entries(change.values).flatMap(([name, value]) => {
    const field = catalog[change.kind].fields[name]
    const kind = field && referredKind(field)
    if (!kind || value.is !== 'references') return []
    return losses(kind, fields[name], value.entries).map(
      ({ hazard, words }): Danger => ({
        hazard,
        about: { kind: parent.kind, id: parent.id },
        words: `${parent.kind} ${parent.key} loses ${words}`,
      }),
    )
  })
}

/**
 * The references in a live list that the list of a request no longer has, also inside its entries: "Endpoint orders",
 * "ResponseFilter slim of Method list". A renamed object is the same object; another object with its name is not.
 */
function losses(
  kind: KindName,
  before: Json | undefined,
  after: readonly ReferenceEntry[],
): readonly Pick<Danger, 'hazard' | 'words'>[] {
  return objectsIn(before).flatMap((entry) => {
    const name = String(entry.name ?? entry.id)
    const still = after.find((each) => isOf(each, entry))
    if (still === undefined) return [{ hazard: 'TRAFFIC_STOP' as const, words: `${kind} ${name}` }]
    const { nested } = still
    const picked = pickedFields(catalog[kind]).find(({ field }) => field === nested?.field)
    // A list that is not written is not changed.
    if (!nested || !picked) return []
    if (picked.picks === 'any') return losses(picked.kind.name, entry[picked.field], nested.entries)
    const [one] = objectsIn(entry[picked.field])
    const isKept = one === undefined || nested.entries.some((each) => isOf(each, one))
    return isKept
      ? []
      : [{ hazard: 'AUTH_WEAKENED' as const, words: `${picked.kind.name} ${one.name} of ${kind} ${name}` }]
  })
}

/**
 * Whether a reference of a request names the same object as an answered one: an object that is created again is recognised by its
 * name.
 */
const isOf = ({ target, name }: ReferenceEntry, answered: JsonObject): boolean =>
  target.is === 'live' ? target.id === answered.id : name === answered.name
