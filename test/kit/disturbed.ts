import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '../../src/json/json.js'
import { isObject, objectsIn } from '../../src/json/json.js'
import type { LoggedRequest, Make } from './world.js'

/** What befalls one write of a run. */
export type Misfortune =
  /** The program is killed: it gets no answer, and does nothing any more. */
  | { readonly is: 'killed'; readonly when: 'before' | 'after' }
  /** The user presses Ctrl-C while it is under way. */
  | { readonly is: 'interrupted' }
  /** It is carried out, and the connection breaks. */
  | { readonly is: 'lost' }
  /** It is carried out, and answered as if it were not. */
  | { readonly is: 'failed'; readonly status: number; readonly body: 'json' | 'other json' | 'html' }
  /** It is answered by a gateway that has lost patience, and carried out later. */
  | { readonly is: 'late'; readonly milliseconds: number }

/** What one run meets: misfortunes by the number of the write, from 1, and how far lists are behind. */
export interface Trouble {
  readonly misfortunes: ReadonlyMap<number, Misfortune>
  readonly lagMs: number
}

export const noTrouble: Trouble = { misfortunes: new Map(), lagMs: 0 }

/** A make that stands behind a bad network, whatever make it is. Time is the clock's, which only sleeping moves. */
export interface DisturbedMake extends Make {
  /** From now on, writes counted anew. */
  readonly meet: (trouble: Trouble, interrupt: () => void) => void
  /** Resolves when the run is dead: it waits for ever. */
  readonly killed: () => Promise<void>
  /** Ends the waiting of a dead run, so that it gives back what it holds; nothing of it reaches the make any more. */
  readonly bury: () => void
  /** The clock's sleep, from which a dead run does not wake. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Carries out what is still under way, however late it is. */
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

/** Puts the disturbances before a make. */
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

  /** `at` is when it happens: what was under way between two runs is carried out before the first request of the second. */
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
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) })
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

/** Lists that are behind: a list that was read stays as it was for a while, and what was made is not in any. */
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
    if (lagMs === 0 || !isList(pathname)) return fetch()
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

const isList = (path: string): boolean => collections.has(path.split('/').at(-1) ?? '')

function pruned(value: Json, isHidden: (value: Json) => boolean): Json {
  if (Array.isArray(value)) {
    return (value as readonly Json[]).filter((each) => !isHidden(each)).map((each) => pruned(each, isHidden))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, pruned(each, isHidden)]))
}

/**
 * A killed run leaves its folder as it is. The next one works in a copy, so that nothing of the dead one reaches it; the lock
 * in it is held by a process that has ended.
 */
export async function inherit(from: string, to: string): Promise<void> {
  // What the disk has been told already, it writes.
  await new Promise((resolve) => setTimeout(resolve, 20))
  cpSync(from, to, { recursive: true })
  for (const file of readdirSync(to, { recursive: true, encoding: 'utf8' })) {
    if (!/\/lock\.\d+$/.test(file)) continue
    const path = join(to, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"born":"[^"]*"/, '"born":"long ago"'))
  }
}
