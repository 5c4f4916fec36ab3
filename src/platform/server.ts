import { type Context, Hono } from 'hono'
import type { HttpMethod, JsonObject } from '../catalog/types.js'
import { isObject } from '../catalog/value.js'
import { act } from './actions.js'
import { respond, respondRefusal } from './answers.js'
import type { Area } from './area.js'
import { fillAtBirth } from './birth.js'
import type { Answer, Call } from './call.js'
import { approve } from './control.js'
import { type Disruption, disrupt } from './disruption.js'
import { type FaultKind, makeFaults } from './faults.js'
import { gatewayAnswer, makeAllowance } from './gateway.js'
import { makeIds } from './ids.js'
import { locate, type Parameters } from './locate.js'
import { type PlatformOptions, type SeedSnapshot, settingsOf } from './options.js'
import { inMemory, openFile } from './persistence.js'
import { Refusal } from './refusal.js'
import { allRoutes, type Route } from './routes.js'
import { ruleTable } from './rules/table.js'
import { loadSeed } from './seed.js'
import { makeShuffle } from './shuffle.js'
import { Store } from './store.js'
import { makeTokens } from './token.js'
import type { RuledWrite } from './write.js'

/** One request that the platform saw. */
export interface LogEntry {
  readonly method: string
  /** As requested, without the query. */
  readonly path: string
  readonly query: string
  /** 0 where no answer came. */
  readonly status: number
  /** The id of the object that a create made. */
  readonly id?: string
}

/** The embedded platform in process; `fetch` answers requests to {base_url}, whatever host they name. */
export interface Platform {
  /** Rejects where a fault drops the connection. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly exchange: (request: Request) => Promise<Disruption>
  readonly seed: (snapshot: SeedSnapshot) => void
  readonly close: () => void
  /** Every request so far, in the order of their answers. */
  readonly log: readonly LogEntry[]
}

/** A platform with the objects of its file or, where there are none, of its seed. */
export function createPlatform(options: PlatformOptions = {}): Platform {
  const settings = settingsOf(options)
  const persistence = options.data === undefined ? inMemory : openFile(options.data)
  const store = new Store(persistence.write)
  const area: Area = { store, ids: makeIds(options.idSeed), settings }
  persistence.load(store)
  if (store.size === 0) populate(area, options.seed)
  const log: LogEntry[] = []
  const exchange = makeExchange(area, options.faults ?? [], log)
  return {
    exchange,
    fetch: async (request) => {
      const { response, disruption } = await exchange(request)
      if (disruption === 'reset') throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
      return response
    },
    seed: (snapshot) => store.transact(() => loadSeed(writeOf(area, settings.username), snapshot)),
    close: persistence.close,
    log,
  }
}

function populate(area: Area, seed: SeedSnapshot | undefined): void {
  const write = writeOf(area, area.settings.username)
  area.store.transact(() => {
    // A snapshot that tells the roles of an area has its predefined ones among them.
    if (!seed?.roles) fillAtBirth(write)
    if (seed) loadSeed(write, seed)
  })
}

function writeOf(area: Area, editor: string): RuledWrite {
  return { area, now: area.settings.now(), editor, complaints: [], rules: ruleTable }
}

