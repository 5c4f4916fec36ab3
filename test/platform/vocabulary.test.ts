import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { area, connect, connectTo, tokenOf } from './client.js'

/** The embedded platform with the vendor's words, with requests as public clients send them. */

const dialects = ['document', 'recorded'] as const

const password = { grant_type: 'password', username: 'local-user', password: 'local-password', scope: area }

const endpoint = {
  name: 'e',
  requestPathAlias: '/e',
  trafficManagerDomain: 'api.example.com',
  publicDomains: [{ address: 'api.example.com' }],
  systemDomains: [{ address: 'in.example.com' }],
}

describe.each(dialects)('a platform with the vendor’s words, dialect %s', (dialect) => {
  const platform = () => connect({ dialect, vocabulary: 'mashery' })

  it('accepts and answers them, also in nested fields, and fills in its default with them', async () => {
    const { get, post } = await platform()
    await post('/domains', { domain: 'example.com' })
    const oauth = { masheryTokenApiEnabled: true }
    const { id } = await post('/services', { name: 'S', securityProfile: { oauth } })
    const made = await post(`/services/${id}/endpoints?fields=id,returnedHeaders`, endpoint)
    expect(made.object.returnedHeaders).toEqual(['mashery-responder'])
    const other = await post(`/services/${id}/endpoints?fields=forwardedHeaders`, {
      ...endpoint,
      requestPathAlias: '/f',
      forwardedHeaders: ['mashery-host', 'mashery-message-id', 'mashery-service-id'],
    })
    expect(other.words).toBe('')
    expect(other.object.forwardedHeaders).toHaveLength(3)
    expect(other.text).not.toContain('svc-')
    const fields = 'securityProfile.oauth.masheryTokenApiEnabled'
    expect((await get(`/services/${id}?fields=${fields}`)).object).toEqual({ securityProfile: { oauth } })
  })

  it('refuses the document’s words, and names those that it accepts', async () => {
    const { post } = await platform()
    await post('/domains', { domain: 'example.com' })
    const { id } = await post('/services', { name: 'S' })
    const refused = await post(`/services/${id}/endpoints`, { ...endpoint, returnedHeaders: ['svc-responder'] })
    expect(refused.status).toBe(400)
    expect(refused.words).toContain('mashery-message-id, mashery-responder')
  })

  it('calls the API key mapi, and does so in the gateway’s headers', async () => {
    const { body } = await tokenOf(createPlatform({ dialect, vocabulary: 'mashery' }), password)
    expect(body).toMatchObject({ mapi: 'local-key' })
    expect(body).not.toHaveProperty('svcapi')
    const { get } = await connectTo(createPlatform({ dialect, vocabulary: 'mashery', qps: 1, now: () => 0 }))
    await get('/services')
    const { headers } = await get('/services')
    expect(headers.get('x-mashery-error-code')).toBe('ERR_403_DEVELOPER_OVER_QPS')
    expect(headers.get('x-mashery-responder')).toBe('local')
    expect(headers.has('x-svc-error-code')).toBe(false)
  })
})

it('refuses the vendor’s words if it has those of the document', async () => {
  const { post } = await connect()
  const { id } = await post('/services', { name: 'S' })
  const refused = await post(`/services/${id}/endpoints`, { ...endpoint, returnedHeaders: ['mashery-responder'] })
  expect(refused.blamed).toContain('returnedHeaders[0]')
})

it('starts with a snapshot in either words', async () => {
  for (const words of ['svc', 'mashery']) {
    const seed = {
      services: [{ id: 's', name: 'S', securityProfile: { oauth: { [`${words}TokenApiEnabled`]: true } } }],
    }
    const { get } = await connect({ seed, vocabulary: 'mashery' })
    const { object } = await get('/services/s?fields=securityProfile')
    expect(object.securityProfile).toEqual({ oauth: { masheryTokenApiEnabled: true } })
  }
})
