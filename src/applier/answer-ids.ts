import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { type ChildField, childFields } from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { groupBy } from '../json/groups.js'
import type { Json, JsonObject } from '../json/json.js'
import { objectsIn, textOf } from '../json/json.js'
import type { Change, CreateChange, ReplaceChange } from '../planner/plan.js'
import { resolvedPathIds, type SendContext } from './context.js'
import { isNamedAsWritten, lookPatiently, plainName } from './existing.js'

/**
 * The fields to request in the answer to a create: ids and names of everything that it creates. Undefined: the default fields.
 */
export function answerFields(
  change: CreateChange | ReplaceChange,
  members: readonly Change[],
): readonly string[] | undefined {
  const kind = catalog[change.kind]
  const kinds = new Set(members.map((member) => member.kind))
  const lists = childLists(kind, kinds)
  if (lists.length === 0) return undefined
  const own = ['id', ...(kind.naming === undefined || kind.naming === 'id' ? [] : [kind.naming])]
  return [...own, ...lists.flatMap((child) => childAnswerFields(child, kinds))]
}

/**
 * The child lists whose ids are needed from the answer: those with members in the tree, and those to which the platform adds
 * objects by itself.
 */
function childLists(kind: Kind, members: ReadonlySet<KindName>): readonly ChildField[] {
  return childFields(kind).filter(
    (child) =>
      !child.single &&
      !child.kind.fixedSet &&
      (members.has(child.kind.name) || Object.hasOwn(kind.addedByPlatform, child.field)),
  )
}

function childAnswerFields(child: ChildField, members: ReadonlySet<KindName>): readonly string[] {
  const own = ['id', child.kind.naming, child.kind.namedBy].filter((name) => name !== undefined)
  const inner = childLists(child.kind, members).flatMap((each) => childAnswerFields(each, members))
  return [...own, ...inner].map((name) => `${child.field}.${name}`)
}

/**
 * Reads the ids of a new tree from the answer, or else from the lists of its collections. Returns the members that the platform
 * ignored.
 */
export function learnIds(
  change: CreateChange | ReplaceChange,
  members: readonly Change[],
  answer: JsonObject | undefined,
  context: SendContext,
): Promise<readonly Change[]> {
  const creates = members.filter((member): member is CreateChange => member.action === 'create')
  return learnInside(
    change,
    groupBy(creates, ({ resource }) => resource.parent),
    answer,
    context,
  )
}

/** Members of a tree by the addresses of their parents. */
type Inside = ReadonlyMap<string | undefined, readonly CreateChange[]>

async function learnInside(
  change: CreateChange | ReplaceChange,
  inside: Inside,
  answer: JsonObject | undefined,
  context: SendContext,
): Promise<readonly Change[]> {
  const kind = catalog[change.kind]
  const own = ownIdOf(change, answer) ?? context.ids.of(change.address)
  if (own === undefined) return below(change, inside)
  context.ids.learn(change.address, own)
  const ids = { ...resolvedPathIds(change, context), [kind.idParameter]: own }
  const members = groupBy(inside.get(change.address) ?? [], (member) => member.kind)
  const missing: Change[] = []
  for (const child of childLists(kind, new Set(members.keys()))) {
    const desired = members.get(child.kind.name) ?? []
    const answerTo = await membersListed(child, ids, desired, answer?.[child.field], context)
    for (const added of kind.addedByPlatform[child.field] ?? []) {
      const id = answerTo.named(added)?.id
      if (id !== undefined) context.ids.learn(addressOf(child.kind, added, change.address), String(id))
    }
    for (const member of desired) {
      const found = answerTo.member(member)
      if (found) missing.push(...(await learnInside(member, inside, found, context)))
      else missing.push(member, ...below(member, inside))
    }
  }
  return missing
}

const below = ({ address }: Change, inside: Inside): readonly Change[] =>
  (inside.get(address) ?? []).flatMap((each) => [each, ...below(each, inside)])

function ownIdOf(change: CreateChange | ReplaceChange, answer: JsonObject | undefined): string | undefined {
  return textOf(answer?.id) ?? (catalog[change.kind].fixedSet ? change.resource.key : undefined)
}

/** Finds the child for a name or for a member among the children that a platform returns. */
interface AnsweredObjects {
  readonly named: (key: string) => JsonObject | undefined
  readonly member: (member: CreateChange) => JsonObject | undefined
}

/**
 * The children with their ids, from the answer if it contains all of them, or else from their list. The list may lag, so it is
 * read again before the nested members count as ignored. An answer without ids may only repeat the request.
 */
