import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import type { Operation } from '../../src/catalog/types.js'
import { connect } from '../../src/client/connect.js'
import type { RequestEntry } from '../../src/client/connect-input.js'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import type { JsonObject } from '../../src/json/json.js'
import type { ReadSpec } from '../../src/live/live-object.js'
import { ProblemError } from '../../src/problems/problem.js'
import { masking } from '../../src/secrets/mask.js'
import { answering, base, client, credentials, fakeClock, gateway, json, scripted } from './support.js'

const domains: ReadSpec = { fields: new Map([['Domain', ['status']]]), linksOf: 'none' }

const operation = (name: string): Operation => {
  const found = catalog.Service.operations[name]
  if (!found) throw new Error(name)
  return found
}

const problemOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProblemError)) throw new Error(`no ProblemError: ${String(error)}`)
  return error.problems[0]
}

describe('the token', () => {
  beforeAll(() => nock.disableNetConnect())
  afterEach(() => nock.cleanAll())
  afterAll(() => nock.restore())

  const online = (more = {}) =>
    connect({
      url: `${base}/`,
      credentials,
      concurrency: 4,
      transport: fetchTransport((url, init) => fetch(url, init)),
      mask: masking([]),
      ...fakeClock(),
      ...more,
    })

  const token = { access_token: 'tok-1', token_type: 'bearer', expires_in: 3600, refresh_token: 'ref-1' }
  const basic = { reqheaders: { authorization: `Basic ${Buffer.from('key-1:secret-1').toString('base64')}` } }
  const bearer = (value: string) => ({ reqheaders: { authorization: `Bearer ${value}` } })
  const password = { grant_type: 'password', username: 'jane', password: 'pass-1', scope: credentials.area }

  it('is requested as the document says, and once for all requests', async () => {
    nock(base, basic).post('/v3/token', password).reply(200, token)
    nock(base, bearer('tok-1')).get('/v3/rest/domains').query(true).times(2).reply(200, [], { 'X-Total-Count': '0' })
    const online1 = online()
    await Promise.all([online1.read(domains), online1.read(domains)])
    expect(nock.isDone()).toBe(true)
    expect(online1.stats()).toMatchObject({ requests: 2, tokenRequests: 1 })
  })

  it('is renewed with the refresh grant shortly before it expires', async () => {
    const clock = fakeClock()
    nock(base, basic).post('/v3/token', password).reply(200, token)
    nock(base, bearer('tok-1')).get('/v3/rest/domains').query(true).reply(200, '[]')
    nock(base, basic)
      .post('/v3/token', { grant_type: 'refresh_token', refresh_token: 'ref-1' })
      .reply(200, { ...token, access_token: 'tok-2' })
    nock(base, bearer('tok-2')).get('/v3/rest/domains').query(true).reply(200, '[""]')
    const online1 = online(clock)
    await online1.read(domains)
    await clock.sleep(3_541_000, undefined)
    await online1.read(domains)
    expect(nock.isDone()).toBe(true)
  })

  it('is requested again with the password if the refresh token has expired', async () => {
    nock(base).post('/v3/token', password).reply(200, token)
    nock(base, bearer('tok-1'))
      .get('/v3/rest/domains')
      .query(true)
      .reply(403, '<h1>Developer Inactive</h1>', { 'X-Svc-Error-Code': 'ERR_403_DEVELOPER_INACTIVE' })
    nock(base)
      .post('/v3/token', { grant_type: 'refresh_token', refresh_token: 'ref-1' })
      .reply(400, { error: 'invalid_grant', error_description: 'Expired refresh token' })
    nock(base)
      .post('/v3/token', password)
      .reply(200, { ...token, access_token: 'tok-2' })
    nock(base, bearer('tok-2')).get('/v3/rest/domains').query(true).reply(200, [])
    await online().read(domains)
    expect(nock.isDone()).toBe(true)
  })

  it('is renewed once for all requests that are refused together', async () => {
    nock(base).post('/v3/token', password).reply(200, token)
    nock(base, bearer('tok-1')).get('/v3/rest/domains').query(true).times(3).reply(401)
    nock(base)
      .post('/v3/token', /refresh/)
      .reply(200, { ...token, access_token: 'tok-2' })
    nock(base, bearer('tok-2')).get('/v3/rest/domains').query(true).times(3).reply(200, [])
    const online1 = online()
    await Promise.all([online1.read(domains), online1.read(domains), online1.read(domains)])
    expect(nock.isDone()).toBe(true)
  })

  it.each([
    [400, { error: 'invalid_grant', error_description: 'Bad credentials' }, 'GATEWRIGHT_USERNAME'],
    [400, { error: 'invalid_client' }, 'GATEWRIGHT_API_KEY'],
    [401, '', 'GATEWRIGHT_API_KEY'],
    [400, { error: 'invalid_scope' }, 'GATEWRIGHT_AREA'],
    [404, { error: 'invalid_scope', error_description: 'Unknown area' }, 'GATEWRIGHT_AREA'],
    [200, [{ error: 'invalid_client' }], 'GATEWRIGHT_API_KEY'],
  ])('that is refused with %i names the variables to check', async (status, body, variable) => {
    nock(base).post('/v3/token').reply(status, body)
    const problem = await problemOf(online().read(domains))
    expect(problem?.code).toBe('credentials-refused')
    expect(problem?.message).toContain('platform.example refused the credentials')
    expect(problem?.hint).toContain(variable)
  })

  it('that is answered 404 is reported as a wrong URL: no credentials were read', async () => {
    nock(base).post('/v3/token').reply(404, '<h1>Not Found</h1>')
    expect(await problemOf(online().read(domains))).toMatchObject({
      code: 'not-this-interface',
      message: `${base} has no /v3/token: it was answered 404, Not Found`,
      hint: 'check that GATEWRIGHT_URL (or --url, or platform.url) is the base URL, without /v3/rest',
    })
  })

  it('that is refused means that a write is refused', async () => {
    nock(base).post('/v3/token').reply(400, { error: 'invalid_client' })
    const outcome = await online().write(operation('create'), {}, { name: 'x' })
    expect(outcome).toMatchObject({ is: 'refused', status: 401 })
  })

  it('that is answered with a page is reported with the text of the page', async () => {
    nock(base).post('/v3/token').reply(200, '<html>Log in</html>', { 'Content-Type': 'text/html' })
    const problem = await problemOf(online().read(domains))
    expect(problem).toMatchObject({ code: 'answer-not-json' })
    expect(problem?.message).toBe('POST /v3/token was answered with text/html instead of JSON: Log in')
  })

  it('that breaks off is requested again, and never displayed', async () => {
    const cut = '{"access_token":"tok-secret-and-long'
    nock(base).post('/v3/token').times(4).reply(200, cut, { 'Content-Type': 'application/json' })
    expect((await problemOf(online().read(domains)))?.message).toBe(
      'POST /v3/token was answered with broken JSON: {"access_token":"***"',
    )
    nock(base).post('/v3/token').reply(200, cut)
    nock(base).post('/v3/token').reply(200, token)
    nock(base, bearer('tok-1')).get('/v3/rest/domains').query(true).reply(200, [], { 'X-Total-Count': '0' })
    await online().read(domains)
    expect(nock.isDone()).toBe(true)
  })

  it('is not requested from the target of a redirection, and nothing is read there', async () => {
    const location = 'https://elsewhere.example/v3/token'
    nock(base).post('/v3/token').reply(301, '', { Location: location })
    expect(await problemOf(online().read(domains))).toMatchObject({
      code: 'request-redirected',
      message: `POST /v3/token was answered 301: the platform sends on to ${location}`,
    })
    nock(base).get('/v3/rest/domains').query(true).reply(302, '<html>Moved</html>', { Location: '/login' })
    expect(await problemOf(online({ credentials: { token: 'ready' } }).read(domains))).toMatchObject({
      code: 'request-redirected',
      message: 'GET /v3/rest/domains was answered 302: the platform sends on to /login',
    })
  })

  it.each([
    '/v3/rest/domains/?limit=100',
    `${base}/v3/rest/domains/`,
    `${base.replace('https', 'http')}/v3/rest/domains/`,
  ])(
    'is not followed to the same path with a slash, and the message says that no setting helps: %s',
    async (location) => {
      nock(base).get('/v3/rest/domains').query(true).reply(308, '', { Location: location })
      expect(await problemOf(online({ credentials: { token: 'ready' } }).read(domains))).toMatchObject({
        code: 'request-redirected',
        message: 'GET /v3/rest/domains was answered 308: the platform sends on to the same path with a "/" at its end',
        hint: expect.stringContaining('no setting changes the paths'),
      })
    },
  )

  it.each([{ access_token: 5 }, { access_token: '' }, {}])('that is not a text is reported: %j', async (answer) => {
    nock(base).post('/v3/token').reply(200, answer)
    expect(await problemOf(online().read(domains))).toMatchObject({
      code: 'unusable-answer',
      message: 'the answer to POST /v3/token cannot be used: it holds no access_token',
    })
  })

  it.each(['tok\n-1', 'tok\u20ac'])('that no header can contain is reported, and sent nowhere: %j', async (token) => {
    nock(base).post('/v3/token').reply(200, { access_token: token })
    expect(await problemOf(online().read(domains))).toMatchObject({
      code: 'unusable-answer',
      message: 'the answer to POST /v3/token cannot be used: no header can carry its access_token',
    })
    const given = online({ credentials: { token } })
    expect(await problemOf(given.read(domains))).toMatchObject({
      code: 'credentials-refused',
      hint: 'check GATEWRIGHT_TOKEN: it is the access_token alone, in one line',
    })
    expect(await given.write(operation('create'), {}, { name: 'x' })).toMatchObject({ is: 'refused', status: 401 })
  })

  it.each([503, 408])(
    'whose request is answered %i is not reported as wrong credentials, and the read was not sent',
    async (status) => {
      const fail = () => nock(base).post('/v3/token').times(4).reply(status, '<h1>Out of order</h1>')
      fail()
      const message = `POST /v3/token was answered ${status}: Out of order`
      expect(await problemOf(online().read(domains))).toMatchObject({
        code: 'unusable-answer',
        message,
        hint: 'the platform failed: run the command again later',
      })
      fail()
      expect(await online().write(operation('create'), {}, { name: 'x' })).toEqual({ is: 'unreachable', message })
      nock(base).post('/v3/token').times(4).replyWithError('gone')
      expect(await online().write(operation('create'), {}, { name: 'x' })).toMatchObject({
        is: 'unreachable',
        message: expect.stringContaining('no answer to POST /v3/token') as string,
      })
    },
  )

  it('that was given is not renewed', async () => {
    nock(base).get('/v3/rest/domains').query(true).reply(401)
    const problem = await problemOf(online({ credentials: { token: 'old' } }).read(domains))
    expect(problem).toMatchObject({ code: 'credentials-refused', hint: 'check GATEWRIGHT_TOKEN' })
  })
})

