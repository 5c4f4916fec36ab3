import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '../../src/json/json.js'
import { isObject, objectsIn } from '../../src/json/json.js'
import type { LoggedRequest, Make } from './world.js'

/** A fault during one write of a run. */
export type Misfortune =
  /** The program is killed: it receives no answer and does nothing more. */
  | { readonly is: 'killed'; readonly when: 'before' | 'after' }
  /** The user presses Ctrl-C during the write. */
  | { readonly is: 'interrupted' }
  /** The write is executed, and the connection breaks. */
  | { readonly is: 'lost' }
  /** The write is executed, but the answer says that it failed. */
  | { readonly is: 'failed'; readonly status: number; readonly body: 'json' | 'other json' | 'html' }
  /** A gateway answers after its time limit, and the write is executed later. */
  | { readonly is: 'late'; readonly milliseconds: number }

/** The faults of one run: by the number of the write, counted from 1, and the lag of lists. */
export interface Trouble {
  readonly misfortunes: ReadonlyMap<number, Misfortune>
  readonly lagMs: number
}

export const noTrouble: Trouble = { misfortunes: new Map(), lagMs: 0 }

/** A make behind a bad network. Time passes only when the clock sleeps. */
export interface DisturbedMake extends Make {
  /** Sets the faults for the next run, and counts writes from the beginning. */
  readonly meet: (trouble: Trouble, interrupt: () => void) => void
  /** Resolves when the run is killed: it then waits forever. */
  readonly killed: () => Promise<void>
  /** Ends the waiting of a killed run, so that its resources are released. None of its requests reaches the make any more. */
  readonly bury: () => void
  /** The clock's sleep. A killed run never wakes up from it. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Executes all late writes now. */
  readonly settle: () => Promise<void>
}

interface Clock {
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
}

interface LateWrite {
  readonly due: number
  readonly request: Request
}

/** Adds the faults to a make. */
export function disturbed(make: Make, { now, sleep }: Clock): DisturbedMake {
  const log: LoggedRequest[] = []
  let trouble = noTrouble
  let interrupt = (): void => undefined
  let writes = 0
  let dead = false
  let die = (): void => undefined
  let death = new Promise<void>(() => undefined)
  let bury = (): void => undefined
  let grave = new Promise<never>(() => undefined)
  let late: LateWrite[] = []
  const lists = laggingLists(now)

  /** `at` is the time of execution: late writes from between two runs are executed before the first request of the second run. */
  const carryOut = async (request: Request, at = now()): Promise<Response> => {
    const response = await make.fetch(request)
    if (request.method === 'POST' && response.ok) lists.hide(await response.clone().text(), at + trouble.lagMs)
    return response
  }
  const carryOutDue = async (until: number): Promise<void> => {
    const due = late.filter((each) => each.due <= until)
    late = late.filter((each) => each.due > until)
    for (const each of due) await carryOut(each.request, Math.min(each.due, now()))
  }
  const befall = async (misfortune: Misfortune, request: Request): Promise<Response> => {
    switch (misfortune.is) {
      case 'killed':
        if (misfortune.when === 'after') await carryOut(request)
        dead = true
        die()
        return grave
      case 'interrupted':
        interrupt()
        return carryOut(request)
      case 'lost':
        await carryOut(request)
        throw lostConnection()
      case 'failed':
        await carryOut(request)
        return failure(misfortune.status, misfortune.body)
      case 'late':
        late.push({ due: now() + misfortune.milliseconds, request })
        return failure(504, 'html')
    }
  }
  const answer = async (request: Request): Promise<Response> => {
    if (dead) return grave
    await carryOutDue(now())
    if (request.url.endsWith('/token')) return make.fetch(request)
    if (request.method === 'GET') return lists.read(request, () => make.fetch(request), trouble.lagMs)
    writes += 1
    const misfortune = trouble.misfortunes.get(writes)
    return misfortune ? befall(misfortune, request) : carryOut(request)
  }
  return {
    log,
    meet: (next, stop) => {
      trouble = next
      interrupt = stop
      writes = 0
      dead = false
      death = new Promise((resolve) => {
        die = resolve
      })
      grave = new Promise((_, reject) => {
        bury = () => reject(new Error('killed'))
      })
      grave.catch(() => undefined)
    },
    killed: () => death,
    bury: () => bury(),
    sleep: (milliseconds) => (dead ? grave : sleep(milliseconds)),
    settle: () => carryOutDue(Number.POSITIVE_INFINITY),
    fetch: async (request) => {
      const { pathname: path, search: query } = new URL(request.url)
      const response = await answer(request)
      log.push({ method: request.method, path, query, status: response.status })
      return response
    },
  }
}

