import type { Json } from '../../json/json.js'
import type { Depth } from './reconcile.js'

/** One change of a manifest; `at`: where its object begins in the text, as the reader gives it. */
export type Edit =
  /** Writes a value at a path of field and member names; `whole`: the complete field, if only that can be written. */
  | {
      readonly is: 'set'
      readonly at: number
      readonly path: readonly string[]
      readonly value: Json
      readonly whole: Json
      readonly depth: Depth
      /** `beside a secret`: `whole` lacks a member that may be written. */
      readonly secrecy: 'secret' | 'beside a secret' | 'open'
      /** A field, or a single child. */
      readonly of: 'field' | 'child'
    }
  /** Adds an owned child after its siblings; `whole`: the complete list. */
  | { readonly is: 'append'; readonly at: number; readonly field: string; readonly value: Json; readonly whole: Json }
  /** Gives the object another name (`word` is "name"), or writes the new name of one of its parents. */
  | { readonly is: 'rename'; readonly at: number; readonly word: string; readonly name: string }
  /** Removes the object. */
  | { readonly is: 'remove'; readonly at: number }

export type SetEdit = Extract<Edit, { is: 'set' }>

export interface Edited {
  /** undefined if nothing is left. */
  readonly text: string | undefined
  /** Secrets whose placeholder has another value than the live one: the placeholder stays. */
  readonly kept: readonly { readonly edit: Edit; readonly offset: number }[]
  /** Edits of objects that are not at the given place. */
  readonly lost: readonly Edit[]
  /** Edits that would also change other objects, which repeat the changed part by its anchor. */
  readonly shared: readonly Edit[]
  /** Placeholders that were replaced by the live value. */
  readonly replaced: readonly { readonly edit: Edit; readonly offset: number; readonly placeholder: string }[]
}

export interface EditContext {
  /** The naming field of the object that begins there, for children that are only a name. */
  namingAt(at: number): string | undefined
  /** The field of its parent that contains the object, unless it is a document. */
  fieldAt(at: number): string | undefined
  resolve(text: string): string | undefined
  /** Whether objects that merge another one may get its new members: yes if they are compared and corrected afterwards. */
  readonly newMembers: 'for all that merge' | 'never'
}
