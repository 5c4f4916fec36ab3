import { catalog } from '../catalog/catalog.js'
import type { LiveObject, Snapshot } from '../catalog/live.js'
import { childFields, givenByParent, hasSecretName, isWritable, referredKind } from '../catalog/queries.js'
import type { Json, Kind, KindName } from '../catalog/types.js'
import { canonical } from '../catalog/value.js'
import type { Manifests, Resource } from '../manifest/resource.js'
import { placeOf } from '../manifest/source.js'
import { hasErrors, type Problem, requiredFieldsMissing } from '../problem.js'
import { block, throughParent } from './block.js'
import { allFields, type Comparison, differences, isBlank } from './compare.js'
import { type Doomed, findDoomed, findReplaced, isListed } from './doomed.js'
import { type KeyName, type Located, match, type World } from './match.js'
import { order } from './order.js'
import type { Change, DeleteChange, FieldValues, Plan, PlanSettings, Target } from './plan.js'
import { type Fate, type Resolver, resolver } from './references.js'
import { routed } from './routes.js'
import { suspectRenames } from './suspect.js'

export interface PlanInput {
  readonly manifests: Manifests
  readonly snapshot: Snapshot
  /** Kinds of which the platform has no collection: what is live of them cannot be known. */
  readonly notOffered: readonly KindName[]
  readonly settings: PlanSettings
  readonly keyName: KeyName
  /** A digest of a text, "sha256:…". */
  readonly digest: (text: string) => string
}

/** Compares what is wanted with what is live: the complete, ordered list of changes. Pure. */
export function makePlan(input: PlanInput): Plan {
  const { manifests, snapshot, settings } = input
  const world = match(manifests, snapshot, input.keyName)
  const replaced = findReplaced(world)
  const doom = findDoomed(world, manifests, settings)
  const doomed = doom.doomed.flatMap((each) => withContents(each, world))
  const recreated = withDescendants(replaced, world)
  const fate: Fate = { deleted: new Set(doomed.map((each) => each.object)), replaced: recreated }
  const references = resolver(world, fate)
  const digest = (basis: Json) => input.digest(JSON.stringify(basis))

  const draft: Draft = { world, references, replaced, recreated, digest, problems: [] }
  const wanted = [...world.resources.values()].flatMap((resource) => changeFor(resource, draft) ?? [])
  const deletes = doomed.map((each) => deleteChange(each, draft))
  const problems = [...world.problems, ...doom.problems, ...references.problems, ...draft.problems]
  const drafted = [...suspectRenames(wanted, doom.unmanaged, deletes, world), ...deletes]
  const changes = hasErrors(problems)
    ? []
    : order(block(routed(drafted, input.digest), world, settings, input.notOffered), world)
  const touched = new Set(changes.map((change) => change.address))
  return {
    changes,
    unmanaged: doom.unmanaged,
    unchanged: [...world.resources.values()].filter((each) => !each.implied && !touched.has(each.address)).length,
    problems,
  }
}

interface Draft {
  readonly world: World
  readonly references: Resolver
  /** Resources that are deleted and created anew, with the fields that cannot change. */
  readonly replaced: ReadonlyMap<string, readonly string[]>
  /** These and everything declared below them. */
  readonly recreated: ReadonlySet<string>
  readonly digest: (basis: Json) => string
  readonly problems: Problem[]
}

/** The change that a resource needs, or undefined if it is as it should be. */
function changeFor(resource: Resource, draft: Draft): Change | undefined {
  const { world, references, replaced, recreated } = draft
  const live = world.matched.get(resource.address)
  const fields = replaced.get(resource.address)
  if (live && fields) return replaceChange(resource, live, fields, draft)
  if (!live || recreated.has(resource.address)) return createChange(resource, draft)
  const found = differences(resource, live, references, world.live)
  return found.fields.length === 0 ? undefined : updateChange(resource, live, found, draft)
}

const plain = { dependsOn: [], hazards: [], reason: undefined, standing: undefined } as const

