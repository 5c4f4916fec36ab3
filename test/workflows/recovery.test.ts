import type { DBOSClient } from '@dbos-inc/dbos-sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { recovery } from '../../src/workflows/recovery.js'

test('only a worker without a lock for some time, from one check to the next, counts as gone', async () => {
  vi.useFakeTimers({ now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  const recoverMs = 30_000
  const resumed: string[] = []
  let pending: readonly { readonly workflowID: string; readonly executorId: string }[] = []
  let isFree = false
  const client: Pick<DBOSClient, 'listWorkflows' | 'resumeWorkflow'> = {
    listWorkflows: () => Promise.resolve(pending as Awaited<ReturnType<DBOSClient['listWorkflows']>>),
    resumeWorkflow: (id) => {
      resumed.push(id)
      return Promise.resolve(undefined as never)
    },
  }
  const alive = {
    isHeld: () => true,
    ifGone: async <Value>(_: string, work: () => Promise<Value>) => (isFree ? await work() : undefined),
  }
  const asked = { client, alive, setup: { worker: 'A', recoverMs, warn: () => undefined }, running: new Set<string>() }
  const looking = recovery(asked as unknown as Parameters<typeof recovery>[0])
  onTestFinished(() => looking.stop())
  const look = async (work: string | undefined, free: boolean): Promise<void> => {
    vi.setSystemTime(Date.now() + recoverMs)
    pending = work === undefined ? [] : [{ workflowID: work, executorId: 'B' }]
    isFree = free
    await looking.now()
  }
  await look('first', true)
  await look(undefined, false)
  await look('second', true)
  expect(resumed).toEqual([])
  await look('second', false)
  await look('second', true)
  expect(resumed).toEqual([])
  await look('second', true)
  expect(resumed).toEqual(['second'])
})
