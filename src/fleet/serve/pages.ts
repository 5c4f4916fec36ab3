import { once } from 'node:events'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie, setCookie } from 'hono/cookie'
import { HTTPException } from 'hono/http-exception'
import { decisions } from '../../documents/fleet-status.js'
import { errorText, ProblemError } from '../../problems/problem.js'
import { pageNotServed } from '../../problems/serve.js'
import { fleetMetrics } from '../../report/fleet-metrics.js'
import { fleetPolicy, type PageUser } from '../../report/html/fleet-page.js'
import { rolloutHtml } from '../../report/html/fleet-rollout.js'
import { fleetHistoryHtml, fleetStatusHtml } from '../../report/html/fleet-status.js'
import { type Controls, decide, startRollout } from './controls.js'
import type { FleetInForce } from './fleet-in-force.js'
import { fleetHistory, fleetStatus, rolloutStatus } from './status.js'
import { type Caller, isOwnHost, isOwnOrigin, isSession, isToken, newSession, tokenOf, userOf } from './users.js'

type PageContext = Context<{ Bindings: HttpBindings }>

export interface PagesSetup extends Omit<Controls, 'fleet'>, Pick<FleetInForce, 'fleet' | 'fault'> {
  /** Where the server listens, as it was configured: an address, or a name of this machine. */
  readonly listensAt: string
  /** The secret for tokens: the same for all workers of the fleet. */
  readonly secret: string
  /** Whether this worker is well: the database answers, and the worker may take jobs. */
  readonly isWell: () => Promise<boolean>
}

/** A database that hangs counts as unavailable: the health check must answer in time. */
const notInTime = (): Promise<false> => new Promise((resolve) => setTimeout(resolve, 5_000, false).unref())

/** The status pages and their API. Reading needs no user; decisions need one. */
export function fleetPages(setup: PagesSetup): Hono<{ Bindings: HttpBindings }> {
  const { fleet, store, now } = setup
  const controls = (): Controls => ({ ...setup, fleet: fleet() })
  const status = () => fleetStatus(fleet(), store, now(), setup.fault())
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.get('/healthz', async (requested) => {
    const well = await Promise.race([setup.isWell().catch(() => false), notInTime()])
    return requested.text(well ? 'well\n' : 'not well\n', well ? 200 : 503)
  })
  app.use(async (requested, next) => {
    requested.header('Cache-Control', 'no-store')
    requested.header('X-Content-Type-Options', 'nosniff')
    requested.header('Referrer-Policy', 'same-origin')
    if (!isOwnHost(fleet().serve, requested.req.header('host'), setup.listensAt))
      return requested.text('This is not a name of these pages.\n', 421)
    return await next()
  })
  app.onError((error, requested) => {
    if (error instanceof HTTPException) return error.getResponse()
    if (!(error instanceof ProblemError)) return requested.text('Something failed.\n', 500)
    const words = error.problems.map(({ message, hint }) =>
      hint === undefined ? message : `${message}\nhint: ${hint}`,
    )
    return requested.text(
      `${words.join('\n')}\n`,
      error.problems.some(({ code }) => code === 'database-failed') ? 503 : 409,
    )
  })
  const page = (requested: PageContext, html: string) => {
    requested.header('Content-Security-Policy', fleetPolicy)
    return requested.html(html)
  }
  app.get('/', async (requested) => {
    const { search = '', state = '', page: number } = requested.req.query()
    const filter = { search, state, page: Number.parseInt(number ?? '1', 10) || 1 }
    const user = signedIn(setup, requested)
    return page(requested, fleetStatusHtml(await status(), filter, user))
  })
  app.get('/history', async (requested) => {
    const user = signedIn(setup, requested)
    return page(requested, fleetHistoryHtml(await fleetHistory(fleet(), store, { limit: 200 }), undefined, user))
  })
  app.get('/areas/:area', async (requested) => {
    const area = requested.req.param('area')
    const history = await fleetHistory(fleet(), store, { area, limit: 100 })
    if (history.jobs.length === 0 && !fleet().areas.some(({ name }) => name === area)) return requested.notFound()
    return page(requested, fleetHistoryHtml(history, area, signedIn(setup, requested)))
  })
  app.get('/areas/:area/report', async (requested) => {
    const html = await store.report(requested.req.param('area'), requested.req.query('occasion') ?? '')
    if (html === undefined) return requested.text(reportNotKept, 404)
    // The report contains its own policy; this header also isolates it in its own origin.
    requested.header('Content-Security-Policy', "sandbox allow-scripts; frame-ancestors 'none'")
    return requested.html(html)
  })
  app.get('/rollouts/:rollout', async (requested) => {
    const found = await rolloutStatus(store, requested.req.param('rollout'))
    if (!found) return requested.notFound()
    return page(requested, rolloutHtml(fleet().name, found, new Date(now()).toISOString(), signedIn(setup, requested)))
  })
  app.get('/metrics', async (requested) => requested.text(fleetMetrics(await status())))
  app.get('/api/status', async (requested) => requested.json(await status()))
  app.get('/api/history', async (requested) => {
    const area = requested.req.query('area')
    return requested.json(await fleetHistory(fleet(), store, { limit: 200, ...(area !== undefined && { area }) }))
  })
  app.use('/rollouts/*', bodyLimit({ maxSize: 10_000 }))
  app.use('/rollouts', bodyLimit({ maxSize: 10_000 }))
  app.post('/rollouts', async (requested) => {
    const form = await sentForm(setup, requested)
    if (!form) return refused(requested)
    return requested.redirect(
      `/rollouts/${encodeURIComponent(await startRollout(controls(), form.user, () => true))}`,
      303,
    )
  })
  app.post('/rollouts/:rollout/:decision', async (requested) => {
    const form = await sentForm(setup, requested)
    if (!form) return refused(requested)
    const rollout = requested.req.param('rollout')
    const decision = decisions.find((each) => each === requested.req.param('decision'))
    if (decision === undefined || decision === 'start') return requested.notFound()
    const seen = { wave: Number(form.fields.get('wave')), digest: form.fields.get('digest') ?? '' }
    await decide(controls(), { rollout, decision, who: form.user, ...(decision === 'approve' && { seen }) })
    return requested.redirect(`/rollouts/${encodeURIComponent(rollout)}`, 303)
  })
  return app
}

