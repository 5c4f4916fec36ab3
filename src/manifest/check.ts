import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { coveredBy, hostIn, isHostName } from '../catalog/domains.js'
import { inverseReferenceFields, isNamedByHost } from '../catalog/queries.js'
import { routesIn } from '../catalog/route.js'
import { append, groupBy } from '../json/groups.js'
import type { JsonObject } from '../json/json.js'
import { isWithin, outerPaths, pointerTo } from '../json/pointer.js'
import {
  clearedAndListed,
  declaredAndRemoved,
  duplicateReference,
  formerNameUsed,
  leftOutReference,
  limitAbovePlan,
  limitNotAllowed,
  namesInCircle,
  namesLookAlike,
  sameRoute,
  uncoveredDomain,
  undeclaredReference,
} from '../problems/manifests.js'
import { referencesToNamedRemoval } from '../problems/planning.js'
import type { ReportProblem } from '../problems/problem.js'
import { limitedNearest } from '../problems/suggest.js'
import { addressOfAncestors, pathOf, pathOfParents, pathOfResource } from './ancestors.js'
import { domainUses } from './domains.js'
import { breaches } from './limit-rules.js'
import { metadataRange } from './ranges.js'
import { fieldUses, type ReferenceUse, rangeAt, rangeOfUse, referenceUses, refersToOthers } from './reference-use.js'
import { declaredOf, type Removal, type Resource } from './resource.js'
import { holds, placeOf, type SourceRange } from './source.js'

/**
 * Checks that need all manifests together: references, limits, domains, and objects that are both declared and removed.
 * `isLeftOut`: whether a manifest declares an object that the chosen environment leaves out.
 */
export function checkTogether(
  resources: readonly Resource[],
  removals: readonly Removal[],
  report: ReportProblem,
  isLeftOut: (address: string) => boolean,
): void {
  const declared = new DeclaredResources(resources, isLeftOut)
  const removed = new Removed(removals)
  for (const resource of resources) {
    checkReferences(resource, declared, removed, report)
    checkLimits(resource, declared, report)
  }
  removed.reportReferences(report)
  checkFormerNames(resources, report)
  checkForms(resources, report)
  checkRoutes(resources, report)
  checkDomains(resources, report)
  checkRemovals(resources, removed, report)
  checkNulls(resources, report)
}

/** The declared objects by their paths of names, without pins. */
class DeclaredResources {
  readonly isLeftOut: (address: string) => boolean
  readonly #resources: readonly Resource[]
  #byPath: ReadonlyMap<string, Resource> | undefined
  #siblings: ReadonlyMap<string, readonly string[]> | undefined
  #byFormerName: ReadonlyMap<string, Resource> | undefined
  readonly #complete = new WeakSet<ReferenceUse['ancestors']>()
  readonly #suggest = limitedNearest()

  constructor(resources: readonly Resource[], isLeftOut: (address: string) => boolean) {
    this.isLeftOut = isLeftOut
    this.#resources = declaredOf(resources)
  }

  /** Computed on first use. It is not needed if all objects are written inside their parents and refer to no others. */
  #paths(): ReadonlyMap<string, Resource> {
    this.#byPath ??= new Map(this.#resources.map((resource) => [pathOfResource(resource), resource]))
    return this.#byPath
  }

  find({ ancestors }: Pick<ReferenceUse, 'ancestors'>): Resource | undefined {
    return this.#paths().get(pathOf(ancestors) ?? '')
  }

  /** The ancestors up to the first one that no manifest declares; undefined if all are declared. */
  firstMissing({ ancestors }: ReferenceUse): ReferenceUse['ancestors'] | undefined {
    if (this.isComplete(ancestors)) return undefined
    let path: string | undefined
    for (const [index, { kind, name }] of ancestors.entries()) {
      path = addressOf(catalog[kind], name, path)
      if (!this.#paths().has(path)) return ancestors.slice(0, index + 1)
    }
    this.#complete.add(ancestors)
    return undefined
  }

  /** Whether all of these ancestors are known to be declared. Siblings share the ancestors of their parents. */
  isComplete(ancestors: ReferenceUse['ancestors']): boolean {
    return ancestors.length === 0 || this.#complete.has(ancestors)
  }

  /** The declared name that is most similar to an undeclared one. */
  nearest({ ancestors }: Pick<ReferenceUse, 'ancestors'>): string | undefined {
    const last = ancestors.at(-1)
    const siblings = last && siblingsKey(pathOf(ancestors.slice(0, -1)), last.kind)
    return last && this.#suggest(last.name, () => this.#namesUnder().get(siblings ?? '') ?? [])
  }

  /** The declared object whose former names include the name at the end of this path. */
  renamedFrom(ancestors: ReferenceUse['ancestors']): Resource | undefined {
    const last = ancestors.at(-1)
    if (!last) return undefined
    this.#byFormerName ??= new Map(
      this.#resources.flatMap((resource) => {
        const siblings = siblingsKey(pathOfParents(resource), resource.kind)
        return resource.formerly.map((name) => [`${siblings}\n${name}`, resource] as const)
      }),
    )
    return this.#byFormerName.get(`${siblingsKey(pathOf(ancestors.slice(0, -1)), last.kind)}\n${last.name}`)
  }

  /** Computed on first use: only an undeclared name needs the others. */
  #namesUnder(): ReadonlyMap<string, readonly string[]> {
    if (this.#siblings) return this.#siblings
    const siblings = new Map<string, string[]>()
    for (const { kind, key, ancestors, parent } of this.#resources) {
      const group = siblingsKey(pathOfParents({ ancestors, parent }), kind)
      append(siblings, group, key)
    }
    this.#siblings = siblings
    return siblings
  }
}

