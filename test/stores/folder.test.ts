import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ProblemError } from '../../src/problems/problem.js'
import { openRecords } from '../../src/stores/open.js'
import { receipt, recordsContract, whole } from './contract.js'

let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gatewright-records-'))
})

// The hook that is registered first runs last: the contract has closed its stores then.
afterEach(() => rmSync(dir, { recursive: true, force: true }))

recordsContract('a folder', {
  open: () => openRecords('file:.gatewright', { dir, now: () => 1_000 }),
  address: () => `file:${join(dir, '.gatewright')}`,
  damage: (what, json) => {
    const names = readdirSync(join(dir, '.gatewright'), { recursive: true, encoding: 'utf8' })
    const { file: pattern, line } = places[what]
    const file = join(dir, '.gatewright', names.find((name) => pattern.test(name)) ?? '')
    const lines = readFileSync(file, 'utf8').split('\n')
    lines[line] = json
    writeFileSync(file, lines.join('\n'))
    return Promise.resolve()
  },
})

const places = {
  head: { file: /-r1\.jsonl$/, line: 0 },
  entry: { file: /-r1\.jsonl$/, line: 2 },
  receipt: { file: /receipts\.jsonl$/, line: 1 },
  lock: { file: /lock\.\d+$/, line: 0 },
}

it('a damaged file is reported with its line', async () => {
  const records = await openRecords('file:records', { dir, now: () => 0 })
  const key = { url: 'https://platform.example', area: 'a', project: 'p' }
  await records.keep(key, [], [])
  const names = readdirSync(join(dir, 'records'), { recursive: true, encoding: 'utf8' })
  const file = join(dir, 'records', names.find((name) => name.endsWith('receipts.jsonl')) ?? '')
  writeFileSync(file, `${readFileSync(file, 'utf8')}null\n`)
  await expect(records.receipts(key)).rejects.toThrow(`${file} is damaged at line 2`)
  writeFileSync(file, 'null\n')
  await expect(records.receipts(key)).rejects.toThrow(`${file} is damaged at line 1`)
  writeFileSync(file, '')
  await expect(records.receipts(key)).rejects.toThrow(`${file} is damaged at line 1`)
})

describe.skipIf(process.platform === 'win32')('a broken link does not count as an empty place for records', () => {
  const key = { url: 'https://platform.example', area: 'a', project: 'p' }
  const others = { ...key, project: 'others' }
  const worker = { who: 'me', host: 'here', pid: 1 }
  const head = { run: 'r', key, worker, started: 0, commit: undefined, plan: '', manifests: '', changes: [] }

  /** Records of a run; the file or folder whose path has this end is moved away, and a link replaces it. */
  async function linked(end: RegExp): Promise<{ link: string; to: string }> {
    const records = await openRecords('file:records', { dir, now: () => 0 })
    await (await records.begin({ ...head, purpose: { is: 'apply' } })).close()
    await records.keep(key, [], [])
    await records.keep(others, [], [])
    await records.changeNotified(key, () => [])
    await records.close()
    const paths = readdirSync(join(dir, 'records'), { recursive: true, encoding: 'utf8' }).map((each) =>
      join('records', each),
    )
    const link = join(dir, ['records', ...paths].find((path) => end.test(path)) ?? '')
    const to = join(dir, 'moved')
    renameSync(link, to)
    symlinkSync(join(dir, 'lost'), link)
    return { link, to }
  }

  it.each([
    ['the folder of records', /^records$/],
    ['the folder of an area', /^records.[^/]+$/],
    ['the folder of a project', /.p-[^/]+$/],
    ['receipts', /.p-[^/]+.receipts\.jsonl$/],
    ['the folder of runs', /runs$/],
    ['a run', /-r\.jsonl$/],
    ['another project', /.others-[^/]+$/],
    ['the messages sent to webhooks', /.p-.+notified\.jsonl$/],
  ])('%s', async (_, end) => {
    const { link, to } = await linked(end)
    const told = async () => {
      const records = await openRecords('file:records', { dir, now: () => 0 })
      return Promise.all([records.receipts(key), records.recent(key), records.claims(key), records.notified(key)])
    }
    await expect(told()).rejects.toThrow(/ is a link to .*lost, which is not there/)
    await expect(told()).rejects.toMatchObject({
      problems: [{ code: 'records-not-read', hint: expect.stringContaining('move it away') }],
    })
    rmSync(link)
    symlinkSync(to, link)
    await expect(told()).resolves.toMatchObject([[], [{ head: { run: 'r' } }], [], []])
  })
})

