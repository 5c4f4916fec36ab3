import { catalog } from '../catalog/catalog.js'
import { hasOwnId } from '../catalog/queries.js'
import { append, countsOf } from '../json/groups.js'
import { once } from '../json/once.js'
import { by } from '../json/order.js'
import type { ProblemCode } from '../problems/codes.js'
import { duplicateObject, secretsMissing } from '../problems/manifests.js'
import type { Problem, ReportProblem } from '../problems/problem.js'
import { Pins } from './ancestors.js'
import { checkTogether } from './check.js'
import { Composer } from './compose/composer.js'
import type { Layers } from './compose/layers.js'
import { digestOf, textsDigest } from './digest.js'
import { mergeInverseReferences, mergeLinks } from './nest.js'
import type { InverseReference, LackingSecrets, ObjectCollector } from './object-collector.js'
import type { ComposedObject } from './object-text.js'
import { pinReferences } from './pin-references.js'
import { problemsInOrder } from './problems-in-order.js'
import type { Manifests, Removal, Resource } from './resource.js'
import { nameBySecret } from './secret-names.js'
import { holds, placeOf, type Source, type SourceRange } from './source.js'

/** How objects are read, wherever they come from. */
export interface CollectorSettings {
  /** For the short hash that distinguishes keys in addresses. */
  readonly fingerprintKey?: string | undefined
  /** The severity of secrets in clear text; default: warning. */
  readonly clearSecrets?: 'warning' | 'error' | undefined
  /** Called with every object after the layers are applied; parents come before their children. */
  readonly composed?: ((object: ComposedObject) => void) | undefined
}

/** The results of a reading besides its objects. */
interface CollectedReading {
  readonly unusedValues?: readonly Problem[]
  /** The texts that contain the objects. */
  readonly sources?: readonly Source[]
  /** If only a part of a project is read (`-f`), the objects that use its patches and values may be in the rest (A447). */
  readonly extent?: 'all' | 'part'
}

/** Collects objects, parents before their children, and makes the flat list of resources. */
export class Collector {
  readonly problems: Problem[] = []
  /** Readers of objects report to it. */
  readonly objects: ObjectCollector
  readonly #fingerprintKey: string | undefined
  readonly #resources: Resource[] = []
  readonly #inverseReferences: InverseReference[] = []
  readonly #lackingSecrets: LackingSecrets[] = []
  readonly #secrets = new Set<string>()
  readonly #pins = new Pins()
  #composer: Composer | undefined
  #isAllTaken = true
  readonly #lacksReported = new Set<Problem>()

