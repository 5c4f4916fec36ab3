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

/** One request of an apply, with its dependencies and what it achieves. */
export type Step = StepBase &
  (
    | {
        readonly work: 'create'
        readonly change: CreateChange | ReplaceChange
        /** Addresses that have no id before this request is answered. References to them are written by a later update. */
        readonly inside: ReadonlySet<string>
      }
    | { readonly work: 'update'; readonly change: UpdateChange; readonly values: FieldValues }
    /** Temporary values of an object before its update, so that other objects can change first. */
    | { readonly work: 'temporary'; readonly change: UpdateChange; readonly values: FieldValues }
    /** The earlier values of an object, because the change after its temporary values was not made. */
    | {
        readonly work: 'putBack'
        readonly change: UpdateChange
        readonly values: FieldValues
        /** The address of the change that was not made. */
        readonly cause: string
      }
    /** Fields that a create cannot contain: they refer to objects of the same request, or only an update accepts them. */
    | { readonly work: 'follow'; readonly change: CreateChange; readonly values: FieldValues }
    | { readonly work: 'delete'; readonly change: DeleteChange | ReplaceChange }
    /** Objects of a kind without an operation of its own, written by one update of their parent. */
    | { readonly work: 'list'; readonly change: Change }
    /**
     * Children that the platform added by itself to a new object and that are missing in its written list: all except the
     * declared ones. This step has no request of its own.
     */
    | {
        readonly work: 'remove-defaults'
        readonly change: CreateChange
        readonly child: KindName
        /** Addresses. */
        readonly declared: readonly string[]
      }
    /** The delete of one of those children. */
    | {
        readonly work: 'remove'
        readonly change: CreateChange
        readonly child: KindName
        readonly ids: Readonly<Record<string, string>>
      }
    /**
     * One reference that is written through a separate route, because a platform ignored it in an update, or because it is never
     * nested.
     */
    | {
        readonly work: 'link'
        readonly change: UpdateChange
        readonly ids: Readonly<Record<string, string>>
        /** The target of the reference. Undefined if the reference is removed. */
        readonly to: ReferenceTarget | undefined
        readonly tried: 'nested' | 'nothing'
      }
  )

interface StepBase {
  readonly id: string
  readonly operation: Operation
  /** The changes that this request makes. The first one is `change`. */
  readonly members: readonly Change[]
  readonly needs: readonly string[]
  readonly gives: readonly string[]
}

/** How creates are sent: a whole tree in one request, or each object in a separate request. */
type Nesting = 'whole trees' | 'one by one'

export interface StepSettings {
  readonly nesting: Nesting
  readonly prune: 'none' | 'applied' | 'all'
  readonly conventionalOperations: 'use' | 'refuse'
}

/** The need that is met when an object has its desired values, except for fields that are written later. */
export const made = (address: string): string => `made ${address}`
