import type { KindName } from '../../catalog/types.js'
import type { PatchOperation } from '../../json/patch.js'
import type { Entry, Node } from '../node.js'
import type { Mark } from '../source.js'
import type { Declaration, GivenValue, Values } from './values.js'

/** What a project file says of environments, values, defaults and patches, as it is written (design §2.1). */
export interface WrittenLayers {
  /** The environment that is chosen. */
  readonly environment: string | undefined
  /** The names of those that the project declares. */
  readonly environments: readonly string[]
  /** The files that they stand in, if that is not the project file: no manifests. */
  readonly files: readonly string[]
  /** The file that the chosen environment stands in; of none, undefined. */
  readonly home: string | undefined
  readonly declared: readonly Declaration[]
  readonly given: ReadonlyMap<string, GivenValue>
  /** Those of the project, then those of the environment. */
  readonly defaults: readonly { readonly layer: string; readonly node: Node }[]
  readonly patches: Node | undefined
}

/** The same with every placeholder resolved: what comes to the fields of objects from outside their manifests. */
export interface Layers extends Pick<WrittenLayers, 'environment' | 'environments'> {
  readonly values: Values
  readonly defaults: readonly Defaults[]
  readonly patches: readonly Patch[]
}

/** Fields that objects of a kind have unless they write them; `layer` is their name in messages. */
export interface Defaults {
  readonly layer: string
  readonly fields: ReadonlyMap<KindName, readonly Entry[]>
}

/** Which objects a patch is for: a glob of addresses, or what objects are. */
export type PatchTarget =
  | { readonly glob: string }
  | {
      readonly kind: string | undefined
      readonly name: string | undefined
      readonly labels: Readonly<Record<string, string>>
    }

/** One patch of an environment; what it does, in this order. */
export interface Patch {
  readonly layer: string
  readonly mark: Mark
  /** Something is wrong with it: that it changes nothing is no news. */
  readonly isBroken: boolean
  readonly target: PatchTarget & { readonly mark: Mark; readonly words: string }
  readonly expect: { readonly atLeast: number; readonly atMost: number; readonly mark: Mark }
  readonly omit: boolean
  /** Fields that take the place of those below them. */
  readonly merge: readonly Entry[]
  /** JSON Pointers of fields that are handed back: not managed any more. */
  readonly unset: readonly { readonly pointer: string; readonly node: Node }[]
  readonly json: readonly { readonly operation: PatchOperation; readonly node: Node }[]
}

/** Those of a project that declares none. */
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
