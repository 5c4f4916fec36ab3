import { catalog } from '../catalog/catalog.js'
import type { Hazard } from '../catalog/hazards.js'
import type { Json } from '../json/json.js'
import { editorOf } from '../live/editor.js'
import type { SourceRanges } from '../manifest/ranges.js'
import type { SourceRange } from '../manifest/source.js'
import { valueNames } from '../manifest/values.js'
import type { AcceptedDrift, Action, Change, FieldChange, Plan, Support, Verdict } from '../planner/plan.js'
import type { Lapsed } from '../planner/safety/acceptance.js'
import type { Place, Problem } from '../problems/problem.js'
import { masked } from '../secrets/hidden-words.js'
import { holdsSecret } from '../secrets/mask.js'
import { type Diagnostic, diagnosticOf } from './diagnostics.js'
import { type PlaceDocument, placeDocument } from './place.js'
import type { PoliciesDocument } from './policies.js'
import type { TargetDocument } from './target.js'

/**
 * A plan or a drift as a document: `gatewright.plan/1` and `gatewright.drift/1`. All reports print this document and not the plan
 * itself, so they never contain a secret.
 */
export interface PlanDocument {
  readonly format: 'gatewright.plan/1' | 'gatewright.drift/1'
  readonly target: TargetDocument
  /** The snapshot file that was used instead of the live area. */
  readonly snapshot?: string
  /** Digest of the manifests. */
  readonly manifests: string
  /** Only for `--applied-in`: the run whose manifests were planned. */
  readonly appliedIn?: AppliedIn
  /** The values from `--value`: texts by name. */
  readonly values?: Readonly<Record<string, string>>
  /** The last applied state: a run or a git reference; null if it is unknown. */
  readonly base: string | null
  readonly summary: Readonly<Record<Action | 'unchanged' | 'unmanaged' | 'accepted', number>>
  readonly estimate: { readonly requests: number; readonly seconds: number }
  /** The reasons why apply would refuse the plan; always empty for drift. */
  readonly refused: readonly Diagnostic[]
  readonly changes: readonly ChangeDocument[]
  readonly unmanaged: readonly {
    readonly address: string
    readonly id: string
    readonly inList?: true
    readonly applied?: true
    readonly lapsed?: readonly LapsedNote[]
  }[]
  /** The accepted drift. It is not among the changes. */
  readonly accepted: readonly AcceptedDocument[]
  /** The results of policies; absent if the project has none, and for drift. */
  readonly policies?: PoliciesDocument
  readonly diagnostics: readonly Diagnostic[]
  /** Only for `plan --prove`. */
  readonly proof?: ProofDocument
}

/** A run of another environment, and the commit that it applied. */
export interface AppliedIn {
  readonly environment: string
  readonly run: string
  readonly commit: string
}

/** The result of the simulation of a plan on the embedded platform. */
export interface ProofDocument {
  /**
   * Whether the apply ends in the desired state, a second plan is empty, and nothing else is changed: without an interruption,
   * and after one at each crash point.
   */
  readonly holds: boolean
  readonly failures: readonly string[]
  readonly writes: number
  /** The number of simulated crash points, and the number of all. */
  readonly cutPoints: number
  readonly of: number
  /** The number of requests for reading the whole area. */
  readonly requests: number
}

export interface ChangeDocument {
  readonly address: string
  readonly kind: string
  readonly action: Action
  /** The action that is blocked. */
  readonly wants?: Exclude<Action, 'blocked'>
  /** Absent if the object does not exist yet. */
  readonly id?: string
  readonly fields: readonly FieldDocument[]
  readonly source?: PlaceDocument
  readonly dependsOn: readonly string[]
  readonly precondition: string
  readonly hazards: readonly Hazard[]
  readonly reason?: string
  readonly support?: Support
  /** Only for drift: the side that differs from the base. */
  readonly side?: ChangedSide
  readonly editor?: string
  /** How often the service has been modified (revisionNumber in the document). */
  readonly revision?: number
  readonly updated?: string
  /** Acceptances of the object that are no longer valid. */
  readonly lapsed?: readonly LapsedNote[]
}

interface AcceptedDecision {
  readonly reason: string
  readonly owner: string
  /** The last day on which it is valid. */
  readonly expires: string
}

/**
 * Accepted drift: a field, with `before` as the live value and `after` as the value in git; or an object that was deleted or
 * created.
 */
export interface AcceptedDocument extends AcceptedDecision {
  readonly address: string
  readonly kind: string
  readonly field?: FieldDocument
  readonly object?: 'deleted' | 'created'
  /** Of an object that is one more: a run applied it, and it was removed from git since. */
  readonly applied?: true
}

