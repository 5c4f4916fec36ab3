import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { ProblemError } from '../../src/problems/problem.js'
import type {
  HeldLock,
  Image,
  JournalEntry,
  Notified,
  ProjectKey,
  Receipt,
  Records,
  RunHead,
  RunRecord,
  Worker,
} from '../../src/stores/record.js'
import { everyAnnouncedField, everyHeadField, everyReceiptField, everySettledField } from './every-field.js'

/** What a store gives to the contract test. */
export interface StoreUnderTest {
  /** Opens the store; all calls in one test open the same records. */
  readonly open: () => Promise<Records>
  /** Replaces a recorded text of run `r1`, of the receipts, or of the lock of the area by another JSON text. */
  readonly damage: (what: 'head' | 'entry' | 'receipt' | 'lock', json: string) => Promise<void>
  /** The address with which another process opens the same records, as in a project file. */
  readonly address: () => string
  /** The folder of that project file; undefined: none is needed. */
  readonly dir?: () => string
}

/** Selects the complete record of a run. */
export const whole = (record: RunRecord): RunRecord => record

const key: ProjectKey = { url: 'https://platform.example', area: 'a4ea', project: 'shop' }
const worker: Worker = { who: 'ci@runner', host: 'runner', pid: 42 }
const image = (description: string): Image => ({ fields: { description }, fingerprints: { password: 'hmac:1' } })

const headOf = (run: string, more: Partial<RunHead> = {}): RunHead => ({
  run,
  key,
  worker,
  started: Date.UTC(2027, 0, 1),
  commit: 'c0ffee',
  plan: 'sha256:1',
  manifests: 'sha256:2',
  purpose: { is: 'apply' },
  changes: [{ address: 'Service/A', kind: 'Service', action: 'update' }],
  awaited: [{ address: 'Service/B', at: Date.UTC(2026, 11, 31) }],
  ...more,
})

const announced = (step: string): JournalEntry => ({
  is: 'announced',
  step,
  request: 'PUT /services/1',
  addresses: ['Service/A'],
  creates: [],
  at: 1,
})

const settled = (address: string): Extract<JournalEntry, { readonly is: 'settled' }> => ({
  is: 'settled',
  address,
  outcome: 'applied',
  id: '1',
  error: undefined,
  before: image('before'),
  after: image('after \u0000 “quoted” \u2028'),
  at: 2,
})

const ended: JournalEntry = { is: 'ended', outcome: 'done', at: 3 }

export const receipt = (address: string, description = 'x'): Receipt => ({
  address,
  kind: 'Service',
  id: address,
  image: image(description),
  run: 'r1',
  origin: 'created',
})

