import { describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import type { Operation } from '../../src/catalog/types.js'
import { faultOf } from '../../src/client/transport-fault.js'
import type { Transport } from '../../src/ports/transport.js'
import { answering, client, credentials, fakeClock, gateway, json } from './support.js'

const operation = (name: string): Operation => {
  const found = catalog.Service.operations[name]
  if (!found) throw new Error(name)
  return found
}

const fault = (code: string, more = {}): Error => Object.assign(new Error('failed'), { code, ...more })

describe('a request without an answer', () => {
  it.each([
    [fault('ECONNREFUSED'), 'no', true],
    [fault('ENOTFOUND'), 'no', false],
    [fault('CERT_HAS_EXPIRED'), 'no', false],
    [fault('ETIMEDOUT', { syscall: 'connect' }), 'no', true],
    [fault('ETIMEDOUT', { syscall: 'read' }), 'perhaps', true],
    [Object.assign(new AggregateError([], 'all'), { code: 'ETIMEDOUT' }), 'no', true],
    [fault('ECONNRESET'), 'perhaps', true],
    [fault('UND_ERR_HEADERS_TIMEOUT'), 'perhaps', true],
    [new TypeError('fetch failed', { cause: fault('ECONNREFUSED') }), 'no', true],
    [new TypeError('fetch failed', { cause: new Error('other') }), 'perhaps', true],
    ['a thrown string', 'perhaps', true],
  ])('%s was received: %s, may pass: %s', (error, received, passing) => {
    expect(faultOf(error)).toMatchObject({ received, passing })
  })

  it('is sent again if the host answered before and now refuses the connection: nothing was received', async () => {
    let count = 0
    const wire = answering(() => {
      count += 1
      return count === 2 ? fault('ECONNREFUSED') : json({ id: 'a' })
    })
    const online = client(wire.transport)
    await online.write(operation('create'), {}, { name: 'x' })
    expect(await online.write(operation('create'), {}, { name: 'y' })).toMatchObject({ is: 'done' })
    expect(wire.requests).toHaveLength(3)
  })

  it.each([
    ['a refused connection', fault('ECONNREFUSED')],
    ['the end of the quota', gateway('ERR_403_DEVELOPER_OVER_RATE')],
  ])('and %s at the next attempt: the outcome of an update that may have arrived is unknown', async (_, next) => {
    const wire = answering(() => [json([]), fault('ECONNRESET')][wire.requests.length - 1] ?? next)
    const online = client(wire.transport)
    await online.listIds(catalog.Service, {})
    const outcome = await online.write(operation('update'), { serviceId: 'a' }, {})
    expect(outcome).toMatchObject({
      is: 'unknown',
      message: expect.stringMatching(/^no answer to PUT .*sent again, and /),
    })
    expect(await online.write(operation('update'), { serviceId: 'b' }, {})).not.toMatchObject({ is: 'unknown' })
  })

  it('that was interrupted between two attempts is not reported as unsent', async () => {
    const interrupt = new AbortController()
    const wire = answering(() => fault('ECONNRESET'))
    const sleep = () => {
      interrupt.abort()
      return Promise.reject(interrupt.signal.reason)
    }
    const online = client(wire.transport, { signal: interrupt.signal, sleep })
    expect(await online.write(operation('update'), { serviceId: 'a' }, {})).toMatchObject({ is: 'unknown' })
  })

  it.each(['create', 'update', 'delete'])('and was interrupted before it was sent is not unknown: %s', async (name) => {
    const interrupt = new AbortController()
    const wire = answering(() => json({ id: 'a' }))
    const sleep = () => {
      interrupt.abort()
      return Promise.reject(interrupt.signal.reason)
    }
    const online = client(wire.transport, { signal: interrupt.signal, sleep, requestsPerSecond: 1 })
    await online.write(operation('update'), { serviceId: 'a' }, {})
    expect(await online.write(operation(name), { serviceId: 'b' }, {})).toMatchObject({ is: 'unreachable' })
    expect(wire.requests).toHaveLength(1)
  })
})

describe('requests', () => {
  it('end with the client: if one request of a reading fails, the others are not sent and not awaited', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const transport: Transport = ({ signal }) => {
      signals.push(signal)
      return signals.length === 1
        ? Promise.resolve(json({}, 403))
        : new Promise((_, reject) => signal?.addEventListener('abort', reject))
    }
    const online = client(transport, { concurrency: 1 })
    const kinds = (['Package', 'Role', 'Service'] as const).map((kind) => [kind, ['name']] as const)
    await expect(online.read({ fields: new Map(kinds), linksOf: 'none' })).rejects.toThrow('answered 403')
    await expect.poll(() => signals.length).toBe(2)
    await online.close()
    expect(signals[1]?.aborted).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(signals).toHaveLength(2)
  })

  it('never exceed the allowed number at once', async () => {
    let underWay = 0
    let most = 0
    const transport: Transport = async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise((resolve) => setTimeout(resolve, 2))
      underWay -= 1
      return json({ id: 'a' })
    }
    const online = client(transport, { concurrency: 3 })
    await Promise.all(Array.from({ length: 12 }, () => online.write(operation('create'), {}, {})))
    expect(most).toBe(3)
  })

  it('keep their distance, also from the request for the token', async () => {
    const clock = fakeClock()
    const times: number[] = []
    const wire = answering((request) => {
      times.push(clock.now())
      return request.url.endsWith('/v3/token') ? json({ access_token: 'tok', expires_in: 3600 }) : json({ id: 'a' })
    })
    const online = client(wire.transport, { ...clock, credentials, requestsPerSecond: 2, concurrency: 8 })
    await Promise.all(Array.from({ length: 3 }, () => online.write(operation('create'), {}, {})))
    expect(times).toEqual([0, 500, 1000, 1500])
  })

  it('are not sent without a URL', () => {
    expect(() => client(answering(() => json([])).transport, { url: 'platform.example' })).toThrow(/is not the URL/)
    expect(() => client(answering(() => json([])).transport, { url: 'ftp://platform.example' })).toThrow(
      /is not the URL/,
    )
  })
})
