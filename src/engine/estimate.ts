import { catalog } from '../catalog/catalog.js'
import { isFieldOfParent, linkFields, referredKind, rootOf } from '../catalog/queries.js'
import { estimateRead } from '../client/estimate.js'
import { collectionOf, kindOfCollection } from '../client/nesting.js'
import { pageSize } from '../client/pages.js'
import type { ReadCost } from '../client/types.js'
import type { PlanContext } from '../documents/plan.js'
import type { Project } from '../manifest/project.js'
import { declaredOf } from '../manifest/resource.js'
import type { Change, PlanSettings } from '../planner/plan.js'
import { readSpecFor } from '../planner/read-spec.js'
import { stepsOf } from '../planner/steps/steps.js'
import { type Planned, planSettings } from './area.js'
import { type Closing, closingOf } from './closing.js'
import { planDefaults } from './requests.js'
import type { Desired } from './settings.js'

/**
 * The requests that apply will send (the reading before the first write, the writes, the closing reading), and the time that this
 * takes.
 */
export function estimateOf(project: Project, settings: PlanSettings, planned: Planned): PlanContext['estimate'] {
  const { plan, cost } = planned
  const steps = stepsOf(plan.changes, { nesting: 'whole trees', ...settings })
  const closing = steps.length === 0 ? 0 : closingRequests(planned)
  const requests = estimateRead(cost) + estimateRead(planned.usageCost) + steps.length + closing
  return { requests, seconds: Math.ceil(requests / (project.platform.requestsPerSecond ?? commonAllowance)) }
}

/**
 * The number of requests for reading the whole area for a drift report, estimated from the manifests alone, as if the platform
 * had exactly the declared objects. Includes the requests for tokens.
 */
export function estimateOffline({ project, manifests }: Pick<Desired, 'project' | 'manifests'>): number {
  const settings = planSettings(project, planDefaults)
  const spec = readSpecFor(manifests, settings, 'drift', undefined)
  const roots = [...new Set([...spec.fields.keys()].map((name) => rootOf(catalog[name])))]
  const declared = declaredOf(manifests.resources)
  const cost = roots.map((kind): ReadCost => {
    const objects = declared.filter((resource) => resource.kind === kind.name).length
    return {
      collection: collectionOf(kind),
      objects,
      requests: 1,
      paging: { parts: 1, totals: 'sent', size: pageSize },
    }
  })
  const withLinks = declared.filter(({ kind, fields }) =>
    linkFields(catalog[kind]).some(({ field }) => fields[field] !== undefined),
  )
  return 1 + estimateRead(cost) + withLinks.length
}

/** The calls per second that platforms commonly permit (field notes, Answers). */
const commonAllowance = 2

/** The number of new objects whose links the closing reading must read one by one: the roles of a service. */
function linksToRead({ plan, cost, snapshot }: Planned): number {
  const created = new Map(plan.changes.map((change) => [change.address, change]))
  const holders = plan.changes.flatMap((change) => {
    const field = linksOf(change)
    if (field !== undefined) return [{ holder: change, field }]
    const holder = created.get(ownerOfLink(change) ?? '')
    return holder?.action === 'create' ? [{ holder, field: catalog[change.kind].parent?.field ?? '' }] : []
  })
  const read = holders.filter(({ holder, field }) => {
    const collection = collectionOf(catalog[holder.kind])
    if (isReadOneByOne(cost, `${collection}/${field}`)) return true
    // Without any such object, nothing is known about the platform. By the document, links are not nested in answers.
    return !snapshot.objects.some((object) => object.kind === holder.kind && object.fields[field] !== undefined)
  })
  return new Set(read.map(({ holder }) => holder.address)).size
}

/** The number of requests of the closing reading. */
function closingRequests(planned: Planned): number {
  const closing = closingOf(planned)
  const again = planned.cost.reduce((sum, part) => sum + linksReadAgain(part, planned, closing), 0)
  return closing.requests + again + linksToRead(planned)
}

/**
 * For links that were read object by object: the number of requests for reading them again. Links of deleted objects are not read
 * again.
 */
function linksReadAgain(
  { collection, objects, requests }: ReadCost,
  { plan }: Planned,
  { links, touched }: Closing,
): number {
  const [root = '', ...fields] = collection.split('/')
  const kind = kindOfCollection(root)
  if (!kind || !touched.has(kind.name)) return 0
  if (!linkFields(kind).some(({ field }) => field === fields.join('/'))) return 0
  const gone = plan.changes.flatMap((change) =>
    change.action === 'delete' && change.kind === kind.name ? [change.live] : [],
  )
  const goneIds = new Set(gone.map(({ id }) => `${kind.name} ${id}`))
  const read = [...links].filter((each) => each.startsWith(`${kind.name} `) && !goneIds.has(each)).length
  // Without totals, each list takes one more request than with totals.
  return Math.round((read * requests) / Math.max(1, objects))
}

/** The address of the object to which a separately written link belongs. */
function ownerOfLink(change: Change): string | undefined {
  if (change.action !== 'create' || !isFieldOfParent(catalog[change.kind])) return undefined
  return change.resource.parent
}

/** The field with the links of a new object to objects with their own collection. Undefined if it has none. */
function linksOf(change: Change): string | undefined {
  if (change.action !== 'create') return undefined
  const kind = catalog[change.kind]
  if (rootOf(kind) !== kind) return undefined
  return Object.keys(change.values).find((name) => {
    const field = kind.fields[name]
    const referred = field && referredKind(field)
    return referred !== undefined && catalog[referred].association !== undefined
  })
}

const isReadOneByOne = (cost: readonly ReadCost[], collection: string): boolean =>
  cost.some((part) => part.collection === collection && !part.paging)
