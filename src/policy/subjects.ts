import { addressOfParent } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { elementOf } from '../catalog/queries.js'
import { withSecretsHidden } from '../catalog/secret-places.js'
import { anything, memberIn, memberOf } from '../catalog/shapes.js'
import type { FieldType, KindName } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import { isList, isObject, type Json, type JsonObject, objectOf } from '../json/json.js'
import { once } from '../json/once.js'
import { valueAtPointer } from '../json/patch.js'
import { keysOf } from '../json/pointer.js'
import type { LiveIndex } from '../live/live-index.js'
import type { LiveObject } from '../live/live-object.js'
import { liveFields } from '../live/object-form.js'
import type { Labels } from '../manifest/labels.js'
import type { SourceRanges } from '../manifest/ranges.js'
import type { Resource } from '../manifest/resource.js'
import { placeOf, type SourceRange } from '../manifest/source.js'
import type { Change, FieldChange, Plan } from '../planner/plan.js'
import { masked, maskedChange } from '../secrets/hidden-words.js'
import { holdsSecret } from '../secrets/mask.js'
import type { PolicyVariables } from './language.js'
import type { MadeUpChange, PolicyAction } from './policy.js'
import { nameInAddress } from './read-policies.js'

/** What policies need of an object's last applied state. */
interface RecordedSecrets {
  readonly labels: Labels | undefined
  /** JSON Pointers of values that contained secrets. */
  readonly secrets: readonly string[]
}

/** A plan, and what it was made from. */
export interface PolicyView {
  readonly plan: Plan
  readonly resources: readonly Resource[]
  /** The last applied state of an object, by its address in the records. */
  readonly recorded: (address: string) => RecordedSecrets
  /** Everything that was read; computed on request. */
  readonly live: () => LiveIndex
  /** Masks known secrets in a text. */
  readonly mask: (text: string) => string
}

/** One object for which policies are evaluated, with what they may know of it: of a secret only that it changes. */
export interface Subject {
  readonly kind: KindName
  readonly address: string
  readonly action: PolicyAction
  readonly labels: Labels
  readonly range: SourceRange | undefined
  readonly ranges: SourceRanges | undefined
  /** In the form of the language; computed on request. */
  readonly variables: PolicyVariables
}

/** The objects that a plan changes. Blocked changes are left out, because they are not executed. */
export function changedSubjects(view: PolicyView): readonly Subject[] {
  const labelsOf = labelsIn(view)
  return view.plan.changes.flatMap((change) =>
    change.action === 'blocked' ? [] : [changedSubject(change, view, labelsOf)],
  )
}

/** The declared live objects that a plan does not change. */
export function unchangedSubjects(view: PolicyView): readonly Subject[] {
  const labelsOf = labelsIn(view)
  const touched = new Set(view.plan.changes.map(({ address }) => address))
  return view.resources.flatMap((resource) => {
    const live = view.plan.matched.get(resource.address)
    if (!live || resource.implicit || touched.has(resource.address)) return []
    const before = once(() => celFields(resource.kind, displayedFields(live, resource, view)))
    const { kind, address, range, ranges } = resource
    const own = { kind, address, action: 'unchanged', labels: labelsOf(kind, address), range, ranges } as const
    return [subjectFrom(own, { before, after: before, fields: () => [], hazards: [] })]
  })
}

type LabelsOf = (kind: KindName, address: string) => Labels

/**
 * The labels of an object and of its parents; its own take precedence. An object that no manifest has keeps the labels that it
 * was applied with (A452).
 */
function labelsIn({ resources, recorded }: PolicyView): LabelsOf {
  const known = new Map(resources.map((resource) => [resource.address, resource]))
  const ownOf = (address: string): Labels | undefined => {
    const { labels, implicit, recordedAs } = known.get(address) ?? { implicit: true }
    return implicit || recordedAs !== undefined ? recorded(recordedAs ?? address).labels : labels
  }
  const labelsOf: LabelsOf = (kind, address) => {
    const { parent } = catalog[kind]
    const outer = parent ? labelsOf(parent.kind, addressOfParent(catalog[kind], address)) : {}
    return { ...outer, ...ownOf(address) }
  }
  return labelsOf
}