const siblingsKey = (parent: string | undefined, kind: string): string => `${parent ?? ''}\n${kind}`

/** The objects that documents of kind Removed name, and the references to them. */
class Removed {
  readonly #byAddress: ReadonlyMap<string, Removal>
  readonly #uses = new Map<Removal, ReferenceUse[]>()
  readonly #named = new Map<Resource, Set<string>>()

  constructor(removals: readonly Removal[]) {
    this.#byAddress = new Map(removals.map((removal) => [removal.address, removal]))
  }

  get isEmpty(): boolean {
    return this.#byAddress.size === 0
  }

  /** The removal of this address, or of an address that contains it. */
  enclosing(address: string): Removal | undefined {
    return [...outerPaths(address), address]
      .map((path) => this.#byAddress.get(path))
      .findLast((removal) => removal !== undefined)
  }

  /**
   * Whether a reference names a removed object: it is then reported with the others. Parents are reported with their children,
   * and what is inside a named object is named with it. An ignored field is never compared.
   */
  takes(use: ReferenceUse): boolean {
    if (use.is === 'parent' || use.by.ignore.some((path) => isWithin(use.pointer ?? '', path))) return false
    const address = addressOfAncestors(use.ancestors)
    const removal = address === undefined ? undefined : this.enclosing(address)
    if (!removal || address === undefined) return false
    const named = this.#named.get(use.by) ?? new Set<string>()
    if (!outerPaths(address).some((path) => named.has(path))) append(this.#uses, removal, use)
    this.#named.set(use.by, named.add(address))
    return true
  }

  /** Reports the references once per removed object. */
  reportReferences(report: ReportProblem): void {
    for (const [{ address, range }, uses] of this.#uses) {
      const references = uses.map((use) => ({ from: use.by.address, place: placeOf(rangeOfUse(use)) }))
      report(referencesToNamedRemoval(address, references, placeOf(range)))
    }
  }
}

function checkReferences(
  resource: Resource,
  declared: DeclaredResources,
  removed: Removed,
  report: ReportProblem,
): void {
  if (resource.implicit) {
    reportMissing([{ kind: resource.kind, name: resource.key }], resource.range, declared, report)
  }
  if ((resource.isInside || declared.isComplete(resource.ancestors)) && !refersToOthers(resource)) return
  const named = new Set<string>()
  const noted = new Set<string>()
  for (const use of referenceUses(resource)) {
    checkNamedOnce(use, named, report)
    checkNotCleared(use, declared, report)
    const missing = declared.firstMissing(use)
    const address = missing && addressOfAncestors(missing)
    // If a parent is missing, only the parent is reported, and only once.
    if (!missing || address === undefined) continue
    // Of a renamed object, its new name is the better advice.
    const isRemoved = !removed.isEmpty && !declared.renamedFrom(missing) && removed.takes(use)
    if (isRemoved || noted.has(address)) continue
    noted.add(address)
    const range = rangeOfUse({ ...use, ancestors: missing })
    // If the object is written inside its parent, the document that names the outer parents reports them.
    if (use.is === 'parent' && range === (resource.generatedBy ?? resource.range)) continue
    reportMissing(missing, range, declared, report)
  }
}

/**
 * Reports a name that no manifest declares. It is an error if it is the former name of a renamed object; any other name may be
 * that of a live object.
 */
function reportMissing(
  missing: ReferenceUse['ancestors'],
  range: SourceRange,
  declared: DeclaredResources,
  report: ReportProblem,
): void {
  const address = addressOfAncestors(missing) ?? ''
  const renamed = declared.renamedFrom(missing)
  if (renamed) {
    const place = placeOf(metadataRange(renamed.range, 'formerly'))
    report(formerNameUsed(placeOf(range), address, renamed.key, place))
  } else if (declared.isLeftOut(address)) report(leftOutReference(placeOf(range), address))
  else report(undeclaredReference(placeOf(range), address, declared.nearest({ ancestors: missing })))
}

function checkNamedOnce(use: ReferenceUse, named: Set<string>, report: ReportProblem): void {
  const { pointer, ancestors } = use
  const [list, index] = splitPointer(pointer)
  if (index === undefined) return
  const name = `${list}\n${addressOfAncestors(ancestors)}`
  if (named.has(name)) report(duplicateReference(placeOf(rangeOfUse(use)), list.slice(1), ancestors.at(-1)?.name ?? ''))
  named.add(name)
}

/**
 * Reports an object that belongs to a list although its own field says that it belongs to none, such as an endpoint without an
 * event: every run would add and remove it.
 */
function checkNotCleared(use: ReferenceUse, declared: DeclaredResources, report: ReportProblem): void {
  const kind = use.ancestors.at(-1)?.kind
  const inverse = kind && inverseReferenceFields(catalog[kind]).find(({ owner }) => owner.name === use.by.kind)
  if (!inverse || use.is !== 'reference') return
  const path = pointerTo(inverse.field.name)
  const listed = declared.find(use)
  if (listed?.fields[inverse.field.name] !== null) return
  const cleared = placeOf(rangeAt(listed, path))
  report(clearedAndListed(placeOf(rangeOfUse(use)), listed.address, inverse.field.name, cleared))
}

function splitPointer(pointer = ''): readonly [list: string, index: string | undefined] {
  const [, list = pointer, index] = /^(.*)\/(\d+)$/.exec(pointer) ?? []
  return [list, index]
}

function checkLimits(resource: Resource, declared: DeclaredResources, report: ReportProblem): void {
  const kind = catalog[resource.kind]
  const by = kind.limited && kind.fields[kind.limited.by]
  const [use] = by ? fieldUses(resource, by) : []
  const limiting = use && declared.find(use)
  if (!kind.limited || !limiting) return
  for (const breach of breaches(kind, managedBy(resource), managedBy(limiting))) {
    const place = placeOf(rangeAt(resource, `/${breach.field}`))
    const field = `${kind.name}.${breach.field}`
    if (breach.is === 'above') {
      const planPlace = placeOf(rangeAt(limiting, `/${breach.field}`))
      const isSecret = [resource, limiting].some(({ sensitive }) => sensitive.includes(pointerTo(breach.field)))
      const limits = isSecret ? undefined : { own: breach.own, plan: breach.most }
      report(limitAbovePlan(place, field, limits, planPlace))
      // A key that already has such a limit keeps it; only a change is refused.
    } else report(limitNotAllowed(place, field, breach.override))
  }
}

/** The fields that a manifest writes and does not ignore. The live values of ignored fields are not known here. */
const managedBy = ({ fields, ignore }: Resource): JsonObject =>
  ignore.length === 0
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([name]) => !ignore.includes(pointerTo(name))))

