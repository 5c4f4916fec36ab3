import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/json/json.js'
import type { NewJob, WorkerSetup, WorkflowClient, WorkflowState, Workflows } from '../../src/workflows/workflows.js'

/** What an engine gives to the contract test. */
export interface EngineUnderTest {
  /** An empty database for it; called once. */
  readonly database: () => Promise<string>
  /** The program of a worker, which gets its setup as its one argument (`worker.ts`). */
  readonly program: () => string
  readonly openClient: (setup: Pick<WorkerSetup, 'url' | 'application' | 'format'>) => Promise<WorkflowClient>
  readonly query: (url: string, sql: string) => Promise<readonly unknown[]>
  readonly end: () => Promise<void>
}

interface Noted {
  readonly name: string
  readonly worker: string
  readonly began: number
  readonly ended: number | null
}

/** A worker in a separate process. */
interface WorkerProcess extends Pick<Workflows, 'start' | 'enqueue' | 'schedule' | 'wait' | 'signal' | 'list'> {
  readonly name: string
  readonly recover: Workflows['recover']
  readonly forget: Workflows['forget']
  readonly takeFrom: Workflows['takeFrom']
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** The behaviour that every engine must have, however its workers end. */
export function workflowsContract(
  engine: string,
  { database, program, openClient, query, end }: EngineUnderTest,
): void {
  describe(`the eight verbs on ${engine}`, () => {
    const workers: WorkerProcess[] = []
    let url = ''
    let anna: WorkerProcess
    let ben: WorkerProcess

    const open = async (name: string, more: Partial<Setup> = {}): Promise<WorkerProcess> => {
      const opened = await openProcess(program(), {
        url,
        application: 'contract',
        format: 'test/1',
        worker: name,
        queues: [
          { name: 'wide', perWorker: 10, partition: { concurrency: 10 } },
          { name: 'pairs', perWorker: 10, partition: { concurrency: 2 } },
          { name: 'rare', perWorker: 10, partition: { concurrency: 10, rate: { limit: 3, periodMs: 3_600_000 } } },
        ],
        pollMs: 100,
        recoverMs: 300,
        ...more,
      })
      workers.push(opened)
      return opened
    }

    beforeAll(async () => {
      url = await database()
      await query(
        url,
        'create table noted (id serial primary key, name text, worker text, began timestamptz, ended timestamptz)',
      )
      const early = openClient({ url, application: 'contract', format: 'test/1' })
      await expect(early).rejects.toMatchObject({ problems: [{ code: 'no-fleet-worker' }] })
      // All at once, like replicas: one of them creates the engine's tables.
      ;[anna, ben] = await Promise.all([open('anna'), open('ben')])
    })

    afterAll(async () => {
      await Promise.all(workers.map((worker) => worker.stop()))
      await end()
    })

    const noted = async (like: string): Promise<readonly Noted[]> =>
      (await query(
        url,
        `select name, worker, (extract(epoch from began) * 1000)::float as began, (extract(epoch from ended) * 1000)::float as ended
           from noted where name like '${like}' order by id`,
      )) as readonly Noted[]

    const names = async (like: string) => (await noted(like)).map(({ name }) => name)

    const job = (id: string, more: Partial<NewJob> = {}): NewJob => ({
      workflow: 'note',
      id,
      input: { name: id },
      queue: 'wide',
      partition: 'p',
      ...more,
    })

    it('start: a workflow runs once for its id, and can be awaited', async () => {
      await anna.start({ workflow: 'note', id: 'started', input: { name: 'started' } })
      expect(await ben.wait('started')).toEqual({ is: 'done', value: null })
      await ben.start({ workflow: 'note', id: 'started', input: { name: 'started' } })
      expect(await names('started')).toEqual(['started'])
    })

    it('enqueue: a job runs once for its id, on any worker, and so do its children', async () => {
      expect(await anna.enqueue(job('family', { workflow: 'parent' }))).toBe('queued')
      expect(await anna.wait('family')).toEqual({ is: 'done', value: ['queued', 'done'] })
      expect(await anna.enqueue(job('family', { workflow: 'parent' }))).toBe('queued')
      expect(await names('family')).toEqual(['family'])
    })

    it('wait: a failed workflow gives its reason, and one that has not ended in time gives undefined', async () => {
      await anna.enqueue(job('bad', { workflow: 'failing' }))
      expect(await anna.wait('bad')).toEqual({ is: 'failed', error: 'as it should' })
      expect(await anna.wait('nobody knows it', 1)).toBe(null)
    })

    it('enqueue: one job at a time with the same word', async () => {
      const slow = { workflow: 'listener', input: { name: 'slow', ms: 60_000 }, only: 'area' }
      expect(await anna.enqueue(job('slow', slow))).toBe('queued')
      expect(await ben.enqueue(job('other', { only: 'area' }))).toBe('refused')
      await expect.poll(() => names('slow%')).toEqual(['slow listens'])
      expect(await ben.enqueue(job('other', { only: 'area' }))).toBe('refused')
      await ben.signal('slow', 'topic', 'end')
      expect(await ben.wait('slow')).toEqual({ is: 'done', value: 'end' })
      expect(await ben.enqueue(job('other', { only: 'area' }))).toBe('queued')
    })

    it('enqueue: jobs of a queue from which workers take later', async () => {
      await anna.enqueue(job('early', { queue: 'added' }))
      await ben.takeFrom([{ name: 'added', perWorker: 1, partition: { concurrency: 1 } }])
      expect(await anna.wait('early')).toEqual({ is: 'done', value: null })
    })

    it('enqueue: never more of a partition at once than its limit, over all workers', async () => {
      const ids = Array.from({ length: 10 }, (_, index) => `pair ${index}`)
      for (const id of ids) {
        await anna.enqueue(
          job(id, { queue: 'pairs', partition: id < 'pair 6' ? 'a' : 'b', input: { name: id, ms: 150 } }),
        )
      }
      for (const id of ids) await ben.wait(id)
      const all = await noted('pair %')
      for (const part of [all.filter(({ name }) => name < 'pair 6'), all.filter(({ name }) => name >= 'pair 6')]) {
        const most = Math.max(
          ...part.map(({ began }) => part.filter((each) => each.began <= began && (each.ended ?? 0) > began).length),
        )
        expect(most).toBeLessThanOrEqual(2)
      }
    })

    it('enqueue: never more of a partition in a time than its rate', async () => {
      for (let index = 0; index < 6; index += 1) await anna.enqueue(job(`rare ${index}`, { queue: 'rare' }))
      await expect.poll(() => names('rare %')).toHaveLength(3)
      await anna.enqueue(job('later', { queue: 'rare', partition: 'another' }))
      await anna.wait('later')
      expect(await names('rare %')).toHaveLength(3)
    })

    it('list: by status and id', async () => {
      await anna.start({ workflow: 'note', id: 'listed done', input: { name: 'listed done' } })
      await anna.enqueue(job('listed failed', { workflow: 'failing' }))
      const limited = Array.from({ length: 4 }, (_, index) => `listed limited ${index}`)
      for (const id of limited) await anna.enqueue(job(id, { queue: 'rare', partition: 'listed' }))
      for (const id of ['listed done', 'listed failed', ...limited.slice(0, 3)]) await anna.wait(id)
      const listed = async (status: WorkflowState['status']) =>
        (await anna.list({ status: [status] }))
          .map(({ id }) => id)
          .filter((id) => id.startsWith('listed '))
          .sort()
      const [done] = await anna.list({ ids: ['listed done'] })
      expect(done).toMatchObject({ id: 'listed done', workflow: 'note', status: 'done', worker: anna.name })
      expect(await listed('done')).toEqual(['listed done', ...limited.slice(0, 3)])
      expect(await listed('failed')).toEqual(['listed failed'])
      expect(await listed('queued')).toEqual(limited.slice(3))
    })

    it('recover: a killed worker’s jobs continue at their unfinished step, and those of living workers are not changed', async () => {
      const carl = await open('carl')
      // Only Carl can start the workflows that he adds himself; Ben's own job runs all the time.
      await ben.start({ workflow: 'listener', id: 'bens', input: { name: 'bens', ms: 60_000 } })
      await carl.start({ workflow: 'sleeper', id: 'sleep', input: { name: 'sleep', ms: 1_500 } })
      await carl.start({ workflow: 'listener', id: 'listen', input: { name: 'listen', ms: 60_000 } })
      // A step counts as done once the next one has started.
      await expect.poll(() => names('after sleep')).toHaveLength(1)
      await expect.poll(() => names('after listen')).toHaveLength(1)
      await carl.start({ workflow: 'twoSteps', id: 'two', input: { name: 'two', ms: 600_000, slow: 'carl' } })
      await expect.poll(() => names('two two')).toHaveLength(1)
      await carl.kill()
      // Perhaps nobody has taken it yet.
      await ben.signal('listen', 'topic', 'after the kill')
      expect(await anna.wait('listen')).toEqual({ is: 'done', value: 'after the kill' })
      expect(await anna.wait('two')).toEqual({ is: 'done', value: null })
      expect(await anna.wait('sleep')).toEqual({ is: 'done', value: null })
      expect(await names('two %')).toEqual(['two one', 'two two', 'two two'])
      expect(await names('listen %')).toEqual(['listen listens'])
      const [before, after] = await noted('sleep %')
      expect((after?.began ?? 0) - (before?.began ?? 0)).toBeGreaterThanOrEqual(1_500)
      await ben.signal('bens', 'topic', 'well')
      expect(await anna.wait('bens')).toEqual({ is: 'done', value: 'well' })
      expect(await names('bens %')).toEqual(['bens listens'])
    })

    it('recover: a job that was handed over keeps its word and its partition', async () => {
      const dora = await open('dora')
      // Dora's jobs fill both limits, or the queues would give it to another worker.
      await anna.kill()
      await ben.kill()
      await dora.enqueue(
        job('held', {
          workflow: 'listener',
          queue: 'pairs',
          partition: 'h',
          only: 'h',
          input: { name: 'held', ms: 60_000 },
        }),
      )
      await expect.poll(() => names('held %')).toEqual(['held listens'])
      await dora.kill()
      anna = await open('anna again')
      ben = await open('ben again')
      const holder = async () => (await anna.list({ ids: ['held'] }))[0]
      await expect.poll(async () => (await holder())?.worker).toMatch(/again$/)
      expect(await ben.enqueue(job('second', { queue: 'pairs', partition: 'h', only: 'h' }))).toBe('refused')
      await ben.signal('held', 'topic', 'done')
      expect(await ben.wait('held')).toEqual({ is: 'done', value: 'done' })
      expect(await ben.enqueue(job('second', { queue: 'pairs', partition: 'h', only: 'h' }))).toBe('queued')
    })

    it('schedule: by cron in a time zone, each moment once', async () => {
      // An hour of India is never the same hour of UTC.
      const hour = new Date(Date.now() + 5.5 * 3_600_000).getUTCHours()
      const cron = `* * ${hour},${(hour + 1) % 24} * * *`
      const schedules = [
        { name: 'indian', workflow: 'moment', input: { name: 'indian' }, cron, timezone: 'Asia/Kolkata' },
        { name: 'british', workflow: 'moment', input: { name: 'british' }, cron, timezone: 'UTC' },
      ]
      await Promise.all([anna.schedule(schedules), ben.schedule(schedules)])
      await expect.poll(async () => (await names('indian %')).length).toBeGreaterThan(2)
      await anna.schedule([])
      const moments = await names('indian %')
      expect(new Set(moments).size).toBe(moments.length)
      expect(moments[0]).toMatch(/^indian \d{4}-.*\.000Z$/)
      expect(await names('british %')).toEqual([])
    })

    it('a client, which is not a worker, enqueues, signals, lists and waits', async () => {
      const client = await openClient({ url, application: 'contract', format: 'test/1' })
      await client.enqueue(job('asked', { workflow: 'listener', input: { name: 'asked', ms: 60_000 } }))
      await expect.poll(() => names('asked %')).toHaveLength(1)
      await client.signal('asked', 'topic', ['by a client'])
      expect(await client.wait('asked')).toEqual({ is: 'done', value: ['by a client'] })
      expect(await client.list({ ids: ['asked'] })).toHaveLength(1)
      await client.close()
    })

    it('applications in one database are independent', async () => {
      const cron = '0 0 1 1 *'
      await anna.schedule([{ name: 'yearly', workflow: 'moment', input: { name: 'yearly' }, cron, timezone: 'UTC' }])
      const queues = [{ name: 'other', perWorker: 10, partition: { concurrency: 10 } }]
      const carl = await open('carl', { application: 'another', queues })
      await carl.schedule([])
      await carl.enqueue(job('of another', { queue: 'other' }))
      expect(await carl.wait('of another')).toEqual({ is: 'done', value: null })
      expect((await noted('of another')).map(({ worker }) => worker)).toEqual(['carl'])
      await anna.start({ workflow: 'note', id: 'not of another', input: { name: 'not of another' } })
      await anna.wait('not of another')
      expect(await carl.forget(Date.now() + 60_000)).toBe(1)
      expect(await anna.list({ ids: ['not of another'] })).toHaveLength(1)
      expect(await query(url, 'select schedule_name from dbos.workflow_schedules')).toHaveLength(1)
      await anna.schedule([])
      await carl.stop()
    })

    it('forget: removes workflows that ended long ago', async () => {
      const ids = ['forgotten done', 'forgotten failed']
      await anna.enqueue(job('forgotten done'))
      await anna.enqueue(job('forgotten failed', { workflow: 'failing' }))
      for (const id of ids) await anna.wait(id)
      expect(await anna.forget(0)).toBe(0)
      expect(await anna.list({ ids })).toHaveLength(2)
      expect(await anna.forget(Date.now() + 60_000)).toBeGreaterThanOrEqual(2)
      expect(await anna.list({ ids })).toEqual([])
    })
  })
}

type Setup = Omit<WorkerSetup, 'bodies' | 'warn'>

async function openProcess(program: string, setup: Setup): Promise<WorkerProcess> {
  const child = spawn(process.execPath, ['--no-deprecation', program, JSON.stringify(setup)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit').then(() => Promise.reject(new Error(`${setup.worker} ended`)))
  gone.catch(() => undefined)
  const answers = new Map<number, (answer: { readonly value?: Json; readonly error?: string }) => void>()
  let opened: () => void = () => undefined
  const opening = new Promise<void>((done) => {
    opened = done
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as 'open' | { readonly number: number; readonly value?: Json }
    if (answer === 'open') opened()
    else answers.get(answer.number)?.(answer)
  })
  let count = 0
  const call =
    (verb: string) =>
    async (...args: readonly unknown[]): Promise<never> => {
      count += 1
      const number = count
      const answered = new Promise<{ readonly value?: Json; readonly error?: string }>((done) =>
        answers.set(number, done),
      )
      child.stdin.write(`${JSON.stringify({ number, verb, args })}\n`)
      const { value, error } = await Promise.race([answered, gone])
      if (error !== undefined) throw new Error(error)
      return value as never
    }
  await Promise.race([opening, gone])
  return {
    name: setup.worker,
    ...{ start: call('start'), enqueue: call('enqueue'), schedule: call('schedule'), wait: call('wait') },
    ...{ signal: call('signal'), list: call('list'), recover: call('recover'), forget: call('forget') },
    takeFrom: call('takeFrom'),
    kill: () => ended(child, () => child.kill('SIGKILL')),
    stop: () => ended(child, () => child.stdin.end()),
  }
}

async function ended(child: ChildProcess, by: () => unknown): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  by()
  await exit
}
