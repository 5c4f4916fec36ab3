import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, syncFolder } from '../../files/folders.js'
import { replaceFile } from '../../files/replace-file.js'
import type { Notified } from '../record.js'
import { isNotified, lineAs } from '../shape.js'
import { unlessMissing } from './failures.js'

/** A folder of its own: whoever has the lock of the area removes drafts beside the receipts, and nobody needs the lock here. */
const folderIn = (project: string): string => join(project, 'notified')

const fileIn = (project: string): string => join(folderIn(project), 'notified.jsonl')

/** Reads what the webhooks of a project were told. */
export async function readNotified(project: string): Promise<readonly Notified[]> {
  const file = fileIn(project)
  const text = (await unlessMissing(readFile(file, 'utf8'))) ?? ''
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line, index) => lineAs(line, isNotified, { file, number: index + 1 }))
}

/** Replaces it: all of it or, where that fails, nothing. */
export function writeNotified(project: string, notified: readonly Notified[]): void {
  makeFolder(folderIn(project))
  replaceFile(fileIn(project), notified.map((each) => `${JSON.stringify(each)}\n`).join(''), 'owner')
  syncFolder(folderIn(project))
}
