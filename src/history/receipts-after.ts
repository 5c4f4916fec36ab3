import type { ChangeResult } from '../applier/run.js'
import { addressesNamed, addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { addedChildren, type InverseReferenceField, inverseReferenceFields, perKind } from '../catalog/queries.js'
import { ownValue, recordOf } from '../catalog/record.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject, objectOf, sameJson } from '../json/json.js'
import { valueAtPointer } from '../json/patch.js'
import { isWithin, keysOf, overlaps, pointerTo, withMember } from '../json/pointer.js'
import type { LiveObject } from '../live/live-object.js'
import type { Resource } from '../manifest/resource.js'
import { type Base, noPrint } from '../planner/base/base-object.js'
import { isBlank } from '../planner/compare/blank.js'
import { leavingLive } from '../planner/compare/ignored.js'
import { fieldOfKey, pathOfPrint, printKey, printOf } from '../planner/compare/secret-values.js'
import { entriesIn } from '../planner/compare/withdrawals.js'
import { type Change, type FieldChange, liveOf, type Plan } from '../planner/plan.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import { holdsSecret } from '../secrets/mask.js'
import type { Added, Image, Receipt } from '../stores/record.js'
import { formerIdOf, sinceBefore } from './base-from.js'
import { imageWithoutSecrets } from './image.js'

interface AfterRun {
  readonly run: string
  readonly resources: readonly Resource[]
  /** A plan of the same manifests after the run. */
  readonly plan: Plan
  readonly results: ReadonlyMap<string, ChangeResult>
  /** The addresses of the objects that the run has created. */
  readonly made: ReadonlySet<string>
  /** The fields that the run has written of objects that are not as declared, by address. */
  readonly written: ReadonlyMap<string, readonly string[]>
  /** The base before the run; a git reference has no information about receipts that it lacks. */
  readonly base: Base | undefined
  /** The receipts with the addresses of the records. */
  readonly receipts: readonly Receipt[]
  readonly fingerprint: Fingerprint
  readonly mask: (text: string) => string
}

/** The receipts that a run leaves: of every declared object that is as declared, or that the run has created. */
export function receiptsAfter(after: AfterRun): {
  readonly keep: readonly Receipt[]
  readonly forget: readonly string[]
} {
  const { plan } = after
  const sides: ReceiptSides = {
    ...after,
    earlier: new Map(after.receipts.map((receipt) => [receipt.address, receipt])),
    isRenaming: renamingIn(plan),
    open: new Map(plan.changes.map((change) => [change.address, change])),
    left: leftIn(plan),
    accepted: new Set(plan.accepted.map((each) => each.address)),
    claimed: new Set(plan.matched.values()),
  }
  const { earlier } = sides
  const declared = after.resources.flatMap((resource) => receiptOf(resource, sides) ?? [])
  // Objects that are as declared take precedence over objects that only have another address now.
  const left = [...moved(sides), ...declared]
  const kept = new Map(left.map((receipt) => [receipt.address, receipt]))
  return {
    keep: [...kept.values()].filter((each) => earlier.get(each.address) !== each),
    forget: gone(after).filter((address) => !kept.has(address)),
  }
}

/** What is looked up for each object. */
interface ReceiptSides extends AfterRun {
  readonly earlier: ReadonlyMap<string, Receipt>
  /** Whether an object or one of its parents must still be renamed to its declared name. */
  readonly isRenaming: (address: string) => boolean
  readonly open: ReadonlyMap<string, Change>
  readonly left: ReturnType<typeof leftIn>
  /** The addresses of objects with accepted drift. */
  readonly accepted: ReadonlySet<string>
  /** The live objects that are declared. */
  readonly claimed: ReadonlySet<LiveObject>
}

function receiptOf(resource: Resource, sides: ReceiptSides): Receipt | undefined {
  const { plan, made, written, run, earlier, isRenaming } = sides
  // An object that a run has created is identified by its id, even if the lists do not show it, or show it under another name.
  const live = plan.matched.get(resource.address)
  const id = live?.id ?? madeId(resource.address, sides) ?? absentId(resource, plan)
  if (id === undefined || resource.implicit) return undefined
  const before = plan.base?.objects.get(resource.address)
  const recorded = before?.recorded ?? resource.address
  const known = earlier.get(recorded)
  const hidden = { earlier: known?.image, fingerprint: sides.fingerprint, mask: sides.mask }
  const isMade = made.has(resource.address)
  const paths = sides.left.get(resource.address) ?? []
  const address = isRenaming(resource.address) ? recorded : resource.address
  const change = sides.open.get(resource.address)
  const asSent = (image: Image, left: Change, names: readonly string[]): Image =>
    withUnkept(withWritten(image, resource, left, names, hidden), left, names, sides)
  // An object that is not as declared keeps its base, except the fields that this run has written.
  if ((change || paths === 'all') && !isMade) {
    const values = written.get(resource.address)
    return known && change && values ? { ...known, address, image: asSent(known.image, change, values) } : undefined
  }
  // Accepting a difference does not take over another object in the place of the recorded one.
  if (known && known.id !== id && !isMade && sides.accepted.has(resource.address)) {
    return known.address === address ? known : { ...known, address }
  }
  const declared = withListed(imageOf(resource, sides.fingerprint, plan), known?.image, resource, live, sides)
  const image = withLeft(isMade ? declared : withIgnored(declared, before, resource), before, paths)
  const unkept = live ? change : undefined
  const all = live ? foundIn(live, sides.claimed) : []
  const found = isMade ? all : all.filter(wasAnnounced(resource.address, plan))
  const receipt: Receipt = {
    address,
    kind: resource.kind,
    id,
    image: unkept ? asSent(image, unkept, topFields(unkept)) : image,
    run,
    ...(known?.id === id && { ...sinceBefore(known.since ?? known.run, run), ...formerIdOf(known) }),
    origin: isMade || (known?.origin === 'created' && known.id === id) ? 'created' : 'adopted',
    ...(resource.protect && { protect: true as const }),
    ...(Object.keys(resource.labels).length > 0 && { labels: resource.labels }),
    ...withAdded(known?.id === id ? known.added : undefined, found),
  }
  return known && isSameReceipt(known, receipt) ? known : receipt
}

/**
 * An image in which the field that names a list of another object has only what that list has, or what was applied before: a
 * change of the other object writes the list, and may have failed or not been started.
 */
function withListed(
  image: Image,
  before: Image | undefined,
  { kind, inverseReferences }: Resource,
  live: LiveObject | undefined,
  { open }: ReceiptSides,
): Image {
  const isOpen = ({ field, owner, list }: InverseReferenceField): boolean => {
    const [change] = addressesNamed(owner, inverseReferences[field.name]).flatMap((address) => open.get(address) ?? [])
    if (!change?.fields.some(({ path }) => path === pointerTo(list.name))) return false
    const holder = liveOf(change)
    return !holder || !entriesIn(holder, list.name).some(({ id: each }) => each === live?.id)
  }
  const missing = inverseReferenceFields(catalog[kind]).filter(isOpen)
  if (missing.length === 0) return image
  const then = before?.fields ?? {}
  return { ...image, fields: missing.reduce((all, { field }) => withLeftAt(all, then, [field.name]), image.fields) }
}

/** A single child without content that does not exist is as declared: if somebody adds it, that is drift. */
function absentId(resource: Resource, { matched }: Plan): string | undefined {
  const isThere = resource.parent !== undefined && matched.has(resource.parent)
  return isThere && isBlank(resource) && resource.unavailable.length === 0 ? '' : undefined
}

const madeId = (address: string, { made, results }: AfterRun): string | undefined =>
  (made.has(address) && results.get(address)?.id) || undefined

/** Objects that a platform may have added to an object: they are found in it, and not declared. */
export function foundIn({ kind, children }: LiveObject, claimed: ReadonlySet<LiveObject>): readonly LiveObject[] {
  const kinds = addedChildren(catalog[kind]).map((child) => child.kind.name)
  return children.filter((child) => kinds.includes(child.kind) && !claimed.has(child))
}

/** Whether an interrupted run had announced that the create of that address would also create this object. */
const wasAnnounced =
  (address: string, { base }: Plan) =>
  ({ kind, key }: LiveObject): boolean =>
    base?.objects.get(addressOf(catalog[kind], key, address))?.announced ?? false

export function withAdded(known: Receipt['added'], found: readonly Added[]): Pick<Receipt, 'added'> {
  const fresh = found.filter((object) => !known?.some((each) => each.id === object.id))
  const added = [...(known ?? []), ...fresh.map(({ kind, id }) => ({ kind, id }))]
  return added.length === 0 ? {} : { added }
}

/**
 * The fields that a run has written count as applied with their live values (A87): the declared ones, unless a change is left. A
 * secret that was applied may still be live, and somebody may have written a secret into a field that is not secret.
 */
export function withWritten(
  image: Image,
  resource: Resource,
  { fields }: Pick<Change, 'fields'>,
  written: readonly string[],
  { earlier, fingerprint, mask }: HiddenImage,
): Image {
  const names = written.filter((name) => resource.fields[name] !== undefined)
  const values = names.flatMap((name): readonly [string, Json][] => {
    const open = fields.filter(({ path, unavailable }) => isWithin(path, pointerTo(name)) && !unavailable)
    const value = open.reduce<Json>(withBefore, resource.fields[name] ?? null)
    // An absent secret is not recorded.
    return catalog[resource.kind].fields[name]?.secret && !value ? [] : [[name, value]]
  })
  const applied = Object.keys(earlier?.fingerprints ?? {}).map(pathOfPrint)
  const holding = values.flatMap(([name, value]) => (holdsSecret(value, mask) ? [pointerTo(name)] : []))
  const secret = [...resource.sensitive, ...applied, ...holding]
  const known = imageWithoutSecrets(resource.kind, recordOf(values), secret, fingerprint)
  const isWritten = (name: string) => names.includes(name)
  const isUnset = (key: string) => resource.unavailable.some((path) => overlaps(path, pathOfPrint(key)))
  const fieldsLeft = Object.entries(image.fields).filter(
    ([name]) => !isWritten(name) || Object.hasOwn(known.fields, name),
  )
  const printsLeft = Object.entries(image.fingerprints).filter(([key]) => !isWritten(fieldOfKey(key)) || isUnset(key))
  return {
    ...image,
    fields: recordOf([...fieldsLeft, ...Object.entries(known.fields)]),
    fingerprints: { ...Object.fromEntries(printsLeft), ...known.fingerprints },
  }
}

/**
 * An image with fingerprints of values that this run has sent but the platform did not keep: later plans report them before they
 * send them again.
 */
function withUnkept(
  { unkept: earlier = {}, ...image }: Image,
  { address, kind, fields }: Change,
  written: readonly string[],
  { results, fingerprint }: ReceiptSides,
): Image {
  const isSent = (path: string) => written.includes(keysOf(path)[0] ?? '')
  const sent = results.get(address)?.outcome === 'notKept' ? fields.filter(({ path }) => isSent(path)) : []
  const known = Object.entries(earlier).filter(([path]) => !isSent(path))
  const now = sent.flatMap(({ path, after, unavailable }): [string, string][] => {
    const print = printOf(kind, path, after ?? null, fingerprint)
    return unavailable || print === noPrint ? [] : [[path, print]]
  })
  const all = [...known, ...now]
  return all.length === 0 ? image : { ...image, unkept: Object.fromEntries(all) }
}

/** Where secrets are, besides what today's manifests say. */
interface HiddenImage {
  /** The image before the change. */
  readonly earlier: Image | undefined
  readonly fingerprint: Fingerprint
  readonly mask: (text: string) => string
}

export const topFields = ({ fields }: Pick<Change, 'fields'>): readonly string[] =>
  fields.map(({ path }) => keysOf(path)[0] ?? '')

/** The value of a field, with the live value at the path of a change. */
function withBefore(value: Json, { path, before = null }: FieldChange): Json {
  const [, ...inner] = keysOf(path)
  return withMember(value, inner, before)
}

/** The skipped paths, by address. */
export const leftIn = (plan: Plan): ReadonlyMap<string, readonly string[] | 'all'> =>
  new Map(plan.skipped.map(({ address, paths }) => [address, paths]))

/** An image in which the values of `metadata.ignore` are as applied before: no update has written them. */
export function withIgnored(image: Image, before: Image | undefined, { ignore }: Resource): Image {
  const written = ignore.filter((path) => valueAtPointer(image.fields, path) !== undefined)
  if (written.length === 0) return image
  const fields = leavingLive(image.fields, before?.fields, written)
  return { ...image, fields: objectOf(fields) }
}

/** An image in which the fields and members that were left to the live side are as applied before. */
export function withLeft(image: Image, before: Image | undefined, paths: readonly string[] | 'all'): Image {
  if (paths === 'all') return before ?? { fields: {}, fingerprints: {} }
  if (paths.length === 0) return image
  return {
    fields: paths.reduce((fields, path) => withLeftAt(fields, before?.fields ?? {}, keysOf(path)), image.fields),
    fingerprints: mixed(image.fingerprints, before?.fingerprints, paths),
    ...((image.templates ?? before?.templates) && {
      templates: mixed(image.templates ?? {}, before?.templates, paths),
    }),
  }
}

/** Fields with the earlier value at the keys of a path; a part of a list is handled with the whole list. */
function withLeftAt(now: JsonObject, before: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const [held, there] = [ownValue(now, key), ownValue(before, key)]
  const others = Object.entries(now).filter(([name]) => name !== key)
  if (rest.length > 0 && isObject(held) && isObject(there ?? {}))
    return recordOf([...others, [key, withLeftAt(held, objectOf(there), rest)]])
  return recordOf(there === undefined ? others : [...others, [key, there]])
}

function mixed(
  now: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>> | undefined,
  paths: readonly string[],
): Readonly<Record<string, string>> {
  const isLeft = ([key]: readonly [string, unknown]) => paths.some((path) => overlaps(pathOfPrint(key), path))
  const kept = Object.entries(now).filter((entry) => !isLeft(entry))
  return Object.fromEntries([...kept, ...Object.entries(before ?? {}).filter(isLeft)])
}

/**
 * The managed fields of a resource; secrets, also write-only ones, only as fingerprints. With a plan, "*" is replaced by the list
 * that is sent.
 */
export function imageOf(resource: Resource, fingerprint: Fingerprint, plan?: Pick<Plan, 'expanded'>): Image {
  if (!plan && isOpen(resource)) return { fields: resource.fields, fingerprints: noPrints }
  const written: Record<string, Json> = { ...resource.fields, ...plan?.expanded.get(resource.address) }
  // An absent secret is not recorded.
  for (const name of secretFields(catalog[resource.kind])) if (written[name] === null) delete written[name]
  const known = imageWithoutSecrets(resource.kind, written, resource.sensitive, fingerprint)
  const image = { ...known, ...templatesOf(resource, fingerprint) }
  if (Object.keys(resource.inverseReferences).length === 0) return image
  return { ...image, fields: recordOf(Object.entries({ ...image.fields, ...resource.inverseReferences })) }
}

/** Whether nothing in it is hidden, and no list of another object contains it, as with most objects. */
const isOpen = ({ kind, fields, sensitive, templates, inverseReferences }: Resource): boolean =>
  secretFields(catalog[kind]).every((name) => fields[name] === undefined) &&
  sensitive.length === 0 &&
  !templates &&
  Object.keys(inverseReferences).length === 0

const noPrints: Image['fingerprints'] = {}

function templatesOf({ templates }: Resource, fingerprint: Fingerprint): Pick<Image, 'templates'> {
  const prints = [...(templates ?? [])].flatMap(([path, template]) => {
    const print = fingerprint(template)
    return print === undefined ? [] : [[printKey(path), print] as const]
  })
  return prints.length === 0 ? {} : { templates: Object.fromEntries(prints) }
}

const secretFields = perKind((kind) =>
  Object.values(kind.fields)
    .filter((field) => field.secret)
    .map((field) => field.name),
)

const isSameReceipt = (left: Receipt, right: Receipt): boolean =>
  left.address === right.address &&
  left.id === right.id &&
  left.origin === right.origin &&
  left.protect === right.protect &&
  sameJson(left.labels ?? {}, right.labels ?? {}) &&
  JSON.stringify(left.added) === JSON.stringify(right.added) &&
  JSON.stringify(left.image) === JSON.stringify(right.image)

/** Whether an address is affected by a rename that is still open. */
function renamingIn({ changes }: Plan): (address: string) => boolean {
  const renamed = changes.filter(({ action, kind, fields }) => {
    const { naming } = catalog[kind]
    return action !== 'create' && naming !== undefined && fields.some(({ path }) => path === `/${naming}`)
  })
  const addresses = renamed.map((change) => `${change.address}/`)
  return (address) => addresses.some((each) => `${address}/`.startsWith(each))
}

/** Receipts of objects that are renamed, or are inside a renamed one, and are not as declared: only their address changes. */
function moved({ plan, base, resources, earlier, isRenaming }: ReceiptSides): readonly Receipt[] {
  const remains = remaining(plan, resources)
  return [...(plan.base?.objects.values() ?? [])].flatMap(({ address, recorded }): Receipt[] => {
    const receipt = recorded === undefined ? undefined : earlier.get(recorded)
    if (!receipt || !base?.objects.has(receipt.address) || !remains(address)) return []
    return [isRenaming(address) ? receipt : { ...receipt, address }]
  })
}

/** Whether an object of today's base is declared, or still exists. */
function remaining(plan: Plan, resources: readonly Resource[]): (address: string) => boolean {
  const there = new Set([...resources.map((resource) => resource.address), ...plan.undeclared])
  return (address) => there.has(address)
}

/** Addresses of receipts whose objects are neither declared nor live any more, or have another address now. */
function gone({ base, plan, resources, receipts }: AfterRun): readonly string[] {
  const remains = remaining(plan, resources)
  const known = [...(plan.base?.objects.values() ?? [])]
  const stay = new Set(
    known.flatMap(({ address, recorded }) => (recorded === undefined && remains(address) ? [address] : [])),
  )
  const declared = new Set(resources.map((resource) => resource.address))
  // Only for addresses in the base were all objects read that could have them.
  return receipts
    .map((receipt) => receipt.address)
    .filter((address) => base?.objects.has(address) && !stay.has(address) && !declared.has(address))
    .sort()
}
