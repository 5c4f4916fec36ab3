import { by } from '../json/order.js'
import type { Receipt } from './record.js'

/** Where an address occurs more than once the last receipt counts. */
export const lastOfEach = (receipts: readonly Receipt[]): readonly Receipt[] => [
  ...new Map(receipts.map((receipt) => [receipt.address, receipt])).values(),
]

export const byAddressOrder: (left: Receipt, right: Receipt) => number = by(({ address }) => address)
