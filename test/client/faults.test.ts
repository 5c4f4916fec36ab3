import { once } from 'node:events'
import { createServer } from 'node:http'
import { createConnection, createServer as createSocketServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Agent } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { catalog } from '../../src/catalog/catalog.js'
import type { Operation } from '../../src/catalog/types.js'
import { connect } from '../../src/client/connect.js'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import { proxiesIn, undiciTransport } from '../../src/client/undici-transport.js'
import type { ReadSpec } from '../../src/live/live-object.js'
import type { Transport } from '../../src/ports/transport.js'
import { ProblemError } from '../../src/problems/problem.js'
import { masking } from '../../src/secrets/mask.js'
import { listen } from './support.js'

const domains: ReadSpec = { fields: new Map([['Domain', []]]), linksOf: 'none' }

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function online(url: string, transport: Transport) {
  const client = connect({
    url,
    credentials: { token: 't' },
    concurrency: 2,
    transport,
    now: () => Date.now(),
    // Real connections, but no real waiting between the attempts.
    sleep: (_, signal) => setTimeout(1, undefined, { signal }),
    mask: masking([]),
  })
  closing.push(() => client.close())
  return client
}

async function server(answer: Parameters<typeof listen>[0]): Promise<string> {
  const { url, close } = await listen(answer)
  closing.push(close)
  return url
}

const create = (): Operation => {
  const operation = catalog.Service.operations.create
  if (!operation) throw new Error('no create')
  return operation
}

const transports: readonly (readonly [string, (timeoutMs?: number) => Transport])[] = [
  ['undici', (timeoutMs) => undiciTransport(timeoutMs === undefined ? {} : { timeoutMs })],
  ['fetch', (timeoutMs) => fetchTransport((url, init) => fetch(url, init), timeoutMs)],
]

/** A gateway that answers with this status and breaks the connection before the body. */
const hangingUp = (status: number) =>
  server((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': 99 })
    response.write('{"errorCode":', () => setTimeout(5).then(() => response.destroy()))
  })

describe('an answer that breaks off', () => {
  it('is a refusal if its status says so, for a read and for a create', async () => {
    const client = online(await hangingUp(403), undiciTransport())
    const refused = await client.read(domains).catch((error: unknown) => error)
    expect(refused instanceof ProblemError && refused.problems[0]).toMatchObject({
      code: 'request-refused',
      message: expect.stringMatching(/^GET \/v3\/rest\/domains was answered 403/),
    })
    expect(await client.write(create(), {}, { name: 'S' })).toMatchObject({ is: 'refused' })
  })

  it.each([429, 503])('is requested again after %i', async (status) => {
    let isFirst = true
    const gzip = gzipSync('{"errorCode":"x"}').subarray(0, 12)
    const url = await server((_, response) => {
      if (!isFirst) return response.end('[{"id":"1","name":"S","domain":"d.example"}]')
      isFirst = false
      response.writeHead(status, { 'retry-after': '1', 'content-encoding': 'gzip', 'content-length': 99 })
      return response.write(gzip, () => setTimeout(5).then(() => response.destroy()))
    })
    const client = online(url, undiciTransport())
    expect((await client.read(domains)).raw.domains).toHaveLength(1)
    isFirst = true
    const written = await client.write(create(), {}, { name: 'S' })
    expect(written.is).toBe('busy')
  })

  it('is not used if its status is a success, and the outcome of a create is unknown', async () => {
    const client = online(await hangingUp(200), undiciTransport())
    const unread = await client.read(domains).catch((error: unknown) => error)
    expect(unread instanceof ProblemError && unread.problems[0]?.code).toBe('no-answer')
    expect(await client.write(create(), {}, { name: 'S' })).toMatchObject({ is: 'unknown' })
  })
})

