import { groupBy } from '../../json/groups.js'
import { jsonLines } from '../../json/json.js'
import { byAddressOrder, withKept } from '../receipts.js'
import type { Receipt } from '../record.js'
import { isReceipt } from '../shape.js'
import type { Changed, Pages } from './book.js'
import { isReceiptsFile, receiptsFile } from './layout.js'

/** All receipts of a project, sorted by address. */
export const readReceipts = async (pages: Pages): Promise<readonly Receipt[]> =>
  [...(await receiptsIn(pages, pages.paths.filter(isReceiptsFile)))].sort(byAddressOrder)

/** The files in which receipts are written or removed, with their new content; a file without receipts is removed. */
export async function filesWith(
  pages: Pages,
  receipts: readonly Receipt[],
  forget: readonly string[],
): Promise<Changed> {
  const touched = new Set([...receipts.map(({ address }) => address), ...forget].map(receiptsFile))
  const after = withKept(await receiptsIn(pages, [...touched]), [{ receipts, forget }])
  const byFile = groupBy(after, ({ address }) => receiptsFile(address))
  return new Map(
    [...touched].map((path) => {
      const kept = byFile.get(path)
      return [path, kept && jsonLines(kept)]
    }),
  )
}

async function receiptsIn(pages: Pages, paths: readonly string[]): Promise<readonly Receipt[]> {
  const texts = await pages.read(paths)
  const there = new Set(pages.paths)
  return paths.flatMap((path, index) => {
    const text = texts[index] ?? ''
    // A file without receipts is never written: an empty one has lost them.
    return text === '' && there.has(path) ? [pages.line(path, text, isReceipt)] : pages.lines(path, text, isReceipt)
  })
}
