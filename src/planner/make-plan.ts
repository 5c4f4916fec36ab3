import { catalog } from '../catalog/catalog.js'
import { childFields, givenByParent, hasSecretName, isWritable, referredKind } from '../catalog/queries.js'
import { ownValue } from '../catalog/record.js'
import type { Kind, KindName } from '../catalog/types.js'
import { canonical } from '../catalog/value.js'
import type { Json } from '../json/json.js'
import { isObject } from '../json/json.js'
import { isTold } from '../live/live-index.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import type { Manifests, Resource } from '../manifest/resource.js'
import { placeOf } from '../manifest/source.js'
import { requiredFieldsMissing } from '../problems/planning.js'
import { hasErrors, type Problem } from '../problems/problem.js'
import { handedBack, linksNotTold, secretsUnverifiable, temporaryPath } from '../problems/refusals.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import type { Base, BaseObject } from './base/base-object.js'
import { asApplied, todaysBase } from './base/todays-base.js'
import { asBlocked, block, throughParent } from './block.js'
import { judged, withPerhaps, withUnset } from './compare/base.js'
import { allFields, type Comparison, differences, isBlank } from './compare/compare.js'
import { holderResource, type Withdrawal, wereTakenOut, withdrawalsIn } from './compare/withdrawals.js'
import { limited } from './limits.js'
import { lookAlikes } from './match/look-alikes.js'
import { type KeyName, type Located, type Matches, match } from './match/match.js'
import { suspectRenames } from './match/suspect.js'
import { order } from './order.js'
import type {
  Change,
  DeleteChange,
  FieldChange,
  FieldValues,
  LeftAlone,
  Plan,
  PlanSettings,
  ReferenceTarget,
  Verdict,
} from './plan.js'
import { type Doomed, findDoomed, findReplaced, isListed } from './prune/doomed.js'
import { standingIn } from './prune/evidence.js'
import { expandedIn } from './references/expanded.js'
import { type Fate, type Names, type Resolver, resolver } from './references/resolve.js'
import { routed, temporaryPathOf, withoutTemporaryPath, withPathLeftBehind, withPathOf } from './routes.js'

export interface PlanInput {
  readonly manifests: Manifests
  readonly snapshot: Snapshot
  /** Kinds of which the platform has no collection: what is live of them cannot be known. */
  readonly notOffered: readonly KindName[]
  readonly settings: PlanSettings
  /** What was last applied; undefined where nothing is known of it. */
  readonly base: Base | undefined
  readonly fingerprint: Fingerprint
  /** Claim keys of objects that other projects have made or taken over: never pruned. */
  readonly claimedByOthers: ReadonlySet<string>
  readonly keyName: KeyName
  /** A digest of a text, "sha256:…". */
  readonly digest: (text: string) => string
}