describe.each(transports)('over %s', (_, transport) => {
  it('a read survives resets', async () => {
    let count = 0
    const url = await server((request, response) => {
      count += 1
      if (count < 3) request.socket.destroy()
      else response.setHeader('x-total-count', '1').end('[{"id":"d","domain":"example.com"}]')
    })
    const { snapshot } = await online(url, transport()).read(domains)
    expect(snapshot.objects).toMatchObject([{ kind: 'Domain', key: 'example.com' }])
    expect(count).toBe(3)
  })

  it('a create that is cut off is unknown, and is sent once', async () => {
    let count = 0
    const url = await server((request) => {
      count += 1
      request.socket.destroy()
    })
    expect(await online(url, transport()).write(create(), {}, { name: 'x' })).toMatchObject({ is: 'unknown' })
    expect(count).toBe(1)
  })

  it('a create that is not answered in time is unknown, and is sent once', async () => {
    let count = 0
    const url = await server(() => {
      count += 1
    })
    const outcome = await online(url, transport(200)).write(create(), {}, { name: 'x' })
    expect(outcome).toMatchObject({ is: 'unknown', message: expect.stringContaining('within the time allowed') })
    expect(count).toBe(1)
  })

  it('an aborted request ends with the reason, whether it was sent or not', async () => {
    const stop = new AbortController()
    const url = await server(() => stop.abort('enough'))
    const sent = { method: 'GET', url, headers: {}, body: undefined, signal: stop.signal } as const
    const send = transport()
    await expect(send(sent)).rejects.toBe('enough')
    await expect(send(sent)).rejects.toBe('enough')
  })

  it('a host that refuses connections is reported as unreachable, with its name', async () => {
    const { url, close } = await listen(() => undefined)
    await close()
    const client = online(url, transport())
    expect(await client.write(create(), {}, {})).toMatchObject({ is: 'unreachable' })
    const error = await client.read(domains).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProblemError)
    expect(String(error)).toContain(`cannot reach ${new URL(url).host}: connection refused`)
  })
})