/**
 * Reports siblings that have each other's names as former names. Names alone do not show whether the exchange has happened yet
 * (A105).
 */
function checkFormerNames(resources: readonly Resource[], report: ReportProblem): void {
  const renamed = resources.filter(({ formerly, id }) => formerly.length > 0 && id === undefined)
  const keyOf = ({ parent, kind }: Resource, name: string) => `${siblingsKey(parent, kind)}\n${name}`
  const byName = new Map(renamed.map((resource) => [keyOf(resource, resource.key), resource]))
  const named = (each: Resource) => each.formerly.flatMap((name) => byName.get(keyOf(each, name)) ?? [])
  const reachedFrom = (resource: Resource): ReadonlySet<Resource> => {
    const reached = new Set(named(resource))
    for (const each of reached) for (const next of named(each)) reached.add(next)
    return reached
  }
  const reported = new Set<Resource>()
  for (const resource of renamed) {
    if (reported.has(resource)) continue
    const circle = [...reachedFrom(resource)].filter((each) => reachedFrom(each).has(resource))
    for (const each of circle) reported.add(each)
    if (circle.length === 0) continue
    const other = circle.find((each) => each !== resource) ?? resource
    report(namesInCircle(placeOf(resource.range), resource.address, other.address, placeOf(other.range)))
  }
}

