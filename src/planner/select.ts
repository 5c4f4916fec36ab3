import { addressAndAbove } from '../catalog/address.js'
import { nameMatcher } from '../files/glob.js'
import { hasLabel } from '../manifest/labels.js'
import { declaredOf, type Manifests, type Resource } from '../manifest/resource.js'
import type { Problem } from '../problems/problem.js'
import { needsUnselected, nothingSelected } from '../problems/refusals.js'
import { nearest } from '../problems/suggest.js'
import type { Plan } from './plan.js'

/** Selects objects by address patterns, and by labels as `key` or `key=value`. Empty: all objects. */
interface Selection {
  readonly select: readonly string[]
  readonly labels: readonly string[]
}

/** The part of a plan for the selected objects and everything inside them. */
export function select(plan: Plan, manifests: Manifests, selection: Selection): Plan {
  if (selection.select.length === 0 && selection.labels.length === 0) return plan
  const declared = new Map(manifests.resources.map((resource) => [resource.address, resource]))
  const matches = addressMatcher(selection.select)
  const chosen = (address: string) => matches(address) && isLabelled(address, selection.labels, declared)
  const changes = plan.changes.filter((change) => chosen(change.address))
  const left = new Set(plan.changes.filter((change) => !chosen(change.address)).map((change) => change.address))
  const lacking = changes.flatMap((change) => {
    const needed = [...change.dependsOn, ...(change.afterTemporary ?? [])].filter((address) => left.has(address))
    return needed.length === 0 ? [] : [needsUnselected(change.address, needed)]
  })
  const all = declaredOf(manifests.resources).filter(({ address }) => chosen(address))
  const accepted = plan.accepted.filter((each) => chosen(each.address))
  const touched = new Set([...changes, ...accepted].map(({ address }) => address))
  const unmanaged = plan.unmanaged.filter((each) => chosen(each.address))
  return {
    ...plan,
    changes,
    ...(left.size > 0 && { isPart: true as const }),
    skipped: [...plan.skipped, ...[...left].map((address) => ({ address, paths: 'all' as const }))],
    accepted,
    unmanaged,
    unchanged: all.filter((resource) => !touched.has(resource.address)).length,
    problems: [...plan.problems, ...lacking],
  }
}

/**
 * Errors for the parts of a selection that select nothing in its plan. They are probably misspelt, and a pipeline must not look
 * successful because it selected nothing.
 */
export function emptySelections(plan: Plan, { resources }: Manifests, selection: Selection): readonly Problem[] {
  const words = [...selection.select, ...selection.labels]
  if (words.length === 0) return []
  const declared = new Map(resources.map((resource) => [resource.address, resource]))
  const known = [...declaredOf(resources), ...plan.changes, ...plan.accepted, ...plan.unmanaged].map(
    ({ address }) => address,
  )
  const fits = addressMatcher(selection.select)
  const isChosen = (address: string) => fits(address) && isLabelled(address, selection.labels, declared)
  const chosen = known.filter(isChosen)
  const empty = chosen.length === 0 ? words : selection.select.filter((glob) => !chosen.some(addressMatcher([glob])))
  if (empty.length === 0) return []
  return [nothingSelected(empty, nearestSelection(empty, known, resources))]
}

/** The same for patterns only, for commands that select addresses without a plan. */
export function emptyGlobs(globs: readonly string[], addresses: readonly string[]): readonly Problem[] {
  const empty = globs.filter((glob) => !addresses.some(addressMatcher([glob])))
  return empty.length === 0 ? [] : [nothingSelected(empty, nearestSelection(empty, addresses, []))]
}

/** The maximum number of addresses, and of objects with labels, that are searched for a suggestion. */
const mostCompared = 10_000

/** The address or label that the user probably meant. */
function nearestSelection(
  [word = '', ...others]: readonly string[],
  addresses: readonly string[],
  resources: readonly Resource[],
): string | undefined {
  const compared = addresses.slice(0, mostCompared)
  // Each word selects something by itself, but together they select nothing.
  if (others.length > 0 && compared.some(addressMatcher([word]))) return undefined
  const sameName = compared.find((address) => address.endsWith(`/${word}`))
  const labels = resources.slice(0, mostCompared).flatMap(({ labels: own }) => Object.entries(own))
  return (
    sameName ?? nearest(word, new Set([...compared, ...labels.flatMap(([key, value]) => [key, `${key}=${value}`])]))
  )
}

/** Whether an object, or one of its parents, has each of the labels. */
function isLabelled(address: string, labels: readonly string[], declared: ReadonlyMap<string, Resource>): boolean {
  if (labels.length === 0) return true
  const own = addressAndAbove(address)
    .flatMap((prefix) => declared.get(prefix) ?? [])
    .map((resource) => resource.labels)
  return labels.every((label) => own.some((each) => hasLabel(each, label)))
}

/**
 * Returns a test: whether an address, or one of its parents, matches one of the patterns. Without patterns, every address
 * matches.
 */
export function addressMatcher(globs: readonly string[]): (address: string) => boolean {
  const patterns = globs.map(nameMatcher)
  return (address) =>
    patterns.length === 0 || addressAndAbove(address).some((prefix) => patterns.some((fits) => fits(prefix)))
}

/** The addresses of an object and its ancestors. */