describe('a proxy', () => {
  const read = async (url: string, env: Record<string, string>) => {
    const client = online(url, undiciTransport({ proxies: proxiesIn(env) }))
    return await client.read(domains).catch((reason: unknown) => reason)
  }

  it('that cannot be reached is reported, as host:port as well', async () => {
    const { url, close } = await listen(() => undefined)
    await close()
    const proxy = new URL(url).host
    for (const value of [proxy, `http://jane:pass-word-1@${proxy}`]) {
      const error = await read('http://platform.test:81', { HTTP_PROXY: value })
      expect(error).toBeInstanceOf(ProblemError)
      expect(String(error)).toContain(
        `cannot reach platform.test:81: the proxy ${proxy} cannot be reached: connection refused`,
      )
      expect(String(error)).not.toContain('pass-word-1')
    }
  })

  const portOf = async (proxy: Server) => {
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    closing.push(async () => {
      proxy.close()
      await once(proxy, 'close')
    })
    const address = proxy.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  const proxyThat = async (answer: (socket: Duplex) => void) => {
    const proxy = createServer()
    proxy.on('connect', (_, socket) => answer(socket))
    return `127.0.0.1:${await portOf(proxy)}`
  }

  it('that refuses the connection is reported', async () => {
    const proxy = await proxyThat((socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
    const error = await read('http://platform.test:81', { http_proxy: proxy })
    expect(String(error)).toContain('cannot reach platform.test:81: the proxy answered 407: it wants a login')
  })

  it.each([
    ['jane:pass-word-1@', 'jane:pass-word-1'],
    ['jane@', 'jane:'],
    ['to%40ken:@', 'to@ken:'],
    ['', undefined],
  ])('gets the login "%s", with or without a password', async (login, expected) => {
    const given: (string | undefined)[] = []
    const proxy = createServer()
    proxy.on('connect', ({ headers }, socket) => {
      given.push(headers['proxy-authorization'])
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    })
    await read('http://platform.test:81', { HTTP_PROXY: `http://${login}127.0.0.1:${await portOf(proxy)}` })
    expect(given).toEqual([expected && `Basic ${Buffer.from(expected).toString('base64')}`])
  })

  it('that hangs up is tried once', async () => {
    let count = 0
    const proxy = await proxyThat((socket) => {
      count += 1
      socket.destroy()
    })
    const error = await read('http://platform.test:81', { http_proxy: proxy })
    expect(String(error)).toContain(`the proxy ${proxy} cannot be reached: the connection was closed`)
    expect(count).toBe(1)
  })

  it('that does not speak TLS is reported', async () => {
    const url = await server(() => undefined)
    for (const proxy of [url.replace('http://127.0.0.1', 'https://localhost'), url.replace('http:', 'https:')]) {
      const error = await read('http://platform.test:81', { HTTP_PROXY: proxy })
      expect(String(error)).toContain('cannot be reached: it does not speak TLS there')
    }
  })

  it('with an IP address gets no server name in TLS, because Node 26 refuses that', async () => {
    const hellos: string[] = []
    const proxy = createSocketServer((socket) => {
      socket.once('data', (hello) => {
        hellos.push(hello.toString('latin1'))
        socket.destroy()
      })
    })
    const port = await portOf(proxy)
    for (const host of ['127.0.0.1', 'localhost'])
      await read('http://platform.test:81', { HTTP_PROXY: `https://${host}:${port}` })
    expect(hellos.map((hello) => /127\.0\.0\.1|localhost/.exec(hello)?.[0])).toEqual([undefined, 'localhost'])
  })

  it.each(['*', 'other.test, *'])('is not used if NO_PROXY is %s', (value) => {
    expect(proxiesIn({ HTTP_PROXY: 'http://proxy:8080', NO_PROXY: value })).toBeUndefined()
  })

  it.each([
    'ftp://proxy:21',
    'http://',
    'jane:pass-word-1@',
    'http://ja%ne:pass-word-1@proxy',
    'http://pass/word-1@proxy',
    'http://proxy:8080/proxy.pac',
    'proxy:8080?for=shop',
    'socks5://proxy:1080#shop',
  ])('is not used: %s', (value) => {
    expect(() => proxiesIn({ HTTPS_PROXY: value })).toThrow('HTTPS_PROXY does not name a proxy')
  })
})

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ['ECONNREFUSED', 'GATEWRIGHT_URL'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'GATEWRIGHT_URL'],
])('%s: the hint is about %s, and nothing is sent twice', async (code, hint) => {
  let tries = 0
  const client = online('https://platform.test', () => {
    tries += 1
    return Promise.reject(Object.assign(new Error(code), { code }))
  })
  const error = await client.read(domains).catch((reason: unknown) => reason)
  expect(error instanceof ProblemError && error.problems[0]?.hint).toContain(hint)
  expect(tries).toBe(1)
})

it.each([
  ['hangs for a minute', 60_000, 2, true],
  ['is cut off at once', 10, 4, false],
])('a reading that %s each time is tried a sensible number of times', async (_, ms, times, isFailing) => {
  let now = 0
  let tried = 0
  const client = connect({
    ...{ url: 'https://platform.test', credentials: { token: 't' }, concurrency: 1, mask: masking([]) },
    now: () => now,
    sleep: () => Promise.resolve(),
    transport: () => {
      tried += 1
      now += ms
      return Promise.reject(Object.assign(new Error('none'), { code: 'UND_ERR_HEADERS_TIMEOUT' }))
    },
  })
  await expect(client.read(domains)).rejects.toThrow('no answer within the time allowed')
  expect([tried, client.isFailing()]).toEqual([times, isFailing])
})

/** A server that answers each request with these bytes, in these parts, on connections that stay open. */
async function rawServer(...parts: readonly string[]): Promise<string> {
  const sockets: Duplex[] = []
  const listening = createSocketServer((socket) => {
    sockets.push(socket)
    socket.on('data', async () => {
      for (const part of parts) {
        socket.write(part)
        await setTimeout(5)
      }
    })
  })
  await once(listening.listen(0, '127.0.0.1'), 'listening')
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    await once(listening.close(), 'close')
  })
  const address = listening.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