describe('a read', () => {
  it('continues after it was refused because of too many calls', async () => {
    const { transport, requests } = scripted(gateway('ERR_403_DEVELOPER_OVER_QPS', { 'retry-after': '1' }), json([]))
    const online = client(transport)
    await online.read(domains)
    expect(requests).toHaveLength(2)
    expect(online.stats()).toMatchObject({ requests: 2, tokenRequests: 0, throttled: 1, waitedMs: 1000 })
  })

  it('ends when the quota is used up, and so does everything after it', async () => {
    const { transport, requests } = scripted(gateway('ERR_403_DEVELOPER_OVER_RATE'))
    const online = client(transport)
    expect(await problemOf(online.read(domains))).toMatchObject({ code: 'quota-used-up' })
    expect(await online.write(operation('delete'), { serviceId: 'a' }, undefined)).toMatchObject({ is: 'quota' })
    expect(requests).toHaveLength(1)
  })

  it('ends when the quota is used up after a failure as well', async () => {
    const { transport } = scripted(json({}, 502), gateway('ERR_403_DEVELOPER_OVER_RATE'))
    expect(await problemOf(client(transport).read(domains))).toMatchObject({ code: 'quota-used-up' })
  })

  it('ends after twenty refusals', async () => {
    const { transport, requests } = answering(() => gateway('ERR_403_DEVELOPER_OVER_QPS'))
    const problem = await problemOf(client(transport).read(domains))
    expect(problem).toMatchObject({ code: 'throttled', message: expect.stringContaining('20 times') as string })
    expect(requests).toHaveLength(20)
  })

  it.each([
    [429, 'quota-used-up'],
    [503, 'request-refused'],
  ])('that is answered %i waits for five minutes, and no longer', async (status, code) => {
    const clock = fakeClock()
    const patient = scripted(json({}, status, { 'retry-after': '300' }), json([]))
    await client(patient.transport, clock).read(domains)
    expect(clock.slept).toEqual([300_000])
    const { transport, requests } = scripted(json({}, status, { 'retry-after': '301' }))
    expect(await problemOf(client(transport, clock).read(domains))).toMatchObject({ code })
    expect(requests).toHaveLength(1)
    expect(clock.slept).toEqual([300_000])
  })

  it('is tried four times if the platform fails', async () => {
    const { transport, requests } = scripted(json({}, 502), json({}, 503), json({}, 500), json([]))
    const clock = fakeClock()
    await client(transport, clock).read(domains)
    expect(requests).toHaveLength(4)
    expect(clock.slept).toEqual([500, 1000, 2000])
  })

  it('reports the last answer if the platform fails again and again', async () => {
    const error = json({ errorCode: 500, errorMessage: 'database hunter2 down' }, 500)
    const problem = await problemOf(client(scripted(error, error, error, error).transport).read(domains))
    expect(problem?.message).toBe('GET /v3/rest/domains was answered 500: database *** down')
  })

  it('of something else than JSON is reported with the request, the type and the first words', async () => {
    const page = {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<html><h1>Welcome hunter2</h1></html>',
    }
    const problem = await problemOf(client(scripted(page).transport).read(domains))
    expect(problem?.message).toBe('GET /v3/rest/domains was answered with text/html instead of JSON: Welcome ***')
  })

  it('of JSON that breaks off is reported as broken', async () => {
    const page = { ...json([]), body: '[{"id":"a","secret":"live","name":' }
    const { transport, requests } = scripted(page, page, page, page)
    const problem = await problemOf(client(transport).read(domains))
    expect(problem?.message).toBe(
      'GET /v3/rest/domains was answered with broken JSON: [{"id":"a","secret":"***","name":',
    )
    expect(requests).toHaveLength(4)
  })

  it.each(['[', '[{"id":"a"}', '[{"id":"a","domain":"]'])(
    'of JSON that breaks off is requested again: %s',
    async (body) => {
      const { transport, requests } = scripted({ ...json([]), body }, json([]))
      const clock = fakeClock()
      await client(transport, clock).read(domains)
      expect([requests.length, clock.slept]).toEqual([2, [500]])
    },
  )

  it.each([200, 403])('displays no part of a secret at the end of the quoted words (%i)', async (status) => {
    const body = `<html>${'x'.repeat(194)} hunter2</html>`
    const page = { status, headers: { 'content-type': 'text/html' }, body }
    const problem = await problemOf(client(scripted(page).transport).read(domains))
    expect(problem?.message).toContain('xxx ***')
    expect(problem?.message).not.toContain('hunter')
  })

  it('whose error contains the token does not display it', async () => {
    const problem = await problemOf(
      client(scripted(json({ errorCode: 400, errorMessage: 'bad tok-0' }, 400)).transport).read(domains),
    )
    expect(problem?.message).toBe('GET /v3/rest/domains was answered 400: bad ***')
  })

  it('of a path without any of the collections gives the hint to check the URL', async () => {
    const problem = await problemOf(client(scripted(json({}, 404)).transport).read(domains))
    expect(problem).toMatchObject({ code: 'not-this-interface' })
  })

  it('that is forbidden is reported', async () => {
    const problem = await problemOf(client(scripted(gateway('ERR_403_NOT_AUTHORIZED')).transport).read(domains))
    expect(problem?.message).toContain('answered 403')
  })
})

