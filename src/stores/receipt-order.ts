import type { Receipt } from './record.js'

/** Where an address occurs more than once the last receipt counts. */
export const lastOfEach = (receipts: readonly Receipt[]): readonly Receipt[] => [
  ...new Map(receipts.map((receipt) => [receipt.address, receipt])).values(),
]

/** Code units, not the locale's order: the same on every machine. */
export const byAddressOrder = (a: Pick<Receipt, 'address'>, b: Pick<Receipt, 'address'>): number => {
  if (a.address === b.address) return 0
  return a.address < b.address ? -1 : 1
}
