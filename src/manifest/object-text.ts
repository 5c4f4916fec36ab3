import type { MetadataForm } from '../catalog/metadata-keys.js'
import type { Kind } from '../catalog/types.js'
import type { Metadata } from './metadata.js'
import type { Entry } from './node.js'
import type { Absence, Ancestor } from './resource.js'
import type { SourceRange } from './source.js'

/** One object as written: its metadata, its parents, and its fields. */
export interface ObjectText {
  readonly kind: Kind
  readonly form: MetadataForm
  readonly metadata: Metadata
  readonly ancestors: readonly Ancestor[]
  /** Their address, computed once for all siblings. */
  readonly parent: string | undefined
  /** Whether it is written inside all its parents, so that the manifests declare them. */
  readonly isInside: boolean
  readonly owner: string | undefined
  readonly entries: readonly Entry[]
  readonly range: SourceRange
  readonly recordedAs?: string
  /** Fields that patches take out, and defaults that the object opts out of. */
  readonly absent?: readonly Absence[] | undefined
  /** Set if a patch is for it, whether or not the patch changes anything. */
  readonly isPatched?: true
  /** A patch leaves it out. It is read only for the patches before that one. */
  readonly isLeftOut?: true | undefined
  /** The document that generates it, if nobody writes it as an object. */
  readonly generatedBy?: SourceRange | undefined
}

/** An object after all layers are applied. */
export interface ComposedObject {
  readonly address: string
  readonly text: ObjectText
}
