import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, syncFolder } from '../../files/folders.js'
import { removeDrafts, replaceFile } from '../../files/replace-file.js'
import { ProblemError } from '../../problems/problem.js'
import { recordsDamaged, recordsFormatTooNew } from '../../problems/records.js'
import { type Keeping, withKept } from '../receipts.js'
import type { ProjectKey, Receipt } from '../record.js'
import { isMap, isProjectKey, isReceipt, lineAs } from '../shape.js'
import { unlessMissing } from './failures.js'
import { checkPlace } from './layout.js'

const fileName = 'receipts.jsonl'
const format = 'gatewright.receipts/1'

/** Reads a project's receipts; none if nothing is written yet. */
export function readReceipts(folder: string): readonly Receipt[] {
  const file = join(folder, fileName)
  const text = unlessMissing(() => readFileSync(file, 'utf8'))
  if (text === undefined) return []
  const lines = text.split('\n').slice(0, -1)
  const [first = '', ...others] = lines
  // The file is only ever replaced as a whole, by writeReceipts; its head has the number of lines that follow.
  const head = lineAs(first, isAnyHead, { file, number: 1 })
  if (head.format !== format) throw new ProblemError([recordsFormatTooNew(file, head.format)])
  const { key, count } = lineAs(first, isReceiptsHead, { file, number: 1 })
  checkPlace(folder, file, key)
  const receipts = others.map((line, index) => lineAs(line, isReceipt, { file, number: index + 2 }))
  if (count !== receipts.length) throw new ProblemError([recordsDamaged(file, lines.length + 1)])
  return receipts
}

interface ReceiptsHead {
  readonly format: typeof format
  readonly key: ProjectKey
  readonly count: number
}

/** The head of a later version may have other fields. */
const isAnyHead = (value: unknown): value is { readonly format: string } =>
  isMap(value) && typeof value.format === 'string' && value.format.startsWith('gatewright.receipts/')

const isReceiptsHead = (value: unknown): value is ReceiptsHead =>
  isMap(value) && value.format === format && isProjectKey(value.key) && typeof value.count === 'number'

/** Makes the changes in order and replaces the file, completely or, if that fails, not at all. */
export function writeReceipts(folder: string, key: ProjectKey, keepings: readonly Keeping[]): void {
  makeFolder(folder)
  // Only the holder of the area's lock writes here, so drafts that a killed process left are not in use.
  removeDrafts(folder)
  const lines = withKept(readReceipts(folder), keepings).map((receipt) => JSON.stringify(receipt))
  const head = JSON.stringify({ format, key, count: lines.length })
  replaceFile(join(folder, fileName), [head, ...lines, ''].join('\n'), 'owner')
  syncFolder(folder)
}
