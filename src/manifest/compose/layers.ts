import type { KindName } from '../../catalog/types.js'
import type { PatchOperation } from '../../json/patch.js'
import type { Entry, Node } from '../node.js'
import type { SourceRange } from '../source.js'
import type { GivenValue } from './given-values.js'
import type { Declaration } from './value-declarations.js'
import type { Values } from './values.js'

/** The environments, values, defaults and patches of a project file, as written (design §2.1). */
export interface WrittenLayers {
  /** The chosen environment. */
  readonly environment: string | undefined
  /** The names of all declared environments. */
  readonly environments: readonly string[]
  /** The files with environments, apart from the project file; they are not manifests. */
  readonly files: readonly string[]
  /** The file of the chosen environment; undefined if no environment is chosen. */
  readonly home: string | undefined
  readonly declared: readonly Declaration[]
  readonly given: ReadonlyMap<string, GivenValue>
  /** The defaults of the project, then those of the environment. */
  readonly defaults: readonly { readonly layer: string; readonly node: Node }[]
  readonly patches: Node | undefined
}

/** The same with every placeholder resolved: what objects get from outside their manifests. */
export interface Layers extends Pick<WrittenLayers, 'environment' | 'environments'> {
  readonly values: Values
  readonly defaults: readonly Defaults[]
  readonly patches: readonly Patch[]
}

/** Fields that objects of a kind get unless they write them; `layer`: the name of the defaults in messages. */
export interface Defaults {
  readonly layer: string
  readonly fields: ReadonlyMap<KindName, readonly Entry[]>
}

/** The objects that a patch is for: a glob of addresses, or kind, name and labels. */
export type PatchTarget =
  | { readonly glob: string }
  | {
      readonly kind: string | undefined
      readonly name: string | undefined
      readonly labels: Readonly<Record<string, string>>
    }

/** One patch of an environment. Its parts are applied in this order. */
export interface Patch {
  readonly layer: string
  readonly range: SourceRange
  /** It has a mistake, so it is not also reported that it changes nothing. */
  readonly isBroken: boolean
  readonly target: PatchTarget & { readonly range: SourceRange; readonly words: string }
  readonly expect: { readonly atLeast: number; readonly atMost: number; readonly range: SourceRange }
  readonly omit: boolean
  /** Fields that replace those of the layers below. */
  readonly merge: readonly Entry[]
  /** JSON Pointers of released fields: they are no longer managed. */
  readonly unset: readonly { readonly pointer: string; readonly node: Node }[]
  readonly json: readonly { readonly operation: PatchOperation; readonly node: Node }[]
}

/** The layers of a project that declares none. */
export const noLayers: WrittenLayers = {
  environment: undefined,
  environments: [],
  files: [],
  home: undefined,
  declared: [],
  given: new Map(),
  defaults: [],
  patches: undefined,
}
