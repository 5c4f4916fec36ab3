import { type PlatformArea, setFields, type Write } from './area.js'
import { type Disruption, disrupt } from './disruption.js'
import type { Entity } from './entity.js'
import { fixedAnswer } from './fault-answers.js'
import type { FaultKind } from './fault-kinds.js'
import type { Faults } from './faults.js'
import { gatewayAnswer, makeAllowance } from './gateway.js'
import { domainKey } from './indexes.js'
import type { LogEntry, Logged } from './log.js'
import type { Replica } from './replica.js'
import { type Bindings, restOf, writeOf } from './rest.js'
import { makeTokens } from './token.js'

/** Answers requests with gateway, token endpoint and faults, and logs every request. */
export function makeExchange(
  area: PlatformArea,
  faults: Faults,
  replicas: ReadonlyMap<number, Replica>,
  log: LogEntry[],
): (request: Request) => Promise<Disruption> {
  const { settings } = area
  const tokens = makeTokens(settings, area.ids)
  const allowance = makeAllowance(settings)
  const answerOf = restOf(area, replicas)
  const late = new LateWork()

  const rest = async (request: Request, met: readonly FaultKind[], entry: Logged): Promise<Response> => {
    if (met.some((fault) => fault.is === 'expire-token')) tokens.expireAll()
    const user = tokens.userOf(request)
    if (user === undefined) return gatewayAnswer('ERR_403_DEVELOPER_INACTIVE', settings.vocabulary)
    const stopped = allowance.take()
    const response = stopped
      ? gatewayAnswer(stopped, settings.vocabulary)
      : await answerOrDelay(request, { user, met, entry, now: settings.now() })
    for (const [name, value] of Object.entries(allowance.headers())) response.headers.set(name, value)
    return response
  }

  const answerOrDelay = async (request: Request, bindings: Bindings): Promise<Response> => {
    const [delay] = bindings.met.flatMap((fault) => (fault.is === 'late' ? [fault.milliseconds] : []))
    if (delay === undefined) return answerOf(request, bindings)
    const { method, headers, url } = request
    const copy = new Request(url, { method, headers, ...(method === 'DELETE' ? {} : { body: await request.text() }) })
    const now = bindings.now + delay
    late.add(now, async () => void (await answerOf(copy, { ...bindings, now })))
    return fixedAnswer(504, 'html')
  }

  const answer = (request: Request, path: string, met: readonly FaultKind[], entry: Logged) => {
    if (path === '/v3/token')
      return request.method === 'POST' ? tokens.answer(request) : new Response(null, { status: 405 })
    if (path.startsWith('/control/')) return approve(writeOf(area, settings.username), request.method, path)
    return path.startsWith('/v3/rest/') ? rest(request, met, entry) : new Response(null, { status: 404 })
  }

  return async (request) => {
    const { pathname, search } = new URL(request.url)
    const met = faults.meet(request.method, pathname.replace(/^\/v3\/rest/, ''))
    if (settings.latencyMs > 0) await settings.sleep(settings.latencyMs)
    await late.carryOut(settings.now())
    const entry: Logged = { method: request.method, path: pathname, query: search, status: 0 }
    const result = await disrupt(met, settings, () => answer(request, pathname, met, entry))
    if (result.disruption !== 'reset') entry.status = result.response.status
    log.push(entry)
    return result
  }
}

/** Actions of the support staff, outside the interface: POST {base_url}/control/domains/{id or name}/approve. */
function approve(write: Write, method: string, path: string): Response {
  const [, which] = /^\/control\/domains\/([^/]+)\/approve$/.exec(path) ?? []
  if (which === undefined) return new Response(null, { status: 404 })
  if (method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
  const domain = findDomain(write, decodeURIComponent(which))
  if (!domain) return Response.json({ errorCode: 404, errorMessage: `There is no domain '${which}'.` }, { status: 404 })
  write.area.store.transact(() => setFields(write, domain, { status: 'active' }), write.now)
  return Response.json({ id: domain.id, ...domain.fields })
}

function findDomain({ area }: Write, which: string): Entity | undefined {
  return area.store.find('Domain', which) ?? area.store.found(domainKey(which))[0]
}

/** Requests that were answered before they were executed. */
class LateWork {
  #waiting: readonly DueWork[] = []
  #done: Promise<void> = Promise.resolve()

  /** Stores a request until that time, in milliseconds since 1970. `carryOut` must not throw. */
  add(due: number, carryOut: () => Promise<void>): void {
    this.#waiting = [...this.#waiting, { due, carryOut }].sort((left, right) => left.due - right.due)
  }

  /** Executes everything that is due at that time. Nobody can see that it was executed late. */
  carryOut(now: number): Promise<void> {
    const due = this.#waiting.filter((work) => work.due <= now)
    this.#waiting = this.#waiting.filter((work) => work.due > now)
    for (const work of due) this.#done = this.#done.then(work.carryOut)
    return this.#done
  }
}

interface DueWork {
  readonly due: number
  readonly carryOut: () => Promise<void>
}
