import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { type ChildField, childFields } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject, textOf } from '../json/json.js'
import type { Change, CreateChange, ReplaceChange } from '../planner/plan.js'
import { resolvedPathIds, type SendContext } from './context.js'
import { lookPatiently } from './existing.js'

/** The fields to ask for in the answer to a create: ids and names of all that it makes; undefined: the default set. */
export function answerFields(
  change: CreateChange | ReplaceChange,
  members: readonly Change[],
): readonly string[] | undefined {
  const kind = catalog[change.kind]
  const lists = childLists(kind, members)
  if (lists.length === 0) return undefined
  const own = ['id', ...(kind.naming === undefined || kind.naming === 'id' ? [] : [kind.naming])]
  return [...own, ...lists.flatMap((child) => childAnswerFields(child, members))]
}

/** The child lists of which the answer must tell the ids: those with members in the tree, and what is added by itself. */
function childLists(kind: Kind, members: readonly Change[]): readonly ChildField[] {
  return childFields(kind).filter(
    (child) =>
      !child.single &&
      !child.kind.fixedSet &&
      (members.some((member) => member.kind === child.kind.name) || Object.hasOwn(kind.addedByPlatform, child.field)),
  )
}

function childAnswerFields(child: ChildField, members: readonly Change[]): readonly string[] {
  const own = ['id', child.kind.naming, child.kind.namedBy].filter((name) => name !== undefined)
  const inner = childLists(child.kind, members).flatMap((each) => childAnswerFields(each, members))
  return [...own, ...inner].map((name) => `${child.field}.${name}`)
}

/**
 * Takes the ids of a new tree from the answer, or else from the lists of its collections. Gives the members that the
 * platform ignored.
 */
export async function learnIds(
  change: CreateChange | ReplaceChange,
  members: readonly Change[],
  answer: JsonObject | undefined,
  context: SendContext,
): Promise<readonly Change[]> {
  const kind = catalog[change.kind]
  const own = ownIdOf(change, answer) ?? context.ids.of(change.address)
  if (own !== undefined) context.ids.learn(change.address, own)
  if (own === undefined) return members.filter((member) => member !== change)
  const ids = { ...resolvedPathIds(change, context), [kind.idParameter]: own }
  const missing: Change[] = []
  for (const child of childLists(kind, members)) {
    const desired = members.filter(
      (member): member is CreateChange =>
        member.action === 'create' && member.resource.parent === change.address && member.kind === child.kind.name,
    )
    const listed = await membersListed(child, ids, desired, answer?.[child.field], context)
    for (const added of kind.addedByPlatform[child.field] ?? [])
      learnAdded(child, added, change.address, listed, context)
    for (const member of desired) {
      const found = listed.find((object) => isAnswerFor(member, object, desired, context))
      if (!found) missing.push(member, ...below(member, members))
      else missing.push(...(await learnIds(member, [member, ...below(member, members)], found, context)))
    }
  }
  return missing
}

function ownIdOf(change: CreateChange | ReplaceChange, answer: JsonObject | undefined): string | undefined {
  return textOf(answer?.id) ?? (catalog[change.kind].fixedSet ? change.resource.key : undefined)
}

/**
 * The children that the answer shows, or else the list of them, which may lag: it is read again before it is believed that
 * the platform drops what is nested.
 */
async function membersListed(
  child: ChildField,
  ids: Readonly<Record<string, string>>,
  desired: readonly CreateChange[],
  answered: Json | undefined,
  context: SendContext,
): Promise<readonly JsonObject[]> {
  const isWhole = (objects: readonly JsonObject[]) =>
    desired.every((member) => objects.some((object) => isAnswerFor(member, object, desired, context)))
  const shown = isList(answered) ? answered.filter(isObject) : []
  if (isWhole(shown)) return shown
  const name = `${child.kind.parent?.kind}.${child.field}`
  const pauses = context.droppedLists.has(name) ? [] : listPauses
  let listed: readonly JsonObject[] | undefined
  await lookPatiently(
    async () => {
      const all = await context.client.list(child.kind, ids)
      const now = [...all, ...(await unlistedLinks(child, ids, desired, all, context))]
      listed = now
      return isWhole(now) ? now : undefined
    },
    pauses,
    context,
  )
  listed ??= await context.client.list(child.kind, ids)
  const all = listed
  if (!desired.some((member) => all.some((object) => isAnswerFor(member, object, desired, context)))) {
    context.droppedLists.add(name)
  }
  return all
}

const listPauses = [1000, 2000, 4000, 8000]

/** Links have the ids of what they link to, so that those that are not listed can be asked for. */
async function unlistedLinks(
  { kind }: ChildField,
  ids: Readonly<Record<string, string>>,
  desired: readonly CreateChange[],
  listed: readonly JsonObject[],
  context: SendContext,
): Promise<readonly JsonObject[]> {
  const unlisted = desired.filter((member) => !listed.some((object) => isAnswerFor(member, object, desired, context)))
  const found = unlisted.map(async ({ link }) => {
    const id = link && context.ids.resolve(link.target)
    const object = id === undefined ? 'gone' : await context.client.findById(kind, { ...ids, [kind.idParameter]: id })
    return typeof object === 'string' ? [] : [{ ...object, id: id ?? '' }]
  })
  return (await Promise.all(found)).flat()
}

/** A link is answered under the id of what it links to, another child under its own name, if it has one. */
function isAnswerFor(
  member: CreateChange,
  object: JsonObject,
  desired: readonly CreateChange[],
  context: SendContext,
): boolean {
  if (member.link) return String(object.id) === context.ids.resolve(member.link.target)
  const { naming, namedBy } = catalog[member.kind]
  if (naming === undefined) return false
  if (member.resource.key !== '') return object[naming] === member.resource.key
  const isOther = desired.some(({ resource }) => resource.key !== '' && resource.key === object[naming])
  return !isOther && (namedBy === undefined || refersAsWritten(member, object, namedBy, context))
}

/** True as well where the answer does not tell. */
function refersAsWritten({ values }: CreateChange, object: JsonObject, name: string, { ids }: SendContext): boolean {
  const written = values[name]
  const answered = object[name]
  if (written?.is !== 'reference' || !isObject(answered)) return true
  return String(answered.id) === ids.resolve(written.entry.target)
}

function learnAdded(
  child: ChildField,
  key: string,
  parent: string,
  listed: readonly JsonObject[],
  context: SendContext,
): void {
  const found = listed.find((object) => child.kind.naming !== undefined && object[child.kind.naming] === key)
  if (found?.id !== undefined) context.ids.learn(addressOf(child.kind, key, parent), String(found.id))
}

const below = (member: Change, members: readonly Change[]): readonly Change[] =>
  members.filter((each) => each.address.startsWith(`${member.address}/`))
