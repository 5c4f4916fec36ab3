import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { beginJournal, type JournalFile, journalOn, readRun, runFiles } from '../../src/stores/folder/journal.js'
import type { JournalEntry, RunHead, RunRecord } from '../../src/stores/record.js'
import { temporaryFolder } from '../kit/folder.js'

const head: RunHead = {
  run: 'r1',
  key: { url: 'https://platform.example', area: 'a', project: 'p' },
  worker: { who: 'me', host: 'here', pid: 1 },
  started: 0,
  commit: undefined,
  plan: 'p',
  manifests: 'm',
  purpose: { is: 'apply' },
  changes: [],
}

const entry = (step: string): JournalEntry => {
  return { is: 'announced', step, request: 'PUT /x', addresses: [], creates: [], at: 0 }
}

const temporary = (): string => {
  const dir = temporaryFolder()
  return dir
}

/** A folder with a run of three entries, and the run's file. */
async function written(): Promise<{ readonly dir: string; readonly file: string }> {
  const dir = temporary()
  const journal = await beginJournal(dir, head)
  for (const step of ['1', '2', '3']) await journal.append(entry(step))
  await journal.close()
  const [name = ''] = readdirSync(dir)
  return { dir, file: join(dir, name) }
}

function read(dir: string): RunRecord | undefined {
  const [first] = runFiles(dir)
  return first && readRun(dir, first)
}

it('a file that is cut off at any byte has the entries that were complete', async () => {
  const { dir, file } = await written()
  const whole = readFileSync(file)
  for (let length = whole.length; length >= 0; length -= 1) {
    truncateSync(file, length)
    const lines = whole.subarray(0, length).toString().split('\n').length - 1
    const run = read(dir)
    expect(run?.entries.length, `${length} bytes`).toBe(lines === 0 ? undefined : lines - 1)
  }
})

it('a broken line before the last one is reported', async () => {
  const { dir, file } = await written()
  writeFileSync(file, readFileSync(file, 'utf8').replace('"step":"2"', '"step":"2'))
  expect(() => read(dir)).toThrow(`${file} is damaged at line 3`)
})

it('a file whose number has no next number is reported', async () => {
  const { dir } = await written()
  writeFileSync(join(dir, '9007199254740993-x.jsonl'), '')
  expect(() => read(dir)).toThrow('9007199254740993-x.jsonl is damaged at line 1')
})

it('a file that somebody removes accepts no more entries', async () => {
  const dir = temporary()
  const journal = await beginJournal(dir, head)
  await journal.append(entry('1'))
  rmSync(dir, { recursive: true })
  for (const step of ['2', '3'])
    await expect(journal.append(entry(step))).rejects.toThrow('somebody has removed the file of this run')
  await journal.close()
})

/** A file in memory that fails when the test says so. */
class FaultyFile implements JournalFile {
  text = ''
  syncs = 0
  fault: 'none' | 'full' | 'no fsync' = 'none'

  appendFile: JournalFile['appendFile'] = (data) => {
    const added = String(data)
    this.text += this.fault === 'full' ? added.slice(0, 7) : added
    return this.fault === 'full' ? Promise.reject(failure('ENOSPC')) : Promise.resolve()
  }

  datasync = (): Promise<void> => {
    this.syncs += 1
    return this.fault === 'no fsync' ? Promise.reject(failure('EIO')) : new Promise((done) => setTimeout(done, 2))
  }

  truncate: JournalFile['truncate'] = (length = 0) => {
    this.text = this.text.slice(0, length)
    return Promise.resolve()
  }

  stat = (): Promise<{ nlink: number }> => Promise.resolve({ nlink: 0 })

  close = (): Promise<void> => Promise.resolve()
}

const failure = (code: string): Error => Object.assign(new Error(code), { code })

it('many simultaneous appends share few fsyncs, and each waits for its own', async () => {
  const file = new FaultyFile()
  const journal = journalOn(file, 'there')
  let last = -1
  await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      await journal.append(entry(`${index}`))
      expect(file.text).toContain(`"step":"${index}"`)
      expect(index).toBe(last + 1)
      last = index
    }),
  )
  expect(file.syncs).toBeLessThan(5)
})

it('a full disk leaves no half line, and the journal continues when there is space', async () => {
  const file = new FaultyFile()
  const journal = journalOn(file, 'there')
  await journal.append(entry('1'))
  file.fault = 'full'
  await expect(journal.append(entry('2'))).rejects.toThrow('the records in there cannot be written: no space is left')
  file.fault = 'none'
  await journal.append(entry('3'))
  expect(file.text.split('\n').map((line) => line && JSON.parse(line).step)).toEqual(['1', '3', ''])
})

it('after a failed fsync, no entry is reported as written any more', async () => {
  const file = new FaultyFile()
  const journal = journalOn(file, 'there')
  file.fault = 'no fsync'
  await expect(journal.append(entry('1'))).rejects.toThrow('the disk reports an error')
  file.fault = 'none'
  await expect(journal.append(entry('2'))).rejects.toThrow('the disk reports an error')
})
