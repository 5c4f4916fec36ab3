import { describe, expect, it } from 'vitest'
import { kinds } from '../../src/catalog/queries.js'
import { allRoutes } from '../../src/platform/routes.js'
import { type Connection, connect, endpointBody } from './client.js'

/**
 * Every row of the document's operation tables, the twelve of its prose, and the conventional ones, one after another on one
 * area. Names in braces are ids that earlier rows created; `as` names the id that a row creates.
 */
interface Step {
  readonly call: string
  readonly body?: unknown
  readonly as?: string
  /** Members of the answered object, or the number of objects in a list. */
  readonly expect?: Readonly<Record<string, unknown>> | number
}

const service = '/services/{service}'
const endpoint = `${service}/endpoints/{endpoint}`
const methods = `${endpoint}/methods`
const errorSet = `${service}/errorSets/{errorSet}`
const event = '/scheduledMaintenanceEvents/{event}'
const plan = '/packages/{package}/plans/{plan}'
const planService = `${plan}/services/{service}`
const keys = '/applications/{application}/packageKeys'
const credentials = { type: 'httpBasic', username: 'gateway' }
const window = { startDateTime: '2027-01-01T00:00:00.000+0000', endDateTime: '2027-01-01T02:00:00.000+0000' }

const steps: readonly Step[] = [
  // Domains
  { call: 'POST /domains', body: { domain: 'example.com' }, as: 'domain', expect: { domain: 'example.com' } },
  { call: 'GET /domains', expect: 1 },
  { call: 'GET /domains/{domain}', expect: { domain: 'example.com', status: 'active' } },
  { call: 'POST /domains', body: { domain: 'old.example' }, as: 'oldDomain' },
  { call: 'PUT /domains/{oldDomain}', body: { domain: 'new.example' }, expect: { domain: 'new.example' } },
  { call: 'DELETE /domains/{oldDomain}' },
  // Roles
  { call: 'POST /roles', body: { name: 'Partners' }, as: 'role', expect: { name: 'Partners' } },
  { call: 'GET /roles', expect: 2 },
  { call: 'GET /roles/{role}', expect: { name: 'Partners' } },
  { call: 'PUT /roles/{role}', body: { name: 'Friends' }, expect: { name: 'Friends' } },
  // Services
  { call: 'POST /services', body: { name: 'Orders' }, as: 'service', expect: { name: 'Orders' } },
  { call: 'GET /services', expect: 1 },
  { call: `GET ${service}`, expect: { name: 'Orders' } },
  { call: `PUT ${service}`, body: { version: '2' }, expect: { name: 'Orders', version: '2' } },
  // Service roles: assign, list, remove all
  { call: `PUT ${service}`, body: { roles: [{ id: '{role}', action: 'read' }] } },
  { call: `GET ${service}/roles`, expect: 1 },
  { call: `PUT ${service}`, body: { roles: [] } },
  { call: `GET ${service}/roles`, expect: 0 },
  // Endpoints
  { call: `POST ${service}/endpoints`, body: endpointBody('orders'), as: 'endpoint', expect: { name: 'orders' } },
  { call: `GET ${service}/endpoints`, expect: 1 },
  { call: `GET ${endpoint}`, expect: { name: 'orders' } },
  { call: `PUT ${endpoint}`, body: { name: 'orders v1' }, expect: { name: 'orders v1' } },
  // Methods
  { call: `POST ${methods}`, body: { name: 'list' }, as: 'method', expect: { name: 'list' } },
  { call: `GET ${methods}`, expect: 1 },
  { call: `GET ${methods}/{method}`, expect: { name: 'list' } },
  { call: `PUT ${methods}/{method}`, body: { name: 'listAll' }, expect: { name: 'listAll' } },
  // The single sub-resources of an endpoint
  { call: `POST ${endpoint}/cache`, body: { clientSurrogateControlEnabled: true } },
  { call: `GET ${endpoint}/cache`, expect: { clientSurrogateControlEnabled: true } },
  { call: `PUT ${endpoint}/cache`, body: { contentCacheKeyHeaders: ['accept'] } },
  { call: `DELETE ${endpoint}/cache` },
  { call: `POST ${endpoint}/systemDomainAuthentication`, body: credentials, expect: { username: 'gateway' } },
  { call: `GET ${endpoint}/systemDomainAuthentication`, expect: { type: 'httpBasic' } },
  {
    call: `PUT ${endpoint}/systemDomainAuthentication`,
    body: { type: 'httpBasic', password: 'x' },
    expect: { username: 'gateway', password: 'x' },
  },
  { call: `DELETE ${endpoint}/systemDomainAuthentication` },
  { call: `POST ${endpoint}/scheduledMaintenanceEvent`, body: { name: 'New year', ...window }, as: 'event' },
  { call: `GET ${endpoint}/scheduledMaintenanceEvent`, expect: { name: 'New year' } },
  { call: `PUT ${endpoint}/scheduledMaintenanceEvent`, body: { name: 'Night' }, expect: { name: 'Night' } },
  { call: `DELETE ${endpoint}/scheduledMaintenanceEvent` },
  // Scheduled maintenance events
  { call: `DELETE ${event}` },
  { call: 'POST /scheduledMaintenanceEvents', body: { name: 'Window', ...window }, as: 'event' },
  { call: 'GET /scheduledMaintenanceEvents', expect: 1 },
  { call: `GET ${event}`, expect: { name: 'Window', ...window } },
  { call: `PUT ${event}`, body: { name: 'Long window' }, expect: { name: 'Long window' } },
  { call: `POST ${event}/endpoints`, body: { id: '{endpoint}' } },
  { call: `GET ${event}/endpoints`, expect: 1 },
  { call: `GET ${event}/endpoints/{endpoint}`, expect: { name: 'orders v1' } },
  { call: `DELETE ${event}/endpoints/{endpoint}` },
  { call: `GET ${event}/endpoints`, expect: 0 },
  // Error sets and messages
  { call: `POST ${service}/errorSets`, body: { name: 'json', type: 'text/json' }, as: 'errorSet' },
  { call: `GET ${service}/errorSets`, expect: 2 },
  { call: `GET ${errorSet}`, expect: { name: 'json', type: 'text/json' } },
  { call: `PUT ${errorSet}`, body: { jsonp: true }, expect: { jsonp: true } },
  { call: `GET ${errorSet}/errorMessages`, expect: 23 },
  { call: `GET ${errorSet}/errorMessages/ERR_400_BAD_REQUEST`, expect: { code: 400 } },
  {
    call: `PUT ${errorSet}/errorMessages/ERR_400_BAD_REQUEST`,
    body: { id: 'ERR_400_BAD_REQUEST', status: 'Bad' },
    expect: { status: 'Bad' },
  },
  { call: `DELETE ${errorSet}` },
  // Packages and plans
  { call: 'POST /packages', body: { name: 'Partner Access' }, as: 'package', expect: { name: 'Partner Access' } },
  { call: 'GET /packages', expect: 1 },
  { call: 'GET /packages/{package}', expect: { name: 'Partner Access' } },
  { call: 'PUT /packages/{package}', body: { nearQuotaThreshold: 80 }, expect: { nearQuotaThreshold: 80 } },
  { call: 'POST /packages/{package}/plans', body: { name: 'Gold' }, as: 'plan', expect: { status: 'active' } },
  { call: 'GET /packages/{package}/plans', expect: 1 },
  { call: `GET ${plan}`, expect: { name: 'Gold', maxNumKeysAllowed: 4 } },
  { call: `PUT ${plan}`, body: { rateLimitCeiling: 9000 }, expect: { rateLimitCeiling: 9000 } },
  // Plan services, with the routes of the field notes
  { call: `POST ${plan}/services`, body: { id: '{service}' }, expect: { name: 'Orders' } },
  { call: `GET ${plan}/services`, expect: 1 },
  { call: `GET ${planService}`, expect: { name: 'Orders' } },
  { call: `PUT ${planService}`, body: { endpoints: [] } },
  { call: `POST ${planService}/endpoints`, body: { id: '{endpoint}' }, expect: { name: 'orders v1' } },
  { call: `GET ${planService}/endpoints`, expect: 1 },
  { call: `GET ${planService}/endpoints/{endpoint}`, expect: { name: 'orders v1' } },
  { call: `POST ${planService}/endpoints/{endpoint}/methods`, body: { id: '{method}' }, expect: { name: 'listAll' } },
  { call: `GET ${planService}/endpoints/{endpoint}/methods`, expect: 1 },
  { call: `GET ${planService}/endpoints/{endpoint}/methods/{method}`, expect: { name: 'listAll' } },
  { call: `DELETE ${planService}/endpoints/{endpoint}/methods/{method}` },
  { call: `DELETE ${planService}/endpoints/{endpoint}` },
  { call: `GET ${planService}/endpoints`, expect: 0 },
  // Members, applications, keys
  {
    call: 'POST /members',
    body: { username: 'acme', email: 'a@acme.example', displayName: 'Acme', externalId: '1', passwdNew: 'secret' },
    as: 'member',
    expect: { username: 'acme' },
  },
  { call: 'GET /members', expect: 1 },
  { call: 'GET /members/{member}', expect: { username: 'acme' } },
  { call: 'PUT /members/{member}', body: { company: 'Acme' }, expect: { company: 'Acme' } },
  {
    call: 'POST /members/{member}/applications',
    body: { name: 'Shop', username: 'acme' },
    as: 'application',
    expect: { username: 'acme' },
  },
  { call: 'GET /members/{member}/applications', expect: 1 },
  { call: 'GET /members/{member}/applications/{application}', expect: { name: 'Shop' } },
  { call: 'PUT /members/{member}/applications/{application}', body: { tags: 'a' }, expect: { tags: 'a' } },
  { call: 'GET /applications', expect: 1 },
  { call: 'GET /applications/{application}', expect: { tags: 'a' } },
  { call: 'PUT /applications/{application}', body: { ads: true }, expect: { ads: true } },
  {
    call: `POST ${keys}`,
    body: { apikey: 'key-1', secret: 's', package: { id: '{package}' }, plan: { id: '{plan}' } },
    as: 'key',
    expect: { apikey: 'key-1', status: 'active' },
  },
  { call: `GET ${keys}`, expect: 1 },
  { call: `GET ${keys}/{key}`, expect: { apikey: 'key-1' } },
  { call: `PUT ${keys}/{key}`, body: { status: 'disabled' }, expect: { status: 'disabled' } },
  { call: 'GET /packageKeys', expect: 1 },
  { call: 'GET /packageKeys/{key}', expect: { status: 'disabled' } },
  { call: 'PUT /packageKeys/{key}', body: { status: 'active' }, expect: { status: 'active' } },
  { call: 'DELETE /packageKeys/{key}' },
  {
    call: `POST ${keys}`,
    body: { secret: 's', package: { id: '{package}' }, plan: { id: '{plan}' } },
    as: 'key',
  },
  { call: `DELETE ${keys}/{key}` },
  // Email templates
  { call: 'GET /emailTemplateSets/1/emailTemplates', as: 'emailTemplate', expect: 4 },
  { call: 'GET /emailTemplateSets/1/emailTemplates/{emailTemplate}', expect: { type: 'keyIssued' } },
  // And deletes of everything
  { call: 'DELETE /applications/{application}' },
  { call: 'POST /members/{member}/applications', body: { name: 'Two', username: 'acme' }, as: 'application' },
  { call: 'DELETE /members/{member}/applications/{application}' },
  { call: 'DELETE /members/{member}' },
  { call: `DELETE ${planService}` },
  { call: `DELETE ${plan}` },
  { call: 'DELETE /packages/{package}' },
  { call: `DELETE ${methods}/{method}` },
  { call: `DELETE ${endpoint}` },
  { call: `DELETE ${service}` },
  { call: 'DELETE /roles/{role}' },
]