function createChange(resource: Resource, draft: Draft): Change | undefined {
  if (resource.implied) return undefined
  const comparison = allFields(resource, draft.references)
  const values = { ...parentsName(resource), ...comparison.values }
  requireFields(resource, values, draft.problems)
  return {
    ...plain,
    action: 'create',
    address: resource.address,
    kind: resource.kind,
    fields: comparison.fields,
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
  const renamed = live.key !== resource.key && catalog[resource.kind].naming !== undefined && resource.key !== ''
  return {
    ...plain,
    action: 'update',
    address: resource.address,
    kind: resource.kind,
    fields: found.fields,
    source: resource.mark,
    reason: renamed && !hasSecretName(catalog[resource.kind]) ? `renamed from "${live.key}"` : undefined,
    precondition: draft.digest(reliedOn(resource, live)),
    path: { ...pathOf(resource, draft), ...ownId(live) },
    siblings: siblingsOf(resource, draft),
    resource,
    live,
    values: found.values,
    aside: undefined,
  }
}

function replaceChange(resource: Resource, live: LiveObject, names: readonly string[], draft: Draft): Change {
  const { references, world } = draft
  const comparison = differences(resource, live, references, world.live)
  const values = { ...keptValues(resource, live), ...parentsName(resource), ...allFields(resource, references).values }
  requireFields(resource, values, draft.problems)
  return {
    ...plain,
    action: 'replace',
    address: resource.address,
    kind: resource.kind,
    fields: comparison.fields,
    source: resource.mark,
    reason: `${names.join(', ')} cannot be changed`,
    precondition: draft.digest(reliedOn(resource, live)),
    path: { ...pathOf(resource, draft), ...ownId(live) },
    siblings: [],
    resource,
    live,
    values,
  }
}

function deleteChange({ object, source, reason, within }: DoomedObject, draft: Draft): DeleteChange {
  return {
    ...plain,
    action: 'delete',
    address: draft.world.addressOfLive(object),
    kind: object.kind,
    fields: [],
    source,
    reason,
    precondition: draft.digest({ id: object.id, kind: object.kind }),
    path: { ...livePath(object.parent), ...ownId(object) },
    siblings: isThroughParent(object.kind) ? draft.world.live.among(object.kind, object.parent) : [],
    live: object,
    within: within && draft.world.addressOfLive(within),
  }
}

interface DoomedObject extends Doomed {
  readonly within: LiveObject | undefined
}

/** A doomed object and everything that goes with it, each of which is a change of its own. */
function withContents(root: Doomed, world: World): readonly DoomedObject[] {
  const contents: DoomedObject[] = [{ ...root, within: undefined }]
  const add = (object: LiveObject): void => {
    for (const child of childFields(catalog[object.kind])) {
      for (const inner of world.live.among(child.kind.name, object)) {
        if (!(isListed(inner) || (child.single && !isBlank(inner)))) continue
        contents.push({
          object: inner,
          source: root.source,
          reason: 'goes with what it belongs to',
          within: root.object,
        })
        add(inner)
      }
    }
  }
  add(root.object)
  return contents
}

function withDescendants(replaced: ReadonlyMap<string, unknown>, world: World): ReadonlySet<string> {
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
function keptValues(resource: Resource, live: LiveObject): FieldValues {
  const kind = catalog[resource.kind]
  return Object.fromEntries(
    Object.entries(live.fields).flatMap(([name, value]) => {
      const field = kind.fields[name]
      if (!field || field.create === 'Ign' || !isWritable(field) || referredKind(field)) return []
      return [[name, { is: 'value' as const, value }]]
    }),
  )
}

function requireFields(resource: Resource, values: FieldValues, problems: Problem[]): void {
  const kind = catalog[resource.kind]
  if (kind.linkTo) return
  const missing = Object.values(kind.fields)
    .filter((field) => field.create === 'Req' && field.readOnly === undefined && isMissing(values, field.name))
    .map((field) => field.name)
  if (missing.length > 0) problems.push(requiredFieldsMissing(resource.address, missing, placeOf(resource.mark)))
}

function isMissing(values: FieldValues, name: string): boolean {
  const value = values[name]
  return value === undefined || (value.is === 'value' && (value.value === null || value.value === ''))
}

/** The ids in the paths of a resource's requests, its own apart. */
function pathOf(resource: Resource, draft: Draft): Readonly<Record<string, Target>> {
  const path: Record<string, Target> = {}
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

function livePath(object: LiveObject | undefined): Readonly<Record<string, Target>> {
  return object ? { ...livePath(object.parent), ...ownId(object) } : {}
}

function ownId(object: LiveObject): Readonly<Record<string, Target>> {
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

/** The managed fields of the live object, secrets apart, in their canonical form. */
function reliedOn(resource: Resource, live: LiveObject): Json {
  const kind = catalog[resource.kind]
  const values = Object.keys(resource.fields)
    .sort()
    .flatMap((name): [string, Json][] => {
      const field = kind.fields[name]
      if (field?.secret || field?.writeOnly) return []
      return [[name, canonical(field?.type ?? { is: 'map', of: 'any' }, live.fields[name]) ?? null]]
    })
  return { id: live.id, fields: Object.fromEntries(values) }
}