/** Compares what is wanted with what is live: the complete, ordered list of changes. Pure. */
export function makePlan(input: PlanInput): Plan {
  const { manifests, snapshot, settings } = input
  const isKnownById = settings.knownBy === 'recorded id'
  const recordedId = (address: string) => (isKnownById ? input.base?.objects.get(address)?.id : undefined)
  const world = match(manifests, snapshot, input.keyName, recordedId)
  const base = input.base && todaysBase(input.base, world)
  const different = findReplaced(world)
  const replaced = new Map([...different].filter(([address]) => mayReplace(address, world, input)))
  const doom = findDoomed(world, { ...input, base })
  const doomed = doom.doomed.flatMap((each) => withContents(each, world))
  const recreated = withDescendants(replaced, world)
  const fate: Fate = { deleted: new Set(doomed.map((each) => each.object)), replaced: recreated }
  const references = resolver(world, fate)
  const digest = (basis: Json) => input.digest(JSON.stringify(basis))

  // What was last applied knows nothing of what this plan will delete or make anew.
  const earlierNames = asApplied(world, base)
  const earlier = resolver(earlierNames, { deleted: new Set(), replaced: new Set() })
  const draft: Draft = {
    ...input,
    base,
    world,
    references,
    earlier,
    names: earlierNames,
    different,
    replaced,
    recreated,
    digest,
    textDigest: input.digest,
    problems: [],
    leftAlone: [],
  }
  const withdrawals = withdrawalsIn({ ...draft, deleted: fate.deleted })
  const adjusted = withWithdrawals(withdrawals, draft)
  const wanted = [
    ...[...world.resources.values()].flatMap(
      (resource) => changeFor(adjusted.get(resource.address) ?? resource, draft) ?? [],
    ),
    ...withdrawals.flatMap((each) => withdrawal(each, draft) ?? []),
  ]
  const deletes = doomed.map((each) => deleteChange(each, draft))
  const problems = [...world.problems, ...doom.problems, ...references.problems(), ...draft.problems]
  const drafted = [...suspectRenames(wanted, doom.unmanaged, deletes, world), ...deletes]
  const changes = hasErrors(problems)
    ? []
    : order(block(limited(routed(drafted, input.digest)), world, settings, input.notOffered), world)
  const touched = new Set(changes.map((change) => change.address))
  return {
    changes,
    matched: world.matched,
    leftAlone: draft.leftAlone,
    base,
    expanded: expandedIn(world.resources.values(), references),
    standing: base ? standingIn(world) : [],
    unmanaged: doom.unmanaged,
    unchanged: [...world.resources.values()].filter((each) => !each.implied && !touched.has(each.address)).length,
    problems: [...problems, ...lookAlikes(changes, world)],
  }
}

interface Draft extends Pick<PlanInput, 'base' | 'fingerprint' | 'settings'> {
  readonly world: Matches
  readonly references: Resolver
  /** Resolves names of the base. */
  readonly earlier: Resolver
  /** Finds what the base names. */
  readonly names: Names
  /** Resources of which a field differs that cannot change, with these fields. */
  readonly different: ReadonlyMap<string, readonly string[]>
  /** Those of them that may be deleted and created anew. */
  readonly replaced: ReadonlyMap<string, readonly string[]>
  /** These and everything declared below them. */
  readonly recreated: ReadonlySet<string>
  readonly digest: (basis: Json) => string
  readonly textDigest: PlanInput['digest']
  readonly problems: Problem[]
  readonly leftAlone: LeftAlone[]
}

/** Only the very object that a recorded run made or took over is replaced, unless the user allows more. */
function mayReplace(address: string, world: Matches, { base, settings }: PlanInput): boolean {
  const live = world.matched.get(address)
  // By id, not by address: what cannot be changed may be part of its address, as the package of a key is.
  const isKnown = [...(base?.objects.values() ?? [])].some((each) => each.kind === live?.kind && each.id === live.id)
  return settings.allowReplace || isKnown
}

/** The change that a resource needs, or undefined if it is as it should be. */
function changeFor(resource: Resource, draft: Draft): Change | undefined {
  const live = draft.world.matched.get(resource.address)
  const replaced = draft.replaced.get(resource.address)
  if (live && replaced) return replaceChange(resource, live, replaced, draft)
  if (!live || draft.recreated.has(resource.address)) return createChange(resource, draft)
  const forbidden = draft.different.get(resource.address)
  if (forbidden) return asBlocked(replaceChange(resource, live, forbidden, draft), unknownToRecords(forbidden))
  if (live.unread) leaveUntold(resource, live, draft)
  const settled = withoutTemporaryPath(live, draft.textDigest)
  const found = withTakenOut(compared(withPathOf(resource, live, settled), live, draft), resource, live, draft)
  return found.fields.length === 0 ? undefined : updateChange(resource, live, found, draft)
}