type ActiveChange = Exclude<Change, { readonly action: 'blocked' }>

function changedSubject(change: ActiveChange, view: PolicyView, labelsOf: LabelsOf): Subject {
  const { kind, address, action, source, hazards } = change
  const desired = change.action === 'delete' ? { address } : change.resource
  const before = once(() => (change.action === 'create' ? {} : displayedFields(change.live, desired, view)))
  const fields = once(() => change.fields.map((field) => displayedChange(field, action, view.mask)))
  const after = () => (action === 'delete' ? {} : fields().reduce(withChange, before()))
  const own = {
    ...{ kind, address, action, range: source, labels: labelsOf(kind, address) },
    ranges: change.action === 'delete' ? undefined : change.resource.ranges,
  }
  return subjectFrom(own, {
    before: once(() => celFields(kind, before())),
    after: once(() => celFields(kind, after())),
    fields: once(() => fields().map(fieldVariable)),
    hazards,
  })
}

/** A made-up change of a test. */
export function madeUpObject(change: MadeUpChange, range: SourceRange): Subject {
  const { kind, address, action, labels, before, after, hazards } = change
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const fields = action === 'delete' || action === 'unchanged' ? [] : names
  return subjectFrom(
    { kind, address, action, labels, range, ranges: undefined },
    {
      before: once(() => celFields(kind, before)),
      after: once(() => celFields(kind, action === 'unchanged' ? before : after)),
      fields: once(() =>
        fields.map((name) =>
          fieldVariable({
            path: `/${name}`,
            ...(before[name] !== undefined && { before: before[name] }),
            ...(after[name] !== undefined && { after: after[name] }),
            sensitive: catalog[kind].fields[name]?.secret ?? false,
            verdict: 'pending',
          }),
        ),
      ),
      hazards,
    },
  )
}

interface ChangeSides {
  readonly before: () => unknown
  readonly after: () => unknown
  readonly fields: () => readonly unknown[]
  readonly hazards: readonly string[]
}

function subjectFrom(own: Omit<Subject, 'variables'>, { before, after, fields, hazards }: ChangeSides): Subject {
  const { kind, address, action, labels, range } = own
  const variables = {
    ...{ kind, address, action, hazards: [...hazards], name: nameInAddress(address) ?? '' },
    labels: celMap(Object.entries(labels)),
    get before() {
      return before()
    },
    get after() {
      return after()
    },
    get fields() {
      return fields()
    },
    get source() {
      return range ? sourceVariable(range) : {}
    },
  }
  return { ...own, variables }
}

function sourceVariable(range: SourceRange): PolicyVariables {
  const { file, line, column } = placeOf(range)
  return { file, line: BigInt(line), column: BigInt(column) }
}

const fieldVariable = ({ path, before, after, sensitive, verdict }: FieldChange): PolicyVariables => ({
  ...{ path, sensitive, verdict },
  ...(before !== undefined && before !== null && { before: celValue(before) }),
  ...(after !== undefined && after !== null && { after: celValue(after) }),
})

/** A value in which a word replaces each secret. */
const withSecretsMasked = (type: FieldType | undefined, value: Json, mask: PolicyView['mask']): Json =>
  withSecretsHidden(type, value, (each) => holdsSecret(each, mask), masked)

/** A field; both values are masked if either may be secret. */
function displayedChange(field: FieldChange, action: ActiveChange['action'], mask: PolicyView['mask']): FieldChange {
  const { before, after } = field
  if (!field.sensitive && !holdsSecret([before ?? null, after ?? null], mask)) return field
  return {
    ...field,
    sensitive: true,
    ...(before !== undefined && before !== null && { before: masked }),
    // The old value differs from the new one, and nothing more may be known of a secret.
    ...(after !== undefined && after !== null && { after: before === undefined ? masked : maskedChange }),
    ...(field.unavailable && { after: action === 'create' ? masked : maskedChange }),
  }
}

