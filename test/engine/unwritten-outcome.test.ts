import { expect, test } from 'vitest'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import { type Area, closeArea, openArea, planArea } from '../../src/engine/area.js'
import { executePlan, type RunResult } from '../../src/engine/execute-plan.js'
import { maskOf } from '../../src/engine/masking.js'
import { type PlanRequest, planDefaults } from '../../src/engine/requests.js'
import { vaultOf } from '../../src/engine/vault.js'
import { takeLease } from '../../src/history/run-journal.js'
import type { Ports } from '../../src/ports/ports.js'
import { harmless } from '../../src/ports/progress.js'
import type { Journal, JournalEntry } from '../../src/stores/record.js'
import { document } from '../kit/manifests.js'
import { embedded, environment, isWrite, testClock, type World } from '../kit/world.js'

/** Records that cannot be reached for a moment during a run. */

const service = (name: string, text: string) => document('Service', name, { description: text })

function portsOf({ make, dir }: World): Ports {
  const env = environment
  const { signal } = new AbortController()
  return {
    ...{ env, cwd: dir, signal, ...testClock(), progress: harmless({}) },
    transport: async () => fetchTransport((url, init) => make.fetch(new Request(url, init))),
    ...{ mask: maskOf(env), vault: vaultOf({ env, cwd: dir }) },
  }
}

/** Applies while one entry of that sort cannot be written: the first, or a later one. */
async function applyWhileAway(world: World, what: JournalEntry['is'], which = 1): Promise<RunResult> {
  const ports = portsOf(world)
  const nothing = { url: undefined, area: undefined, logHttp: undefined, paths: [], select: [], labels: [] }
  const request: PlanRequest = { ...planDefaults, ...nothing, directory: '.', allowFile: [] }
  const opened = await openArea(request, ports, 'to plan')
  const { records } = opened.last
  const begin: typeof records.begin = async (...given) => awayOnce(await records.begin(...given), what, which)
  const area: Area = { ...opened, last: { ...opened.last, records: { ...records, begin } } }
  try {
    const lease = await takeLease(area, { lockTimeoutMs: 0 }, ports)
    const planned = await planArea(area, request, ports, 'plan')
    const start = {
      area,
      lease,
      planned,
      sentBefore: 0,
      remarks: [],
      purpose: { is: 'apply' },
      waitDomainsMs: 0,
    } as const
    const done = async () => undefined
    return await executePlan({ ...start, keep: done, commit: () => undefined }, request, ports)
  } finally {
    await closeArea(opened)
  }
}

function awayOnce(journal: Journal, what: JournalEntry['is'], which: number): Journal {
  let times = 0
  return {
    ...journal,
    append: (entry) => {
      if (entry.is === what) times += 1
      if (entry.is !== what || times !== which) return journal.append(entry)
      return Promise.reject(new Error('no space is left on the disk'))
    },
  }
}

test('the outcome of a change is recorded at the end if it could not be recorded before, so that it can be undone', async () => {
  const world = embedded()
  world.declare(service('A', 'old'))
  expect((await world.apply()).exitCode).toBe(0)
  world.declare(service('A', 'new'))
  expect((await applyWhileAway(world, 'settled')).is).toBe('done')
  expect((await world.run(['show', 'latest'])).stdout).toContain('1 applied.')
  const undone = await world.run(['rollback', 'latest', '--yes'])
  expect([undone.exitCode, undone.stderr]).toEqual([0, expect.not.stringContaining('nobody knows')])
  expect(undone.stdout).toContain('new → old')
})

test('whatever goes wrong at the end, the changes that were done are reported', async () => {
  const world = embedded()
  world.declare(service('A', 'old'))
  const { is, document, failures } = await applyWhileAway(world, 'ended')
  expect([is, document.summary.applied]).toEqual(['incomplete', 1])
  expect(failures.map(({ message }) => message)).toEqual(['internal error: no space is left on the disk'])
})

test('a change that cannot be announced is not sent, and earlier changes are reported as done', async () => {
  const world = embedded()
  world.declare(
    service('A', 'one'),
    document('Package', 'P', { plans: [{ name: 'Gold', services: [{ name: 'A' }] }] }),
    document('Package', 'Q', { plans: [{ name: 'Gold', services: [{ name: 'A' }] }] }),
  )
  const { is, document: run } = await applyWhileAway(world, 'announced', 2)
  expect(world.requests().filter(isWrite)).toHaveLength(1)
  expect(is).toBe('incomplete')
  const outcomes = run.changes.map(({ address, outcome, error }) => ({ address, outcome, error }))
  const error = 'the records cannot be written: no space is left on the disk'
  expect(outcomes[0]).toEqual({ address: 'Service/A', outcome: 'applied', error: null })
  expect(outcomes.slice(1)).toEqual(outcomes.slice(1).map((each) => ({ ...each, outcome: 'notStarted', error })))
  const next = (await world.apply()).json()
  expect(next.changes.map(({ address }) => address)).toEqual(outcomes.slice(1).map(({ address }) => address))
  expect(next.summary).toMatchObject({ applied: outcomes.length - 1, failed: 0 })
})
