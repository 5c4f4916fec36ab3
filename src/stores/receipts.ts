import { by } from '../json/order.js'
import type { Receipt } from './record.js'

/** If an address occurs more than once, the last receipt counts. */
export const lastOfEach = (receipts: readonly Receipt[]): readonly Receipt[] => [
  ...new Map(receipts.map((receipt) => [receipt.address, receipt])).values(),
]

/** Receipts to write and addresses to remove, in the given order. */
export interface Keeping {
  readonly receipts: readonly Receipt[]
  readonly forget: readonly string[]
}

/** The receipts after these changes, sorted by address. */
export function withKept(before: readonly Receipt[], keepings: readonly Keeping[]): readonly Receipt[] {
  const byAddress = new Map(before.map((receipt) => [receipt.address, receipt]))
  for (const { receipts, forget } of keepings) {
    for (const address of forget) byAddress.delete(address)
    for (const receipt of receipts) byAddress.set(receipt.address, receipt)
  }
  return [...byAddress.values()].sort(byAddressOrder)
}

export const byAddressOrder: (left: Receipt, right: Receipt) => number = by(({ address }) => address)