/** The behaviour that every store of records must have. */
export function recordsContract(name: string, store: StoreUnderTest): void {
  const opened: Records[] = []
  const open = async (): Promise<Records> => {
    const records = await store.open()
    opened.push(records)
    return records
  }
  const children: Child[] = []
  const start = (task: string, ...args: readonly string[]): Child => {
    const child = startChild(store.address(), task, args, store.dir?.())
    children.push(child)
    return child
  }

  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill()
    for (const records of opened.splice(0)) await records.close()
  })

  describe(`${name}: the journal`, () => {
    it('returns the appended entries, in order, with every character', async () => {
      const records = await open()
      const head = headOf('20270101T000000Z-aaaaaa')
      const journal = await records.begin(head)
      const entries = [announced('1'), settled('Service/A'), ended]
      for (const entry of entries) await journal.append(entry)
      await journal.close()
      const run = await (await open()).run(key, head.run)
      expect(JSON.stringify(run)).toBe(JSON.stringify({ head, entries }))
    })

    it('returns every field, and so do the receipts', async () => {
      const records = await open()
      const head = everyHeadField(key)
      const entries = [everyAnnouncedField, everySettledField, ended]
      // The step is announced in advance, as apply does it.
      const journal = await records.begin(head, () => [everyAnnouncedField])
      for (const entry of entries) await journal.append(entry)
      await journal.close()
      await records.keep(key, [everyReceiptField], [])
      const other = await open()
      expect(await other.run(key, head.run)).toEqual({ head, entries })
      expect(await other.receipts(key)).toEqual([everyReceiptField])
      expect(await other.claims({ ...key, project: 'other' })).toEqual([everyReceiptField])
    })

    it('is empty before the first run, and for every other project', async () => {
      const records = await open()
      expect(await records.runs(key, whole)).toEqual([])
      expect(await records.run(key, 'latest')).toBeUndefined()
      expect(await records.receipts(key)).toEqual([])
      expect(await records.recent(key)).toEqual([])
      await (await records.begin(headOf('r1'))).close()
      expect(await records.runs({ ...key, project: 'other' }, whole)).toEqual([])
      expect(await records.runs({ ...key, area: 'other' }, whole)).toEqual([])
      expect(await records.runs({ ...key, url: `${key.url}/` }, whole)).toHaveLength(1)
    })

    it('keeps the order of many simultaneous appends', async () => {
      const records = await open()
      const journal = await records.begin(headOf('many'))
      const steps = Array.from({ length: 2_000 }, (_, index) => `${index}`)
      await Promise.all(steps.map((step) => journal.append(announced(step))))
      const run = await records.run(key, 'many')
      expect(run?.entries.map((entry) => entry.is === 'announced' && entry.step)).toEqual(steps)
    })

    it('refuses a second run with the same name', async () => {
      const records = await open()
      await records.begin(headOf('twice'))
      await expect(records.begin(headOf('twice'))).rejects.toThrow()
    })

    it('has every entry that was acknowledged before the writer was killed', async () => {
      const writer = start('write', 'killed')
      const acknowledged = await writer.linesUntil((lines) => lines.length >= 200)
      await writer.kill()
      const last = Number(acknowledged.at(-1))
      const run = await (await open()).run(key, 'killed')
      const steps = run?.entries.map((entry) => (entry.is === 'announced' ? Number(entry.step) : -1)) ?? []
      expect(steps.length).toBeGreaterThan(last)
      expect(steps).toEqual(steps.map((_, index) => index))
      expect(run?.entries.some((entry) => entry.is === 'ended')).toBe(false)
    })
  })

  describe(`${name}: texts with characters of no alphabet`, () => {
    const odd = ['\0', '\ud800', '\udc00', 'a\ud800b\0c', '\ufffd', '\uffff', 'json:"x"']

    it('can be the value of any field', async () => {
      const records = await open()
      const head = headOf('r', { changes: odd.map((value) => ({ address: value, kind: value, action: value })) })
      const journal = await records.begin(head)
      const entries = odd.flatMap((value): readonly JournalEntry[] => {
        const after: Image = { fields: { [value]: value }, fingerprints: {} }
        return [announced(value), { ...settled(value), error: value, before: image(value), after }]
      })
      await Promise.all([...entries, ended].map((entry) => journal.append(entry)))
      await journal.close()
      await records.keep(
        key,
        odd.map((value) => receipt(`Service/${value}`, value)),
        [],
      )
      expect(JSON.stringify(await records.recent(key))).toBe(JSON.stringify([{ head, entries: [...entries, ended] }]))
      expect((await records.receipts(key)).map(({ image: { fields } }) => fields.description).sort()).toEqual(
        [...odd].sort(),
      )
      expect(await records.claims({ ...key, project: 'other' })).toHaveLength(odd.length)
      expect(await records.run(key, '\0')).toBeUndefined()
    })

    it('can be the names of projects and areas, each a separate one', async () => {
      const records = await open()
      for (const text of odd) {
        const own = { ...key, project: text, area: text }
        await records.keep(own, [receipt('Service/own', text)], [])
        await (await records.begin(headOf('r', { key: own }))).close()
        expect((await records.lock(own, worker, 'r')).is).toBe('taken')
        expect((await records.holder(own))?.run).toBe('r')
      }
      for (const text of odd) {
        const own = { ...key, project: text, area: text }
        expect(await records.receipts(own)).toEqual([receipt('Service/own', text)])
        expect(await records.runs(own, whole)).toHaveLength(1)
        expect(await records.claims(own)).toEqual([])
      }
    })
  })

  it(`${name}: objects that a project applied before it had environments are not claimed by another project`, async () => {
    const records = await open()
    const [shop, dev, prod] = ['shop', 'shop\u001fdev', 'shop\u001fprod'].map((project) => ({ ...key, project }))
    await records.keep(shop as typeof key, [receipt('Service/before')], [])
    await records.keep(dev as typeof key, [receipt('Service/dev')], [])
    const claims = async (own: typeof key | undefined) =>
      (await records.claims(own as typeof key)).map(({ address }) => address)
    expect(await claims(prod)).toEqual(['Service/dev'])
    expect(await claims(shop)).toEqual(['Service/dev'])
    expect(await claims({ ...key, project: 'shop2\u001fprod' })).toEqual(['Service/before', 'Service/dev'])
  })

  describe(`${name}: damaged records`, () => {
    const wrong = [
      '{"is":"settled","address":"Service/A","outcome":"applied","takenOver":5,"at":0}',
      ...['{}', 'null', '5', '[]', '"x"', '{"is":"other"}', '{"state":"held"}'],
    ]

    const failure = async (work: Promise<unknown>): Promise<unknown> => {
      const error: unknown = await work.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      return error instanceof ProblemError ? error.problems : error
    }

    const begun = async (): Promise<Records> => {
      const records = await open()
      const journal = await records.begin(headOf('r1'))
      for (const entry of [announced('1'), settled('Service/A')]) await journal.append(entry)
      await journal.close()
      await records.keep(key, [receipt('Service/A')], [])
      return records
    }

    it('are reported as damaged, if they are JSON of another shape', async () => {
      const records = await begun()
      const lock = await records.lock(key, worker, 'r2')
      expect(lock.is).toBe('taken')
      const other = await open()
      for (const json of wrong) {
        const damaged = [{ code: 'records-damaged', message: expect.stringMatching(/ (is|are) damaged/) }]
        await store.damage('receipt', json)
        const claims = failure(other.claims({ ...key, project: 'other' }))
        expect([json, ...(await Promise.all([failure(other.receipts(key)), claims]))]).toMatchObject([
          json,
          damaged,
          damaged,
        ])
        await store.damage('entry', json)
        expect([json, await failure(other.runs(key, whole))]).toMatchObject([json, damaged])
      }
      // Nothing is read after a damaged head.
      for (const json of wrong) {
        const damaged = [{ code: 'records-damaged', message: expect.stringMatching(/ (is|are) damaged/) }]
        await store.damage('head', json)
        await store.damage('lock', json)
        const [recent, holder] = await Promise.all([failure(other.recent(key)), failure(other.holder(key))])
        const lockDamaged = [
          { ...damaged[0], hint: expect.stringMatching(/^if nobody applies .* history and prune stay$/) },
        ]
        expect([json, recent, holder]).toMatchObject([json, damaged, lockDamaged])
      }
    })

    it('are reported after the records before them were passed on, because all runs would not fit into memory', async () => {
      const records = await begun()
      for (let run = 11; run > 0; run -= 1) await (await records.begin(headOf(`after-${run}`))).append(ended)
      await store.damage('entry', '{}')
      const names: string[] = []
      expect(await failure(records.runs(key, ({ head }) => names.push(head.run)))).toMatchObject([
        { code: 'records-damaged' },
      ])
      expect(names.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, index) => `after-${index + 1}`))
    })

    it('do not prevent reading another run', async () => {
      const records = await begun()
      await (await records.begin(headOf('r2'))).close()
      await store.damage('entry', '{}')
      expect((await records.run(key, 'r2'))?.head.run).toBe('r2')
    })
  })

  describe(`${name}: the runs`, () => {
    it('are returned newest first: in the order in which they began, whatever their names', async () => {
      const records = await open()
      const interrupted: JournalEntry = { is: 'ended', outcome: 'interrupted', at: 3 }
      for (const [run, end] of [
        ['d', ended],
        ['b', ended],
        ['c', interrupted],
        ['a', undefined],
      ] as const) {
        const journal = await records.begin(headOf(run))
        if (end) await journal.append(end)
      }
      const names = (runs: readonly { readonly head: RunHead }[]) => runs.map(({ head }) => head.run)
      expect(names(await records.runs(key, whole))).toEqual(['a', 'c', 'b', 'd'])
      expect((await records.run(key, 'latest'))?.head.run).toBe('a')
      expect(names(await records.recent(key))).toEqual(['a', 'c', 'b'])
    })

    it('can be removed, and the others keep their order', async () => {
      const records = await open()
      for (const run of ['c', 'a', 'b']) await (await records.begin(headOf(run))).append(ended)
      await records.keep(key, [receipt('Service/A')], [])
      await records.forget(key, ['c', 'b', 'none'])
      expect((await records.runs(key, whole)).map(({ head }) => head.run)).toEqual(['a'])
      expect(await records.run(key, 'b')).toBeUndefined()
      await (await records.begin(headOf('0'))).append(ended)
      const other = await open()
      expect((await other.runs(key, whole)).map(({ head }) => head.run)).toEqual(['0', 'a'])
      expect(await other.receipts(key)).toHaveLength(1)
    })

    it('have a latest one, and runs without changes are skipped', async () => {
      const records = await open()
      const empty = headOf('b', { changes: [] })
      for (const head of [headOf('a'), empty]) await (await records.begin(head)).append(ended)
      expect((await records.run(key, 'latest'))?.head.run).toBe('a')
      expect((await records.run(key, 'b'))?.head).toEqual(empty)
      // An interrupted run without changes is followed by another one.
      await (await records.begin(headOf('c', { changes: [] }))).append(ended)
      expect((await records.run(key, 'latest'))?.head.run).toBe('a')
    })

    it('have a latest one if none has changes: the newest', async () => {
      const records = await open()
      expect(await records.run(key, 'latest')).toBeUndefined()
      for (const run of ['a', 'b', 'c']) await records.begin(headOf(run, { changes: [] }))
      expect((await records.run(key, 'latest'))?.head.run).toBe('c')
    })

    it('are found by the beginning of their names, if it is unique', async () => {
      const records = await open()
      for (const run of ['20270101-a', '20270101-ab', '20280101-c']) await records.begin(headOf(run))
      expect((await records.run(key, '2028'))?.head.run).toBe('20280101-c')
      expect((await records.run(key, '20270101-a'))?.head.run).toBe('20270101-a')
      expect(await records.run(key, '2029')).toBeUndefined()
      expect(await records.run(key, '%')).toBeUndefined()
      expect(await records.run(key, '../x')).toBeUndefined()
      await expect(records.run(key, '2027')).rejects.toThrow('2 runs begin with "2027": 20270101-ab, 20270101-a')
    })
  })

  describe(`${name}: receipts`, () => {
    it('are written, replaced and removed, and are returned sorted by address', async () => {
      const records = await open()
      await records.keep(key, [receipt('Service/b'), receipt('Service/B'), receipt('Service/a', 'old')], [])
      await records.keep(
        key,
        [receipt('Service/a', 'older'), receipt('Service/a', 'new')],
        ['Service/b', 'Service/none'],
      )
      const receipts = await (await open()).receipts(key)
      expect(receipts).toEqual([receipt('Service/B'), receipt('Service/a', 'new')])
    })

    it('are kept in the order of the calls if there are many at once', async () => {
      const records = await open()
      const values = Array.from({ length: 50 }, (_, index) => `${index}`)
      await Promise.all(values.map((value) => records.keep(key, [receipt(`Service/${value}`)], [`Service/${value}x`])))
      expect(await records.receipts(key)).toHaveLength(50)
    })

    it('accept an address of any length', async () => {
      const records = await open()
      const address = `Service/${'%2F'.repeat(3_000)}`
      await records.keep(key, [receipt(address)], [])
      expect(await records.receipts(key)).toEqual([receipt(address)])
    })

    it('are stored completely or not at all if their writer is killed', async () => {
      const writer = start('keep')
      await writer.linesUntil((lines) => lines.length >= 5)
      await writer.kill()
      const receipts = await (await open()).receipts(key)
      const rounds = new Set(receipts.map((each) => each.run))
      expect(receipts).toHaveLength(300)
      expect(rounds.size).toBe(1)
    })

    it('of other projects in the area are returned as claims', async () => {
      const records = await open()
      await records.keep(key, [receipt('Service/own')], [])
      await records.keep({ ...key, project: 'b' }, [receipt('Service/theirs')], [])
      await records.keep({ ...key, project: 'c' }, [receipt('Service/also')], [])
      await records.keep({ ...key, area: 'elsewhere', project: 'd' }, [receipt('Service/elsewhere')], [])
      expect((await records.claims(key)).map((each) => each.address)).toEqual(['Service/also', 'Service/theirs'])
    })
  })

  describe(`${name}: the messages sent to webhooks`, () => {
    const told = (webhook: string, at = 1): Notified => {
      return { webhook, part: '', matter: 'drift', digest: 'sha256:1', since: 1, at }
    }

    it('are empty at first, and then the last written ones, only for this project', async () => {
      const records = await open()
      expect(await records.notified(key)).toEqual([])
      await records.changeNotified(key, () => [told('a'), told('b')])
      await records.changeNotified(key, (before) => [...before.slice(1), told('c', 2)])
      const other = await open()
      expect(await other.notified(key)).toEqual([told('b'), told('c', 2)])
      expect(await other.notified({ ...key, project: 'other' })).toEqual([])
      await other.changeNotified(key, () => [])
      expect(await (await open()).notified(key)).toEqual([])
    })

    it('are not lost if several processes write at once', async () => {
      const stores = await Promise.all([open(), open(), open()])
      await Promise.all(
        stores.map((each, index) => each.changeNotified(key, (before) => [...before, told(`webhook ${index}`)])),
      )
      const found = (await (await open()).notified(key)).map(({ webhook }) => webhook)
      expect(found.sort()).toEqual(['webhook 0', 'webhook 1', 'webhook 2'])
    })

    it('are written beside a run that has the lock, and neither loses anything', async () => {
      const [run, drift] = await Promise.all([open(), open()])
      const lock = await run.lock(key, worker, 'r1')
      expect(lock.is).toBe('taken')
      await run.keep(key, [receipt('Service/A')], [])
      await drift.changeNotified(key, () => [told('a')])
      await run.keep(key, [receipt('Service/B')], [])
      await run.changeNotified(key, (before) => [...before, told('b')])
      const other = await open()
      expect((await other.receipts(key)).map(({ address }) => address)).toEqual(['Service/A', 'Service/B'])
      expect(await other.notified(key)).toEqual([told('a'), told('b')])
    })
  })

  describe(`${name}: the lock`, () => {
    it('is held once, and says by whom and since when', async () => {
      const records = await open()
      const first = await records.lock(key, worker, 'r1')
      expect(first.is).toBe('taken')
      const second = await (await open()).lock({ ...key, url: `${key.url}/` }, { ...worker, who: 'me' }, 'r2')
      const holder: HeldLock = { heldBy: worker, since: 1_000, run: 'r1' }
      expect(second).toEqual({ is: 'held', by: holder })
      expect(await records.holder(key)).toEqual(holder)
    })

    it('can be taken again after it was released, or its store was closed', async () => {
      const records = await open()
      for (const run of ['r1', 'r2', 'r3']) {
        const taking = await records.lock(key, worker, run)
        if (taking.is !== 'taken') throw new Error(`held by ${taking.by.run}`)
        await taking.lock.release()
        await taking.lock.release()
        expect(taking.lock.lost.aborted).toBe(false)
        expect(await records.holder(key)).toBeUndefined()
      }
      const other = await open()
      expect((await other.lock(key, worker, 'r4')).is).toBe('taken')
      await other.close()
      opened.splice(opened.indexOf(other), 1)
      expect((await records.lock(key, worker, 'r5')).is).toBe('taken')
    })

    it('is certain while its holder can renew it, and lost for ever to a holder that slept for a minute', async () => {
      const taking = await (await open()).lock(key, worker, 'r1')
      if (taking.is !== 'taken') throw new Error('held')
      let now = Date.now()
      vi.useFakeTimers({ toFake: ['Date'], now })
      onTestFinished(() => {
        vi.useRealTimers()
      })
      const wait = (milliseconds: number): void => {
        now += milliseconds
        vi.setSystemTime(now)
      }
      for (let slept = 0; slept < 5; slept += 1) {
        wait(35_000)
        expect(await taking.lock.isHeld()).toBe(true)
      }
      wait(60_000)
      expect(await taking.lock.isHeld()).toBe(false)
      expect(taking.lock.lost.aborted).toBe(true)
      wait(-60_000)
      expect(await taking.lock.isHeld()).toBe(false)
      await taking.lock.release()
    })

    it('is the same for all spellings of an area', async () => {
      const records = await open()
      const spelt = { url: 'http://localhost:4010', area: '00000000-0000-4000-8000-00000000a4ea' }
      expect((await records.lock(spelt, worker, 'r1')).is).toBe('taken')
      for (const url of ['HTTP://127.0.0.1:4010/', 'http://LocalHost:4010/x/..', 'http://localhost.:4010']) {
        expect((await records.lock({ ...spelt, url }, worker, 'r2')).is, url).toBe('held')
      }
      expect((await records.lock({ ...spelt, area: spelt.area.toUpperCase() }, worker, 'r2')).is).toBe('held')
    })

    it('of another area is another lock', async () => {
      const records = await open()
      expect((await records.lock(key, worker, 'r1')).is).toBe('taken')
      expect((await records.lock({ ...key, area: 'other' }, worker, 'r2')).is).toBe('taken')
    })

    it('goes to one of many that try at once', async () => {
      const stores = await Promise.all(Array.from({ length: 6 }, open))
      for (let round = 0; round < 5; round += 1) {
        const takings = await Promise.all(stores.map((records, index) => records.lock(key, worker, `r${index}`)))
        const taken = takings.flatMap((taking) => (taking.is === 'taken' ? [taking.lock] : []))
        expect(taken).toHaveLength(1)
        await taken[0]?.release()
      }
    })

    it('is refused to another process while its holder lives, and is free after that is killed', async () => {
      const holder = start('hold', 'first')
      await holder.linesUntil((lines) => lines.includes('taken'))
      const records = await open()
      const refused = await records.lock(key, worker, 'second')
      expect(refused).toMatchObject({ is: 'held', by: { run: 'first', heldBy: { who: 'child', pid: holder.pid } } })
      await holder.kill()
      await expect.poll(async () => (await records.lock(key, worker, 'second')).is).toBe('taken')
    })

    it('of a killed holder goes to one of several processes', async () => {
      const holder = start('hold', 'first')
      await holder.linesUntil((lines) => lines.includes('taken'))
      await holder.kill()
      const takers = ['a', 'b', 'c'].map((run) => start('hold', run))
      const answers = await Promise.all(takers.map((taker) => taker.linesUntil((lines) => lines.length > 0)))
      expect(answers.flat().sort()).toEqual(['held', 'held', 'taken'])
    })
  })
}

interface Child {
  readonly pid: number | undefined
  /** Resolves with the lines that the child has printed so far. */
  readonly linesUntil: (enough: (lines: readonly string[]) => boolean) => Promise<readonly string[]>
  /** Sends SIGKILL; resolves when the process is gone. */
  readonly kill: () => Promise<void>
}

function startChild(address: string, task: string, args: readonly string[], cwd?: string): Child {
  const child: ChildProcess = spawn(process.execPath, [join(inject('built'), 'child.js'), address, task, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd,
  })
  const gone = once(child, 'exit')
  const lines: string[] = []
  const waiting = new Set<() => void>()
  if (!child.stdout) throw new Error('the child has no output')
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  return {
    pid: child.pid,
    linesUntil: (enough) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!enough(lines)) return
          waiting.delete(look)
          resolve([...lines])
        }
        waiting.add(look)
        gone.then(() => reject(new Error(`the child ended after ${lines.length} lines`)), reject)
        look()
      }),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await gone
    },
  }
}