const fill = (text: string, ids: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\{(\w+)\}/g, (word, name) => ids.get(name) ?? word)

describe.each(['document', 'recorded'] as const)('the contract in the dialect %s', (dialect) => {
  it('is fulfilled row by row', async () => {
    const { api } = await connect({ dialect })
    const ids = new Map<string, string>()
    for (const [index, step] of steps.entries()) await holds(step, `${index + 1}. ${step.call}`, ids, api)
  })

  async function holds(step: Step, row: string, ids: Map<string, string>, api: Connection['api']): Promise<void> {
    const [method = '', path = ''] = fill(step.call, ids).split(' ')
    const body = step.body === undefined ? undefined : JSON.parse(fill(JSON.stringify(step.body), ids))
    const first = await api(method, path, body)
    expect(first.status, `${row}: ${first.text}`).toBe(200)
    if (step.as) ids.set(step.as, first.id)
    if (method === 'DELETE') return expect(first.text, row).toBe(dialect === 'document' ? '[""]' : '')
    // Recorded writes answer only four fields: read the object itself.
    const isBrief = dialect === 'recorded' && method !== 'GET'
    const members = step.expect
    if (typeof members === 'number') {
      expect(first.list, row).toHaveLength(members)
      expect(first.headers.get('x-total-count'), row).toBe(String(members))
      return
    }
    const isArray = dialect === 'document' || (method === 'GET' && step.as !== undefined)
    expect(Array.isArray(first.body), row).toBe(isArray)
    if (members && !isBrief) expect(first.object, row).toMatchObject(members)
  }
})