const withChange = (object: JsonObject, { path, after }: FieldChange): JsonObject =>
  withValue(object, keysOf(path), after)

function withValue(object: JsonObject, [key = '', ...rest]: readonly string[], value: Json | undefined): JsonObject {
  const { [key]: old, ...others } = object
  if (rest.length > 0) return { ...others, [key]: withValue(objectOf(old), rest, value) }
  return value === undefined ? others : { ...others, [key]: value }
}

/**
 * The fields of a live object with a word in the place of each secret: of today, and of when it was last applied, unless
 * today's manifest has that very value and does not hide it.
 */
function displayedFields(live: LiveObject, desired: Pick<Resource, 'address'> & Partial<Resource>, view: PolicyView) {
  const { address, fields = {}, sensitive = [], recordedAs = address } = desired
  const held = liveFields(live, view.live())
  const isWritten = (path: string): boolean => {
    const written = valueAtPointer(fields, path)
    return written !== undefined && sameValue(typeAt(live.kind, path), written, valueAtPointer(held, path), undefined)
  }
  const recorded = view.recorded(recordedAs).secrets.filter((path) => !isWritten(path))
  return hidden(live.kind, held, [...sensitive, ...recorded], view.mask)
}

function typeAt(kind: KindName, path: string): FieldType {
  const [name = '', ...members] = keysOf(path)
  return members.reduce(({ type }, member) => memberIn(type, member), catalog[kind].fields[name] ?? anything).type
}

/** These fields with a word in the place of each secret; `sensitive`: JSON Pointers of those in fields that are none. */
function hidden(
  kind: KindName,
  fields: JsonObject,
  sensitive: readonly string[],
  mask: PolicyView['mask'],
): JsonObject {
  const displayed = Object.entries(fields).map(([name, value]): [string, Json] => {
    const field = catalog[kind].fields[name]
    return [name, field?.secret && value !== null ? masked : withSecretsMasked(field?.type, value, mask)]
  })
  return sensitive.reduce((object, pointer) => maskedAt(object, keysOf(pointer)), Object.fromEntries(displayed))
}

function maskedAt(object: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const old = object[key]
  if (old === undefined || old === null) return object
  if (rest.length === 0) return { ...object, [key]: masked }
  // A secret in a list is hidden with the whole list.
  return { ...object, [key]: isObject(old) ? maskedAt(old, rest) : masked }
}

type TypeOf = (name: string) => FieldType | undefined

const celFields = (kind: KindName, fields: JsonObject): CelMap =>
  celObject(fields, (name) => catalog[kind].fields[name]?.type)

/** An empty value is left out. */
const celObject = (object: JsonObject, typeOf: TypeOf): CelMap =>
  celMap(
    Object.entries(object).flatMap(([key, value]) =>
      value === null ? [] : [[key, celValue(value, typeOf(key))] as const],
    ),
  )

type CelMap = PolicyVariables | ReadonlyMap<string, unknown>

/** The library asks an object for its `constructor`, which must not be a member; of a Map it takes any members. */
const celMap = (members: readonly (readonly [name: string, value: unknown])[]): CelMap =>
  members.some(([name]) => name === 'constructor') ? new Map(members) : Object.fromEntries(members)

/** Whole numbers become integers, as in the catalogue. A field that may have a fraction stays a number, whatever its value. */
function celValue(value: Json, type?: FieldType): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) && type?.is !== 'number' ? BigInt(value) : value
  if (isList(value)) return value.map((each) => celValue(each, type && elementOf(type)))
  if (!isObject(value)) return value
  return celObject(value, (name) => (type?.is === 'shape' ? memberOf(type.shape, name)?.type : undefined))
}
