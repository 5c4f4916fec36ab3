import { type Context, Hono } from 'hono'
import { catalog } from '../catalog/catalog.js'
import type { HttpMethod, Kind } from '../catalog/types.js'
import { isObject, type Json, type JsonObject } from '../json/json.js'
import { act } from './actions.js'
import type { PlatformArea } from './area.js'
import type { Answer, PlatformCall } from './call.js'
import { fixedAnswer } from './fault-answers.js'
import type { FaultKind } from './fault-kinds.js'
import { locate, type Parameters, type Views } from './locate.js'
import type { Logged } from './log.js'
import { cutTree } from './partial-tree.js'
import { Refusal } from './refusal.js'
import type { Replica } from './replica.js'
import { allRoutes, type Route } from './routes.js'
import { ruleTable } from './rules/table.js'
import type { Dialect } from './settings.js'
import { type Arrange, makeShuffle } from './shuffle.js'
import type { RuledWrite } from './write.js'

/** The data that a request passes to its route below /v3/rest. */
export interface Bindings {
  readonly user: string
  readonly met: readonly FaultKind[]
  readonly entry: Logged
  /** When the request is executed, in milliseconds since 1970. */
  readonly now: number
}

/** The same data with the platform. */
interface RestBindings extends Bindings {
  readonly area: PlatformArea
  readonly replicas: ReadonlyMap<number, Replica>
  readonly shuffle: () => Arrange
}

interface Env {
  readonly Bindings: RestBindings
}

/** Returns a function that answers the requests to an area. */
export function restOf(
  area: PlatformArea,
  replicas: ReadonlyMap<number, Replica>,
): (request: Request, bindings: Bindings) => Response | Promise<Response> {
  const app = appOf(area.settings.dialect)
  const shuffle = makeShuffle(area.settings.dialect)
  return (request, bindings) => app.fetch(request, { ...bindings, area, replicas, shuffle })
}

const apps = new Map<Dialect, Hono<Env>>()

/** The router of a dialect, common to all areas, because building one takes as long as dozens of answers. */
function appOf(dialect: Dialect): Hono<Env> {
  const app = apps.get(dialect) ?? restApp(dialect)
  apps.set(dialect, app)
  return app
}

function restApp(dialect: Dialect): Hono<Env> {
  // Clients of recorded platforms post to /services/ with a slash at the end.
  const app = new Hono<Env>({ strict: dialect === 'document' })
  const routes = allRoutes(dialect)
  for (const route of routes) {
    app.on(route.method, `/v3/rest${honoPath(route.path)}`, async (context, next) =>
      isOffered(context.env.area, route) ? handle(route, context) : next(),
    )
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path)
    app.all(`/v3/rest${honoPath(path)}`, ({ req, env: { area } }) => {
      const offered = here.filter((route) => isOffered(area, route))
      return notAllowed(
        area,
        req.method,
        offered.map(({ method }) => method),
      )
    })
  }
  app.notFound(({ req }) => respondRefusal(dialect, new Refusal(404, `There is no ${req.path}.`)))
  // A bug of this program: nothing was done, and the caller can only report the message.
  app.onError((error) => Response.json({ errorCode: 500, errorMessage: error.message }, { status: 500 }))
  return app
}

const isOffered = ({ settings }: PlatformArea, { method, path }: Route): boolean =>
  !settings.refuse.includes(`${method} ${path}`)

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

function notAllowed(area: PlatformArea, method: string, allowed: readonly string[]): Response {
  const refusal = new Refusal(405, `${method} is not offered here.`)
  const response = respondRefusal(area.settings.dialect, refusal)
  response.headers.set('allow', allowed.join(', '))
  return response
}

/** One writing request of a user; by default now, and without faults. */
export function writeOf(area: PlatformArea, editor: string, { now, met }: Partial<Bindings> = {}): RuledWrite {
  const nameForms = (met ?? []).flatMap((fault) => (fault.is === 'names' ? [fault.form] : []))
  const { settings } = area
  const understood = settings.vocabulary
  return { area, now: now ?? settings.now(), editor, complaints: [], understood, rules: ruleTable, nameForms }
}

/** Both views are the area itself, unless a fault makes them lag. */
function viewsOf({ area, replicas, met, now }: RestBindings): Views {
  for (const fault of met) {
    const replica = fault.is === 'lag' || fault.is === 'stale' ? replicas.get(fault.milliseconds) : undefined
    if (!replica) continue
    const past = { ...area, store: replica.storeAt(now) }
    return { area: fault.is === 'stale' ? past : area, lists: past }
  }
  return { area, lists: area }
}

