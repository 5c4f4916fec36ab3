import { workerOf } from '../../history/worker.js'
import type { Ports } from '../../ports/ports.js'
import { openWorkflowClient } from '../../workflows/client.js'
import type { Fleet } from '../fleet.js'
import type { Controls } from './controls.js'
import { applicationOf, fleetDatabaseIn, workflowFormat } from './names.js'
import { openFleetStore } from './store.js'

type OwnPorts = Pick<Ports, 'env' | 'now'>

/** Opens the store of a fleet for `work`. Throws a ProblemError if the database cannot be used. */
export async function withFleetStore<Known extends Pick<Fleet, 'name'>, Value>(
  fleet: Known,
  { env, now }: OwnPorts,
  work: (server: Omit<Controls<Known>, 'workflows'>) => Promise<Value>,
): Promise<Value> {
  const store = await openFleetStore(fleetDatabaseIn(env), fleet.name)
  try {
    return await work({ fleet, store, now })
  } finally {
    await store.close()
  }
}

/**
 * Opens the store and the workflows of a fleet, to make decisions. `who` is the user of this machine or CI job. The workers are
 * notified of decisions.
 */
export const withControls = <Known extends Pick<Fleet, 'name'>, Value>(
  fleet: Known,
  ports: OwnPorts,
  work: (controls: Controls<Known>, who: string) => Promise<Value>,
): Promise<Value> =>
  withFleetStore(fleet, ports, async (server) => {
    const url = fleetDatabaseIn(ports.env)
    const workflows = await openWorkflowClient({ url, application: applicationOf(fleet), format: workflowFormat })
    try {
      return await work({ ...server, workflows }, workerOf(ports).who)
    } finally {
      await workflows.close()
    }
  })
