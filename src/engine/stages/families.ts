import { catalog } from '../../catalog/catalog.js'
import { isNamedOpenly } from '../../catalog/metadata-keys.js'
import { type ChildField, isNamedByHost } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import { groupBy } from '../../json/groups.js'
import { by } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import { addressOfLive, displayedName, isAmbiguous } from '../../live/names.js'
import { childrenInWritingOrder, isLeftToPlatform, isUntouched, singleForm } from '../../live/object-form.js'
import type { FormContext } from '../../live/references-form.js'
import { unnamedObject } from '../../problems/write-back.js'
import type { StageWords, WordForm } from './stage-words.js'

/** An object with its stages: one live object for each stage, or the same one for all of them. */
export interface Staged {
  readonly kind: Kind
  /** By the index of the stage. Undefined if the object does not exist in the stage. */
  readonly objects: readonly (LiveObject | undefined)[]
  readonly children: readonly StagedChildren[]
}

interface StagedChildren {
  readonly child: ChildField
  /**
   * `parent`: in their parent. `documents`: in separate documents, because a list in the parent would be the whole list in every
   * stage.
   */
  readonly place: 'parent' | 'documents'
  readonly items: readonly Staged[]
}

interface Grouping {
  readonly words: StageWords
  readonly forms: FormContext
  /** Whether one manifest can represent objects of several stages. */
  canShare(objects: Staged['objects'], kind: Kind): boolean
  /** Called for an object whose name contains the words of several stages. */
  unclear(object: LiveObject): void
}

/** The live objects of a staged object, each once. */
export const familyMembers = ({ objects }: Pick<Staged, 'objects'>): readonly LiveObject[] => [
  ...new Set(objects.filter((object) => object !== undefined)),
]

/** Groups siblings that all stages share: objects that differ only by the words of the stages become one. */
export function groupShared(siblings: readonly LiveObject[], grouping: Grouping): readonly Staged[] {
  const { words, unclear } = grouping
  const all = words.stages.map((_, stage) => stage)
  const shared: Staged[] = []
  const slots: StageSlot[] = []
  for (const object of siblings) {
    const stages = words.stagesIn(displayedName(object), wordFormOf(object))
    const [stage] = stages
    if (stages.length > 1) unclear(object)
    if (stage === undefined || stages.length > 1) shared.push(stagedOf(object, all, grouping))
    else slots.push({ object, stage })
  }
  const together = grouped(slots, grouping).map((objects) => familyOf(objects, grouping))
  return [...shared, ...together].sort(by(orderOf))

  function orderOf({ objects }: Staged): string {
    const stage = objects.findIndex((object) => object !== undefined)
    const object = objects[stage]
    return object ? JSON.stringify([object.kind, templateOf({ object, stage }, words), stage]) : ''
  }
}

interface StageSlot {
  readonly object: LiveObject
  readonly stage: number
}

/** Hosts are written in lower case, even if the word of the stage is not. */
const wordFormOf = ({ kind }: LiveObject): WordForm => (isNamedByHost(catalog[kind]) ? 'any case' : 'exact')

/** The name with the placeholder of its stage. Siblings with the same result become one. */
const templateOf = ({ object, stage }: StageSlot, words: StageWords): string =>
  String(words.templated(displayedName(object), stage, wordFormOf(object)))

/** Groups objects of different stages that can be one manifest. Other objects remain separate. */
function grouped(slots: readonly StageSlot[], grouping: Grouping): readonly Staged['objects'][] {
  const { words, forms, canShare } = grouping
  const alone = ({ object, stage }: StageSlot): Staged['objects'] =>
    words.stages.map((_, index) => (index === stage ? object : undefined))
  const keyOf = (slot: StageSlot) =>
    JSON.stringify([slot.object.kind, slot.object.owner ?? '', templateOf(slot, words)])
  return [...groupBy(slots, keyOf).values()].flatMap((sharing) => {
    const objects = words.stages.map((_, stage) => sharing.find((slot) => slot.stage === stage)?.object)
    const [first] = sharing
    const isOneEach = new Set(sharing.map(({ stage }) => stage)).size === sharing.length
    const isClear = isOneEach && !sharing.some(({ object }) => isAmbiguous(object, forms.live))
    const isFamily = first && isClear && (sharing.length === 1 || canShare(objects, catalog[first.object.kind]))
    return isFamily ? [objects] : sharing.map(alone)
  })
}