/** A list that is not managed as a whole has drifted if it lacks what was applied: the objects in it know. */
function withTakenOut(found: Comparison, resource: Resource, live: LiveObject, draft: Draft): Comparison {
  const isDrift = ({ path, verdict }: FieldChange): boolean => {
    const name = path.slice(1)
    const value = found.values[name]
    if (verdict !== 'pending' || !resource.additions[name] || resource.withdrawals?.[name]) return false
    return value?.is === 'references' && wereTakenOut(live, name, value.entries, draft)
  }
  if (!found.fields.some(isDrift)) return found
  return { ...found, fields: found.fields.map((field) => (isDrift(field) ? { ...field, verdict: 'drift' } : field)) }
}

/**
 * The declared resources that withdrawals concern, as they are to be compared: lists without what leaves them, and what
 * leaves them without the field that says so. That keeps its base until the list is written.
 */
function withWithdrawals(withdrawals: readonly Withdrawal[], draft: Draft): ReadonlyMap<string, Resource> {
  const adjusted = new Map<string, Resource>()
  for (const each of withdrawals) {
    const declared = draft.world.claimed.get(each.holder)
    if (declared) adjusted.set(declared.address, holderResource(each, draft.world))
    for (const { resource, field } of each.leaving) {
      const path = `/${field}`
      draft.leftAlone.push({ address: resource.address, paths: [path] })
      adjusted.set(resource.address, { ...resource, ignore: [...resource.ignore, path] })
    }
  }
  return adjusted
}

/** The change of an object that no manifest declares, and whose list lets something go. */
function withdrawal(each: Withdrawal, draft: Draft): Change | undefined {
  if (draft.world.claimed.has(each.holder)) return undefined
  const resource = holderResource(each, draft.world)
  const found = compared(resource, each.holder, draft)
  return found.fields.length === 0 ? undefined : updateChange(resource, each.holder, found, draft)
}

/** Links that the platform does not tell are left as they are: writing a list would take away what nobody sees. */
function leaveUntold(resource: Resource, live: LiveObject, draft: Draft): void {
  const paths = Object.keys(resource.fields)
    .filter((name) => !isTold(live, name))
    .map((name) => `/${name}`)
  if (paths.length === 0) return
  draft.problems.push(linksNotTold(resource.address, paths, placeOf(resource.mark)))
  draft.leftAlone.push({ address: resource.address, paths })
}

const unknownToRecords = (names: readonly string[]): string =>
  `${names.join(', ')} cannot be changed, and no record says that this project made the object: --allow-replace lets it be deleted and created anew`

/** The fields that differ, with their verdicts where something is known of what was last applied. */
function compared(resource: Resource, live: LiveObject, draft: Draft): Comparison {
  const { world, references, base, settings } = draft
  if (!base) return differences(resource, live, references, world.live)
  const recorded = base.objects.get(resource.address)
  if (!recorded) return withVerdict(differences(resource, live, references, world.live), 'pending')
  const object = withoutTemporaryPath(live, draft.textDigest)
  const known = withoutTemporaryPath(withPerhaps(recorded, live), draft.textDigest)
  const witness = { object, resolver: draft.earlier, live: world.live, fingerprint: draft.fingerprint }
  const effective = withUnset(resource, known, witness)
  for (const path of effective.handedBack) {
    draft.problems.push(handedBack(resource.address, path, placeOf(resource.mark)))
  }
  const whole = differences(effective.resource, live, references, world.live)
  // The rule: nothing differs, and nothing needs to be judged.
  if (whole.fields.length === 0) return whole
  const all = whole.fields
  const { fields: verdicts, unverifiable } = judged(all, effective.resource, known, witness)
  if (unverifiable.length > 0) {
    draft.problems.push(secretsUnverifiable(resource.address, unverifiable, placeOf(resource.mark)))
  }
  const isLeft = (field: FieldChange) => field.verdict === 'conflict' && settings.take === 'live'
  const kept = withPathLeftBehind(
    verdicts.filter((field) => !isLeft(field)),
    live,
    object,
  )
  if (kept.length < verdicts.length) {
    const paths = verdicts.filter(isLeft).map((field) => field.path)
    draft.leftAlone.push({ address: resource.address, paths })
  }
  const left = all.filter((field) => !kept.some((each) => each.path === field.path)).map((field) => field.path)
  const ignore = [...resource.ignore, ...left]
  const found = differences({ ...effective.resource, ignore }, live, references, world.live)
  return { ...found, fields: kept }
}

