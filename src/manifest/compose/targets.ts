import { catalog } from '../../catalog/catalog.js'
import { isKindName } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import { nameMatcher } from '../../files/glob.js'
import { hasLabels } from '../labels.js'
import type { PatchTarget } from './layers.js'

/** An object that a patch may be for. */
export interface Candidate {
  readonly kind: KindName
  /** Its address. If a secret names the kind, the address has a substitute for the name: the package of a key. */
  readonly address: string
  /** Its natural key; undefined if it is a secret. */
  readonly name: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** The kind of the objects that a target is for, if the target names one. */
export function kindOfTarget(target: PatchTarget): KindName | undefined {
  if (!('glob' in target)) return target.kind !== undefined && isKindName(target.kind) ? target.kind : undefined
  const kind = kindsIn(target.glob)?.at(-1) ?? ''
  return isKindName(kind) ? kind : undefined
}

/** The only address that a target matches, if it is an address without `*` and `?`. */
export const addressOfTarget = (target: PatchTarget): string | undefined =>
  'glob' in target && !/[*?]/.test(target.glob) ? target.glob : undefined

/** Makes a function that tests whether a target matches an object. */
export function targetMatcher(target: PatchTarget): (candidate: Candidate) => boolean {
  if ('glob' in target) return globMatcher(target.glob)
  const fits = target.name === undefined ? () => true : nameMatcher(target.name)
  return ({ kind, name, labels }) =>
    (target.kind === undefined || target.kind === kind) &&
    (target.name === undefined || (name !== undefined && fits(name))) &&
    hasLabels(labels, target.labels)
}

/** Compares step by step: `*` does not match a "/", so `Service/*` matches no endpoint. */
function globMatcher(glob: string): (candidate: Candidate) => boolean {
  const steps = glob.split('/').map(nameMatcher)
  return ({ address }) => {
    const parts = address.split('/')
    return parts.length === steps.length && steps.every((fits, index) => fits(parts[index] ?? ''))
  }
}

/** Whether a glob has the form of an address: kinds, each with a name unless it is a single child. */
export const isAddressGlob = (glob: string): boolean => kindsIn(glob) !== undefined

/** The kinds in a glob, outermost first. A name may also be the word of a kind (`Service/Cache`). */
function kindsIn(glob: string): readonly string[] | undefined {
  const parts = glob.split('/')
  const kinds: string[] = []
  for (let index = 0; index < parts.length; ) {
    const kind = parts[index] ?? ''
    const isSingle = isKindName(kind) && catalog[kind].naming === undefined
    // The owner of some kinds is not a kind: an email template set.
    if (!isKindName(kind) && !isOwner(kind)) return undefined
    if (!isSingle && (parts[index + 1] ?? '') === '') return undefined
    kinds.push(kind)
    index += isSingle ? 1 : 2
  }
  return kinds
}

const isOwner = (name: string): boolean => Object.values(catalog).some(({ within }) => within?.name === name)
