import { describe, expect, it } from 'vitest'
import { startPlatform } from '../../src/platform/listen.js'
import { createPlatform } from '../../src/platform/server.js'
import { area, basic, connect } from './client.js'

describe('faults in process', () => {
  it('drop the connection before or after the work', async () => {
    const { post, get } = await connect({ faults: ['reset-before:POST /services:1', 'reset-after:POST /packages:#2'] })
    await expect(post('/services', { name: 'A' })).rejects.toThrow('fetch failed')
    expect((await get('/services')).list).toHaveLength(0)
    expect((await post('/services', { name: 'A' })).status).toBe(200)
    expect((await post('/packages', { name: 'A' })).status).toBe(200)
    await expect(post('/packages', { name: 'B' })).rejects.toThrow('fetch failed')
    expect((await get('/packages')).list).toHaveLength(2)
  })

  it('answer with a status, a page, half a body, or as the gateway', async () => {
    const { get } = await connect({
      faults: [
        'status-503:GET /roles:1',
        'html:/members',
        'truncate:/domains',
        'over-qps:/packages:%2',
        'over-rate:PUT',
      ],
    })
    expect((await get('/roles')).status).toBe(503)
    expect((await get('/roles')).status).toBe(200)
    expect((await get('/members')).headers.get('content-type')).toBe('text/html')
    await expect(get('/domains')).rejects.toThrow(SyntaxError)
    expect((await get('/packages')).status).toBe(200)
    expect((await get('/packages')).headers.get('retry-after')).toBe('1')
  })

  it('match path steps in braces, any step, and everything below', async () => {
    const { get } = await connect({ faults: ['status-500:GET /services/{serviceId}/roles', 'status-502:/packages/**'] })
    expect((await get('/services/x/roles')).status).toBe(500)
    expect((await get('/services/x')).status).toBe(404)
    expect((await get('/packages/x/plans')).status).toBe(502)
  })

  it('expire tokens, and make answers late', async () => {
    const { get } = await connect({ faults: ['expire-token:GET /roles:1', 'slow-30:/domains'] })
    const start = performance.now()
    expect((await get('/domains')).status).toBe(200)
    expect(performance.now() - start).toBeGreaterThan(25)
    expect((await get('/roles')).headers.get('x-svc-error-code')).toBe('ERR_403_DEVELOPER_INACTIVE')
  })

  it.each(['nonsense', 'status-200', 'reset-before:what is this', 'slow', 'html:GET:x:1', 'html:GETT /roles'])(
    'refuse the rule %s',
    (spec) => {
      expect(() => createPlatform({ faults: [spec] })).toThrow(RangeError)
    },
  )
})

describe('a listening platform', () => {
  it('serves {url}/v3/token and {url}/v3/rest, and really breaks connections', async () => {
    const running = await startPlatform({ faults: ['reset-after:POST /roles', 'truncate:GET /services'] })
    try {
      expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      const form = { grant_type: 'password', username: running.username, password: running.password, scope: area }
      const answer = await fetch(`${running.url}/v3/token`, {
        method: 'POST',
        headers: { authorization: basic },
        body: new URLSearchParams(form),
      })
      const { access_token: token } = (await answer.json()) as { access_token: string }
      const headers = { authorization: `Bearer ${token}` }
      const rest = `${running.url}/v3/rest`
      expect((await fetch(`${rest}/domains`, { headers })).status).toBe(200)
      const broken = fetch(`${rest}/roles`, { method: 'POST', headers, body: '{"name":"Partners"}' })
      await expect(broken).rejects.toThrow('fetch failed')
      expect(await (await fetch(`${rest}/roles`, { headers })).json()).toHaveLength(2)
      const half = await fetch(`${rest}/services`, { headers })
      expect(half.status).toBe(200)
      await expect(half.text()).rejects.toThrow()
    } finally {
      await running.close()
    }
  })
})