async function membersListed(
  child: ChildField,
  ids: Readonly<Record<string, string>>,
  desired: readonly CreateChange[],
  answered: Json | undefined,
  context: SendContext,
): Promise<AnsweredObjects> {
  const answersIn = (objects: readonly JsonObject[]) => answersAmong(objects, child.kind, desired, context)
  const isWhole = ({ member }: AnsweredObjects) => desired.every((each) => member(each) !== undefined)
  const displayed = answersIn(objectsIn(answered).filter(({ id }) => textOf(id) !== undefined))
  if (isWhole(displayed)) return displayed
  const name = `${child.kind.parent?.kind}.${child.field}`
  const pauses = context.droppedLists.has(name) ? [] : listPauses
  let listed: AnsweredObjects | undefined
  await lookPatiently(
    async () => {
      const all = await context.client.list(child.kind, ids)
      const unlisted = await unlistedLinks(child, ids, desired, answersIn(all), context)
      listed = answersIn([...all, ...unlisted])
      return isWhole(listed) ? listed : undefined
    },
    pauses,
    context,
  )
  listed ??= answersIn(await context.client.list(child.kind, ids))
  if (!desired.some((each) => listed?.member(each))) context.droppedLists.add(name)
  return listed
}

const listPauses = [1000, 2000, 4000, 8000]

/** Links that are not listed are requested by id: the id of a link is the id of its linked object. */
async function unlistedLinks(
  { kind }: ChildField,
  ids: Readonly<Record<string, string>>,
  desired: readonly CreateChange[],
  listed: AnsweredObjects,
  context: SendContext,
): Promise<readonly JsonObject[]> {
  const unlisted = desired.filter((member) => !listed.member(member))
  const found = unlisted.map(async ({ link }) => {
    const id = link && context.ids.resolve(link.target)
    const object = id === undefined ? 'gone' : await context.client.findById(kind, { ...ids, [kind.idParameter]: id })
    return typeof object === 'string' ? [] : [{ ...object, id: id ?? '' }]
  })
  return (await Promise.all(found)).flat()
}

/** A link is found by the id of its linked object, another child by its own name, if it has one. */
function answersAmong(
  objects: readonly JsonObject[],
  kind: Kind,
  desired: readonly CreateChange[],
  context: SendContext,
): AnsweredObjects {
  const { naming } = kind
  const byId = new Map([...objects].reverse().map((object) => [String(object.id), object]))
  const byName = new Map([...objects].reverse().map((object) => [object[naming ?? ''], object]))
  const named = (key: string) => (naming === undefined ? undefined : byName.get(key))
  const names = new Set<Json | undefined>(desired.map(({ resource }) => resource.key).filter((key) => key !== ''))
  const asSent = (each: CreateChange): JsonObject | undefined => {
    const linked = each.link && context.ids.resolve(each.link.target)
    if (each.link) return linked === undefined ? undefined : byId.get(linked)
    if (naming === undefined || each.resource.key !== '') return named(each.resource.key)
    return objects.find((object) => !names.has(object[naming]) && isNamedAsWritten(each, object, context.ids.resolve))
  }
  const known = new Map(desired.map((each) => [each, asSent(each)]))
  const renamed = storedOtherwise(kind, objects, known)
  return { named, member: (each) => known.get(each) ?? renamed.get(each) }
}

/**
 * Pairs the remaining members with the remaining children, because a platform may store a name in another form: trimmed, in other
 * letters, or truncated. The children of a new object come from the request or from the platform itself. A member that is sent
 * again would exist twice.
 */
function storedOtherwise(
  { naming = '', parent }: Kind,
  objects: readonly JsonObject[],
  known: ReadonlyMap<CreateChange, JsonObject | undefined>,
): ReadonlyMap<CreateChange, JsonObject> {
  const added = parent && catalog[parent.kind].addedByPlatform[parent.field]
  const claimed = new Set(known.values())
  const rest = objects.filter((object) => !claimed.has(object) && !added?.includes(String(object[naming])))
  const found = new Map<CreateChange, JsonObject>()
  const take = (change: CreateChange, index: number): void => {
    const [object] = index === -1 ? [] : rest.splice(index, 1)
    if (object) found.set(change, object)
  }
  const lost = [...known].flatMap(([change, object]) =>
    object === undefined && change.link === undefined && change.resource.key !== '' ? [change] : [],
  )
  const takeNamed = (change: CreateChange, isName: (name: string, sent: string) => boolean): void => {
    const names = rest.map((object) => plainName(String(object[naming] ?? '')))
    const sent = plainName(change.resource.key)
    const fitting = names.filter((name) => isName(name, sent))
    const [longest] = fitting.sort((one, other) => other.length - one.length)
    take(change, longest === undefined ? -1 : names.indexOf(longest))
  }
  for (const change of lost) takeNamed(change, (name, sent) => name === sent)
  // Truncated: the child with the longest part of the name.
  for (const change of lost)
    if (!found.has(change)) takeNamed(change, (name, sent) => name !== '' && sent.startsWith(name))
  // If the platform adds children, a child with another name may be one of these.
  if (!added) for (const change of lost) if (!found.has(change)) take(change, 0)
  return found
}
