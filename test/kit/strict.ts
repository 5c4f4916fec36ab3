import type { Json, JsonObject } from '../../src/json/json.js'
import { isObject, objectsIn } from '../../src/json/json.js'
import type { Make } from './world.js'

/**
 * A make that refuses what real platforms refuse at any moment: two endpoints with the same route, and limits of keys above those
 * of their plan. It wraps any other make.
 */
export function strict(make: Make): Make {
  return {
    log: make.log,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const isWrite = request.method === 'PUT' || request.method === 'POST'
      const rule = isWrite ? rules.find(([path]) => path.test(pathname))?.[1] : undefined
      if (!rule) return make.fetch(request)
      const text = await request.text()
      const read = async (path: string): Promise<readonly JsonObject[]> => {
        const headers = { authorization: request.headers.get('authorization') ?? '' }
        const response = await make.fetch(new Request(`http://platform.example/v3/rest${path}`, { headers }))
        return objectsIn((await response.json()) as Json)
      }
      const id = pathname.split('/').at(-1) ?? ''
      const refusal = await rule(request.method === 'PUT' ? id : undefined, JSON.parse(text) as JsonObject, read)
      if (refusal !== undefined) {
        const errors = [{ property: refusal, message: `${refusal} is refused` }]
        return Response.json({ errorCode: 400, errorMessage: 'refused', errors }, { status: 400 })
      }
      const { method, headers } = request
      return make.fetch(new Request(request.url, { method, headers, body: text }))
    },
  }
}

type Rule = (
  id: string | undefined,
  body: JsonObject,
  read: (path: string) => Promise<readonly JsonObject[]>,
) => Promise<string | undefined>

const routes: Rule = async (id, body, read) => {
  const fields = ['id', 'requestPathAlias', 'publicDomains', 'supportedHttpMethods'].map((each) => `endpoints.${each}`)
  const services = await read(`/services?fields=id,${fields.join(',')}&limit=100`)
  const endpoints = services.flatMap((service) => objectsIn(service.endpoints))
  const own = endpoints.find((each) => each.id === id) ?? {}
  const claimed = new Set(endpoints.filter((each) => each.id !== id).flatMap(routesOf))
  return routesOf({ ...own, ...body }).some((each) => claimed.has(each)) ? 'requestPathAlias' : undefined
}

function routesOf({ requestPathAlias, publicDomains, supportedHttpMethods }: JsonObject): readonly string[] {
  const verbs = hostTexts(supportedHttpMethods)
  return hostTexts(publicDomains).flatMap((domain) =>
    (verbs.length === 0 ? [''] : verbs).map((verb) => `${verb} ${domain} ${String(requestPathAlias)}`),
  )
}

const limits = ['rateLimit', 'qpsLimit']

const keyLimits: Rule = async (id, body, read) => {
  const key = { ...(await keysIn(read)).find((each) => each.id === id), ...body }
  const [plan] = (await plansIn(read)).filter((each) => each.id === referenceId(key.plan))
  return plan && limits.find((limit) => isAbove(key, plan, limit))
}

const planLimits: Rule = async (id, body, read) => {
  const plan = { ...(await plansIn(read)).find((each) => each.id === id), ...body }
  const keys = (await keysIn(read)).filter((key) => id !== undefined && referenceId(key.plan) === id)
  return limits.find((limit) => keys.some((key) => isAbove(key, plan, limit)))
}

const rules: readonly (readonly [RegExp, Rule])[] = [
  [/\/services\/[^/]+\/endpoints(\/[^/]+)?$/, routes],
  [/\/packageKeys(\/[^/]+)?$/, keyLimits],
  [/\/packages\/[^/]+\/plans\/[^/]+$/, planLimits],
]

const limitFields = limits.flatMap((limit) => [`${limit}Ceiling`, `${limit}Exempt`])

const keysIn = (read: Parameters<Rule>[2]) => read(`/packageKeys?fields=${['id', 'plan', ...limitFields].join(',')}`)

async function plansIn(read: Parameters<Rule>[2]): Promise<readonly JsonObject[]> {
  const fields = ['id', ...limitFields].map((each) => `plans.${each}`)
  return (await read(`/packages?fields=id,${fields.join(',')}`)).flatMap((each) => objectsIn(each.plans))
}

/** A key without a limit of its own has the limit of its plan. A plan may have no limit, and with an exemption there is none. */
function isAbove(key: JsonObject, plan: JsonObject, limit: string): boolean {
  const [own, most] = [key, plan].map((each) => (each[`${limit}Exempt`] === true ? Infinity : each[`${limit}Ceiling`]))
  return typeof own === 'number' && typeof most === 'number' && most !== 0 && own > most
}

const referenceId = (reference: Json | undefined): Json | undefined => (isObject(reference) ? reference.id : undefined)

function hostTexts(value: Json | undefined): readonly string[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : [value ?? null]
  return list.flatMap((each) => {
    if (isObject(each)) return [String(each.domain ?? each.address)]
    return typeof each === 'string' ? [each] : []
  })
}
