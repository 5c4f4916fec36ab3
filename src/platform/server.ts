import type { JsonObject } from '../json/json.js'
import type { PlatformArea, Write } from './area.js'
import type { Disruption } from './disruption.js'
import { makeExchange } from './exchange.js'
import type { FaultKind } from './fault-kinds.js'
import { makeFaults } from './faults.js'
import { makeIds } from './ids.js'
import type { LogEntry } from './log.js'
import { inMemory, openFile } from './persistence.js'
import { Replica } from './replica.js'
import { writeOf } from './rest.js'
import { loadSeed } from './seed.js'
import { type PlatformSettings, type SeedSnapshot, settingsOf } from './settings.js'
import { Store } from './store.js'

/** The embedded platform in this process; `fetch` answers requests to {base_url} for any host name. */
export interface Platform {
  /** Rejects if a fault drops the connection. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly exchange: (request: Request) => Promise<Disruption>
  readonly seed: (snapshot: SeedSnapshot) => void
  readonly close: () => void
  /** All requests so far, in the order of their answers. */
  readonly log: readonly LogEntry[]
}

/** A platform with the objects of its data file. If the file has none, it gets the objects of the seed. */
export function createPlatform(options: PlatformSettings = {}): Platform {
  const settings = settingsOf(options)
  const faults = makeFaults(options.faults ?? [])
  const persistence = options.data === undefined ? inMemory : openFile(options.data)
  const replicas = new Map<number, Replica>()
  const store = new Store((changes, at) => {
    persistence.write(changes)
    for (const replica of replicas.values()) replica.note(changes, at)
  })
  const area: PlatformArea = { store, ids: makeIds(options.idSeed), settings }
  try {
    persistence.load(store)
    if (store.size === 0) populate(area, options.seed)
  } catch (error) {
    persistence.close()
    throw error
  }
  for (const delay of lagsOf(faults.kinds)) replicas.set(delay, new Replica(delay, store))
  const log: LogEntry[] = []
  const exchange = makeExchange(area, faults, replicas, log)
  return {
    exchange,
    fetch: async (request) => {
      const { response, disruption } = await exchange(request)
      if (disruption === 'reset') throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
      return response
    },
    seed: (snapshot) => {
      const write = writeOf(area, settings.username)
      store.transact(() => loadSeed(write, snapshot), write.now)
    },
    close: persistence.close,
    log,
  }
}

const lagsOf = (met: readonly FaultKind[]): readonly number[] =>
  met.flatMap((fault) => (fault.is === 'lag' || fault.is === 'stale' ? [fault.milliseconds] : []))

function populate(area: PlatformArea, seed: SeedSnapshot | undefined): void {
  const write = writeOf(area, area.settings.username)
  area.store.transact(() => {
    // A snapshot with a list of roles also contains the predefined ones.
    if (!seed?.roles) fillNewArea(write)
    if (seed) loadSeed(write, seed)
  }, write.now)
}

/** Creates the objects of a new area: a predefined role and a set of email templates. */
function fillNewArea(write: Write): void {
  insert(write, 'Role', undefined, {
    name: 'Everyone',
    description: 'Every visitor of the portal',
    isPredefined: true,
    isOrgrole: false,
    isAssignable: true,
  })
  for (const [type, subject] of templates) {
    insert(write, 'EmailTemplate', '1', { type, subject, from: 'portal@example.com', body: `${subject}.` })
  }
}

const templates = [
  ['keyIssued', 'Your key was issued'],
  ['keyDisabled', 'Your key was disabled'],
  ['nearQuota', 'Your key is close to its quota'],
  ['overQuota', 'Your key has used up its quota'],
] as const

function insert(write: Write, kind: 'Role' | 'EmailTemplate', owner: string | undefined, fields: JsonObject): void {
  const { area, now } = write
  const id = area.ids.of(kind)
  area.store.insert({ kind, id, parent: undefined, slot: '', owner, created: now, updated: now, fields })
}
