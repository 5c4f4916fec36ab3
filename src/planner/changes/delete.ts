import { catalog } from '../../catalog/catalog.js'
import { childFields, inverseReferenceOf, isWritable, ownFields } from '../../catalog/queries.js'
import { memberIn } from '../../catalog/shapes.js'
import type { FieldType } from '../../catalog/types.js'
import { isObject, type Json, type JsonObject, sameJson } from '../../json/json.js'
import { inCanonicalOrder } from '../../json/order.js'
import { pointerTo } from '../../json/pointer.js'
import { editorOf } from '../../live/editor.js'
import type { LiveObject } from '../../live/live-object.js'
import { pathTo } from '../../live/names.js'
import { liveFields } from '../../live/object-form.js'
import type { BaseObject } from '../base/base-object.js'
import { isBlank } from '../compare/blank.js'
import { printKey, valueAtPath } from '../compare/secret-values.js'
import { editedSince } from '../compare/since-base.js'
import type { Matches } from '../match/match.js'
import type { DeleteChange, KnownField, ReferenceTarget, Verdict } from '../plan.js'
import type { Deletion } from '../prune/decisions.js'
import { isListed } from '../prune/listed.js'
import { type DraftContext, isThroughParent, ownId, plain, preconditionOf } from './draft.js'

/** A live object that is deleted by its own request or with its parent. */
export interface Going extends Deletion {
  /** The object whose delete request also deletes this one. Undefined if it has its own request. */
  readonly within: LiveObject | undefined
}

/**
 * A deleted object and everything inside it, each as a separate change. The contents of a replaced object are deleted with that
 * object.
 */
export function withContents(root: Deletion, world: Matches, replaced: ReadonlySet<LiveObject>): readonly Going[] {
  const outer = pathTo(root.object).find((each) => replaced.has(each))
  const contents: Going[] = [{ ...root, within: outer }]
  const add = (object: LiveObject): void => {
    for (const child of childFields(catalog[object.kind])) {
      for (const inner of world.live.among(child.kind.name, object)) {
        if (!(isListed(inner) || (child.single && !isBlank(inner)))) continue
        const reason = 'deleted with its parent'
        contents.push({ ...root, object: inner, reason, within: outer ?? root.object })
        add(inner)
      }
    }
  }
  add(root.object)
  return contents
}

/** The change that deletes one of these objects. */
export function deleteChange(going: Going, context: DraftContext): DeleteChange {
  const { object, source, reason, within } = going
  const { world, base } = context
  const address = world.addressOfLive(object)
  const applied = base?.objects.get(address)
  const known = lastKnown(object, applied, world)
  return {
    ...plain,
    action: 'delete',
    address,
    kind: object.kind,
    fields: [],
    verdict: verdictOn(going, address, context),
    source,
    reason: [reason, ...editRemark(object, applied, context)].join('; '),
    precondition: preconditionOf({ id: object.id, kind: object.kind, fields: printOf(known, context) }, context),
    path: { ...livePath(object.parent), ...ownId(object) },
    siblings: isThroughParent(object.kind) ? world.live.among(object.kind, object.parent) : [],
    live: object,
    within: within && world.addressOfLive(within),
    protected: applied?.protect ?? false,
    known,
  }
}

/** A remark if somebody edited the object since it was applied: that person may need it, but it is deleted anyway (A411). */
function editRemark(object: LiveObject, applied: BaseObject | undefined, context: DraftContext): readonly string[] {
  if (!applied || context.settings.madeFor === 'rollback') return []
  const paths = editedSince(applied, object, context.earlier)
  const editor = editorOf(object)
  const by = editor === undefined ? '' : `, last by ${editor}`
  return paths.length === 0 ? [] : [`edited on the platform since it was applied${by}: ${paths.join(', ')}`]
}

/** The part of the precondition for the fields: a keyed fingerprint, or without a key the values that cannot be secret. */
function printOf(known: readonly KnownField[], { fingerprint }: DraftContext): Json {
  const values = (fields: readonly KnownField[]) => fields.map(({ path, value }): Json => [path, value])
  return fingerprint(values(known)) ?? values(known.filter(({ sensitive }) => !sensitive))
}

/**
 * If a written list does not have the object, or null excludes it, and no run knows it, that is drift, even if it may not be
 * deleted (A367).
 */
function verdictOn({ extra }: Going, address: string, { base }: DraftContext): Verdict {
  if (!base) return 'difference'
  return extra && !base.objects.has(address) ? 'drift' : 'pending'
}

function livePath(object: LiveObject | undefined): Readonly<Record<string, ReferenceTarget>> {
  return object ? { ...livePath(object.parent), ...ownId(object) } : {}
}

/**
 * What is lost with a live object: its own fields as they were read, in the form of manifests. The fields of members of a fixed
 * set are included, because these are no separate changes. Only values that were applied in clear may be shown (A151).
 */
function lastKnown(object: LiveObject, applied: BaseObject | undefined, world: Matches): readonly KnownField[] {
  const own = lastValues(object, world).map(({ path, value }) => ({
    path,
    value,
    sensitive: !isOpen(path, object, applied),
  }))
  return [...own, ...fixedMembers(object, world)]
}

/** Whether the value at the path was applied, and not as a secret. */
function isOpen(path: string, { kind }: LiveObject, applied: BaseObject | undefined): boolean {
  if (!applied || valueAtPath(applied.fields, path) === undefined) return false
  return !Object.hasOwn(applied.fingerprints, printKey(path)) && !catalog[kind].fields[printKey(path)]?.secret
}

type KnownValue = Pick<KnownField, 'path' | 'value'>

/** The managed values, one by one. Lists are sets, and empty values are left out. */
function lastValues(object: LiveObject, world: Matches): readonly KnownValue[] {
  const kind = catalog[object.kind]
  const values = liveFields(object, world.live)
  return ownFields(kind)
    .filter((field) => isWritable(field) && !field.writeOnly && !inverseReferenceOf(kind, field))
    .flatMap(({ name, type }) => valuesIn(type, values[name] ?? null, pointerTo(name)))
}

function valuesIn(type: FieldType, value: Json, path: string): readonly KnownValue[] {
  if (type.is === 'shape' && isObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      valuesIn(memberIn(type, name).type, inner, path + pointerTo(name)),
    )
  }
  return isEmpty(value) ? [] : [{ path, value: inCanonicalOrder(value, 'sets') }]
}

const isEmpty = (value: Json): boolean => value === null || value === '' || sameJson(value, []) || sameJson(value, {})

function fixedMembers(object: LiveObject, world: Matches): readonly KnownField[] {
  return childFields(catalog[object.kind])
    .filter(({ kind }) => kind.fixedSet)
    .flatMap(({ field, kind }) =>
      world.live.among(kind.name, object).map((member): KnownField => {
        const value: JsonObject = Object.fromEntries(lastValues(member, world).map((each) => [each.path, each.value]))
        return { path: pointerTo(field, member.key), value, sensitive: true }
      }),
    )
}
