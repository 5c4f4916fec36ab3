import type { KindName } from '../catalog/types.js'
import type { Problem } from '../problems/problem.js'
import type { RangeOfName } from './ancestors.js'
import type { ComposedObject, ObjectText } from './object-text.js'
import type { Ancestor, Name, Resource } from './resource.js'
import type { SourceRange } from './source.js'

/** A field of one object that stands for an entry in the list of another: an endpoint that names its maintenance event. */
export interface InverseReference {
  /** The object that must be in the list; its parents and its name identify it. */
  readonly from: Resource
  readonly field: string
  readonly to: Name
  readonly range: SourceRange
}

export interface LackingSecrets {
  readonly kind: KindName
  readonly fields: readonly string[]
  /** The problem to report if no other object lacks secrets. */
  readonly alone: Problem
}

/** Collects what the readers find in the documents. */
export interface ObjectCollector {
  readonly clearSecrets: 'warning' | 'error'
  report(problem: Problem): void
  add(resource: Resource): void
  /** An object is written, but its address is unknown: others may refer to it. */
  misses(): void
  /** Values that are used and that the chosen environment does not give; each is reported once. */
  lacks(problems: readonly Problem[]): void
  relate(inverseReference: InverseReference): void
  addSecret(value: string): void
  /** An object without the secrets that a create needs. Exports leave secrets out, so there may be hundreds. */
  lacksSecrets(object: LackingSecrets): void
  /** The object with its layers; the same text if no layer concerns it; undefined if the environment does not have the object. */
  compose(text: ObjectText, key: string, id: string | undefined): ObjectText | undefined
  /** Called with every object after the layers are applied. */
  composed(object: ComposedObject): void
  /**
   * The parents with their pins, as far as the manifests that are already read declare them; `rangeOf`: where a parent is named.
   */
  pinned(ancestors: readonly Ancestor[], rangeOf: RangeOfName): readonly Ancestor[]
}

/** The same, but objects are only checked and not collected: their names or parents are unknown. */
export const checkingOnly = (collector: ObjectCollector): ObjectCollector => ({
  ...collector,
  add: () => undefined,
  relate: () => undefined,
})

/** The same, but nothing is reported either: the objects are left out, and only the layers see them. */
export const lookingOnly = (collector: ObjectCollector): ObjectCollector => ({
  ...checkingOnly(collector),
  report: () => undefined,
  misses: () => undefined,
  lacks: () => undefined,
  lacksSecrets: () => undefined,
  composed: () => undefined,
})
