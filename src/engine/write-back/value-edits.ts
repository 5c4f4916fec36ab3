import type { Texts } from '../../files/overlay.js'
import { sameJson } from '../../json/json.js'
import { overlaps, pointerTo, withMember } from '../../json/pointer.js'
import { valueOrigin } from '../../manifest/compose/given-values.js'
import { plain } from '../../manifest/node.js'
import type { Manifests } from '../../manifest/resource.js'
import { type SourceRange, textOfRange } from '../../manifest/source.js'
import { editLayers, type LayerEdit } from '../../manifest/write/edit-layers.js'
import { differences } from '../../planner/compare/fields.js'
import { hasErrors, ProblemError } from '../../problems/problem.js'
import { type ChangedField, changedFields, fieldWords } from './changed-fields.js'
import type { LayersNow } from './layers.js'
import { hasPlaceholder, wholeText } from './placeholders.js'
import type { DesiredField, Routing } from './routing.js'

/** A project value that is used by fields, with a new value that one of them needs. */
export interface DesiredValue extends DesiredField {
  readonly name: string
  /** The path of the member that the field uses. Empty: the whole value. */
  readonly members: readonly string[]
  readonly range: SourceRange
}

/** What becomes of a project value. The names are that of the value that is edited: a value may consist of another one. */
type ValueEdit =
  | { readonly is: 'written'; readonly name: string; readonly edit: LayerEdit; readonly also: readonly string[] }
  | { readonly is: 'kept'; readonly name: string; readonly others: readonly string[] }
  | { readonly is: 'refused'; readonly reason: string; readonly range: SourceRange | undefined }

/** The edit of a value that fields need. It is kept if other fields would then differ from their live values. */
export function valueEdit(
  name: string,
  desired: readonly [DesiredValue, ...DesiredValue[]],
  routing: Routing,
  now: LayersNow,
): ValueEdit {
  const { environment } = routing.access
  const origin = valueOrigin(now.written, name)
  if (!origin || origin.layer === '--value') {
    return { is: 'refused', reason: `--value gives "${name}"`, range: undefined }
  }
  const { range } = origin.node
  const inner = wholeText(textOfRange(range))
  if (inner !== undefined) return valueEdit(inner, desired, routing, now)
  if (hasPlaceholder(textOfRange(range))) {
    return { is: 'refused', reason: `the value "${name}" holds a placeholder, which is kept`, range }
  }
  // The environment's value replaces the whole default, so a changed member is written together with the other members.
  const isOwn = now.written.given.has(name) || environment === undefined
  const [{ members, value: live }] = desired
  const value = isOwn && members.length === 0 ? live : withMember(plain(origin.node), members, live)
  const edit: LayerEdit = { is: 'value', name, value }
  const effect = effectOf(edit, desired, routing, now)
  if (effect.is === 'written') return { is: 'written', name, edit, also: effect.also }
  if (environment !== undefined) return { is: 'kept', name, others: effect.others }
  return { is: 'refused', reason: `the value "${name}" is used elsewhere too`, range: undefined }
}

type ValueEffect =
  | { readonly is: 'written'; readonly also: readonly string[] }
  | { readonly is: 'kept'; readonly others: readonly string[] }

/** The effect of a new value on all fields that use it. */
function effectOf(
  edit: LayerEdit,
  desired: readonly [DesiredValue, ...DesiredValue[]],
  routing: Routing,
  { file, text, home }: LayersNow,
): ValueEffect {
  const { manifests, world, references } = routing
  const [first] = desired
  const isOne = desired.every((each) => sameJson([each.value, each.members], [first.value, first.members]))
  const edited = editLayers(text, home, [edit], { resolve: (each) => routing.valueOf(each) })
  const texts = new Map([...routing.texts, [file, edited.text]])
  const after = isOne && edited.refused.length === 0 ? readIfRight(texts, routing) : undefined
  if (!after) return { is: 'kept', others: [] }
  const changed = changedFields(manifests.resources, after.resources)
  if (changed === 'objects') return { is: 'kept', others: [] }
  const outside = changedOutside(texts, routing)
  if (outside === 'objects') return { is: 'kept', others: [] }
  if (outside.length > 0) return { is: 'kept', others: outside.map(fieldWords) }
  const isDesired = (each: ChangedField) =>
    desired.some(({ resource, path }) => resource.address === each.address && overlaps(pointerTo(...path), each.path))
  const others = changed.filter((each) => !isDesired(each))
  const differing = others.filter(({ resource, path }) => {
    const live = world.matched.get(resource.address)
    return live && differences(resource, live, references).fields.some((field) => overlaps(field.path, path))
  })
  return differing.length > 0
    ? { is: 'kept', others: differing.map(fieldWords) }
    : { is: 'written', also: others.map(fieldWords) }
}

/** Other changes in manifests that were not named. Their live values are not known. */
function changedOutside(after: Texts, { whole, texts, manifests }: Routing): readonly ChangedField[] | 'objects' {
  if (!whole) return []
  const named = new Set(manifests.resources.map(({ address }) => address))
  const others = ({ resources }: Manifests) => resources.filter(({ address }) => !named.has(address))
  const [were, are] = [whole(texts), whole(after)]
  if (hasErrors(are.problems) && !hasErrors(were.problems)) return 'objects'
  return changedFields(others(were), others(are))
}

function readIfRight(texts: Texts, routing: Routing): Manifests | undefined {
  try {
    return routing.read(texts)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}
