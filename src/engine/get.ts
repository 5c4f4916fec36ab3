import { addressOf, parseAddress, unescapeName } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import {
  ancestors,
  findKind,
  isExtra,
  isFieldOfParent,
  keyOfName,
  kindNames,
  linkFields,
  ownFields,
  pickedFields,
  referredKind,
  targetOf,
} from '../catalog/queries.js'
import { secretPlaces } from '../catalog/secret-places.js'
import type { Kind, KindName } from '../catalog/types.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import { containedSpec, fullSpec, namedContainers } from '../client/full-read.js'
import type { Client, Reading } from '../client/types.js'
import { type LiveDocument, liveDocument, type Wording } from '../documents/live.js'
import type { Json } from '../json/json.js'
import { by } from '../json/order.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import type { LiveIndex } from '../live/live-index.js'
import type { Holder, LinksOf, LiveObject, ReadSpec } from '../live/live-object.js'
import { documentForm } from '../live/object-form.js'
import type { FormContext } from '../live/references-form.js'
import { documentText } from '../manifest/write/yaml-text.js'
import { addressMatcher } from '../planner/select.js'
import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { badUsage, unknownKind } from '../problems/project.js'
import { linksNotRead, liveNotFound, ownersNotListed } from '../problems/records.js'
import { nothingSelected } from '../problems/refusals.js'
import { nearest } from '../problems/suggest.js'
import { showsSecret } from '../secrets/mask.js'
import { addressedLive, projectOf, readingFile, readingLive, refuseLabels } from './live-area.js'
import { readProjectOf } from './project.js'
import type { GetRequest } from './requests.js'
import { vocabularyOf } from './settings.js'

/** Live objects of a kind. */
export interface LiveObjects {
  readonly documents: readonly LiveDocument[]
  /** Notes about parts that were not read, because that would take a request for each object. */
  readonly leftOut: readonly Problem[]
  /** Why the records cannot be read. They know secrets that no manifest names any more. */
  readonly problems: readonly Problem[]
  /** The same objects as manifests, one document each. Their children are objects of their own kinds. */
  manifests(): { readonly text: string; readonly problems: readonly Problem[] }
}

/**
 * The live objects of a kind, or those with a name or an address. Sends only GET. Throws a ProblemError if there is no such
 * object.
 */
export async function liveObjects(request: GetRequest, ports: Ports): Promise<LiveObjects> {
  refuseLabels(request)
  const query = queryOf(request)
  // A snapshot file is one area already; no environment must be chosen for it.
  const project = request.snapshot === undefined ? projectOf(request, ports) : readProjectOf(request, ports).project
  const vocabulary = vocabularyOf(project, ports)
  const { snapshot, recorded } =
    request.snapshot === undefined
      ? await readingLive(request, ports, (client) => readKind(client, query, request))
      : readingFile(request.snapshot, [], ports)
  const { live, addressOf } = addressedLive(snapshot, ports)
  const found = displayedObjects(snapshotObjects(live, query.kind), live, addressOf, { mask: ports.mask, vocabulary })
  const isSelected = addressMatcher(request.select)
  const selected = found.filter(({ document }) => isSelected(document.address))
  if (selected.length === 0 && request.select.length > 0) {
    const addresses = found.map(({ document }) => document.address)
    throw new ProblemError([nothingSelected(request.select, nearest(request.select[0] ?? '', addresses))])
  }
  const chosen = meant(selected, query)
  if (query.name !== undefined && chosen.length === 0) {
    const names = found.map(({ document }) => (query.by === 'name' && document.name) || document.address)
    throw new ProblemError([liveNotFound(query.kind.name, query.name, [...new Set(names)], whyNone(query))])
  }
  const isPartOfAll = query.kind.within && ownerNamed(query) === undefined
  const problems = [...recorded.problems, ...(isPartOfAll ? [ownersNotListed(query.kind.name, whyNone(query))] : [])]
  const beside = { leftOut: unreadLinks(chosen, query), problems, mask: ports.mask, vocabulary }
  return displayed(chosen, live, { children: 'left out', ...beside })
}

/** The input for showing objects. */
interface Showing extends Pick<LiveObjects, 'leftOut' | 'problems'> {
  readonly children: 'inside' | 'left out'
  readonly mask: Mask
  readonly vocabulary: Vocabulary
}