function makeExchange(area: Area, faultSpecs: readonly string[], log: LogEntry[]): Platform['exchange'] {
  const { settings } = area
  const tokens = makeTokens(settings, area.ids)
  const allowance = makeAllowance(settings)
  const faults = makeFaults(faultSpecs)
  const app = restApp(area)

  const rest = async (request: Request, met: readonly FaultKind[]): Promise<Response> => {
    if (met.some((fault) => fault.is === 'expire-token')) tokens.expireAll()
    const user = tokens.userOf(request)
    if (user === undefined) return gatewayAnswer('ERR_403_DEVELOPER_INACTIVE')
    const stopped = allowance.take()
    const response = stopped ? gatewayAnswer(stopped) : await app.fetch(request, { user })
    for (const [name, value] of Object.entries(allowance.headers())) response.headers.set(name, value)
    return response
  }

  const answer = (request: Request, path: string, met: readonly FaultKind[]): Promise<Response> | Response => {
    if (path === '/v3/token')
      return request.method === 'POST' ? tokens.answer(request) : new Response(null, { status: 405 })
    if (path.startsWith('/control/')) return approve(writeOf(area, settings.username), request.method, path)
    return path.startsWith('/v3/rest/') ? rest(request, met) : new Response(null, { status: 404 })
  }

  return async (request) => {
    const { pathname, search } = new URL(request.url)
    const met = faults.meet(request.method, pathname.replace(/^\/v3\/rest/, ''))
    if (settings.latencyMs > 0) await sleep(settings.latencyMs)
    const result = await disrupt(met, () => answer(request, pathname, met))
    const id = result.response.headers.get(createdHeader)
    result.response.headers.delete(createdHeader)
    const status = result.disruption === 'reset' ? 0 : result.response.status
    log.push({ method: request.method, path: pathname, query: search, status, ...(id === null ? {} : { id }) })
    return result
  }
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Carries a created id from the route to the log, and is taken off before the answer leaves. */
const createdHeader = 'x-created-id'

interface Bindings {
  readonly user: string
}

type RestContext = Context<{ Bindings: Bindings }>

function restApp(area: Area): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>()
  const shuffle = makeShuffle(area.settings.dialect)
  const routes = allRoutes().filter(({ method, path }) => !area.settings.refuse.includes(`${method} ${path}`))
  for (const route of routes) {
    app.on(route.method, `/v3/rest${honoPath(route.path)}`, (context) => handle(area, route, context, shuffle()))
  }
  for (const path of new Set(allRoutes().map((route) => route.path))) {
    const allowed = routes.filter((route) => route.path === path).map((route) => route.method)
    app.all(`/v3/rest${honoPath(path)}`, ({ req }) => notAllowed(area, req.method, allowed))
  }
  app.notFound(({ req }) => respondRefusal(area.settings.dialect, new Refusal(404, `There is no ${req.path}.`), ''))
  // A bug of ours: nothing was done, and its words are all that the caller can report.
  app.onError((error) => Response.json({ errorCode: 500, errorMessage: error.message }, { status: 500 }))
  return app
}

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

function notAllowed(area: Area, method: string, allowed: readonly string[]): Response {
  const refusal = new Refusal(405, `${method} is not offered here.`)
  const response = respondRefusal(area.settings.dialect, refusal, '')
  response.headers.set('allow', allowed.join(', '))
  return response
}

type Arrange = Call['reader']['spelling']['arrange']

async function handle(area: Area, route: Route, context: RestContext, arrange: Arrange): Promise<Response> {
  const { dialect } = area.settings
  const parameters = new URL(context.req.url).searchParams
  const kind = kindOf(route)
  try {
    const body = isWrite(route.method) ? parseBody(await context.req.text()) : {}
    const call = callOf(area, route, parameters, body, { user: context.env.user, arrange })
    const answer = area.store.transact((): Answer => act(call, locate(area, route.steps, parametersOf(context))))
    const response = respond(dialect, answer, parameters.get('indent') === 'true' ? 'indented' : 'compact')
    if (answer.is === 'object' && answer.createdId !== undefined) response.headers.set(createdHeader, answer.createdId)
    return response
  } catch (error) {
    if (error instanceof Refusal) return respondRefusal(dialect, error, kind)
    throw error
  }
}

/** The kind that a route ends at, by name. */
function kindOf({ steps }: Route): string {
  const last = steps.at(-1)
  return last === undefined || last.is === 'owner' ? '' : last.kind
}

const isWrite = (method: HttpMethod): boolean => method === 'POST' || method === 'PUT'

const parametersOf = (context: RestContext): Parameters => ({ ...context.req.param() })

function callOf(
  area: Area,
  route: Route,
  parameters: URLSearchParams,
  body: JsonObject,
  { user, arrange }: { readonly user: string; readonly arrange: Arrange },
): Call {
  const { dialect, singleValues } = area.settings
  return {
    method: route.method,
    area,
    write: writeOf(area, user),
    reader: {
      area,
      spelling: { dialect, singleValues, arrange },
      occasion: isWrite(route.method) ? 'write' : 'read',
    },
    parameters,
    segment: /\/(\w+)$/.exec(route.path)?.[1] ?? '',
    body: () => body,
  }
}

function parseBody(text: string): JsonObject {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new Refusal(400, `The body is not JSON: ${error instanceof Error ? error.message : ''}`)
  }
  const json = body as JsonObject
  if (!isObject(json)) throw new Refusal(400, 'The body must be a JSON object.')
  return json
}