/** The pages of ended rollouts have links to old reports (A285). */
const reportNotKept = 'There is no such report any more: of each area, the newest of each command is kept.\n'

const cookie = 'gatewright-fleet'

const callerOf = (requested: PageContext): Caller => ({
  address: requested.env.incoming.socket.remoteAddress ?? '',
  header: (name) => requested.req.header(name),
})

/** The user of a page with the token for its forms. The browser gets a cookie that belongs to the token. */
function signedIn({ fleet, secret }: PagesSetup, requested: PageContext): PageUser | undefined {
  const settings = fleet().serve
  const name = userOf(settings, callerOf(requested))
  if (name === undefined) return undefined
  const known = getCookie(requested, cookie)
  const session = isSession(known) ? known : newSession()
  if (session !== known) {
    const secure = settings.origin?.startsWith('https:') ?? false
    setCookie(requested, cookie, session, { httpOnly: true, sameSite: 'Strict', path: '/', secure })
  }
  return { name, token: tokenOf(secret, session, name) }
}

/** The contents of a form, if a known user has sent it from one of our pages. */
async function sentForm(
  { fleet, secret }: PagesSetup,
  requested: PageContext,
): Promise<{ readonly user: string; readonly fields: URLSearchParams } | undefined> {
  const settings = fleet().serve
  const caller = callerOf(requested)
  const user = userOf(settings, caller)
  const session = getCookie(requested, cookie)
  if (user === undefined || !isSession(session) || !isOwnOrigin(settings, caller)) return undefined
  if (!requested.req.header('content-type')?.startsWith('application/x-www-form-urlencoded')) return undefined
  const fields = new URLSearchParams(await requested.req.text())
  return isToken(fields.get('token') ?? '', tokenOf(secret, session, user)) ? { user, fields } : undefined
}

const refused = (requested: PageContext) =>
  requested.text('Nothing was decided: the form was not sent by a signed-in user from these pages.\n', 403)

export interface ServedPages {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serves the pages. Throws a ProblemError if the server cannot listen on the address. */
export async function servePages(
  app: Pick<Hono<{ Bindings: HttpBindings }>, 'fetch'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<ServedPages> {
  const server = createAdaptorServer({ fetch: app.fetch })
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    const words = errorText(error)
    throw new ProblemError([pageNotServed(`${host}:${port}`, words)], { cause: error })
  }
  const address = server.address()
  const at = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${at}`,
    close: async () => {
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
