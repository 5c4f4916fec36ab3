import type { DBOSClient } from '@dbos-inc/dbos-sdk'
import { groupBy } from '../json/groups.js'
import { errorText } from '../problems/problem.js'
import type { Liveness } from './liveness.js'
import type { WorkerSetup } from './workflows.js'

interface Recovering {
  readonly now: () => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

interface RecoveryInput {
  readonly client: DBOSClient
  readonly setup: Pick<WorkerSetup, 'worker' | 'recoverMs' | 'warn'>
  readonly alive: Liveness
  /** The workflows that this worker runs. */
  readonly running: ReadonlySet<string>
}

/**
 * Regularly looks for workflows whose worker has ended, and puts them back into their queues. If the database was unavailable, it
 * has released the locks of all workers, even of living ones. Therefore a worker counts as ended only if its lock has been free
 * for some time.
 */
export function recovery({ client, setup, alive, running }: RecoveryInput): Recovering {
  const { worker, recoverMs, warn } = setup
  /**
   * Since when the lock of a worker with work has been free, and since when workflows are assigned to this worker that it does
   * not know.
   */
  const freeSince = new Map<string, number>()
  const lostSince = new Map<string, number>()

  const pending = (of: { readonly executorId?: string } = {}) =>
    client.listWorkflows({ status: 'PENDING', loadInput: false, loadOutput: false, ...of })

  const resume = async (found: Awaited<ReturnType<typeof pending>>): Promise<readonly string[]> => {
    for (const { workflowID, queueName } of found) {
      await client.resumeWorkflow(workflowID, queueName === undefined ? {} : { queueName })
    }
    return found.map(({ workflowID }) => workflowID)
  }

  /** Whether a state has lasted long enough. */
  const lasts = (known: Map<string, number>, what: string): boolean => {
    const since = known.get(what) ?? Date.now()
    known.set(what, since)
    return Date.now() - since >= recoverMs
  }

  const ofOther = async (other: string): Promise<readonly string[]> => {
    const found = await alive.ifGone(other, async () =>
      // The list is read again, because another worker may have taken the workflows in the meantime.
      lasts(freeSince, other) ? resume(await pending({ executorId: other })) : [],
    )
    if (found === undefined) freeSince.delete(other)
    return found ?? []
  }

  /** Workflows that were assigned to this worker in an answer that never arrived. */
  const ownLost = (ids: readonly string[]): readonly string[] => {
    const lost = ids.filter((id) => !running.has(id))
    keepOnly(lostSince, lost)
    return lost.filter((id) => lasts(lostSince, id))
  }

  const now = async (): Promise<readonly string[]> => {
    if (!alive.isHeld()) {
      freeSince.clear()
      lostSince.clear()
      return []
    }
    const byWorker = groupBy(await pending(), ({ executorId }) => executorId ?? '')
    // A worker without unfinished workflows was alive, so its time starts again.
    keepOnly(freeSince, [...byWorker.keys()])
    const own = byWorker.get(worker) ?? []
    const lost = ownLost(own.map(({ workflowID }) => workflowID))
    const resumed = [...(await resume(own.filter(({ workflowID }) => lost.includes(workflowID))))]
    for (const other of byWorker.keys()) if (other !== worker) resumed.push(...(await ofOther(other)))
    return resumed
  }

  let underWay: Promise<unknown> | undefined
  const timer = setInterval(() => {
    underWay ??= now()
      .catch((error: unknown) => warn(`workers that are gone cannot be looked for: ${errorText(error)}`))
      .finally(() => {
        underWay = undefined
      })
  }, recoverMs)
  return {
    now,
    stop: async () => {
      clearInterval(timer)
      await underWay
    },
  }
}

function keepOnly(known: Map<string, unknown>, names: readonly string[]): void {
  for (const name of known.keys()) if (!names.includes(name)) known.delete(name)
}