/** An object that several stages share, with its children. */
function stagedOf(object: LiveObject, stages: readonly number[], grouping: Grouping): Staged {
  const kind = catalog[object.kind]
  const { words, forms } = grouping
  const objects = words.stages.map((_, stage) => (stages.includes(stage) ? object : undefined))
  const children = childrenInWritingOrder(kind).flatMap((child): readonly StagedChildren[] => {
    const written = writtenChildren(object, child, forms, 'as written')
    if (written === undefined || written.length === 0) return []
    const items = groupShared(written, grouping)
    const isShared = items.every(
      (item) => item.objects.every((each) => each !== undefined) && familyMembers(item).length === 1,
    )
    return [
      { child, place: isShared ? 'parent' : 'documents', items: isShared ? stagedInOrder(items, written) : items },
    ]
  })
  return { kind, objects, children }
}

/** Sorts shared children in the order of their parent. */
function stagedInOrder(items: readonly Staged[], written: readonly LiveObject[]): readonly Staged[] {
  const places = new Map(written.map((object, index) => [object, index]))
  const placeOf = (item: Staged) => {
    const [first] = familyMembers(item)
    return (first && places.get(first)) ?? 0
  }
  return [...items].sort((left, right) => placeOf(left) - placeOf(right))
}

/** Objects of one stage each, with their children. A child belongs to the stage of its parent, whatever its name is. */
function familyOf(objects: Staged['objects'], grouping: Grouping): Staged {
  const [first] = objects.filter((object) => object !== undefined)
  if (!first) throw new Error('a family without members')
  const kind = catalog[first.kind]
  const children = childrenInWritingOrder(kind).flatMap((child): readonly StagedChildren[] => {
    const slots = childSlots(objects, child, grouping)
    if (slots.length === 0) return []
    return [{ child, place: 'parent', items: grouped(slots, grouping).map((each) => familyOf(each, grouping)) }]
  })
  return { kind, objects, children }
}

/**
 * The children of one field, if any stage writes them. Then the children of every stage are written: without them, the list would
 * be empty there.
 */
function childSlots(objects: Staged['objects'], child: ChildField, { forms }: Grouping): readonly StageSlot[] {
  const isWritten = objects.some((object) => object && writtenChildren(object, child, forms, 'as written')?.length)
  if (!isWritten) return []
  return objects.flatMap((object, stage) =>
    object ? (writtenChildren(object, child, forms, 'all') ?? []).map((each) => ({ object: each, stage })) : [],
  )
}

const silent = { report: () => undefined }

/** The children that a manifest names. Undefined if the list is left to the platform. */
function writtenChildren(
  object: LiveObject,
  child: ChildField,
  forms: FormContext,
  which: 'as written' | 'all',
): readonly LiveObject[] | undefined {
  const children = object.children.filter((each) => each.kind === child.kind.name)
  if (child.single) return children.filter((each) => singleForm(each, { ...forms, ...silent }) !== undefined)
  if (which === 'as written' && isLeftToPlatform(object, child, forms)) return undefined
  return children.filter((each) => !isUntouched(each) && isNamed(each, forms))
}

function isNamed(object: LiveObject, { report }: FormContext): boolean {
  if (!isNamedOpenly(catalog[object.kind]) || object.key !== '') return true
  report(unnamedObject(addressOfLive(object), object.id))
  return false
}

/** All objects of a tree, parents before their children. */
export function* allIn(staged: readonly Staged[]): Generator<Staged> {
  for (const each of staged) {
    yield each
    for (const { items } of each.children) yield* allIn(items)
  }
}