/** The objects in the form for output. */
export function displayed(
  objects: readonly Displayed[],
  live: LiveIndex,
  { children, leftOut, problems, mask, vocabulary }: Showing,
): LiveObjects {
  return {
    documents: objects.map(({ document }) => document),
    leftOut,
    problems,
    manifests: () => manifestsOf(objects, live, { children, mask, vocabulary }),
  }
}

interface Displayed {
  readonly object: LiveObject
  readonly document: LiveDocument
}

/** The manifests of the objects. Secrets are left out, with a message that names them. */
function manifestsOf(
  displayed: readonly Displayed[],
  live: LiveIndex,
  { children, mask, vocabulary }: Pick<Showing, 'children' | 'mask' | 'vocabulary'>,
): ReturnType<LiveObjects['manifests']> {
  const problems: Problem[] = []
  const report = (problem: Problem): void => {
    problems.push(problem)
  }
  const isSecret = (value: Json) => showsSecret(value, mask)
  const forms: FormContext = { live, variables: new Map(), fullness: 'short', vocabulary, isSecret, report }
  const texts = displayed.map(({ object }) => {
    const secrets = Object.values(catalog[object.kind].fields).flatMap(({ name, secret, type }) => {
      const value = object.fields[name] ?? null
      if (secret) return value === null ? [] : [name]
      return secretPlaces(type, value, isSecret).map((place) => keysOf(pointerTo(name) + place).join('.'))
    })
    const remark = secrets.length === 0 ? '' : `# secret, left out: ${secrets.join(', ')}\n`
    return remark + documentText(documentForm(object, children, forms))
  })
  return { text: texts.join('---\n'), problems }
}

interface GetQuery {
  readonly kind: Kind
  /** Undefined: all objects of the kind. */
  readonly name: string | undefined
  /** "name or address": the text looks like an address but may also be a name, which then takes precedence. */
  readonly by: 'name' | 'address' | 'name or address'
}

/**
 * Parses `Service`, `Service "Orders API"`, `Service/Orders API/Endpoint/orders`, or a kind with an address or the end of one.
 */
function queryOf({ kind: word, name }: GetRequest): GetQuery {
  if (word === undefined) throw new ProblemError([badUsage('get needs a KIND', 'gatewright get Service')])
  const parts = word.split('/')
  if (parts.length === 1) {
    const kind = kindNamed(word)
    return { kind, name, by: name === undefined ? 'name' : meaningOf(name, kind) }
  }
  const known = parseAddress(word)
  if (known) return { kind: catalog[known.kind], name: word, by: 'address' }
  // The name contains an unescaped "/", so the last word that is a kind is used. A single child has no name after its kind.
  const last = parts.at(-1) ?? ''
  const single = findKind(last)
  const kind = single && single.naming === undefined ? single : kindNamed(parts.at(-2) ?? '')
  return { kind, name: word, by: 'address' }
}

function meaningOf(name: string, kind: Kind): GetQuery['by'] {
  const [root = kind] = [...(kind.within ? [kind.within] : []), ...ancestors(kind)]
  if (!name.startsWith(`${root.name}/`)) return 'name'
  // Nobody gives an object a name that has all the steps of a child's address.
  return root !== kind && parseAddress(name)?.kind === kind.name ? 'address' : 'name or address'
}

/** The kind with that name or its plural, in upper or lower case. Throws a ProblemError if there is none. */
export function kindNamed(word: string): Kind {
  const bare = word.toLowerCase()
  const name = kindNames.find((each) => [each.toLowerCase(), `${each.toLowerCase()}s`].includes(bare))
  const kind = name === undefined ? undefined : findKind(name)
  if (kind) return kind
  throw new ProblemError([unknownKind(word, nearest(word, kindNames), kindNames)])
}

/** Reads the kind with all its fields, and the names of the targets of its references. */
function readKind(client: Client, query: GetQuery, request: GetRequest): Promise<Reading> {
  const { kind } = query
  if (kind.within) return readOwned(client, query)
  const spec = { ...withReferred(fullSpec([kind.name]), kind), linksOf: linksQueried(query, request) }
  // If no answer contains a kind beyond the document, reading it takes more requests.
  return client.read(isExtra(kind) ? { ...spec, extrasOf: ({ kind: holder }) => holder === kind.parent?.kind } : spec)
}

/**
 * The objects whose links are read. They may take one request per object, so they are read only if links or these objects were
 * requested.
 */
