import type { Json } from '../../json/json.js'
import type { Depth } from './reconcile.js'

/** One change to what a manifest says; `at` is where its object begins in the text, as the reader remembers it. */
export type Edit =
  /** Writes a value at a path of field and member names; `whole` is the field in full, where only that can be written. */
  | {
      readonly is: 'set'
      readonly at: number
      readonly path: readonly string[]
      readonly value: Json
      readonly whole: Json
      readonly depth: Depth
      /** `beside a secret`: the whole lacks a member that may be written. */
      readonly secrecy: 'secret' | 'beside a secret' | 'open'
      /** A field, or a child that exists once. */
      readonly of: 'field' | 'child'
    }
  /** Puts an owned child behind its siblings; `whole` is the list in full. */
  | { readonly is: 'append'; readonly at: number; readonly field: string; readonly value: Json; readonly whole: Json }
  /** Gives the object another name (`word` is "name"), or says the new name of what it lies in. */
  | { readonly is: 'rename'; readonly at: number; readonly word: string; readonly name: string }
  /** Takes the object out. */
  | { readonly is: 'remove'; readonly at: number }

export type SetEdit = Extract<Edit, { is: 'set' }>

export interface Edited {
  /** Undefined where nothing is left to be said. */
  readonly text: string | undefined
  /** Secrets whose placeholder has another value than the live one: they are kept. */
  readonly kept: readonly { readonly edit: Edit; readonly offset: number }[]
  /** Edits of objects that do not stand where they were said to. */
  readonly lost: readonly Edit[]
  /** Edits that would change other objects as well, which repeat what is to change by its anchor. */
  readonly shared: readonly Edit[]
  /** Placeholders that gave way to the live value. */
  readonly replaced: readonly { readonly edit: Edit; readonly offset: number; readonly placeholder: string }[]
}

export interface EditContext {
  /** The naming field of the object that begins there, for children that are written as a bare name. */
  namingAt(at: number): string | undefined
  /** The field of its parent that the object stands in, unless it is a document. */
  fieldAt(at: number): string | undefined
  resolve(text: string): string | undefined
  /** Whether objects that merge another one may get the members that it gets: if the next look at them sets these right. */
  readonly newMembers: 'for all that merge' | 'never'
}
