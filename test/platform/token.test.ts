import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { area, basic, connect, connectTo, tokenOf } from './client.js'

const password = { grant_type: 'password', username: 'local-user', password: 'local-password', scope: area }

describe('the token endpoint', () => {
  it('answers the password grant with the fields of the document', async () => {
    const { status, body } = await tokenOf(createPlatform(), password)
    expect(status).toBe(200)
    expect(body).toEqual({
      token_type: 'bearer',
      svcapi: 'local-key',
      access_token: expect.any(String),
      expires_in: 3600,
      refresh_token: expect.any(String),
      scope: area,
    })
  })

  it('lacks svcapi in the recorded dialect', async () => {
    expect((await tokenOf(createPlatform({ dialect: 'recorded' }), password)).body).not.toHaveProperty('svcapi')
  })

  it.each([
    ['invalid_client', 401, password, `Basic ${btoa('local-key:wrong')}`],
    ['invalid_grant', 400, { ...password, password: 'wrong' }, basic],
    ['invalid_scope', 400, { ...password, scope: 'elsewhere' }, basic],
    ['invalid_request', 400, { grant_type: 'password', username: 'local-user' }, basic],
    ['invalid_request', 400, {}, basic],
    ['unsupported_grant_type', 400, { grant_type: 'magic' }, basic],
    ['invalid_grant', 400, { grant_type: 'refresh_token', refresh_token: 'none' }, basic],
  ] as const)('refuses with %s', async (error, status, form, authorization) => {
    const result = await tokenOf(createPlatform(), form, authorization)
    expect(result.status).toBe(status)
    expect(result.object.error).toBe(error)
  })

  it('lets tokens expire, and refresh tokens later', async () => {
    const clock = { now: 0 }
    const platform = createPlatform({
      now: () => clock.now,
      tokenLifetimeSeconds: 10,
      refreshLifetimeSeconds: 100,
    })
    const { get } = await connectTo(platform)
    const first = await tokenOf(platform, password)
    const refresh = { grant_type: 'refresh_token', refresh_token: String(first.object.refresh_token) }
    expect((await get('/roles')).status).toBe(200)
    clock.now = 10_000
    const expired = await get('/roles')
    expect(expired.status).toBe(403)
    expect(expired.headers.get('x-svc-error-code')).toBe('ERR_403_DEVELOPER_INACTIVE')
    expect(expired.headers.get('content-type')).toBe('text/xml')
    expect((await tokenOf(platform, refresh)).status).toBe(200)
    clock.now = 100_000
    const late = await tokenOf(platform, refresh)
    expect([late.status, late.object.error]).toEqual([400, 'invalid_grant'])
  })

  it('answers calls without a token as the gateway does', async () => {
    const response = await createPlatform().fetch(new Request('http://x/v3/rest/services'))
    expect(response.status).toBe(403)
    expect(response.headers.get('x-svc-error-code')).toBe('ERR_403_DEVELOPER_INACTIVE')
  })

  it('records who edited a service', async () => {
    const { platform, post } = await connect({ accounts: { jane: 'jane-password' } })
    const jane = await connectTo(platform, 'jane', 'jane-password')
    const { id } = await post('/services', { name: 'Orders' })
    await jane.put(`/services/${id}`, { version: '2' })
    expect((await jane.get(`/services/${id}?fields=editorHandle,revisionNumber`)).object).toEqual({
      editorHandle: 'jane',
      revisionNumber: 2,
    })
  })
})

describe('the gateway', () => {
  it('refuses calls over the rate, and accepts them in the next second', async () => {
    const clock = { now: 0 }
    const { get } = await connect({ qps: 2, now: () => clock.now })
    expect((await get('/roles')).headers.get('x-packagekey-qps-current')).toBe('1')
    await get('/roles')
    const stopped = await get('/roles')
    expect(stopped.status).toBe(403)
    expect(stopped.headers.get('x-svc-error-code')).toBe('ERR_403_DEVELOPER_OVER_QPS')
    expect(stopped.headers.get('retry-after')).toBe('1')
    clock.now = 1000
    expect((await get('/roles')).status).toBe(200)
  })

  it('refuses calls over the daily quota until the next day', async () => {
    const clock = { now: 0 }
    const { get } = await connect({ dailyQuota: 1, now: () => clock.now, tokenLifetimeSeconds: 1e6 })
    await get('/roles')
    const stopped = await get('/roles')
    expect(stopped.headers.get('x-svc-error-code')).toBe('ERR_403_DEVELOPER_OVER_RATE')
    expect(stopped.headers.get('retry-after')).toBeNull()
    clock.now = 86_400_000
    expect((await get('/roles')).status).toBe(200)
  })
})