const withVerdict = (comparison: Comparison, verdict: Verdict): Comparison => ({
  ...comparison,
  fields: comparison.fields.map((field) => ({ ...field, verdict })),
})

const gravity: readonly Verdict[] = ['conflict', 'drift', 'difference', 'unverifiable', 'pending']

const gravest = (fields: readonly FieldChange[], none: Verdict): Verdict =>
  gravity.find((verdict) => fields.some((field) => field.verdict === verdict)) ?? none

/** An object that was applied and is gone was deleted by somebody; another one is simply not there yet. */
function verdictOnAbsence(address: string, base: Base | undefined): Verdict {
  if (!base) return 'difference'
  const known = base.objects.get(address)
  return known && !known.announced && !isNothing(known) ? 'drift' : 'pending'
}

const isNothing = (known: BaseObject): boolean => isBlank(known) && Object.keys(known.fingerprints).length === 0

const plain = { dependsOn: [], hazards: [], reason: undefined, standing: undefined } as const

function createChange(resource: Resource, draft: Draft): Change | undefined {
  if (resource.implied || isBlank(resource)) return undefined
  const verdict = verdictOnAbsence(resource.address, draft.base)
  const comparison = withVerdict(allFields(resource, draft.references), verdict)
  const values = { ...parentsName(resource), ...comparison.values }
  requireFields(resource, values, draft.problems)
  return {
    ...plain,
    action: 'create',
    address: resource.address,
    kind: resource.kind,
    fields: comparison.fields,
    verdict,
    source: resource.mark,
    precondition: draft.digest({ absent: resource.address }),
    path: pathOf(resource, draft),
    siblings: siblingsOf(resource, draft),
    resource,
    values,
    link: draft.references.link(resource),
    suspect: undefined,
  }
}

function updateChange(resource: Resource, live: LiveObject, found: Comparison, draft: Draft): Change {
  const path = temporaryPathOf(live, draft.textDigest)
  if (path !== undefined) draft.problems.push(temporaryPath(resource.address, path, placeOf(resource.mark)))
  const kind = catalog[resource.kind]
  const isRenamed = live.key !== resource.key && kind.naming !== undefined && resource.key !== ''
  const reasons = [
    ...(isRenamed && !hasSecretName(kind) ? [renameText(resource, live, found)] : []),
    ...Object.values(resource.withdrawals ?? {})
      .flat()
      .map(({ by }) => `no longer named by ${by}`),
  ]
  return {
    ...plain,
    action: 'update',
    address: resource.address,
    kind: resource.kind,
    fields: found.fields,
    verdict: gravest(found.fields, 'difference'),
    source: resource.mark,
    reason: reasons.length === 0 ? undefined : reasons.join('; '),
    precondition: draft.digest(reliedOn(resource, live, draft)),
    path: { ...pathOf(resource, draft), ...ownId(live) },
    siblings: siblingsOf(resource, draft),
    resource,
    live,
    values: found.values,
    temporary: undefined,
  }
}

/** Who renamed it: whoever left the name that was last applied. */
function renameText({ kind, key }: Resource, live: LiveObject, { fields }: Comparison): string {
  const { verdict } = fields.find(({ path }) => path === `/${catalog[kind].naming}`) ?? {}
  const isDrift = verdict === 'drift'
  return isDrift ? `${key} was renamed to ${live.key} on the platform` : `renamed from "${live.key}"`
}

