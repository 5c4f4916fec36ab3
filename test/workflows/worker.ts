import { createInterface } from 'node:readline'
import { Client } from 'pg'
import type { Json, JsonObject } from '../../src/json/json.js'
import { openWorker } from '../../src/workflows/worker.js'
import type { WorkerSetup, WorkflowBody, Workflows } from '../../src/workflows/workflows.js'

/** A worker of the contract test in a separate process: it obeys lines on stdin until it is killed. */

const setup: Omit<WorkerSetup, 'bodies' | 'warn'> = JSON.parse(process.argv[2] ?? '')
const log = new Client({ connectionString: setup.url })
await log.connect()

/** Notes, by the clock of the database, a start, waits for this time, and notes the end. */
async function note(name: string, milliseconds: number): Promise<Json> {
  const { rows } = await log.query<{ id: number }>(
    'insert into noted (name, worker, began) values ($1, $2, clock_timestamp()) returning id',
    [name, setup.worker],
  )
  await new Promise((done) => setTimeout(done, milliseconds))
  await log.query('update noted set ended = clock_timestamp() where id = $1', [rows[0]?.id])
  return null
}

/** `slow`: the only worker that takes this long. */
const inputOf = (input: Json) =>
  input as JsonObject & { readonly name: string; readonly ms?: number; readonly slow?: string }

const bodies: Readonly<Record<string, WorkflowBody>> = {
  note: (input, { step }) => {
    const { name, ms = 0 } = inputOf(input)
    return step('note', () => note(name, ms))
  },
  twoSteps: async (input, { step }) => {
    const { name, ms = 0, slow } = inputOf(input)
    await step('one', () => note(`${name} one`, 0))
    return step('two', () => note(`${name} two`, slow === setup.worker ? ms : 0))
  },
  sleeper: async (input, { step, sleep }) => {
    const { name, ms = 0 } = inputOf(input)
    await step('before', () => note(`${name} before`, 0))
    await step('next', () => note(`after ${name}`, 0))
    await sleep(ms)
    return step('after', () => note(`${name} after`, 0))
  },
  listener: async (input, { step, received }) => {
    const { name, ms = 0 } = inputOf(input)
    await step('before', () => note(`${name} listens`, 0))
    await step('next', () => note(`after ${name}`, 0))
    return (await received('topic', ms)) ?? 'nothing came'
  },
  parent: async (input, { id, enqueue, wait }) => {
    const { name } = inputOf(input)
    const child = { workflow: 'note', id: `${id} child`, input: { name }, queue: 'wide', partition: name }
    return [...(await enqueue([child])), (await wait(child.id)).is]
  },
  failing: () => Promise.reject(new Error('as it should')),
  moment: (input, { step }) => {
    const { name, at } = input as { readonly name: string; readonly at: string }
    return step('note', () => note(`${name} ${at}`, 0))
  },
}

const say = (value: Json): unknown => process.stdout.write(`${JSON.stringify(value)}\n`)
const worker: Workflows = await openWorker({
  ...setup,
  bodies,
  warn: () => undefined,
})
say('open')

for await (const line of createInterface({ input: process.stdin })) {
  const { number, verb, args } = JSON.parse(line) as { number: number; verb: keyof Workflows; args: never[] }
  const call = worker[verb] as (...args: readonly never[]) => Promise<Json | undefined>
  call(...args).then(
    (value) => say({ number, value: value ?? null }),
    (error: unknown) => say({ number, error: String(error) }),
  )
}
await worker.close(0)
await log.end()