describe('the routes', () => {
  const known = new Set(allRoutes().map(({ method, path }) => `${method} ${path}`))
  const walked = new Set(steps.map(({ call }) => shapeOf(call)))

  it('have one for every operation of the catalogue', () => {
    const recorded = new Set(allRoutes('recorded').map(({ method, path }) => `${method} ${path}`))
    for (const { origin, operations } of kinds)
      for (const { method, path } of Object.values(operations)) {
        expect(recorded).toContain(`${method} ${path}`)
        // Routes that only recorded platforms have are not in the document.
        const isBeyond = origin === 'notes' || path.endsWith('/responseFilter')
        expect(known.has(`${method} ${path}`), path).toBe(!isBeyond)
      }
  })

  it('are all used by the contract', () => {
    expect([...known].filter((route) => !walked.has(shapeOf(route)))).toEqual([])
  })

  it('answer 405 for other methods, with the allowed ones, and 404 for unknown paths', async () => {
    const { api } = await connect()
    const notAllowed = await api('POST', '/emailTemplateSets/1/emailTemplates', { from: 'x' })
    expect(notAllowed.status).toBe(405)
    expect(notAllowed.headers.get('allow')).toBe('GET')
    expect((await api('DELETE', '/services')).status).toBe(405)
    expect((await api('POST', '/packageKeys', {})).status).toBe(405)
    expect((await api('GET', '/nothing')).status).toBe(404)
    expect((await api('GET', '/services/none')).status).toBe(404)
  })

  it('answer 405 for operations that the platform must not offer', async () => {
    const { post, del } = await connect({ refuse: ['DELETE /packages/{packageId}'] })
    const { id } = await post('/packages', { name: 'A' })
    expect((await del(`/packages/${id}`)).status).toBe(405)
  })
})

/** A route with uniform identifiers: names in braces, and the two values that the contract has instead. */
function shapeOf(route: string): string {
  return route
    .replace(/\{\w+\}/g, '{}')
    .replace('/emailTemplateSets/1/', '/emailTemplateSets/{}/')
    .replace(/ERR_\w+/, '{}')
}
