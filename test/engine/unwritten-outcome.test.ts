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
import { embedded, environment, testClock, type World } from '../kit/world.js'

/** A place of records that is away for a moment while a run is under way. */

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

/** Applies while the first entry of that sort cannot be written down. */
async function applyWhileAway(world: World, what: JournalEntry['is']): Promise<RunResult> {
  const ports = portsOf(world)
  const nothing = { url: undefined, area: undefined, logHttp: undefined, paths: [], select: [], labels: [] }
  const request: PlanRequest = { ...planDefaults, ...nothing, directory: '.', allowFile: [] }
  const opened = await openArea(request, ports, 'to plan')
  const { records } = opened.last
  const begin: typeof records.begin = async (...given) => awayOnce(await records.begin(...given), what)
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

function awayOnce(journal: Journal, what: JournalEntry['is']): Journal {
  let isAway = false
  return {
    ...journal,
    append: (entry) => {
      if (isAway || entry.is !== what) return journal.append(entry)
      isAway = true
      return Promise.reject(new Error('no space is left on the disk'))
    },
  }
}

test('what became of a change is written down at the end if it could not be before: it can be undone', async () => {
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

test('whatever goes wrong at the end, what was done is told', async () => {
  const world = embedded()
  world.declare(service('A', 'old'))
  const { is, document, failures } = await applyWhileAway(world, 'ended')
  expect([is, document.summary.applied]).toEqual(['incomplete', 1])
  expect(failures.map(({ message }) => message)).toEqual(['internal error: no space is left on the disk'])
})