describe('a write', () => {
  const create = (transport: Parameters<typeof client>[0], body: JsonObject = { name: 'x' }) =>
    client(transport).write(operation('create'), {}, body, ['id', 'endpoints.id'])

  it.each([
    ['an array of one', json([{ id: 'a' }], 201), [{ id: 'a' }]],
    ['a bare object', json({ id: 'a' }), [{ id: 'a' }]],
    ['nothing', { status: 204, headers: {}, body: '' }, []],
    ['something else than JSON', { status: 200, headers: { 'content-type': 'application/json' }, body: 'OK' }, []],
  ])('is done if the answer is %s', async (_, response, objects) => {
    expect(await create(scripted(response).transport)).toEqual({ is: 'done', objects })
  })

  it('uses the path of its operation, and requests fields', async () => {
    const { transport, requests } = scripted(json({ id: 'a' }))
    await client(transport).write(operation('update'), { serviceId: 'a b/c' }, { name: 'x' }, ['id', 'name'])
    expect(requests[0]).toMatchObject({
      method: 'PUT',
      url: `${base}/v3/rest/services/a%20b%2Fc?fields=id,name`,
      body: '{"name":"x"}',
    })
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer tok-0', 'content-type': 'application/json' })
  })

  it.each(['.', '..', '\ud800'])(
    'to an object with the id %j is not sent, because it would have another path',
    async (id) => {
      const { transport, requests } = scripted()
      const outcome = await client(transport).write(operation('delete'), { serviceId: id }, undefined)
      expect(outcome).toMatchObject({ is: 'unreachable', message: expect.stringContaining('cannot stand in a path') })
      expect(requests).toEqual([])
    },
  )

  it.each(['%2e%2e', '...', '~a!(b)*', 'é', '?#'])('to an object with the id %j is sent to that object', async (id) => {
    const { transport, requests } = scripted(json({}))
    await client(transport).write(operation('delete'), { serviceId: id }, undefined)
    expect(decodeURIComponent(new URL(requests[0]?.url ?? '').pathname)).toBe(`/v3/rest/services/${id}`)
  })

  it('that is refused returns the complaints, with secrets masked', async () => {
    const body = {
      errorCode: 400,
      errorMessage: 'Invalid',
      errors: [{ property: 'password', message: 'hunter2 is too short' }],
      password: 'hunter3',
    }
    expect(await create(scripted(json(body, 400)).transport)).toEqual({
      is: 'refused',
      status: 400,
      errorCode: '400',
      message: 'Invalid; password: *** is too short',
      complaints: [{ property: 'password', message: '*** is too short' }],
      body: JSON.stringify({
        ...body,
        errors: [{ property: 'password', message: '*** is too short' }],
        password: '***',
      }),
    })
  })

  it('that creates is never repeated if something in front of the platform failed', async () => {
    const { transport, requests } = scripted({ status: 502, headers: {}, body: '<h1>Bad Gateway</h1>' })
    expect(await create(transport)).toMatchObject({ is: 'unknown' })
    expect(requests).toHaveLength(1)
  })

  it('is not repeated if its answer breaks off: it was carried out', async () => {
    const { transport, requests } = scripted({ ...json({}), body: '{"id":' })
    await client(transport).write(operation('update'), { serviceId: 's' }, { name: 'x' })
    expect(requests).toHaveLength(1)
  })

  it.each([500, 502, 504, 520, 408, 302])(
    'that creates has an unknown outcome after a %i, whatever the body says',
    async (status) => {
      const { transport, requests } = scripted(json({ errorCode: status, errorMessage: 'no' }, status))
      const said = status === 302 ? 'the platform sends on to nowhere' : 'no'
      expect(await create(transport)).toMatchObject({
        is: 'unknown',
        message: expect.stringMatching(new RegExp(`^POST \\S+ was answered ${status}: ${said}$`)) as string,
      })
      expect(requests).toHaveLength(1)
    },
  )

  it('that creates has an unknown outcome after a failure, however long the platform asks to wait', async () => {
    const { transport } = scripted(json({}, 500, { 'retry-after': '301' }))
    expect(await create(transport)).toMatchObject({ is: 'unknown' })
  })

  it.each(['update', 'delete'])('that is redirected is reported, and may have been carried out: %s', async (name) => {
    const { transport, requests } = scripted({ status: 303, headers: { location: '/login?for=x' }, body: '' })
    expect(await client(transport).write(operation(name), { serviceId: 'a' }, undefined)).toEqual({
      is: 'unknown',
      message: `${operation(name).method} /v3/rest/services/a was answered 303: the platform sends on to /login`,
    })
    expect(requests).toHaveLength(1)
  })

  it.each([400, 405, 409, 501])('that creates is refused by a %i', async (status) => {
    const { transport } = scripted(json({ errorCode: status, errorMessage: 'no' }, status))
    expect(await create(transport)).toMatchObject({ is: 'refused', status, errorCode: String(status) })
  })

  it('that creates is sent again if the gateway refused it', async () => {
    const { transport, requests } = scripted(gateway('ERR_403_DEVELOPER_OVER_QPS'), json({ id: 'a' }))
    expect(await create(transport)).toMatchObject({ is: 'done' })
    expect(requests).toHaveLength(2)
  })

  it.each([429, 503])('that creates is not sent again after a %i before somebody has checked', async (status) => {
    const { transport, requests } = scripted(json('', status), json({ id: 'a' }))
    expect(await create(transport)).toMatchObject({ is: 'busy', status })
    expect(requests).toHaveLength(1)
  })

  it('that creates is not repeated if the platform asks to wait for more than five minutes', async () => {
    const { transport, requests } = scripted(json('', 503, { 'retry-after': '301' }))
    expect(await create(transport)).toMatchObject({ is: 'refused', status: 503 })
    expect(requests).toHaveLength(1)
  })

  it.each([503, 408])('that updates is repeated after a %i', async (status) => {
    const { transport, requests } = scripted(json({}, status), json({ id: 'a' }))
    expect(await client(transport).write(operation('update'), { serviceId: 'a' }, {})).toMatchObject({ is: 'done' })
    expect(requests).toHaveLength(2)
  })

  it('that deletes a missing object returns the refusal to the caller', async () => {
    const { transport } = scripted({ status: 404, headers: {}, body: '' })
    expect(await client(transport).write(operation('delete'), { serviceId: 'a' }, undefined)).toMatchObject({
      is: 'refused',
      status: 404,
      message: 'Not Found',
    })
  })

  it('is not sent after an interruption', async () => {
    const { transport, requests } = scripted()
    const outcome = await client(transport, { signal: AbortSignal.abort() }).write(operation('create'), {}, {})
    expect(outcome).toMatchObject({ is: 'unreachable' })
    expect(requests).toHaveLength(0)
  })
})

