import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { KnownTexts } from './yaml-events.js'

/**
 * What the YAML parser found in texts, kept from one run to the next: for each text its SHA-256 and offsets into it, and
 * nothing that is written there. A text that has changed by one character is read anew; a file that is damaged, of another
 * format or not there counts as empty. Whatever goes wrong here makes a run slower, never different.
 *
 * The file: 32 bytes of SHA-256 over all that follows, then 32-bit numbers in the machine's order: how many texts; for each
 * text its digest (8), where its numbers begin and how many they are; the numbers.
 */
export interface ParseCache extends KnownTexts {
  /** Writes the file anew if much of what was asked for was not in it. */
  save(): void
}

/** Part of the digest: other numbers, or another parser, make another file. A test holds it against package.json. */
export const format = 'gatewright parse cache 1, js-yaml 5.5.0'

/** The cache in that file. Nothing is written before `save`. */
export function parseCache(file: string): ParseCache {
  const known = read(file)
  const used = new Map<string, Int32Array>()
  let characters = 0
  let missed = 0
  return {
    find: (text) => {
      const digest = digestOf(text)
      const found = known.get(digest)
      characters += text.length
      if (found) used.set(digest, found)
      return found
    },
    keep: (text, numbers) => {
      missed += text.length
      used.set(digestOf(text), Int32Array.from(numbers))
    },
    save: () => {
      if (missed > characters / 20) write(file, used)
    },
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const digestLength = 32
const rowLength = 10

const checksumOf = (content: Uint8Array): Buffer => createHash('sha256').update(format).update(content).digest()

function read(file: string): ReadonlyMap<string, Int32Array> {
  const known = new Map<string, Int32Array>()
  const content = contentOf(file)
  if (!content) return known
  const numbers = new Int32Array(content.buffer, content.byteOffset, content.length / 4)
  const count = numbers[0] ?? 0
  for (let index = 0; index < count; index += 1) {
    const row = 1 + index * rowLength
    const [start = 0, length = 0] = numbers.subarray(row + 8, row + rowLength)
    const digest = content.toString('hex', 4 * row, 4 * row + digestLength)
    known.set(digest, numbers.subarray(start, start + length))
  }
  return known
}

/** What follows the digest, if this is the digest of it. */
function contentOf(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file)
    const content = bytes.subarray(digestLength)
    // Whole numbers are read where they stand, which a pooled buffer may not allow.
    if (content.length % 4 !== 0 || content.byteOffset % 4 !== 0) return undefined
    return checksumOf(content).equals(bytes.subarray(0, digestLength)) ? content : undefined
  } catch {
    return undefined
  }
}

function write(file: string, texts: ReadonlyMap<string, Int32Array>): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`
  try {
    // The folder and the one around it, as in ~/.cache/gatewright: node's own recursion does not end everywhere.
    for (const folder of [dirname(dirname(file)), dirname(file)]) {
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    }
    const content = contentFor(texts)
    writeFileSync(draft, Buffer.concat([checksumOf(content), content]), { mode: 0o600 })
    renameSync(draft, file)
    removeOld(dirname(file))
  } catch {
    // A folder that may not be written, a full disk: the next run reads the texts again.
    drop(draft)
  }
}

/** What cannot be removed was never made. */
function drop(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Its folder is a file.
  }
}

function contentFor(texts: ReadonlyMap<string, Int32Array>): Buffer {
  const head = 1 + texts.size * rowLength
  const total = [...texts.values()].reduce((sum, numbers) => sum + numbers.length, head)
  const all = new Int32Array(total)
  const content = Buffer.from(all.buffer)
  all[0] = texts.size
  let row = 1
  let start = head
  for (const [digest, numbers] of texts) {
    content.write(digest, 4 * row, 'hex')
    all[row + 8] = start
    all[row + 9] = numbers.length
    all.set(numbers, start)
    row += rowLength
    start += numbers.length
  }
  return content
}

const monthMs = 30 * 24 * 60 * 60 * 1000

/** Files that no run has written for a month: those of projects that are gone, mostly. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (Date.now() - statSync(file).mtimeMs > monthMs) rmSync(file, { force: true })
  }
}