function replaceChange(resource: Resource, live: LiveObject, names: readonly string[], draft: Draft): Change {
  const { references, world } = draft
  const comparison = differences(resource, live, references, world.live)
  const fields = judgedReplace(resource, live, comparison.fields, draft)
  const values = {
    ...keptValues(resource, live, draft),
    ...parentsName(resource),
    ...allFields(resource, references).values,
  }
  requireFields(resource, values, draft.problems)
  return {
    ...plain,
    action: 'replace',
    address: resource.address,
    kind: resource.kind,
    fields,
    verdict: gravest(fields, draft.base ? 'pending' : 'difference'),
    source: resource.mark,
    reason: `${names.join(', ')} cannot be changed`,
    precondition: draft.digest(reliedOn(resource, live, draft)),
    path: { ...pathOf(resource, draft), ...ownId(live) },
    siblings: [],
    resource,
    live,
    values,
  }
}

/** Who changed what cannot be changed in place: told as of any other field. */
function judgedReplace(
  resource: Resource,
  live: LiveObject,
  fields: readonly FieldChange[],
  { base, world, earlier, fingerprint }: Draft,
): readonly FieldChange[] {
  if (!base) return fields
  const known = base.objects.get(resource.address)
  const witness = { object: live, resolver: earlier, live: world.live, fingerprint }
  const told = known ? judged(fields, resource, known, witness).fields : []
  return fields.map((field) => told.find(({ path }) => path === field.path) ?? { ...field, verdict: 'pending' })
}

function deleteChange({ object, source, reason, within }: DoomedObject, draft: Draft): DeleteChange {
  const address = draft.world.addressOfLive(object)
  return {
    ...plain,
    action: 'delete',
    address,
    kind: object.kind,
    fields: [],
    verdict: draft.base ? 'pending' : 'difference',
    source,
    reason,
    precondition: draft.digest({ id: object.id, kind: object.kind }),
    path: { ...livePath(object.parent), ...ownId(object) },
    siblings: isThroughParent(object.kind) ? draft.world.live.among(object.kind, object.parent) : [],
    live: object,
    within: within && draft.world.addressOfLive(within),
    protected: draft.base?.objects.get(address)?.protect ?? false,
  }
}

interface DoomedObject extends Doomed {
  readonly within: LiveObject | undefined
}

/** A doomed object and everything that goes with it, each of which is a change of its own. */
function withContents(root: Doomed, world: Matches): readonly DoomedObject[] {
  const contents: DoomedObject[] = [{ ...root, within: undefined }]
  const add = (object: LiveObject): void => {
    for (const child of childFields(catalog[object.kind])) {
      for (const inner of world.live.among(child.kind.name, object)) {
        if (!(isListed(inner) || (child.single && !isBlank(inner)))) continue
        contents.push({
          object: inner,
          source: root.source,
          reason: 'deleted with its parent',
          within: root.object,
        })
        add(inner)
      }
    }
  }
  add(root.object)
  return contents
}

function withDescendants(replaced: ReadonlyMap<string, unknown>, world: Matches): ReadonlySet<string> {
  const all = new Set(replaced.keys())
  for (const resource of world.resources.values()) {
    if (resource.parent !== undefined && all.has(resource.parent)) all.add(resource.address)
  }
  return all
}

/** The field that a create takes from the parent: the username of an application is that of its member. */
function parentsName(resource: Resource): FieldValues {
  const field = givenByParent(catalog[resource.kind])
  const parent = resource.ancestors.at(-1)
  return field === undefined || !parent ? {} : { [field]: { is: 'value', value: parent.name } }
}

