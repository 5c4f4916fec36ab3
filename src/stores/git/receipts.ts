import { groupBy } from '../../json/groups.js'
import { byAddressOrder } from '../receipt-order.js'
import type { Receipt } from '../record.js'
import { isReceipt } from '../shape.js'
import type { Changed, Pages } from './book.js'
import { isReceiptsFile, receiptsFile } from './layout.js'

/** All receipts of a project, sorted by address. */
export const readReceipts = async (pages: Pages): Promise<readonly Receipt[]> =>
  [...(await receiptsIn(pages, pages.paths.filter(isReceiptsFile)))].sort(byAddressOrder)

/** The files of which receipts are written or removed, as they are then; a file without receipts is removed. */
export async function filesWith(
  pages: Pages,
  receipts: readonly Receipt[],
  forget: readonly string[],
): Promise<Changed> {
  const touched = new Set([...receipts.map(({ address }) => address), ...forget].map(receiptsFile))
  const after = new Map((await receiptsIn(pages, [...touched])).map((receipt) => [receipt.address, receipt]))
  for (const address of forget) after.delete(address)
  for (const receipt of receipts) after.set(receipt.address, receipt)
  const byFile = groupBy(after.values(), ({ address }) => receiptsFile(address))
  return new Map([...touched].map((path) => [path, textOf(byFile.get(path) ?? [])]))
}

async function receiptsIn(pages: Pages, paths: readonly string[]): Promise<readonly Receipt[]> {
  const texts = await pages.read(paths)
  const there = new Set(pages.paths)
  return paths.flatMap((path, index) => {
    const text = texts[index] ?? ''
    // A file without receipts is never written: one that is empty has lost them.
    return text === '' && there.has(path) ? [pages.line(path, text, isReceipt)] : pages.lines(path, text, isReceipt)
  })
}

const textOf = (receipts: readonly Receipt[]): string | undefined =>
  receipts.length === 0
    ? undefined
    : [...receipts]
        .sort(byAddressOrder)
        .map((receipt) => `${JSON.stringify(receipt)}\n`)
        .join('')