  constructor({ fingerprintKey, clearSecrets = 'warning', composed = () => undefined }: CollectorSettings) {
    this.#fingerprintKey = fingerprintKey
    const report = (problem: Problem): void => {
      this.problems.push(problem)
    }
    this.objects = {
      clearSecrets,
      compose: (text, key, id) => (this.#composer ? this.#composer.compose(text, key, id) : text),
      composed,
      report,
      add: (resource) => {
        this.#resources.push(resource)
        this.#pins.add(resource)
      },
      lacks: (found) => {
        for (const problem of found) {
          if (!this.#lacksReported.has(problem)) report(problem)
          this.#lacksReported.add(problem)
        }
      },
      misses: () => {
        this.#isAllTaken = false
      },
      relate: (inverseReference) => {
        this.#inverseReferences.push(inverseReference)
      },
      addSecret: (value) => {
        this.#secrets.add(value)
      },
      lacksSecrets: (object) => {
        this.#lackingSecrets.push(object)
      },
      pinned: (ancestors, rangeOf) => this.#pins.resolve(ancestors, rangeOf, report),
    }
  }

  /** Applies these layers to all objects that follow. */
  take(layers: Layers): void {
    this.#composer = new Composer(layers, this.objects.report)
  }

  /** All collected objects, combined and checked; the problems are in the order of the files. */
  manifests(
    removals: readonly Removal[],
    { unusedValues = [], sources = [], extent = 'all' }: CollectedReading = {},
  ): Manifests {
    const { report, pinned } = this.objects
    const isAllRead = this.#isAllTaken && !this.problems.some(({ code }) => notRead.has(code))
    const isComplete = isAllRead && extent === 'all'
    this.#composer?.finish(this.objects, isComplete)
    const named = nameBySecret(withoutEmptiedLists(this.#resources), this.#fingerprintKey, report)
    const linked = mergeLinks(withoutDuplicates(named, report), report)
    const resources = pinReferences(mergeInverseReferences(linked, this.#inverseReferences, pinned), this.#pins, report)
    const leavesOut = (address: string): boolean => this.#composer?.leavesOut(address) ?? false
    checkTogether(resources, removals, report, leavesOut)
    this.#reportLackingSecrets()
    const patches = this.#composer?.effects() ?? []
    const digest = once(() => digestOf(resources, removals))
    return {
      resources: [...resources].sort(byAddress),
      removals,
      isAllRead,
      problems: missedOnce(problemsInOrder(isAllRead ? this.problems : withoutGuesses(this.problems))),
      get digest() {
        return digest()
      },
      get texts() {
        return textsDigest(sources)
      },
      sources,
      leavesOut,
      unusedValues: isComplete ? unusedValues : [],
      ...(patches.length > 0 && { patches }),
      secrets: [...this.#secrets].sort(),
    }
  }

  #reportLackingSecrets(): void {
    const [first, ...others] = this.#lackingSecrets
    if (!first) return
    this.problems.push(others.length === 0 ? first.alone : secretsMissing(countsByField([first, ...others])))
  }
}

/**
 * The problems without those about undeclared names. If a part of the manifests was not read, that part may declare the names.
 */
const withoutGuesses = (problems: readonly Problem[]): readonly Problem[] =>
  problems.filter(({ code }) => !notDeclared.has(code))

/** A document, or an object in it, with one of these problems is left out. */
const notRead: ReadonlySet<ProblemCode> = new Set([
  'complex-key',
  'duplicate-key',
  'key-without-value',
  'missing-file',
  'not-text',
  'too-deep',
  'too-large',
  'unknown-environment',
  'yaml-alias',
  'yaml-syntax',
])
const notDeclared: ReadonlySet<ProblemCode> = new Set(['undeclared-reference', 'uncovered-domain'])

/** A value that the environment does not give is reported only at its first use: there may be thousands of uses. */
function missedOnce(problems: readonly Problem[]): readonly Problem[] {
  const reported = new Set<string>()
  return problems.filter(
    ({ code, message }) => code !== 'value-missing' || (!reported.has(message) && reported.add(message)),
  )
}

/** How many objects lack each secret field, by names such as "Member.passwdNew". */
const countsByField = (objects: readonly LackingSecrets[]): ReadonlyMap<string, number> =>
  countsOf(objects.flatMap(({ kind, fields }) => fields.map((field) => `${kind}.${field}`)))

/** Sorts values by their addresses. */
export const byAddress = by((each: { readonly address: string }) => each.address)

/**
 * The resources without the lists that must not be empty and of which the environment leaves out every entry: manifests cannot
 * write such a list, so it counts as not written (A484).
 */
function withoutEmptiedLists(resources: readonly Resource[]): readonly Resource[] {
  const parents = resources.filter((resource) => mandatoryLists(resource).length > 0)
  if (parents.length === 0) return resources
  const filled = new Set(
    resources.flatMap(({ kind, parent, isInside }) => (isInside ? [listKey(parent, catalog[kind].parent?.field)] : [])),
  )
  const isEmptied = (resource: Resource, field: string) =>
    mandatoryLists(resource).includes(field) && !filled.has(listKey(resource.address, field))
  const emptied = new Set(parents.filter((resource) => resource.wholeLists.some((field) => isEmptied(resource, field))))
  if (emptied.size === 0) return resources
  return resources.map((resource) =>
    emptied.has(resource)
      ? { ...resource, wholeLists: resource.wholeLists.filter((field) => !isEmptied(resource, field)) }
      : resource,
  )
}

const mandatoryLists = ({ kind, wholeLists }: Resource): readonly string[] =>
  wholeLists.filter((field) => catalog[kind].atLeastOne.includes(field))

const listKey = (parent = '', field = ''): string => `${parent}\n${field}`

/**
 * Keeps one resource of each address. The others, which come later by file and position, are reported with the place of the
 * first.
 */
function withoutDuplicates(resources: readonly Resource[], report: ReportProblem): readonly Resource[] {
  const first = new Map<string, Resource>()
  const dropped = new Map<string, Resource[]>()
  for (const resource of resources) {
    const known = first.get(resource.address)
    if (!known) {
      first.set(resource.address, resource)
      continue
    }
    const [kept, other] = isBefore(known.range, resource.range) ? [known, resource] : [resource, known]
    first.set(resource.address, kept)
    append(dropped, other.address, other)
    // An object inside one that is already reported is not reported again.
    if (dropped.get(other.parent ?? '')?.some((outer) => isIn(other, outer))) continue
    const by = distinguishedBy(kept, other)
    const placeIn = (each: Resource) => placeOf((by === 'by document' && each.generatedBy) || each.range)
    report(duplicateObject(placeIn(other), resource.address, placeIn(kept), by))
  }
  return first.size === resources.length ? resources : [...first.values()]
}

/** Whether an object is written in another one. What is generated with an object is in the same file, not in its range. */
const isIn = (inner: Resource, { range, generatedBy }: Resource): boolean =>
  holds(range, inner.range) || (generatedBy !== undefined && inner.range.source === range.source)

function distinguishedBy(one: Resource, other: Resource): 'by id' | 'by name' | 'by document' | 'by nothing' {
  if (one.range.source === other.range.source && one.range.start === other.range.start) {
    return one.generatedBy && other.generatedBy !== one.generatedBy ? 'by document' : 'by name'
  }
  return hasOwnId(one.kind) ? 'by id' : 'by nothing'
}

function isBefore(left: SourceRange, right: SourceRange): boolean {
  if (left.source.file === right.source.file) return left.start <= right.start
  return left.source.file < right.source.file
}
