import { hostname } from 'node:os'
import { openRecords } from '../../src/stores/open.js'
import type { Receipt } from '../../src/stores/record.js'

/** The other process of the contract test: opens the records and works until it is killed. */
const [address = '', task = '', run = 'run'] = process.argv.slice(2)
const key = { url: 'https://platform.example', area: 'a4ea', project: 'shop' }
const worker = { who: 'child', host: hostname(), pid: process.pid }
const say = (line: string | number): void => {
  process.stdout.write(`${line}\n`)
}

const records = await openRecords(address, { dir: process.cwd(), now: Date.now })
await perform()
// It keeps everything that it holds until it is killed.
setInterval(() => undefined, 1_000)

async function perform(): Promise<void> {
  switch (task) {
    case 'hold':
      return say((await records.lock(key, worker, run)).is)
    case 'write':
      return await write()
    case 'keep':
      return await keep()
    default:
      throw new Error(`there is no task ${task}`)
  }
}

/** Appends entries without end, several at a time; prints the number of each when it is acknowledged. */
async function write(): Promise<void> {
  const head = { run, key, worker, started: 0, commit: undefined, plan: 'p', manifests: 'm', changes: [] }
  const journal = await records.begin({ ...head, purpose: { is: 'apply' } })
  const append = async (number: number): Promise<void> => {
    const entry = { step: `${number}`, request: `PUT /${'x'.repeat(500)}`, addresses: [], creates: [], at: 0 }
    await journal.append({ is: 'announced', ...entry })
    say(number)
  }
  const several = Array.from({ length: 20 }, (_, index) => index)
  for (let number = 0; ; number += 20) await Promise.all(several.map((more) => append(number + more)))
}

/** Replaces all receipts again and again; the receipts of one round are kept together. */
async function keep(): Promise<void> {
  for (let round = 0; ; round += 1) {
    const receipts = Array.from({ length: 300 }, (_, index): Receipt => {
      const image = { fields: { description: 'x'.repeat(500) }, fingerprints: {} }
      return { address: `Service/${index}`, kind: 'Service', id: '1', image, run: `${round}`, origin: 'created' }
    })
    await records.keep(key, receipts, [])
    say(round)
  }
}
