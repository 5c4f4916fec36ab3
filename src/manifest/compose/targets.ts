import { catalog } from '../../catalog/catalog.js'
import { isKindName } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import { nameMatcher } from '../../files/glob.js'
import { hasLabels } from '../labels.js'
import type { PatchTarget } from './layers.js'

/** An object that a patch may be for. */
export interface Candidate {
  readonly kind: KindName
  /** Its address; where the kind is named by a secret, with what stands for the name: the package of a key. */
  readonly address: string
  /** Its natural key, if that is no secret. */
  readonly name: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** The kind of the objects that a target is for, where it tells one. */
export function kindOfTarget(target: PatchTarget): KindName | undefined {
  if (!('glob' in target)) return target.kind !== undefined && isKindName(target.kind) ? target.kind : undefined
  const kind = kindsIn(target.glob)?.at(-1) ?? ''
  return isKindName(kind) ? kind : undefined
}

/** A test of objects. */
export function targetMatcher(target: PatchTarget): (candidate: Candidate) => boolean {
  if ('glob' in target) return globMatcher(target.glob)
  const fits = target.name === undefined ? () => true : nameMatcher(target.name)
  return ({ kind, name, labels }) =>
    (target.kind === undefined || target.kind === kind) &&
    (target.name === undefined || (name !== undefined && fits(name))) &&
    hasLabels(labels, target.labels)
}

/** Step by step: `*` never reaches over a "/", so that `Service/*` is no endpoint. */
function globMatcher(glob: string): (candidate: Candidate) => boolean {
  const steps = glob.split('/').map(nameMatcher)
  return ({ address }) => {
    const parts = address.split('/')
    return parts.length === steps.length && steps.every((fits, index) => fits(parts[index] ?? ''))
  }
}

/** Whether a glob is built as addresses are: kinds, each with a name unless it is one that exists once. */
export const isAddressGlob = (glob: string): boolean => kindsIn(glob) !== undefined

/** The kinds on the way, from the outermost on: a name may be the word of a kind as well (`Service/Cache`). */
function kindsIn(glob: string): readonly string[] | undefined {
  const parts = glob.split('/')
  const kinds: string[] = []
  for (let index = 0; index < parts.length; ) {
    const kind = parts[index] ?? ''
    const isSingle = isKindName(kind) && catalog[kind].naming === undefined
    // The owner of some kinds is no kind itself: an email template set.
    if (!isKindName(kind) && !isOwner(kind)) return undefined
    if (!isSingle && (parts[index + 1] ?? '') === '') return undefined
    kinds.push(kind)
    index += isSingle ? 1 : 2
  }
  return kinds
}

const isOwner = (name: string): boolean => Object.values(catalog).some(({ within }) => within?.name === name)