function linksQueried({ kind, name, by }: GetQuery, { select }: GetRequest): LinksOf {
  const isSelected = addressMatcher(select)
  const isNamed = (holder: Holder): boolean => {
    if (name !== undefined && by !== 'address' && [holder.name, holder.id].includes(name)) return true
    if (by === 'name' && name !== undefined) return false
    const address = addressOf(catalog[holder.kind], holder.name, undefined)
    if (name === undefined) return select.length > 0 && isSelected(address)
    return [address, addressOf(catalog[holder.kind], holder.name, undefined, holder.id)].some((each) =>
      `${name}/`.startsWith(`${each}/`),
    )
  }
  return isFieldOfParent(kind) && (name === undefined || by !== 'address') ? 'all' : isNamed
}

/** A note if objects are shown without their links. */
function unreadLinks(chosen: readonly Displayed[], { kind }: GetQuery): readonly Problem[] {
  return linkFields(kind)
    .filter(({ field }) => chosen.some(({ object }) => object.unread?.[field] === 'not asked for'))
    .map((links) => linksNotRead(kind.name, links.field, links.kind.name))
}

function withReferred(spec: ReadSpec, kind: Kind): ReadSpec {
  const fields = new Map(spec.fields)
  for (const field of ownFields(kind)) {
    const referred = referredKind(field)
    const isRequested = referred !== undefined && fields.get(kind.name)?.includes(field.name)
    if (!isRequested) continue
    const target = targetOf(catalog[referred])
    for (const each of [...ancestors(target), target, ...(kind.association ? pickedIn(target) : [])]) {
      if (!fields.has(each.name)) fields.set(each.name, [])
    }
  }
  return { ...spec, fields }
}

const pickedIn = (kind: Kind): readonly Kind[] =>
  pickedFields(kind).flatMap((picked) => [picked.kind, ...pickedIn(picked.kind)])

/** Reads objects whose owners cannot be listed, owner by owner: the owner in the address, or those that other objects name. */
async function readOwned(client: Client, query: GetQuery): Promise<Reading> {
  const owner = ownerNamed(query)
  if (owner !== undefined) return client.read(containedSpec({ [query.kind.name]: [owner] }))
  const namers: readonly KindName[] = kindNames.filter((name) => namesOwner(catalog[name]))
  const naming = await client.read(fullSpec(namers))
  return client.read(containedSpec(namedContainers(naming.snapshot)))
}

/** The owner in an address: `EmailTemplateSet/1/…`. */
function ownerNamed({ kind, name, by }: GetQuery): string | undefined {
  const [word, owner] = by === 'address' && name !== undefined ? name.split('/') : []
  return word === kind.within?.name && owner !== undefined ? unescapeName(owner) : undefined
}

/** The message if there are no objects to choose from. */
function whyNone(query: GetQuery): string {
  const { kind } = query
  if (!kind.within) return `the area has no ${kind.name}`
  const set = kind.within.name
  return ownerNamed(query) === undefined
    ? `only those of sets that a plan names can be listed: gatewright get ${set}/ID/${kind.name}/NAME asks for one of any set`
    : `there is no such ${set}, or it is empty`
}

const namesOwner = (kind: Kind): boolean =>
  kindNames.some((name) => {
    const owner = catalog[name].within
    return owner !== undefined && Object.hasOwn(kind.fields, owner.parameter)
  })

const snapshotObjects = (live: LiveIndex, kind: Kind): readonly LiveObject[] =>
  live.all.filter((object) => object.kind === kind.name)

/** The objects in the form for output, in the order of their addresses. */
export function displayedObjects(
  objects: readonly LiveObject[],
  live: LiveIndex,
  addressOf: (object: LiveObject) => string,
  wording: Wording,
): readonly Displayed[] {
  return objects
    .map((object) => ({ object, document: liveDocument(object, addressOf(object), live, wording) }))
    .sort(by(({ document }) => document.address))
}

function meant(displayed: readonly Displayed[], { kind, name, by }: GetQuery): readonly Displayed[] {
  if (name === undefined) return displayed
  const key = keyOfName(kind, name)
  const named = displayed.filter(
    ({ object, document }) => [object.key, document.name].includes(key) || object.id === name,
  )
  if (by === 'name' || (by === 'name or address' && named.length > 0)) return named
  // A name may contain characters that look like an escape, so the exact address is tried first.
  const exact = displayed.filter(({ document: { address } }) => address === name)
  return exact.length > 0 ? exact : displayed.filter(({ document: { address } }) => unescapeName(address) === name)
}
