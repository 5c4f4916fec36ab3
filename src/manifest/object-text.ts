import type { MetadataForm } from '../catalog/metadata-keys.js'
import type { Kind } from '../catalog/types.js'
import type { Metadata } from './metadata.js'
import type { Entry } from './node.js'
import type { Absence, Ancestor } from './resource.js'
import type { Mark } from './source.js'

/** One object as it is written: what its metadata says, where it lives, and its fields. */
export interface ObjectText {
  readonly kind: Kind
  readonly form: MetadataForm
  readonly metadata: Metadata
  readonly ancestors: readonly Ancestor[]
  /** Their address, made once for all siblings. */
  readonly parent: string | undefined
  /** Whether it is written inside all of them, so that they stand in the manifests. */
  readonly isInside: boolean
  readonly owner: string | undefined
  readonly entries: readonly Entry[]
  readonly mark: Mark
  readonly recordedAs?: string
  /** Fields that patches take out, and defaults that the object opts out of. */
  readonly absent?: readonly Absence[] | undefined
  /** Set where a patch is for it, whether or not that changes anything. */
  readonly isPatched?: true
  /** A patch leaves it out: it is looked into only for what the patches before that one find in it. */
  readonly isLeftOut?: true | undefined
  /** The document that it is generated from, where nobody writes it as an object. */
  readonly generatedBy?: Mark | undefined
}

/** An object as all layers leave it. */
export interface ComposedObject {
  readonly address: string
  readonly text: ObjectText
}