async function handle(route: Route, context: Context<Env>): Promise<Response> {
  const { env } = context
  const arrange = env.shuffle()
  const views = viewsOf(env)
  const { area } = views
  const { dialect } = area.settings
  const parameters = new URL(context.req.url).searchParams
  const kind = routeKind(route)
  try {
    const given = isWrite(route.method) ? parseBody(await context.req.text()) : {}
    const { body, refused } = throughPartial(env.met, kind, given)
    const call = callOf(views, env, { route, parameters, body, arrange })
    const work = (): Answer => act(call, locate(views, route.steps, parametersOf(context)))
    const answer = area.store.transact(work, env.now)
    if (answer.is === 'object' && answer.createdId !== undefined) env.entry.id = answer.createdId
    return refused ?? respond(dialect, answer, parameters.get('indent') === 'true' ? 'indented' : 'compact')
  } catch (error) {
    if (error instanceof Refusal) return respondRefusal(dialect, error)
    throw error
  }
}

/**
 * The reduced body of a create under the fault `partial`, and the refusal that follows it. For all other calls, the body is
 * unchanged.
 */
function throughPartial(
  met: readonly FaultKind[],
  kind: Kind | undefined,
  given: JsonObject,
): { readonly body: JsonObject; readonly refused?: Response } {
  for (const fault of met) {
    if (fault.is !== 'partial' || !kind) continue
    const { body, failed } = cutTree(kind, given, fault.children)
    if (failed !== undefined) return { body, refused: fixedAnswer(fault.status, fault.body, failed) }
  }
  return { body: given }
}

/** The kind at the end of a route. */
function routeKind({ steps }: Route): Kind | undefined {
  const last = steps.at(-1)
  return last !== undefined && 'kind' in last ? catalog[last.kind] : undefined
}

const isWrite = (method: HttpMethod): boolean => method === 'POST' || method === 'PUT'

const parametersOf = (context: Context<Env>): Parameters => ({ ...context.req.param() })

interface RestRequest {
  readonly route: Route
  readonly parameters: URLSearchParams
  readonly body: JsonObject
  readonly arrange: Arrange
}

function callOf(
  { area, lists }: Views,
  env: Bindings,
  { route, parameters, body, arrange }: RestRequest,
): PlatformCall {
  const { dialect, vocabulary, singleValues } = area.settings
  return {
    method: route.method,
    area,
    write: writeOf(area, env.user, env),
    reader: {
      area,
      lists,
      spelling: { dialect, vocabulary, singleValues, arrange },
      occasion: isWrite(route.method) ? 'write' : 'read',
    },
    parameters,
    pageCap: env.met.find((fault) => fault.is === 'page')?.items,
    segment: /\/(\w+)$/.exec(route.path)?.[1] ?? '',
    body,
  }
}

function parseBody(text: string): JsonObject {
  let body: Json
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new Refusal(400, `The body is not JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (!isObject(body)) throw new Refusal(400, 'The body must be a JSON object.')
  return body
}

/** Content type of all JSON answers. */
const jsonHeaders = { 'content-type': 'application/json;charset=UTF-8' }

/** The response to a successful call. */
function respond(dialect: Dialect, answer: Answer, indent: 'indented' | 'compact'): Response {
  switch (answer.is) {
    case 'list':
      return json(200, answer.items, indent, { 'x-total-count': String(answer.total) })
    case 'object':
      return json(200, dialect === 'document' ? [answer.item] : answer.item, indent)
    case 'gone':
      // "Rendered as an array holding one empty string" in the document. Recorded platforms send no body and no JSON content
      // type.
      return dialect === 'document' ? json(200, [''], indent) : new Response(null, { status: 200 })
  }
}

/** The validation response: an array in the document's dialect, one object in the recorded dialect. */
function respondRefusal(dialect: Dialect, refusal: Refusal): Response {
  const body = {
    // "A number or a string" (field notes, Answers): public clients give the reason only if it is a number.
    errorCode: refusal.status,
    errorMessage: refusal.message,
    errors: refusal.complaints.map(({ property, message }) => ({ property, message })),
  }
  return json(refusal.status, dialect === 'document' ? [body] : body, 'compact')
}

function json(status: number, body: Json, indent: 'indented' | 'compact', more?: Record<string, string>): Response {
  const text = JSON.stringify(body, undefined, indent === 'indented' ? 2 : undefined)
  return new Response(text, { status, headers: { ...jsonHeaders, ...more } })
}
