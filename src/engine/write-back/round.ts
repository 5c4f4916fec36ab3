import { catalog } from '../../catalog/catalog.js'
import { hasSecretName } from '../../catalog/queries.js'
import { countsOf } from '../../json/groups.js'
import type { LiveObject } from '../../live/live-object.js'
import { pathTo } from '../../live/names.js'
import type { FormContext } from '../../live/references-form.js'
import { addressesOfAncestors } from '../../manifest/ancestors.js'
import { problemsInOrder } from '../../manifest/problems-in-order.js'
import { type ReferenceUse, rangeOfUse, referenceUses } from '../../manifest/reference-use.js'
import { declaredOf, type Manifests, type Resource } from '../../manifest/resource.js'
import { placeOf, startKey } from '../../manifest/source.js'
import type { Edit } from '../../manifest/write/edit.js'
import { type Matches, match } from '../../planner/match/match.js'
import { noRemovals, type ReferenceScope } from '../../planner/references/scope.js'
import { type Problem, ProblemError, type ReportProblem } from '../../problems/problem.js'
import {
  limitedToEnvironment,
  notWrittenBack,
  prunedManifest,
  pruneOfEverything,
  renamedManifest,
  sharedByAnchor,
  vanishedObject,
} from '../../problems/write-back.js'
import { editsFor, namingEdits } from './decide.js'
import type { Deciding, NewNames } from './deciding.js'
import { editSource, type ResourceEdit } from './edit-source.js'
import type { WriteBackInput } from './input.js'
import type { LayersAccess } from './layers.js'
import { appended, isOfPlatform, mayBeManifest, newFiles } from './new-files.js'
import { isInline, nameEdits } from './rename-edits.js'
import type { Renames } from './renames.js'
import { generatedNotWritten, Router } from './route.js'

export type NewFiles = 'with new files' | 'without'

/** One comparison of manifests and area, and its edits. */
export class Round {
  /** Messages about edits that were made. Later rounds do not change them. */
  readonly lasting: Problem[] = []
  /** All renames in the texts so far, after the round has run. */
  renames: Renames
  saw: 'names' | 'everything' = 'everything'
  readonly #input: WriteBackInput
  readonly #forms: FormContext
  readonly #texts: Map<string, string | undefined>
  readonly #report: ReportProblem
  readonly #manifests: Manifests
  readonly #world: Matches
  readonly #edits = new Map<string, ResourceEdit[]>()
  readonly #claimed: ReadonlySet<LiveObject>
  readonly #removed: ReadonlySet<string>
  readonly #references: ReferenceScope
  readonly #router: Router | undefined

