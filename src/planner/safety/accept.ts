import { addressAndAbove, parseAddress } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import type { Json } from '../../json/json.js'
import { canonicalText } from '../../json/order.js'
import type { Resource } from '../../manifest/resource.js'
import type { Fingerprint } from '../../secrets/fingerprint.js'
import { recordedAddresses } from '../base/todays-base.js'
import type { Matches } from '../match/match.js'
import {
  type Change,
  desiredAction,
  type FieldChange,
  madeTargets,
  type Plan,
  referencesOf,
  type Unmanaged,
} from '../plan.js'
import {
  type Acceptance,
  type Accepted,
  type Deviation,
  type Lapsed,
  nothingAccepted,
  type Seen,
} from './acceptance.js'

/** The acceptances under today's addresses: a rename does not end an acceptance. */
export function acceptedToday({ active, expired }: Accepted, resources: readonly Resource[]): Accepted {
  if (active.length + expired.length === 0) return nothingAccepted
  const today = recordedAddresses(resources)
  const renamed = (each: Acceptance): Acceptance => {
    // An object that no manifest has can be inside a declared one.
    const [known = ''] = addressAndAbove(each.address)
      .toReversed()
      .filter((path) => today.has(path))
    return { ...each, address: (today.get(known) ?? '') + each.address.slice(known.length) }
  }
  return { active: active.map(renamed), expired: expired.map(renamed) }
}

/** Finds the active acceptance for one difference at a time. */
export class Acceptances {
  readonly #byAddress = new Map<string, Acceptance[]>()
  readonly #fingerprint: Fingerprint

  constructor({ active }: Accepted, fingerprint: Fingerprint) {
    this.#fingerprint = fingerprint
    for (const each of active) this.#byAddress.set(each.address, [...(this.#byAddress.get(each.address) ?? []), each])
  }

  get isEmpty(): boolean {
    return this.#byAddress.size === 0
  }

  /** The acceptance of a field that differs. Both values must be the accepted ones, if they are known. */
  ofField(address: string, { path, before, after, unavailable }: FieldChange): Acceptance | undefined {
    return this.#find(
      address,
      ({ what }) =>
        what.is === 'field' &&
        what.path === path &&
        this.#isSeen(what.live, before ?? null) &&
        (unavailable || this.#isSeen(what.git, after ?? null)),
    )
  }

  ofDeletion(address: string): Acceptance | undefined {
    return this.#find(address, ({ what }) => what.is === 'deleted')
  }

  ofExtra(address: string, id: string): Acceptance | undefined {
    return this.#find(address, ({ what }) => what.is === 'created' && what.id === id)
  }

  /** Whether the live object may have another name than the declared one. It is then found by its recorded id. */
  mayBeRenamed(address: string): boolean {
    if (!this.#byAddress.has(address)) return false
    const kind = parseAddress(address)?.kind
    const naming = kind && catalog[kind].naming
    return this.#find(address, ({ what }) => what.is === 'field' && what.path === `/${naming}`) !== undefined
  }

  #find(address: string, fits: (acceptance: Acceptance) => boolean): Acceptance | undefined {
    return this.#byAddress.get(address)?.find(fits)
  }

  #isSeen(seen: Seen, value: Json): boolean {
    if (seen.is === 'fingerprint') return this.#fingerprint(value) === seen.fingerprint
    return canonicalText(seen.value, 'sets') === canonicalText(value, 'sets')
  }
}

/**
 * Declared objects that do not exist live and whose absence is accepted, by address. They are not created. An object inside one
 * of them is included, without an acceptance of its own.
 */
export function acceptedAsGone(
  { resources, matched }: Pick<Matches, 'resources' | 'matched'>,
  accepted: Acceptances,
): ReadonlyMap<string, Acceptance | undefined> {
  const gone = new Map<string, Acceptance | undefined>()
  if (accepted.isEmpty) return gone
  // Parents come before their children.
  for (const { address, parent } of resources.values()) {
    if (matched.has(address)) continue
    const own = accepted.ofDeletion(address)
    if (own || (parent !== undefined && gone.has(parent))) gone.set(address, own)
  }
  return gone
}

/** The address of a target of a change that remains deleted, or undefined. */
export function goneTargetOf(change: Change, gone: ReadonlyMap<string, unknown>): string | undefined {
  if (gone.size === 0 || !('values' in change)) return undefined
  return madeTargets(referencesOf(change)).find((address) => gone.has(address))
}

/** The acceptances for a difference that are no longer valid: they have expired, or the values have changed. */
export function lapsedFor(
  difference: { readonly address: string; readonly paths: readonly string[] | 'object' },
  { active, expired }: Accepted,
): readonly Lapsed[] {
  const isAbout = ({ address, what }: Acceptance) =>
    address === difference.address &&
    (difference.paths === 'object' ? what.is !== 'field' : what.is === 'field' && difference.paths.includes(what.path))
  return [
    ...expired.filter(isAbout).map((acceptance): Lapsed => ({ acceptance, why: 'expired' })),
    ...active.filter(isAbout).map((acceptance): Lapsed => ({ acceptance, why: 'other values' })),
  ]
}

/** One difference that counts as drift. */
export interface DriftFinding {
  readonly address: string
  /** What would have to be accepted. */
  readonly what: Exclude<Deviation, { readonly is: 'field' }> | { readonly is: 'field'; readonly field: FieldChange }
}

/** The differences in a plan that count as drift. Without a base, every difference may be drift. */
export function findingsOf({ changes, unmanaged, accepted }: Plan, base: 'known' | 'unknown'): readonly DriftFinding[] {
  const known = new Set(accepted.flatMap(({ address, field }) => (field ? [] : [address])))
  return [
    ...changes.flatMap((change) => findingsIn(change, base)),
    // An additional member of a written list is no difference for a plan, but it is drift (design §2).
    ...unmanaged.filter(({ inList, address }) => inList && !known.has(address)).map(extraFinding),
  ]
}

const extraFinding = ({ address, id }: Unmanaged): DriftFinding => ({ address, what: { is: 'created', id } })

function findingsIn(change: Change, base: 'known' | 'unknown'): readonly DriftFinding[] {
  const counts = (verdict: Change['verdict']) => base === 'unknown' || verdict === 'drift' || verdict === 'conflict'
  const { address } = change
  switch (desiredAction(change)) {
    case 'create':
      return counts(change.verdict) ? [{ address, what: { is: 'deleted' } }] : []
    case 'delete':
      return counts(change.verdict) ? [{ address, what: { is: 'created', id: liveId(change) } }] : []
    case 'update':
    case 'replace':
      return change.fields
        .filter(({ verdict }) => counts(verdict))
        .map((field) => ({ address, what: { is: 'field', field } }))
  }
}

const liveId = (change: Change): string => (change.action === 'create' ? '' : (change.live?.id ?? ''))