it.skipIf(process.platform === 'win32')('a link to an empty folder is an empty place for records', async () => {
  const key = { url: 'https://platform.example', area: 'a', project: 'p' }
  mkdirSync(join(dir, 'shared'))
  symlinkSync(join(dir, 'shared'), join(dir, 'records'))
  const records = await openRecords('file:records', { dir, now: () => 0 })
  const read = () =>
    Promise.all([records.receipts(key), records.recent(key), records.claims(key), records.notified(key)])
  expect(await read()).toEqual([[], [], [], []])
  await records.changeNotified(key, () => [])
  expect(await read()).toEqual([[], [], [], []])
})

it.skipIf(process.platform === 'win32')('only the owner can read the records', async () => {
  const records = await openRecords('file:records', { dir, now: () => 0 })
  const key = { url: 'https://platform.example', area: 'a', project: 'p' }
  const worker = { who: 'me', host: 'here', pid: 1 }
  const head = { run: 'r', key, worker, started: 0, commit: undefined, plan: '', manifests: '', changes: [] }
  await records.lock(key, worker, 'r')
  await records.begin({ ...head, purpose: { is: 'apply' } })
  await records.keep(key, [], [])
  const all = readdirSync(join(dir, 'records'), { recursive: true, encoding: 'utf8' })
  const files = all.map((name) => statSync(join(dir, 'records', name))).filter((each) => each.isFile())
  expect(files.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  await records.close()
})

describe('a folder that cannot be used', () => {
  const area = { url: 'https://platform.example', area: 'a' }
  const key = { ...area, project: 'p' }
  const worker = { who: 'me', host: 'here', pid: 1 }

  it('is reported with the reason, and nothing is written', async () => {
    writeFileSync(join(dir, 'records'), 'a file')
    const records = await openRecords('file:records', { dir, now: () => 0 })
    const words = `the records in ${join(dir, 'records')} cannot be`
    await expect(records.keep(key, [], [])).rejects.toThrow(words)
    await expect(records.lock(area, worker, 'r')).rejects.toThrow(words)
    await expect(records.receipts(key)).rejects.toThrow(words)
    await records.close()
    expect(readFileSync(join(dir, 'records'), 'utf8')).toBe('a file')
  })

  it('is not changed by reading', async () => {
    const records = await openRecords('file:a/b', { dir, now: () => 0 })
    await Promise.all([records.runs(key, whole), records.receipts(key), records.claims(key), records.holder(area)])
    await records.close()
    expect(readdirSync(dir)).toEqual([])
  })

  it('damaged receipts are an error that names the file', async () => {
    const records = await openRecords('file:records', { dir, now: () => 0 })
    await records.keep(key, [], [])
    const [file = ''] = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((each) =>
      each.endsWith('.jsonl'),
    )
    writeFileSync(join(dir, file), readFileSync(join(dir, file), 'utf8').replace('"count":0', '"count":1'))
    await expect(records.receipts(key)).rejects.toThrow(`${join(dir, file)} is damaged at line 2`)
  })

  it('receipts of a later version are reported as such, and are not changed', async () => {
    const records = await openRecords('file:records', { dir, now: () => 0 })
    await records.keep(key, [], [])
    const [file = ''] = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((each) =>
      each.endsWith('.jsonl'),
    )
    const text = readFileSync(join(dir, file), 'utf8').replace('gatewright.receipts/1', 'gatewright.receipts/2')
    writeFileSync(join(dir, file), text)
    const words = `the records in ${join(dir, file)} have the format gatewright.receipts/2`
    await expect(records.receipts(key)).rejects.toThrow(words)
    await expect(records.keep(key, [], ['Service/A'])).rejects.toThrow(words)
    expect(readFileSync(join(dir, file), 'utf8')).toBe(text)
  })

  it.each(['file:', 'records', 'ftp://x', 'mysql://user:secret@host/db'])(
    'records cannot be kept in %s',
    async (written) => {
      const opening = openRecords(written, { dir, now: () => 0 })
      await expect(opening).rejects.toThrow(/^records (cannot be kept in|holds an address)/)
      await expect(opening).rejects.not.toThrow('secret')
    },
  )
})

describe('records of another project or area', () => {
  const prod = { url: 'https://platform.example', area: 'prod', project: 'shop\u001fprod' }
  const others = [
    ['area', { ...prod, area: 'dev' }, 'the project "shop", environment "prod", in the area "dev" of'],
    ['project', { ...prod, project: 'other' }, 'the project "other", in the area "prod" of'],
    ['platform', { ...prod, url: 'http://[::1]:8080', area: '' }, 'environment "prod", in http://[::1]:8080'],
  ] as const
  const worker = { who: 'me', host: 'here', pid: 1 }

  /** Records of both, with those of `other` in the folder of `prod`. */
  async function swapped(other: typeof prod) {
    const records = await openRecords('file:records', { dir, now: () => 0 })
    const folders: string[] = []
    for (const key of [prod, other]) {
      const known = new Set(folders)
      const head = { run: 'r', key, worker, started: 0, commit: undefined, plan: '', manifests: '', changes: [] }
      await records.keep(key, [], [])
      await (await records.begin({ ...head, purpose: { is: 'apply' } })).close()
      const all = readdirSync(join(dir, 'records'), { recursive: true, encoding: 'utf8' })
      folders.push(...all.filter((name) => name.endsWith('receipts.jsonl')).filter((name) => !known.has(name)))
    }
    const [own = '', foreign = ''] = folders.map((name) => join(dir, 'records', name, '..'))
    rmSync(own, { recursive: true })
    cpSync(foreign, own, { recursive: true })
    return { records, own, foreign }
  }

  it.each(others)('are refused: of another %s', async (_, other, words) => {
    const { records, own, foreign } = await swapped(other)
    const file = join(own, 'receipts.jsonl')
    const outOfPlace = { code: 'records-out-of-place', severity: 'error' }
    for (const work of [() => records.receipts(prod), () => records.keep(prod, [], [])]) {
      const [problem] = await problemsOf(work())
      expect(problem).toMatchObject({ ...outOfPlace, message: expect.stringContaining(`${file} was written for `) })
      expect(problem).toMatchObject({ message: expect.stringContaining(words), hint: expect.stringContaining(foreign) })
    }
    const reading = [() => records.runs(prod, whole), () => records.recent(prod), () => records.run(prod, 'latest')]
    for (const work of reading) expect(await problemsOf(work())).toMatchObject([outOfPlace])
    // In their own folder they are read as before.
    expect(await records.receipts(other)).toEqual([])
    expect(await records.runs(other, whole)).toHaveLength(1)
  })

  it('are not read as claims from a folder that somebody has copied', async () => {
    const { records, own } = await swapped({ ...prod, project: 'other' })
    cpSync(own, `${own}.backup`, { recursive: true })
    expect(await problemsOf(records.claims({ ...prod, project: 'third' }))).toMatchObject([
      { code: 'records-out-of-place' },
    ])
  })

  it('another spelling of the same area is the same area', async () => {
    const records = await openRecords('file:records', { dir, now: () => 0 })
    await records.keep({ ...prod, url: 'http://localhost:8080/' }, [receipt('Service/A')], [])
    expect(await records.receipts({ ...prod, url: 'http://127.0.0.1:8080' })).toEqual([receipt('Service/A')])
  })
})

async function problemsOf(work: Promise<unknown>): Promise<readonly unknown[]> {
  try {
    await work
    return []
  } catch (error) {
    if (error instanceof ProblemError) return error.problems
    throw error
  }
}