describe('a deeply nested answer', () => {
  const nested = (levels: number) =>
    `[{"id":"d","domain":"d.example","status":${'['.repeat(levels)}${']'.repeat(levels)}}]`

  it.each([false, true])('is refused, logged: %s', async (isLogged) => {
    const entries: RequestEntry[] = []
    const { transport, requests } = scripted({ status: 200, headers: {}, body: nested(100_000) })
    const options = isLogged ? { onRequest: (entry: RequestEntry) => entries.push(entry) } : {}
    const problem = await problemOf(client(transport, options).read(domains))
    expect(problem).toMatchObject({ code: 'unusable-answer', message: expect.stringContaining('500 levels') })
    expect(requests).toHaveLength(1)
    expect(entries.map(({ error }) => error)).toEqual(
      isLogged ? ['the answer is nested more than 500 levels deep'] : [],
    )
  })

  it('is read if only a text in it looks nested, and if it is nested a little', async () => {
    const text = JSON.stringify([{ id: 'd', domain: `d"\\${'[{'.repeat(1000)}`, status: [[[['x']]]] }])
    const { transport } = scripted({ status: 200, headers: { 'x-total-count': '1' }, body: text })
    expect((await client(transport).read(domains)).raw.domains).toHaveLength(1)
  })
})

describe('the log', () => {
  it('shows requests without their secrets', async () => {
    const entries: RequestEntry[] = []
    const { transport } = scripted(
      json({ access_token: 'tok-9', svcapi: 'key-8', mapi: 'key-9', expires_in: 3600 }),
      json({ id: 'k', apikey: 'abc', secret: 'def', note: 'hunter2' }),
    )
    const online = client(transport, { credentials, onRequest: (entry) => entries.push(entry) })
    await online.write(
      operation('create'),
      {},
      { name: 'x', endpoints: [{ systemDomainAuthentication: { password: 'p' } }] },
    )
    expect(entries).toMatchObject([
      {
        method: 'POST',
        url: `${base}/v3/token`,
        status: 200,
        requestBody: `grant_type=password&username=***&password=***&scope=${credentials.area}`,
        responseBody: '{"access_token":"***","svcapi":"***","mapi":"***","expires_in":3600}',
      },
      {
        requestBody: '{"name":"x","endpoints":[{"systemDomainAuthentication":{"password":"***"}}]}',
        responseBody: '{"id":"k","apikey":"***","secret":"***","note":"***"}',
      },
    ])
    expect(JSON.stringify(entries)).not.toMatch(/tok-9|key-8|key-9|pass-1|secret-1|hunter2|Bearer|Basic/)
  })
})