/** What a replaced object keeps of itself where the manifest is silent: its key value, its secret. */
function keptValues(resource: Resource, live: LiveObject, { base, world, earlier, fingerprint }: Draft): FieldValues {
  const kind = catalog[resource.kind]
  const witness = { object: live, resolver: earlier, live: world.live, fingerprint }
  const { fields } = withUnset(resource, base?.objects.get(resource.address), witness).resource
  return Object.fromEntries(
    Object.entries(live.fields).flatMap(([name, value]) => {
      const field = kind.fields[name]
      if (!field || field.create === 'Ign' || !isWritable(field) || referredKind(field)) return []
      // What is written is sent as it is written, and what would be unset is not taken over.
      return fields[name] === undefined ? [[name, { is: 'value' as const, value }]] : []
    }),
  )
}

function requireFields(resource: Resource, values: FieldValues, problems: Problem[]): void {
  const kind = catalog[resource.kind]
  if (kind.linkTo) return
  const missing = Object.values(kind.fields)
    .filter((field) => field.create === 'Req' && field.readOnly === undefined && isMissing(values, field.name))
    // A reference that leads nowhere is written, and has been told.
    .filter((field) => !isObject(resource.fields[field.name]))
    .map((field) => field.name)
  if (missing.length > 0) problems.push(requiredFieldsMissing(resource.address, missing, placeOf(resource.mark)))
}

function isMissing(values: FieldValues, name: string): boolean {
  const value = values[name]
  return value === undefined || (value.is === 'value' && (value.value === null || value.value === ''))
}

/** The ids in the paths of a resource's requests, its own apart. */
function pathOf(resource: Resource, draft: Draft): Readonly<Record<string, ReferenceTarget>> {
  const path: Record<string, ReferenceTarget> = {}
  let parent: Located | undefined
  for (const ancestor of resource.ancestors) {
    const found = draft.world.locate(ancestor.kind, ancestor, parent)
    if (typeof found === 'string') return path
    parent = found
    path[catalog[ancestor.kind].idParameter] =
      found.live && !draft.recreated.has(found.address)
        ? { is: 'live', id: found.live.id }
        : { is: 'wanted', address: found.address }
  }
  if (catalog[resource.kind].within) {
    path[catalog[resource.kind].within?.parameter ?? ''] = { is: 'live', id: resource.owner ?? '' }
  }
  return path
}

function livePath(object: LiveObject | undefined): Readonly<Record<string, ReferenceTarget>> {
  return object ? { ...livePath(object.parent), ...ownId(object) } : {}
}

function ownId(object: LiveObject): Readonly<Record<string, ReferenceTarget>> {
  const kind: Kind = catalog[object.kind]
  return object.id === '' ? {} : { [kind.idParameter]: { is: 'live', id: object.id } }
}

const isThroughParent = (kind: KindName): boolean => throughParent(catalog[kind], 'create') !== undefined

function siblingsOf(resource: Resource, draft: Draft): readonly LiveObject[] {
  const parent = resource.parent === undefined ? undefined : draft.world.matched.get(resource.parent)
  const live = parent ?? liveParent(resource, draft)
  return live && isThroughParent(resource.kind) ? draft.world.live.among(resource.kind, live) : []
}

/** The live parent of a resource whose parent no manifest declares. */
function liveParent(resource: Resource, draft: Draft): LiveObject | undefined {
  let parent: Located | undefined
  for (const ancestor of resource.ancestors) {
    const found = draft.world.locate(ancestor.kind, ancestor, parent)
    if (typeof found === 'string') return undefined
    parent = found
  }
  return parent?.live
}

/** The managed fields of the live object in their canonical form; of secrets the fingerprints, where there is a key. */
function reliedOn(resource: Resource, live: LiveObject, { fingerprint }: Draft): Json {
  const kind = catalog[resource.kind]
  const values = Object.keys(resource.fields)
    .sort()
    .flatMap((name): [string, Json][] => {
      const field = kind.fields[name]
      if (field?.writeOnly) return []
      const value = canonical(field?.type ?? { is: 'map', of: 'any' }, ownValue(live.fields, name)) ?? null
      return [[name, field?.secret && value !== null ? (fingerprint(value) ?? null) : value]]
    })
  return { id: live.id, fields: Object.fromEntries(values) }
}
