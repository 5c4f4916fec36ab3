import type { Json } from '../../json/json.js'
import type { Change, Plan, Unmanaged } from '../plan.js'

/** Known drift: somebody decided to live with it for a while. */
export interface Acceptance {
  readonly address: string
  /** JSON Pointer of the field; '' for the object as a whole. */
  readonly path: string
  /** Digest of what was seen on the live side: another value is another drift. */
  readonly value: string
  readonly reason: string
  readonly owner: string
  /** The last day on which it holds: `2027-01-31`. */
  readonly expires: string
}

/** One difference that findings. */
export interface DriftFinding {
  readonly address: string
  readonly path: string
  readonly seen: Json
  readonly sensitive: boolean
}

/** What a plan has to tell of the live side; without a base every difference may be of its making. */
export function findingsOf({ changes, unmanaged }: Plan, base: 'known' | 'unknown'): readonly DriftFinding[] {
  return [
    ...changes.flatMap((change) => findingsIn(change, base)),
    // An extra member of a written list is no difference for a plan, and drift here (design §2).
    ...unmanaged.filter(({ inList }) => inList).map(extraFinding),
  ]
}

const extraFinding = ({ address, id }: Unmanaged): DriftFinding => ({
  address,
  path: '',
  seen: { extra: id },
  sensitive: false,
})

function findingsIn(change: Change, base: 'known' | 'unknown'): readonly DriftFinding[] {
  const counts = (verdict: Change['verdict']) => base === 'unknown' || verdict === 'drift' || verdict === 'conflict'
  const { address, action } = change
  const isByField = action === 'update' || (action === 'blocked' && change.wants === 'update')
  if (!isByField)
    return counts(change.verdict) ? [{ address, path: '', seen: { action, id: idOf(change) }, sensitive: false }] : []
  return change.fields
    .filter(({ verdict }) => counts(verdict))
    .map(({ path, before, sensitive }) => ({ address, path, seen: before ?? null, sensitive }))
}

const idOf = (change: Change): string | null => (change.action === 'create' ? null : (change.live?.id ?? null))

/** The digest that an finding is known by; undefined for a secret that nothing can tell from another one. */
export type ValueDigest = (finding: DriftFinding) => string | undefined

const day = 86_400_000

/** The acceptance that covers an finding at a moment, in milliseconds since 1970. */
export function acceptedBy(
  finding: DriftFinding,
  accepted: readonly Acceptance[],
  digest: ValueDigest,
  now: number,
): Acceptance | undefined {
  const value = digest(finding)
  return accepted.find(
    (each) =>
      each.address === finding.address &&
      each.path === finding.path &&
      each.value === value &&
      now < Date.parse(`${each.expires}T00:00:00Z`) + day,
  )
}
