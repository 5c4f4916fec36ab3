import { catalog } from '../../catalog/catalog.js'
import { hasSecretName } from '../../catalog/queries.js'
import { ownValue, recordOf } from '../../catalog/record.js'
import type { SidesRow } from '../../catalog/types.js'
import { sameValue } from '../../catalog/value.js'
import type { Json } from '../../json/json.js'
import { isReported } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import { placeOfFirst } from '../../manifest/reference-use.js'
import type { Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import { secretsHidden } from '../../problems/planning.js'
import {
  linksNotReported,
  released,
  secretsNotVerified,
  secretsUnverifiable,
  temporaryPath,
} from '../../problems/refusals.js'
import { type BaseObject, withPerhaps } from '../base/base-object.js'
import { type Comparison, changesIn, comparisonOf, differencesOf, withoutBroken } from '../compare/fields.js'
import { printOf, type Unavailable, unavailableOf } from '../compare/secret-values.js'
import { SinceBase } from '../compare/since-base.js'
import { compareThreeWays, inSync, type ThreeWay } from '../compare/three-way.js'
import { mostSevere } from '../compare/verdict.js'
import { wereTakenOut } from '../compare/withdrawals.js'
import type { Change, FieldChange, Verdict } from '../plan.js'
import { isTakenOver } from '../prune/ownership.js'
import { temporaryPathOf, withoutTemporaryPath, withPathOf } from '../routes.js'
import { type DraftContext, type Drafted, ownId, pathOf, plain, preconditionOf, siblingsOf } from './draft.js'
import { hiddenIn } from './hidden.js'
import { reliedOn } from './relied-on.js'
import { lacking } from './required.js'

/** The update that a live object needs. Undefined if it has the desired values. */
export function draftUpdate(declared: Resource, live: LiveObject, context: DraftContext): Drafted | undefined {
  const resource = withoutOtherSide(declared, live, context.base?.objects.get(declared.address))
  const original = withoutTemporaryPath(live, context.digest)
  const found = compared(withPathOf(resource, live, original), live, original, context)
  const unavailable = resource.unavailable.length > 0 ? unavailableIn(resource, live, context) : noneUnavailable
  const isAccepted = acceptedIn(resource, context)
  const unreported = live.unread ? unreportedLinks(resource, live) : []
  if (unreported.length === 0 && isInSync(found) && unavailable === noneUnavailable) return undefined
  const fields = [
    ...withTakenOut(found, resource, live, context),
    ...unavailable.drifted.filter((field) => !isAccepted(field)),
  ]
  const change = fields.length === 0 ? undefined : updateChange(resource, live, { ...found, fields }, context)
  const path = change && temporaryPathOf(live, context.digest)
  const { address } = resource
  const place = placeOf(resource.range)
  const hidden = context.settings.madeFor === 'report' ? [] : hiddenIn(resource, found.values)
  const accepted = [...found.accepted, ...unavailable.drifted.filter(isAccepted)]
  const left = [...unreported, ...found.left, ...resource.unavailable, ...found.accepted.map((field) => field.path)]
  return {
    change,
    broken: found.broken,
    problems: [
      // If only unavailable secrets differ, the values of the request are not known.
      ...(found.fields.length > 0 ? lacking(resource, found.values, 'update', context.settings) : []),
      ...(hidden.length > 0 ? [secretsHidden(address, hidden, 'sent whole', place)] : []),
      ...(unreported.length > 0 ? [linksNotReported(address, unreported, place)] : []),
      ...found.released.map((each) => released(address, each, place)),
      ...(unavailable.unverified.length > 0
        ? [secretsNotVerified(address, unavailable.unverified, placeOfFirst(unavailable.unverified, resource))]
        : []),
      ...(found.unverifiable.length > 0
        ? [secretsUnverifiable(address, found.unverifiable, placeOfFirst(found.unverifiable, resource))]
        : []),
      ...(path === undefined ? [] : [temporaryPath(address, path, place)]),
    ],
    skipped: left.length === 0 ? [] : [{ address, paths: left }],
    accepted: accepted.flatMap((field) => {
      const acceptance = context.accepted.ofField(address, field)
      return acceptance ? [{ address, kind: resource.kind, acceptance, field }] : []
    }),
  }
}

const noneUnavailable: Unavailable = { drifted: [], unverified: [] }

const unavailableIn = (resource: Resource, live: LiveObject, { base, fingerprint }: DraftContext): Unavailable =>
  unavailableOf(resource, live, base?.objects.get(resource.address), fingerprint)

const isInSync = ({ fields, broken, released, unverifiable, left, accepted }: ThreeWay): boolean =>
  [fields, broken, released, unverifiable, left, accepted].every((each) => each.length === 0)

/** Links that the platform does not return are not written: a written list would remove the links that cannot be seen. */
const unreportedLinks = (resource: Resource, live: LiveObject): readonly string[] =>
  Object.keys(resource.fields)
    .filter((name) => !isReported(live, name))
    .map((name) => `/${name}`)

const acceptedIn =
  ({ address }: Resource, { accepted }: DraftContext) =>
  (field: FieldChange): boolean =>
    accepted.ofField(address, field) !== undefined

/**
 * The fields that differ, with their verdicts. If the base does not have the object, they are `pending`; without a base,
 * `difference`.
 */
function compared(resource: Resource, live: LiveObject, original: LiveObject, context: DraftContext): ThreeWay {
  const { references, base, settings } = context
  const recorded = base?.objects.get(resource.address)
  const isAccepted = acceptedIn(resource, context)
  if (!recorded) {
    const found = withoutBroken(resource, differencesOf(resource, live, references))
    if (found.fields.length + found.broken.length === 0) return inSync
    const all = changesIn(found).map((field): FieldChange => (base ? { ...field, verdict: 'pending' } : field))
    const accepted = all.filter(isAccepted)
    const kept = accepted.length === 0 ? all : all.filter((field) => !accepted.includes(field))
    return { ...inSync, ...comparisonOf(resource, live, found, kept), accepted }
  }
  const known = withoutTemporaryPath(withPerhaps(recorded, live, context.world.live), context.digest)
  const since = new SinceBase(resource, known, original, context.earlier)
  return compareThreeWays(resource, live, since, { references, take: settings.take, isAccepted })
}

/** Gives every field this verdict. */
export const withVerdict = (comparison: Comparison, verdict: Verdict): Comparison => ({
  ...comparison,
  fields: comparison.fields.map((field) => ({ ...field, verdict })),
})

/** A list that is only partly managed has drifted if an applied entry is missing. The records of the objects in it show that. */
function withTakenOut(
  { fields, values }: Comparison,
  resource: Resource,
  live: LiveObject,
  { world, base, earlier }: DraftContext,
): readonly FieldChange[] {
  const isDrift = ({ path, verdict }: FieldChange): boolean => {
    const name = path.slice(1)
    const value = values[name]
    if (verdict !== 'pending' || !resource.additions[name] || resource.withdrawals?.[name]) return false
    const input = { world, base, names: earlier.scope.names }
    return value?.is === 'references' && wereTakenOut(live, name, value.entries, input)
  }
  return fields.map((field) => (isDrift(field) ? { ...field, verdict: 'drift' } : field))
}

function updateChange(resource: Resource, live: LiveObject, found: Comparison, context: DraftContext): Change {
  const kind = catalog[resource.kind]
  const isRenamed = live.key !== resource.key && kind.naming !== undefined && resource.key !== ''
  const isAdopted = !resource.implicit && isTakenOver(resource.address, live, context.base, context.world)
  const notStored = unkeptIn(resource, found.fields, context)
  const reasons = [
    ...(isAdopted ? ['taken over: nothing in the base says that it was applied from here'] : []),
    ...(isRenamed && !hasSecretName(kind) ? [renameText(resource, live, found)] : []),
    ...Object.values(resource.withdrawals ?? {})
      .flat()
      .map(({ by }) => `no longer named by ${by}`),
    ...(notStored.length > 0
      ? [`the last apply sent the same ${notStored.join(', ')}, and the platform stored what is live now`]
      : []),
  ]
  return {
    ...plain,
    action: 'update',
    address: resource.address,
    kind: resource.kind,
    fields: found.fields,
    verdict: mostSevere(found.fields, 'difference'),
    source: resource.range,
    reason: reasons.length === 0 ? undefined : reasons.join('; '),
    precondition: preconditionOf(reliedOn(resource, live, context, 'update'), context),
    path: { ...pathOf(resource, context), ...ownId(live) },
    siblings: siblingsOf(resource, context),
    resource,
    live,
    values: found.values,
    temporary: undefined,
  }
}

/** The paths whose values were sent before and stored differently by the platform, and that nobody has changed since. */
function unkeptIn(
  { address, kind }: Resource,
  fields: readonly FieldChange[],
  { base, fingerprint }: DraftContext,
): readonly string[] {
  const unkept = base?.objects.get(address)?.unkept
  if (!unkept) return []
  const isSame = ({ path, after, verdict }: FieldChange): boolean =>
    verdict === 'pending' && ownValue(unkept, path) === printOf(kind, path, after ?? null, fingerprint)
  return fields.filter(isSame).map(({ path }) => path)
}

/** The text that says who renamed the object: the side whose name differs from the last applied name. */
function renameText({ kind, key }: Resource, live: LiveObject, { fields }: Comparison): string {
  const { verdict } = fields.find(({ path }) => path === `/${catalog[kind].naming}`) ?? {}
  const isDrift = verdict === 'drift'
  return isDrift ? `${key} was renamed to ${live.key} on the platform` : `renamed from "${live.key}"`
}

/**
 * The resource with a null for each field that the desired side excludes: the grant types of an endpoint that gets API keys
 * (A363). If such a field was applied, it is unset like every field that is not written any more. A written field is kept.
 */
function withoutOtherSide(resource: Resource, live: LiveObject, base: BaseObject | undefined): Resource {
  const { sides, fields } = catalog[resource.kind]
  const side = sides && sideOf(sides, resource.fields[sides.by])
  if (!sides || !side || sideOf(sides, live.fields[sides.by]) === side) return resource
  const cleared = sides[side === 'one' ? 'other' : 'one'].filter((name) => {
    const field = fields[name]
    const isManaged = resource.fields[name] !== undefined || (base && ownValue(base.fields, name) !== undefined)
    return field && !isManaged && !sameValue(field.type, undefined, live.fields[name], field.default)
  })
  if (cleared.length === 0) return resource
  const nothing = recordOf(cleared.map((name): [string, Json] => [name, null]))
  return { ...resource, fields: { ...resource.fields, ...nothing } }
}

/** Undefined if the field is not set: the side is not known. */
const sideOf = ({ value }: SidesRow, reported: Json | undefined): 'one' | 'other' | undefined => {
  if (typeof reported !== 'string' || reported === '') return undefined
  return reported === value ? 'one' : 'other'
}