  constructor(
    input: WriteBackInput,
    forms: FormContext,
    texts: Map<string, string | undefined>,
    renames: Renames,
    known: ReadonlySet<string> | undefined,
  ) {
    // Defaults may give a new object fields that are not live.
    const wants: WriteBackInput['wants'] = (resource, field) =>
      input.wants(resource, field) || (known !== undefined && !known.has(resource.address))
    this.#input = asBefore({ ...input, wants }, renames)
    this.#forms = { ...forms, leavesOut: (object) => this.#removed.has(this.#world.addressOfLive(object)) }
    this.#texts = texts
    this.renames = renames
    this.#report = (problem) => forms.report(problem)
    this.#manifests = input.read(texts)
    this.#world = match(this.#manifests, input.snapshot, input.keyName, {
      idOf: (address) => this.#input.recordedId(address),
      isFoundById: () => true,
      isKnown: (object) => input.isRecorded(object),
    })
    refuseAmbiguity(this.#world)
    if (input.purpose === 'export') refuseToLoseEverything(this.#world, input)
    // Nothing is created here, so deleted objects are not part of "*".
    const missing = [...this.#world.resources.values()].filter(({ address }) => !this.#world.matched.has(address))
    const leftDeleted = new Set(missing.filter((each) => this.#input.isGone(each)).map(({ address }) => address))
    this.#references = { names: this.#world, removals: { ...noRemovals, leftDeleted } }
    this.#router = this.#routerOf(input.layers)
    // An implicit object has no manifest yet.
    const { matched, resources } = this.#world
    const declared = [...matched].filter(([address]) => resources.get(address)?.implicit === false)
    this.#claimed = new Set(declared.map(([, live]) => live))
    this.#removed = new Set(this.#manifests.removals.map((removal) => removal.address))
  }

  #routerOf(access: LayersAccess | undefined): Router | undefined {
    if (!access) return undefined
    const input = this.#input
    return new Router({
      access,
      purpose: input.purpose,
      vocabulary: input.vocabulary,
      texts: this.#texts,
      manifests: this.#manifests,
      world: this.#world,
      references: this.#references,
      read: (texts) => input.read(texts),
      whole: input.whole,
      valueOf: (text) => input.valueOf(text),
      report: this.#report,
      keep: (problem) => this.lasting.push(problem),
    })
  }

  /** Makes the edits. Returns whether a text has changed. */
  run(look: 'names first' | 'everything', files: NewFiles): boolean {
    const { renamed, isNew } = this.#renamed()
    // Other texts, such as patches, may use the new names, so they are compared in the next round.
    if (look === 'names first' && isNew) this.saw = 'names'
    this.#collect(renamed)
    const layers = this.#router?.finish() ?? new Map()
    const edited = [...this.#edits].map(([file, edits]) => this.#apply(file, edits))
    for (const [file, text] of layers) this.#texts.set(file, text)
    const documents = this.#router?.documents ?? new Map()
    for (const [source, added] of documents) {
      this.#texts.set(source.file, appended(this.#texts.get(source.file) ?? source.text, added, undefined))
    }
    if (files === 'with new files' && this.saw === 'everything') this.#writeNew()
    return edited.includes('changed') || layers.size + documents.size > 0
  }

  #collect(renamed: NewNames): void {
    const shared = sharedStarts(this.#manifests)
    const deciding: Deciding = {
      world: this.#world,
      references: this.#references,
      forms: this.#forms,
      variables: this.#input.variables,
      renamed,
      purpose: this.#input.purpose,
      wants: (resource, field) => this.#input.wants(resource, field),
      mayAdd: (object) => this.#mayAdd(object),
      report: this.#report,
    }
    for (const resource of this.#world.resources.values()) {
      if (resource.implicit || !this.#isOurs(resource) || !this.#isSelected(resource)) continue
      const live = this.#world.matched.get(resource.address)
      const found = this.#editsOf(resource, live, deciding)
      const router = this.#router
      const edits = found.flatMap(
        (edit) => (router ? router.route(resource, edit) : this.#ofText(resource, edit)) ?? [],
      )
      if (edits.length > 0 && !isOwnText(resource, this.#world, shared)) {
        this.#report(sharedByAnchor(resource.address, 'a difference', placeOf(resource.range)))
        continue
      }
      for (const edit of edits) {
        if (edit.is === 'remove') this.lasting.push(prunedManifest(resource.address, placeOf(resource.range)))
        this.#add(resource, edit)
      }
    }
  }

  #editsOf(resource: Resource, live: LiveObject | undefined, deciding: Deciding): readonly Edit[] {
    if (this.saw === 'names') return namingEdits(resource, live, deciding)
    return live ? editsFor(resource, live, deciding) : this.#absentEdits(resource, deciding)
  }

  /**
   * The edits for a declared object that is not live. A link to a renamed object does not exist under the old name: the next
   * round finds it.
   */
  #absentEdits(resource: Resource, deciding: Deciding): readonly Edit[] {
    const names = nameEdits(resource, deciding)
    return names.some(({ at }) => at === resource.range.start) && catalog[resource.kind].association
      ? names
      : [...names, ...this.#vanished(resource)]
  }

  /**
   * The objects that somebody has renamed on the platform. Only their ids in the records identify them. Renames of earlier rounds
   * are included, because a text that could not be edited (it has an anchor) may still use the old name.
   */
  #renamed(): { readonly renamed: NewNames; readonly isNew: boolean } {
    const { recordedId, wants } = this.#input
    const renamed = new Map<string, string>()
    for (const [address, live] of this.#world.matched) {
      const resource = this.#world.resources.get(address)
      const { naming, association } = catalog[live.kind]
      if (!resource || resource.id !== undefined || naming === undefined || association || resource.key === live.key)
        continue
      if (hasSecretName(catalog[live.kind]) || resource.formerly.includes(live.key)) continue
      const change = { path: `/${naming}`, sensitive: false, verdict: 'drift' } as const
      const isDesired = this.#isOurs(resource) && this.#isSelected(resource) && wants(resource, change)
      if (!isDesired || recordedId(address) !== live.id) continue
      if (
        this.#isNamedElsewhere(resource, 'its new name', 'rename both') ||
        this.#router?.mayRename(resource, live.key) === false ||
        !this.#ofText(resource, { is: 'rename', at: 0, word: 'name', name: live.key })
      )
        continue
      renamed.set(address, live.key)
      this.lasting.push(renamedManifest(address, live.key, placeOf(resource.range)))
    }
    const earlier = this.renames
    this.renames = earlier.and(renamed)
    const isDeclared = (address: string) => this.#world.resources.has(address)
    const nameOf = (address: string) =>
      renamed.get(address) ?? (isDeclared(address) ? undefined : earlier.nameOf(address))
    return { renamed: { isEmpty: this.renames.isEmpty, nameOf }, isNew: renamed.size > 0 }
  }

  /**
   * Whether manifests that are not written here use the name of an object. Its rename or deletion would break them, so this is
   * reported.
   */
  #isNamedElsewhere({ address }: Resource, what: string, remedy: string): boolean {
    this.#usesElsewhere ??= new Map(this.#notWrittenHere().flatMap(referenceUses).flatMap(addressesOf))
    const use = this.#usesElsewhere.get(address)
    if (!use) return false
    const reason = `${use.by.address} uses the name, and is not written here: ${remedy}`
    this.#report(notWrittenBack(address, what, reason, placeOf(rangeOfUse(use))))
    return true
  }

  /** References from such manifests, by the addresses of their targets and of the targets' ancestors. */
  #usesElsewhere: ReadonlyMap<string, ReferenceUse> | undefined

  /** The objects that are not edited here: in other files, not selected, or in manifests that were not named. */
  #notWrittenHere(): readonly Resource[] {
    const known = declaredOf([...this.#world.resources.values()])
    const addresses = new Set(known.map(({ address }) => address))
    const whole = this.#input.whole?.(this.#texts).resources ?? []
    return [
      ...known.filter((each) => !this.#isOurs(each) || !this.#isSelected(each)),
      ...whole.filter(({ implicit, address }) => !implicit && !addresses.has(address)),
    ]
  }

  /** The edit, unless the object is generated and therefore has no text. */
  #ofText(resource: Resource, edit: Edit): Edit | undefined {
    if (!resource.generatedBy) return edit
    this.#report(generatedNotWritten(resource, edit))
    return undefined
  }

  #isOurs({ generatedBy, range }: Resource): boolean {
    return this.#input.isOurs((generatedBy ?? range).source.file)
  }

  #isSelected(resource: Resource): boolean {
    const path = [
      ...resource.ancestors.map(({ kind, name }) => ({ kind, key: name })),
      { kind: resource.kind, key: resource.key },
    ]
    return catalog[resource.kind].within === undefined && this.#input.isSelected(path)
  }

  #add(resource: Resource, edit: Edit): void {
    const { file } = resource.range.source
    const edits = this.#edits.get(file) ?? []
    this.#edits.set(file, edits)
    edits.push({ edit, resource })
  }

  /** The edits for a declared object that does not exist. If its parent is removed too, there is no separate edit. */
  #vanished(resource: Resource): readonly Edit[] {
    const isInside = this.#world.resources.has(resource.parent ?? '') && !this.#world.matched.has(resource.parent ?? '')
    // If the platform does not offer the kind, or if it was not read, the object may still exist.
    const isKnown = this.#input.snapshot.kinds.includes(resource.kind)
    if ((isInside && this.#goesWithParent(resource)) || !isKnown || !this.#input.isGone(resource)) return []
    if (this.#input.vanished(resource.address) === 'keep') {
      const way =
        this.#input.purpose === 'export'
          ? 'remove it with --prune, or apply it to create the object'
          : 'remove it by hand, or apply it to create the object'
      this.#report(vanishedObject(resource.address, placeOf(resource.range), way))
      return []
    }
    if (this.#isNamedElsewhere(resource, 'its deletion', 'remove both')) return []
    return [{ is: 'remove', at: resource.range.start }]
  }

  /**
   * Whether an object is removed with its parent. A patch that omits the parent also omits everything inside it, even in other
   * documents.
   */
  #goesWithParent(resource: Resource): boolean {
    const { layers, vanished } = this.#input
    const isPatched = layers?.into === 'environment' && vanished(resource.parent ?? '') === 'remove'
    return isPatched || isInline(resource, this.#world)
  }

  #apply(file: string, edits: readonly ResourceEdit[]): 'changed' | 'same' {
    const source = edits[0]?.resource.range.source
    if (!source) return 'same'
    const { text, problems, replaced } = editSource(source, edits, {
      resolve: (each) => this.#input.valueOf(each),
      newMembers: this.#input.selection === 'all' ? 'for all that merge' : 'never',
    })
    problems.forEach(this.#report)
    this.lasting.push(...replaced)
    if (text === source.text) return 'same'
    this.#texts.set(file, text)
    return 'changed'
  }

  /** Makes files for the live objects that no manifest has. */
  #writeNew(): void {
    const { home, snapshot } = this.#input
    if (!home) return
    const objects = snapshot.objects.filter((object) => !this.#claimed.has(object) && this.#isNew(object))
    const { into, environment, others = [] } = this.#input.layers ?? {}
    const limit = into === 'environment' && others.length > 0 ? environment : undefined
    for (const [path, text] of newFiles(objects, { ...home, limit }, this.#texts, this.#forms)) {
      this.#texts.set(path, text)
    }
    const addresses = objects.map((object) => this.#world.addressOfLive(object)).sort()
    if (limit !== undefined && objects.length > 0) this.lasting.push(limitedToEnvironment(limit, addresses))
  }

  /** The number of secrets of selected objects that no manifest has, by kind and field. */
  secretsLeftOut(): ReadonlyMap<string, number> {
    const left: string[] = []
    const { secrets, variables } = this.#input
    for (const [object, fields] of secrets === 'as variables' ? [] : variables) {
      const path = pathTo(object)
      if (!this.#input.isSelected(path) || path.some((each) => isOfPlatform(each))) continue
      const resource = this.#world.claimed.get(object)
      if (!resource && !this.#input.mayAdd(object, this.#world.addressOfLive(object))) continue
      for (const field of fields.keys()) {
        if (!resource?.ranges.at(`/${field}`)) left.push(`${object.kind}.${field}`)
      }
    }
    return countsOf(left)
  }

  #isNew(object: LiveObject): boolean {
    const isSelected = this.#input.isSelected([{ kind: object.kind, key: object.key }])
    return isSelected && mayBeManifest(object, this.#forms) && this.#mayAdd(object)
  }

  #mayAdd(object: LiveObject): boolean {
    const address = this.#world.addressOfLive(object)
    const isRequested = !this.#removed.has(address) && this.#input.mayAdd(object, address)
    return isRequested && !this.#router?.isOmitted(object, address)
  }
}

const addressesOf = (use: ReferenceUse): readonly (readonly [string, ReferenceUse])[] =>
  addressesOfAncestors(use.ancestors).map((address) => [address, use])

/** The input with functions that use the addresses before the renames. */
function asBefore(input: WriteBackInput, renames: Renames): WriteBackInput {
  if (renames.isEmpty) return input
  const before = (resource: Resource): Resource => ({ ...resource, address: renames.before(resource.address) })
  return {
    ...input,
    vanished: (address) => input.vanished(renames.before(address)),
    recordedId: (address) => input.recordedId(renames.before(address)),
    wants: (resource, field) => input.wants(before(resource), field),
    mayAdd: (object, address) => input.mayAdd(object, renames.before(address)),
    isGone: (resource) => input.isGone(before(resource)),
  }
}

/** Throws a ProblemError if names may mean several objects, because an edit could change the wrong one. */
function refuseAmbiguity(world: Matches): void {
  const ignored = ['parent-not-found', 'pinned-not-found']
  const problems = world.problems.filter(({ code, severity }) => severity === 'error' && !ignored.includes(code))
  if (problems.length > 0) throw new ProblemError(problemsInOrder(problems))
}

/** Throws a ProblemError if there are several declared objects and none is live: this is probably the wrong area. */
function refuseToLoseEverything({ resources, matched }: Matches, { vanished }: WriteBackInput): void {
  const declared = declaredOf([...resources.values()]).filter(({ parent }) => parent === undefined)
  if (!declared.every(({ address }) => vanished(address) === 'remove')) return
  if (declared.length > 1 && matched.size === 0) throw new ProblemError([pruneOfEverything(declared.length)])
}

/** Whether the text of an object is its own, and is not repeated by an alias or a merge of an outer object. */
function isOwnText(resource: Resource, world: Matches, shared: ReadonlyMap<string, number>): boolean {
  if ((shared.get(startKey(resource.range)) ?? 0) <= 1) return true
  const parent = world.resources.get(resource.parent ?? '')
  return parent !== undefined && isInline(resource, world) && isOwnText(parent, world, shared)
}

/** The number of objects that each position defines: more than one if an alias repeats it. */
function sharedStarts({ resources }: Manifests): ReadonlyMap<string, number> {
  return countsOf(declaredOf(resources).map(({ range }) => startKey(range)))
}
