import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, syncFolder } from '../../files/folders.js'
import { replaceFile } from '../../files/replace-file.js'
import { jsonLines } from '../../json/json.js'
import type { Notified } from '../record.js'
import { isNotified, lineAs } from '../shape.js'
import { unlessMissing } from './failures.js'

/** A folder of its own: the holder of the area's lock removes drafts next to the receipts, and writing here needs no lock. */
const folderIn = (project: string): string => join(project, 'notified')

const fileIn = (project: string): string => join(folderIn(project), 'notified.jsonl')

/** Reads what was sent to the webhooks of a project. */
export function readNotified(project: string): readonly Notified[] {
  const file = fileIn(project)
  return notifiedIn(notifiedText(file), file)
}

function notifiedIn(text: string, file: string): readonly Notified[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line, index) => lineAs(line, isNotified, { file, number: index + 1 }))
}

/**
 * Replaces the file, completely or, if that fails, not at all. If somebody else has written meanwhile, `change` gets the new
 * content.
 */
export function changeNotified(project: string, change: (before: readonly Notified[]) => readonly Notified[]): void {
  makeFolder(folderIn(project))
  const file = fileIn(project)
  for (;;) {
    const before = notifiedText(file)
    const after = change(notifiedIn(before, file))
    const text = jsonLines(after)
    try {
      replaceFile(file, text, 'owner', () => {
        if (notifiedText(file) !== before) throw overtaken
      })
      break
    } catch (error) {
      if (error !== overtaken) throw error
    }
  }
  syncFolder(folderIn(project))
}

const overtaken = new Error('somebody else was faster')

const notifiedText = (file: string): string => unlessMissing(() => readFileSync(file, 'utf8')) ?? ''