describe('undici', () => {
  const listed = '[{"id":"d","domain":"example.com"}]'
  const wholeAnswer = `HTTP/1.1 200 OK\r\nx-total-count: 1\r\ncontent-length: ${listed.length}\r\n\r\n${listed}`
  const unasked = 'HTTP/1.1 100 Continue\r\nserver: x\r\n\r\n'

  it.each([
    ['at once', [`${unasked}${wholeAnswer}`]],
    ['before the answer, twice', [unasked, unasked, wholeAnswer]],
    ['in parts', [unasked.slice(0, 5), unasked.slice(5, 20), `${unasked.slice(20)}${wholeAnswer}`]],
    ['and hints', [`${unasked}HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${wholeAnswer}`]],
    ['never', [wholeAnswer.slice(0, 5), wholeAnswer.slice(5)]],
  ])('reads an answer after a 100 Continue that nobody asked for: %s', async (_, parts) => {
    const client = online(await rawServer(...parts), undiciTransport())
    for (const time of ['first', 'again']) {
      expect((await client.read(domains)).raw, time).toEqual({ domains: [{ id: 'd', domain: 'example.com' }] })
    }
    expect(client.stats().requests).toBe(2)
  })

  it('does not change the connections of another client in this process', async () => {
    await online(await rawServer(`${unasked}${wholeAnswer}`), undiciTransport()).read(domains)
    const other = new Agent()
    closing.push(() => other.close())
    const origin = await rawServer(`${unasked}${wholeAnswer}`)
    await expect(other.request({ origin, path: '/', method: 'GET' })).rejects.toThrow('bad response')
  })

  it('reads answers through a proxy that sends 100 Continue before its own and the answers of the platform', async () => {
    const url = await rawServer(`${unasked}${wholeAnswer}`)
    const proxy = createSocketServer((socket) => {
      socket.once('data', (head) => {
        const [, port] = /^CONNECT 127\.0\.0\.2:(\d+)/.exec(String(head)) ?? []
        const through = createConnection(Number(port), '127.0.0.1')
        socket.write(`${unasked}HTTP/1.1 200 OK\r\n\r\n`)
        socket.pipe(through).pipe(socket)
      })
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    closing.push(async () => void proxy.close())
    const address = proxy.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const proxies = proxiesIn({ HTTP_PROXY: `127.0.0.1:${address.port}` })
    const client = online(url.replace('127.0.0.1', '127.0.0.2'), undiciTransport({ proxies }))
    expect((await client.read(domains)).raw).toEqual({ domains: [{ id: 'd', domain: 'example.com' }] })
  })

  it('reads compressed answers', async () => {
    const url = await server((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'x-total-count': '1' })
      response.end(gzipSync('[{"id":"d","domain":"example.com"}]'))
    })
    const { raw } = await online(url, undiciTransport()).read(domains)
    expect(raw).toEqual({ domains: [{ id: 'd', domain: 'example.com' }] })
  })

  it('an answer that begins with a byte order mark is still JSON', async () => {
    const url = await server((_, response) => {
      response.writeHead(200, { 'x-total-count': '1' })
      response.end('\uFEFF[{"id":"d","domain":"example.com"}]')
    })
    const { raw } = await online(url, undiciTransport()).read(domains)
    expect(raw).toEqual({ domains: [{ id: 'd', domain: 'example.com' }] })
  })

  it.each([
    ['application/json;charset=UTF-8', 'utf8'],
    ['application/json;charset=ISO-8859-1', 'utf8'],
    ['application/json;charset=no-such', 'utf8'],
    ['application/json; Charset="iso-8859-1"', 'latin1'],
    ['application/json;charset=utf-16le', 'utf16le'],
  ] as const)('reads names in an answer of the type %s that is encoded in %s', async (type, encoding) => {
    const url = await server((_, response) => {
      const begin = encoding === 'utf16le' ? '\uFEFF' : ''
      response.writeHead(200, { 'content-type': type, 'x-total-count': '1' })
      response.end(Buffer.from(`${begin}[{"id":"d","domain":"caf\u00e9.example"}]`, encoding))
    })
    const { raw } = await online(url, undiciTransport()).read(domains)
    expect(raw).toEqual({ domains: [{ id: 'd', domain: 'caf\u00e9.example' }] })
  })

  it('requests an answer again that ends in the middle of a character', async () => {
    const whole = Buffer.from('[{"id":"d","domain":"caf\u00e9.example"}]')
    let count = 0
    const url = await server((_, response) => {
      count += 1
      response.writeHead(200, { 'x-total-count': '1' })
      response.end(count === 1 ? whole.subarray(0, whole.indexOf(0xa9)) : whole)
    })
    const { raw } = await online(url, undiciTransport()).read(domains)
    expect(raw).toEqual({ domains: [{ id: 'd', domain: 'caf\u00e9.example' }] })
    expect(count).toBe(2)
  })

  it.each(['application/json', 'application/json;charset=UTF-8', 'application/json;charset=no-such'])(
    'does not use names in an answer of the type %s that lack a character, and requests them once',
    async (type) => {
      let count = 0
      const url = await server((_, response) => {
        count += 1
        response.writeHead(200, { 'content-type': type, 'x-total-count': '1' })
        response.end(Buffer.from('[{"id":"d","domain":"caf\u00e9.example"}]', 'latin1'))
      })
      const error = await online(url, undiciTransport())
        .read(domains)
        .catch((reason: unknown) => reason)
      expect(error).toMatchObject({ problems: [{ code: 'unusable-answer' }] })
      expect(String(error)).toContain('it is neither UTF-8 nor in the charset of its content type')
      expect(count).toBe(1)
    },
  )

  it.each(['<h1>Acc\u00e8s refus\u00e9 ici</h1>', '{"errorCode":403,"errorMessage":"Acc\u00e8s refus\u00e9 ici"}'])(
    'displays the words of a refusal that is not UTF-8: %s',
    async (body) => {
      const url = await server((_, response) => response.writeHead(403).end(Buffer.from(body, 'latin1')))
      await expect(online(url, undiciTransport()).read(domains)).rejects.toThrow('ici')
    },
  )

  it.each([
    ['as it is', {}, (text: string) => Buffer.from(text)],
    ['compressed', { 'content-encoding': 'gzip' }, gzipSync],
  ])('does not use an answer that is too long, %s, and requests it once', async (_, headers, encode) => {
    let count = 0
    const url = await server((_request, response) => {
      count += 1
      response.writeHead(200, headers).end(encode(`[${' '.repeat(1_000_000)}]`))
    })
    const transport = undiciTransport({ limits: { bytes: 100_000, ms: 10_000 } })
    const error = await online(url, transport)
      .read(domains)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      problems: [{ code: 'unusable-answer', message: expect.stringContaining('longer than 100000 bytes') }],
    })
    expect(count).toBe(1)
  })

  it.each(['gzip', 'br'])(
    'reports that the header of an answer that is not %s is wrong, and requests it once',
    async (encoding) => {
      let count = 0
      const url = await server((_request, response) => {
        count += 1
        response.writeHead(200, { 'content-encoding': encoding }).end('[{"id":"d","domain":"example.com"}]')
      })
      const error = await online(url, undiciTransport())
        .read(domains)
        .catch((reason: unknown) => reason)
      expect(error).toMatchObject({
        problems: [
          { code: 'unusable-answer', message: expect.stringMatching(`: it is not ${encoding}, as its header`) },
        ],
      })
      expect(count).toBe(1)
    },
  )

  it('does not wait for an answer that never ends, though it never pauses for long', async () => {
    let count = 0
    const url = await server((_, response) => {
      count += 1
      response.writeHead(200).write('[')
      const drip = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(drip))
    })
    const transport = undiciTransport({ timeoutMs: 5000, limits: { bytes: 100_000, ms: 100 } })
    const client = online(url, transport)
    const error = await client.read(domains).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      problems: [{ code: 'unusable-answer', message: expect.stringContaining('did not end within 0.1 s') }],
    })
    expect(count).toBe(1)
    expect(await client.write(create(), {}, { name: 'x' })).toMatchObject({ is: 'unknown' })
  })

  it('stops a read that is interrupted, but not a write', async () => {
    let answer: (() => void) | undefined
    let arrived = 0
    const url = await server((request, response) => {
      arrived += 1
      if (request.method === 'POST') answer = () => response.end('{"id":"a"}')
    })
    const interrupt = new AbortController()
    const client = connect({
      url,
      credentials: { token: 't' },
      concurrency: 2,
      transport: undiciTransport(),
      now: () => Date.now(),
      sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
      signal: interrupt.signal,
      mask: masking([]),
    })
    closing.push(() => client.close())
    const written = client.write(create(), {}, { name: 'x' })
    const read = client.read(domains).catch((reason: unknown) => reason)
    await expect.poll(() => arrived).toBe(2)
    interrupt.abort()
    expect(await read).toMatchObject({ problems: [{ code: 'interrupted' }] })
    answer?.()
    expect(await written).toEqual({ is: 'done', objects: [{ id: 'a' }] })
  })
})