/** What a request throws whose connection broke before the answer came. */
export const lostConnection = (): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) })

function failure(status: number, body: 'json' | 'other json' | 'html'): Response {
  if (body === 'html')
    return new Response('<html><body><h1>The gateway gave up.</h1></body></html>', {
      status,
      headers: { 'content-type': 'text/html' },
    })
  return Response.json(body === 'json' ? { errorCode: status, errorMessage: 'out of order' } : { error: 'internal' }, {
    status,
  })
}

/** Makes lists lag: a list that was read stays the same for a while, and lists do not contain new objects. */
function laggingLists(now: () => number) {
  const hidden = new Map<string, number>()
  const kept = new Map<string, { readonly until: number; readonly text: string; readonly headers: Headers }>()
  const hide = (text: string, until: number): void => {
    if (until <= now() || text === '') return
    for (const object of objectsIn(JSON.parse(text) as Json)) {
      if (typeof object.id === 'string') hidden.set(object.id, until)
    }
  }
  const isHidden = (value: Json): boolean =>
    isObject(value) && typeof value.id === 'string' && (hidden.get(value.id) ?? 0) > now()
  const read = async (request: Request, fetch: () => Promise<Response>, lagMs: number): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (lagMs === 0 || !isListPath(pathname)) return fetch()
    const known = kept.get(request.url)
    if (known && known.until > now()) return new Response(known.text, { headers: known.headers })
    const response = await fetch()
    if (!response.ok) return response
    const all = JSON.parse(await response.text()) as Json
    const seen = pruned(all, isHidden)
    const headers = new Headers(response.headers)
    headers.delete('content-length')
    const total = headers.get('x-total-count')
    if (total !== null && Array.isArray(all) && Array.isArray(seen))
      headers.set('x-total-count', String(Number(total) - all.length + seen.length))
    const text = JSON.stringify(seen)
    kept.set(request.url, { until: now() + lagMs, text, headers })
    return new Response(text, { headers })
  }
  return { hide, read }
}

const collections = new Set(
  `services endpoints methods errorSets errorMessages roles packages plans domains members applications packageKeys
  scheduledMaintenanceEvents`.split(/\s+/),
)

const isListPath = (path: string): boolean => collections.has(path.split('/').at(-1) ?? '')

function pruned(value: Json, isHidden: (value: Json) => boolean): Json {
  if (Array.isArray(value)) {
    return (value as readonly Json[]).filter((each) => !isHidden(each)).map((each) => pruned(each, isHidden))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, pruned(each, isHidden)]))
}

/**
 * A killed run leaves its folder as it is. The next run uses a copy, so that the killed one cannot affect it. The lock in the
 * copy belongs to a process that has ended.
 */
export async function inherit(from: string, to: string): Promise<void> {
  // Waits until the writes that were already started are on the disk.
  await new Promise((resolve) => setTimeout(resolve, 20))
  cpSync(from, to, { recursive: true })
  for (const file of readdirSync(to, { recursive: true, encoding: 'utf8' })) {
    if (!/\/lock\.\d+$/.test(file)) continue
    const path = join(to, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"born":"[^"]*"/, '"born":"long ago"'))
  }
}
