import type { KindName, Operation } from '../../catalog/types.js'
import type {
  Change,
  CreateChange,
  DeleteChange,
  FieldValues,
  ReferenceTarget,
  ReplaceChange,
  UpdateChange,
} from '../plan.js'

/** One request of an apply, with what must stand before it and what stands after it. */
export type Step = StepBase &
  (
    | {
        readonly work: 'create'
        readonly change: CreateChange | ReplaceChange
        /** Addresses that have no id before this request is answered: references to them follow in an update. */
        readonly inside: ReadonlySet<string>
      }
    | { readonly work: 'update'; readonly change: UpdateChange; readonly values: FieldValues }
    /** What an object has for a moment before its update, so that others can change before it. */
    | { readonly work: 'temporary'; readonly change: UpdateChange; readonly values: FieldValues }
    /** What an object had before, since what was to follow is not done. */
    | {
        readonly work: 'putBack'
        readonly change: UpdateChange
        readonly values: FieldValues
        /** The address of the change that is not done. */
        readonly cause: string
      }
    /** Fields that a create could not carry: they refer to what the same request makes, or only an update takes them. */
    | { readonly work: 'follow'; readonly change: CreateChange; readonly values: FieldValues }
    | { readonly work: 'delete'; readonly change: DeleteChange | ReplaceChange }
    /** Objects of a kind without an operation of its own, written by one update of their parent. */
    | { readonly work: 'list'; readonly change: Change }
    /**
     * What the platform added by itself to a new object and its written list lacks: all children but those declared. It has no
     * request of its own.
     */
    | {
        readonly work: 'remove-defaults'
        readonly change: CreateChange
        readonly child: KindName
        /** Addresses. */
        readonly declared: readonly string[]
      }
    /** One of those children. */
    | {
        readonly work: 'remove'
        readonly change: CreateChange
        readonly child: KindName
        readonly ids: Readonly<Record<string, string>>
      }
    /**
     * One reference through a route of its own: one that a platform dropped where it was nested, or that is not nested at all.
     */
    | {
        readonly work: 'link'
        readonly change: UpdateChange
        readonly ids: Readonly<Record<string, string>>
        /** What is referred to; nothing where the reference goes. */
        readonly to: ReferenceTarget | undefined
        readonly tried: 'nested' | 'nothing'
      }
  )

interface StepBase {
  readonly id: string
  readonly operation: Operation
  /** The changes that this request makes, the first of them `change`. */
  readonly members: readonly Change[]
  readonly needs: readonly string[]
  readonly gives: readonly string[]
}

/** How creates are sent: a tree in one request, or every object in its own. */
type Nesting = 'whole trees' | 'one by one'

export interface StepSettings {
  readonly nesting: Nesting
  readonly prune: 'none' | 'applied' | 'all'
  readonly conventionalOperations: 'use' | 'refuse'
}

/** Stands when the object of an address is as its change wants it, fields that follow later apart. */
export const made = (address: string): string => `made ${address}`
