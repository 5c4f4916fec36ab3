import { catalog } from '../../catalog/catalog.js'
import { givenByParent, isBeyondDocument, isWritable, referredKind } from '../../catalog/queries.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import { secretsHidden } from '../../problems/planning.js'
import type { Base } from '../base/base-object.js'
import { isBlank, isNothing } from '../compare/blank.js'
import { allFields, differences } from '../compare/fields.js'
import { SinceBase } from '../compare/since-base.js'
import { withUnsets } from '../compare/unset.js'
import { classified, mostSevere } from '../compare/verdict.js'
import type { FieldChange, FieldValue, FieldValues, Verdict } from '../plan.js'
import { resolveLink } from '../references/resolve.js'
import { type DraftContext, type Drafted, ownId, pathOf, plain, preconditionOf, siblingsOf } from './draft.js'
import { hiddenIn } from './hidden.js'
import { reliedOn } from './relied-on.js'
import { lacking } from './required.js'
import { withVerdict } from './update.js'

/** The create of an object that is not live or is deleted with its parent. An empty object is not created. */
export function draftCreate(
  resource: Resource,
  live: LiveObject | undefined,
  context: DraftContext,
): Drafted | undefined {
  if (resource.implicit || isBlank(resource)) return undefined
  const verdict = live && context.base ? 'pending' : verdictOnAbsence(resource.address, context.base)
  const all = withVerdict(allFields(resource, context.references), verdict)
  const link = resolveLink(resource, context.references)
  const values = withParentsName(resource, all.values)
  return {
    // The object is written out in full instead of being spread from another one: that takes twice as long, and an area can have
    // tens of thousands of creates.
    change: {
      action: 'create',
      address: resource.address,
      kind: resource.kind,
      fields: all.fields,
      verdict,
      source: resource.range,
      precondition: preconditionOf({ absent: resource.address }, context),
      path: pathOf(resource, context),
      siblings: siblingsOf(resource, context),
      resource,
      values,
      link: link.entries[0],
      possibleRename: undefined,
      dependsOn: plain.dependsOn,
      hazards: plain.hazards,
      reason: live && 'created again with its parent',
      support: undefined,
    },
    problems: lacking(resource, values, 'create', context.settings),
    broken: [...all.broken, ...link.broken],
    skipped: [],
    accepted: [],
  }
}

/** If an object was applied and does not exist any more, somebody deleted it. Any other object does not exist yet. */
function verdictOnAbsence(address: string, base: Base | undefined): Verdict {
  if (!base) return 'difference'
  const known = base.objects.get(address)
  return known && !known.announced && !isNothing(known) ? 'drift' : 'pending'
}

/** The delete and create of an object of which these fields cannot be changed. */
export function draftReplace(
  resource: Resource,
  live: LiveObject,
  names: readonly string[],
  context: DraftContext,
): Drafted {
  const found = differences(resource, live, context.references)
  const all = allFields(resource, context.references)
  const fields = classifiedReplace(resource, live, found.fields, context)
  const kept = keptValues(resource, live, context)
  const hidden = context.settings.madeFor === 'report' ? [] : hiddenIn(resource, kept)
  const values = { ...kept, ...withParentsName(resource, all.values) }
  return {
    change: {
      ...plain,
      action: 'replace',
      address: resource.address,
      kind: resource.kind,
      fields,
      verdict: mostSevere(fields, context.base ? 'pending' : 'difference'),
      source: resource.range,
      reason: `${names.join(', ')} cannot be changed`,
      precondition: preconditionOf(reliedOn(resource, live, context, 'replace'), context),
      path: { ...pathOf(resource, context), ...ownId(live) },
      siblings: [],
      resource,
      live,
      values,
    },
    problems: [
      ...lacking(resource, values, 'create', context.settings),
      ...(hidden.length > 0 ? [secretsHidden(resource.address, hidden, 'created again', placeOf(resource.range))] : []),
    ],
    broken: [...found.broken, ...all.broken],
    skipped: [],
    accepted: [],
  }
}

const appliedOf = (resource: Resource, object: LiveObject, { base, earlier }: DraftContext) => {
  const known = base?.objects.get(resource.address)
  return known && new SinceBase(resource, known, object, earlier)
}

/** The verdicts on the fields that cannot be changed in place. They are reported like those of any other field. */
function classifiedReplace(
  resource: Resource,
  live: LiveObject,
  fields: readonly FieldChange[],
  context: DraftContext,
): readonly FieldChange[] {
  if (!context.base) return fields
  const since = appliedOf(resource, live, context)
  const reported = since ? classified(fields, resource, since).fields : []
  return fields.map((field) => reported.find(({ path }) => path === field.path) ?? { ...field, verdict: 'pending' })
}

type KeptValues = Readonly<Record<string, Extract<FieldValue, { is: 'value' }>>>

/** The values that a replaced object keeps if the manifest does not write them: its key value and its secret. */
function keptValues(resource: Resource, live: LiveObject, context: DraftContext): KeptValues {
  const kind = catalog[resource.kind]
  const since = appliedOf(resource, live, context)
  const { fields } = since ? withUnsets(resource, since).resource : resource
  return Object.fromEntries(
    Object.entries(live.fields).flatMap(([name, value]) => {
      const field = kind.fields[name]
      if (!field || field.create === 'Ign' || !isWritable(field) || referredKind(field)) return []
      // A platform that follows the document may refuse unknown fields, so an empty one is not sent.
      if (value === null && isBeyondDocument(kind, name)) return []
      // A written field is sent as it is written, so its live value is not kept. The same applies to a field that is to be unset.
      return fields[name] === undefined ? [[name, { is: 'value' as const, value }]] : []
    }),
  )
}

/** Adds the field that a create takes from the parent: the username of an application is that of its member. */
function withParentsName(resource: Resource, values: FieldValues): FieldValues {
  const field = givenByParent(catalog[resource.kind])
  const parent = resource.ancestors.at(-1)
  return field === undefined || !parent ? values : { [field]: { is: 'value', value: parent.name }, ...values }
}