/**
 * Reports siblings whose names are the same text in two Unicode forms, as different editors write them. Nobody can distinguish
 * them.
 */
function checkForms(resources: readonly Resource[], report: ReportProblem): void {
  const first = new Map<string, Resource>()
  for (const resource of resources) {
    if (isPlain.test(resource.key)) continue
    const name = `${siblingsKey(resource.parent, resource.kind)}\n${resource.key.normalize()}`
    const other = first.get(name)
    if (!other) first.set(name, resource)
    else if (other.key !== resource.key) {
      report(namesLookAlike(placeOf(resource.range), resource.address, placeOf(other.range)))
    }
  }
}

/** Such a text is the same in every Unicode form. */
const isPlain = /^[ -~]*$/

/** Reports endpoints that take the same calls; for each endpoint only the first such route. Few endpoints share a path. */
function checkRoutes(resources: readonly Resource[], report: ReportProblem): void {
  const pathIn = ({ kind, fields }: Resource) => fields[catalog[kind].route?.path ?? '']
  const endpoints = resources.filter((resource) => pathIn(resource) !== undefined)
  for (const sharing of groupBy(endpoints, pathIn).values()) if (sharing.length > 1) checkSharing(sharing, report)
}

function checkSharing(endpoints: readonly Resource[], report: ReportProblem): void {
  const first = new Map<string, Resource>()
  for (const endpoint of endpoints) {
    const row = catalog[endpoint.kind].route
    const routes = row ? routesIn(row, (field) => endpoint.fields[field] ?? null) : []
    const taken = routes.find((route) => first.has(route))
    const other = taken === undefined ? undefined : first.get(taken)
    if (row && taken !== undefined && other) {
      const placeIn = (each: Resource) => placeOf(rangeAt(each, `/${row.path}`))
      const there = { address: other.address, place: placeIn(other) }
      report(sameRoute(placeIn(endpoint), endpoint.address, taken.trim(), there))
    }
    for (const route of routes) if (!first.has(route)) first.set(route, endpoint)
  }
}

function checkDomains(resources: readonly Resource[], report: ReportProblem): void {
  // Fields of the type "domain" name objects of this kind.
  const declared = resources.filter(({ kind }) => isNamedByHost(catalog[kind])).map((resource) => resource.key)
  if (declared.length === 0) return
  const covering = declared.map((domain) => domain.toLowerCase()).sort()
  // A domain that is written as a URL is already reported; its host counts here.
  const isCovered = coveredBy(covering.map((domain) => hostIn(domain) ?? domain))
  for (const resource of resources) {
    for (const { value, pointer } of domainUses(resource)) {
      if (!isHostName(value) || isCovered(value)) continue
      report(uncoveredDomain(placeOf(rangeAt(resource, pointer)), value, covering))
    }
  }
}

/** Reports single children that a document declares and their parent removes with null: every run would undo the one before. */
function checkNulls(resources: readonly Resource[], report: ReportProblem): void {
  const removing = new Map(resources.flatMap((each) => (each.removedChildren.length > 0 ? [[each.address, each]] : [])))
  for (const { kind, parent = '', address, range } of removing.size > 0 ? resources : []) {
    const remover = removing.get(parent)
    const field = catalog[kind].parent?.field ?? ''
    if (!remover?.removedChildren.includes(field)) continue
    report(declaredAndRemoved(placeOf(range), address, placeOf(rangeAt(remover, `/${field}`))))
  }
}

function checkRemovals(resources: readonly Resource[], removed: Removed, report: ReportProblem): void {
  if (removed.isEmpty) return
  const both = new Map(
    resources.flatMap((resource) => {
      const removal = removed.enclosing(resource.address)
      return removal ? [[resource.address, { resource, removal }] as const] : []
    }),
  )
  for (const { resource, removal } of both.values()) {
    // An object inside one that is already reported is not reported again.
    const outer = both.get(resource.parent ?? '')?.resource
    if (!outer || !holds(outer.range, resource.range))
      report(declaredAndRemoved(placeOf(resource.range), resource.address, placeOf(removal.range)))
  }
}