/** An acceptance that is no longer valid. */
export interface LapsedNote extends AcceptedDecision {
  /** Absent if it is for the whole object. */
  readonly path?: string
  readonly why: 'expired' | 'other values'
}

export interface FieldDocument {
  readonly path: string
  readonly before?: Json
  readonly after?: Json
  /** Only for a conflict: the last applied value, if it is known. */
  readonly applied?: Json
  readonly sensitive: boolean
  /** True if the value uses a secret that was not set when the plan was made. */
  readonly unavailable?: true
  /** Only for a secret: its keyed fingerprint. When the plan is applied, the secret must have the same one. */
  readonly fingerprint?: string
  readonly verdict: Verdict
  /**
   * The layer that sets the field, in the words of `gatewright explain ADDRESS`: `manifest`, `defaults of the project`,
   * `patches[0] of environment prod`. `not written` if an applied field is no longer written (A154). Absent for deletes.
   */
  readonly origin?: string
  /** The position in that layer, unless it is the manifest, whose position is in `source` of the change. */
  readonly source?: PlaceDocument
  /** The declared values that its text uses: `${value:NAME}`. */
  readonly values?: readonly string[]
}

type ChangedSide = 'live' | 'manifest' | 'both' | 'unknown'

/** The additional input for a plan document. */
export interface PlanContext {
  readonly target: TargetDocument
  readonly snapshot: string | undefined
  readonly appliedIn?: AppliedIn | undefined
  readonly values?: Readonly<Record<string, string>> | undefined
  /** Computes the digest of the manifests: it takes time, and most callers do not need it. */
  readonly manifests: () => string
  readonly base: string | null
  readonly estimate: PlanDocument['estimate']
  readonly policies?: PoliciesDocument | undefined
  /** The position of a range. */
  readonly placeOf: (range: SourceRange) => Place
  readonly fingerprint: (value: Json) => string | undefined
  /** Replaces known secrets in a text. */
  readonly mask: (text: string) => string
}

/** The plan as `gatewright.plan/1`: what would change, and why apply would refuse it. */
export function planDocument(plan: Plan, refused: readonly Problem[], context: PlanContext): PlanDocument {
  return documentOf('gatewright.plan/1', plan, { ...planOnly, refused }, context)
}

/** The same differences as `gatewright.drift/1`: which side differs from the base. */
export function driftDocument(plan: Plan, context: PlanContext): PlanDocument {
  const more = (change: Change) => ({ side: sideOf(change), ...lastEditOf(change) })
  return documentOf('gatewright.drift/1', plan, { more, refused: [] }, context)
}

/** The differences between the two documents. */
interface Extra {
  readonly more: (change: Change) => Pick<ChangeDocument, 'side' | 'editor' | 'revision' | 'updated'>
  readonly refused: readonly Problem[]
}

const planOnly = { more: () => ({}) } as const

function documentOf(
  format: PlanDocument['format'],
  plan: Plan,
  { more, refused }: Extra,
  context: PlanContext,
): PlanDocument {
  return {
    format,
    target: context.target,
    ...(context.snapshot !== undefined && { snapshot: context.snapshot }),
    // Computed only when it is read.
    get manifests() {
      return context.manifests()
    },
    ...(context.appliedIn && { appliedIn: context.appliedIn }),
    ...(context.values && { values: context.values }),
    base: context.base,
    summary: summaryOf(plan),
    estimate: context.estimate,
    refused: refused.map(diagnosticOf),
    changes: plan.changes.map((change) => Object.assign(changeDocument(change, context), more(change))),
    unmanaged: plan.unmanaged.map(({ address, id, inList, applied, lapsed }) => ({
      ...{ address, id },
      ...(inList && { inList }),
      ...(applied && { applied }),
      ...(lapsed && { lapsed: lapsed.map(lapsedNote) }),
    })),
    accepted: plan.accepted.map((each) => acceptedDocument(each, context)),
    ...(context.policies && { policies: context.policies }),
    diagnostics: plan.problems.map(diagnosticOf),
  }
}

function summaryOf(plan: Plan): PlanDocument['summary'] {
  const count = (action: Action) => plan.changes.filter((change) => change.action === action).length
  return {
    create: count('create'),
    update: count('update'),
    replace: count('replace'),
    delete: count('delete'),
    blocked: count('blocked'),
    unchanged: plan.unchanged,
    unmanaged: plan.unmanaged.length,
    accepted: plan.accepted.length,
  }
}

