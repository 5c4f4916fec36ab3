import { fleetReader } from '../../fleet/read-fleet.js'
import { fleetDatabaseIn } from '../../fleet/serve/names.js'
import { fleetPages, servePages } from '../../fleet/serve/pages.js'
import { type FleetWorker, openFleetWorker } from '../../fleet/serve/serve.js'
import { aborted } from '../../ports/interruption.js'
import { exit } from '../exit.js'
import { childrenIn, fileOf, fleetOf } from '../fleet-of.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

interface FleetServeOptions extends GlobalOptions {
  readonly host: string
  readonly port: number
  readonly jobs: number
  /** If false, the process is only a worker. */
  readonly pages: boolean
}

/** `fleet serve`: runs a worker of the fleet with its pages until the signal is aborted, which is its normal end. */
export async function fleetServeCommand(options: FleetServeOptions, io: Io): Promise<number> {
  const { fleet } = fleetOf(options, io)
  const database = fleetDatabaseIn(io.env)
  io.mask.learn(new URL(database).password)
  const warn = (message: string) => io.stderr.write(`${message}\n`)
  const read = fleetReader(fileOf(options), io)
  const request = { fleet, database, jobs: options.jobs, warn, read }
  const worker = await openFleetWorker(request, { ...io, child: await childrenIn(io) })
  try {
    const pages = options.pages ? await openPages(worker, options, io) : undefined
    io.stdout.write(
      options.output === 'json'
        ? `${JSON.stringify({ worker: worker.name, url: pages?.url ?? null })}\n`
        : `Worker ${worker.name} of fleet ${fleet.name} takes jobs, ${options.jobs} at a time.\n${pages ? `Its pages are at ${pages.url}\n` : ''}`,
    )
    await aborted(io.signal)
    if (!options.quiet) warn('running areas finish first; a second signal ends the worker at once')
    await pages?.close()
  } finally {
    await worker.close()
  }
  return exit.done
}

async function openPages({ store, workflows, inForce }: FleetWorker, { host, port }: FleetServeOptions, io: Io) {
  const app = fleetPages({
    ...{ ...inForce, store, workflows, now: io.now, listensAt: host },
    secret: await store.secret(),
    isWell: async () => (await store.areas()).length >= 0,
  })
  return await servePages(app, { host, port })
}