function acceptedDocument(
  { address, kind, acceptance, field, applied }: AcceptedDrift,
  context: PlanContext,
): AcceptedDocument {
  const { what, reason, owner, expires } = acceptance
  return {
    ...{ address, kind },
    ...(field && { field: fieldDocument(field, context) }),
    ...(what.is !== 'field' && { object: what.is }),
    ...(applied && { applied }),
    ...{ reason, owner, expires },
  }
}

function lapsedNote({ acceptance: { what, reason, owner, expires }, why }: Lapsed): LapsedNote {
  return { ...(what.is === 'field' && { path: what.path }), ...{ reason, owner, expires, why } }
}

function changeDocument(change: Change, context: PlanContext): ChangeDocument {
  const place = change.source && context.placeOf(change.source)
  const id = liveOf(change)?.id
  return {
    address: change.address,
    kind: change.kind,
    action: change.action,
    ...(change.action === 'blocked' && { wants: change.wants }),
    // A single child has no id of its own.
    ...(id !== undefined && id !== '' && { id }),
    fields: fieldDocuments(change, context),
    ...(place && place.lines !== 'none' && { source: placeDocument(place) }),
    dependsOn: change.dependsOn,
    precondition: change.precondition,
    hazards: change.hazards,
    ...(change.reason !== undefined && { reason: context.mask(change.reason) }),
    ...(change.support && { support: change.support }),
    ...(change.lapsed && { lapsed: change.lapsed.map(lapsedNote) }),
  }
}

function fieldDocuments(change: Change, context: PlanContext): readonly FieldDocument[] {
  const ranges = rangesOf(change)
  return change.fields.map((field) => {
    const document = fieldDocument(field, context)
    return ranges ? Object.assign(document, originOf(field, ranges, context)) : document
  })
}

const rangesOf = (change: Change): SourceRanges | undefined => {
  if (change.action === 'blocked') return change.ranges
  return change.action === 'delete' ? undefined : change.resource.ranges
}

function originOf({ path, after, unavailable }: FieldChange, ranges: SourceRanges, { placeOf }: PlanContext) {
  const found = ranges.layerAt(path)
  if (!found) {
    // Only cleared fields can have no position, so no other text is read again for this.
    const isGone = (after === undefined || after === null) && !unavailable && ranges.layersAt(path).length === 0
    return { origin: isGone ? 'not written' : 'manifest' }
  }
  const { layer, range, value } = found
  const values = valueNames(value.range)
  return {
    origin: layer,
    ...(layer !== 'manifest' && { source: placeDocument(placeOf(range)) }),
    ...(values.length > 0 && { values }),
  }
}

function fieldDocument(
  { path, before, after, applied, sensitive: isSecret, unavailable, verdict }: FieldChange,
  { fingerprint, mask }: PlanContext,
): FieldDocument {
  const isKnown = after !== undefined && after !== null && !unavailable
  // A user may have written a known secret into an ordinary field.
  const sensitive = isSecret || holdsSecret([before ?? null, after ?? null], mask)
  const print = sensitive && isKnown ? fingerprint(after) : undefined
  return {
    path,
    ...(before !== undefined && { before: sensitive ? masked : before }),
    ...(after !== undefined && { after: sensitive ? masked : after }),
    ...(applied !== undefined && { applied: sensitive ? masked : applied }),
    sensitive,
    ...(unavailable && { unavailable }),
    ...(print !== undefined && { fingerprint: print }),
    verdict,
  }
}

function liveOf(change: Change) {
  return change.action === 'create' ? undefined : change.live
}

function lastEditOf(change: Change): Pick<ChangeDocument, 'editor' | 'revision' | 'updated'> {
  const live = liveOf(change)
  if (!live) return {}
  const { updated, fields } = live
  const [editor, revision] = [editorOf(live), fields[catalog[change.kind].lastEdit?.revision ?? '']]
  return {
    ...(editor !== undefined && { editor }),
    ...(typeof revision === 'number' && { revision }),
    ...(updated !== undefined && { updated }),
  }
}

const sides: Readonly<Record<Verdict, ChangedSide>> = {
  pending: 'manifest',
  drift: 'live',
  conflict: 'both',
  unverifiable: 'unknown',
  difference: 'unknown',
}

/** The side of all fields, or `both` if they differ. For a change without fields, the side of the whole change. */
function sideOf(change: Change): ChangedSide {
  const found = new Set(change.fields.map((field) => sides[field.verdict]))
  const [only = sides[change.verdict]] = found
  return found.size > 1 ? 'both' : only
}
