import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { undiciTransport } from '../../src/client/undici-transport.js'
import { sendToWebhook } from '../../src/client/webhook.js'

/** Webhooks over real sockets: receivers that refuse, hang, redirect and work again. */

interface Receiver {
  readonly url: string
  readonly got: { readonly path: string; readonly type: string | undefined; readonly body: string }[]
}

async function receiver(answer: (count: number) => RequestListener): Promise<Receiver> {
  const got: Receiver['got'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    request.on('end', () => {
      got.push({ path: request.url ?? '', type: request.headers['content-type'], body })
      answer(got.length)(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got }
}

const status =
  (code: number, headers = {}): RequestListener =>
  (_, response) => {
    response.writeHead(code, headers).end('words of the receiver')
  }

const hanging: RequestListener = () => undefined

const send = async (url: string, signal = new AbortController().signal) => {
  const transport = undiciTransport()
  try {
    const sleep = () => Promise.resolve()
    return await sendToWebhook({ url, body: { text: 'ü' } }, { transport, sleep, signal })
  } finally {
    await transport.close?.()
  }
}

describe('a webhook', () => {
  test('gets JSON, once', async () => {
    const { url, got } = await receiver(() => status(204))
    expect(await send(url)).toEqual({ is: 'sent' })
    expect(got).toEqual([{ path: '/hook', type: 'application/json; charset=utf-8', body: '{"text":"ü"}' }])
  })

  test('that refuses is not tried again', async () => {
    const { url, got } = await receiver(() => status(403))
    expect(await send(url)).toEqual({ is: 'failed', why: 'it answered 403' })
    expect(got).toHaveLength(1)
  })

  test('that is busy is tried three times', async () => {
    const [slow, late, dead] = await Promise.all([
      receiver((count) => status(count < 3 ? 429 : 200)),
      receiver((count) => status(count < 3 ? 408 : 200)),
      receiver(() => status(500)),
    ])
    expect(await send(slow.url)).toEqual({ is: 'sent' })
    expect(await send(late.url)).toEqual({ is: 'sent' })
    expect(await send(dead.url)).toEqual({ is: 'failed', why: 'it answered 500' })
    expect([slow.got.length, dead.got.length]).toEqual([3, 3])
  })

  test.each<[string, RequestListener]>([
    ['never ends', (_, response) => response.writeHead(200).write('a')],
    [
      'breaks off',
      (_, response) => response.writeHead(200, { 'content-length': 9 }).write('a', () => response.destroy()),
    ],
    ['is not what its header says', status(200, { 'content-encoding': 'gzip' })],
  ])('that accepted the message gets it once, whatever its answer: one that %s', async (_, answer) => {
    const { url, got } = await receiver(() => answer)
    expect(await send(url, AbortSignal.timeout(2_000))).toEqual({ is: 'sent' })
    expect(got).toHaveLength(1)
  })

  test('that redirects is not followed', async () => {
    const other = await receiver(() => status(200))
    const { url, got } = await receiver(() => status(307, { location: other.url }))
    expect(await send(url)).toEqual({ is: 'failed', why: 'it answered 307, a redirect, which is not followed' })
    expect([got.length, other.got.length]).toEqual([1, 0])
  })

  test('that breaks the connection is tried three times', async () => {
    const { url, got } = await receiver(() => (request) => {
      request.socket.destroy()
    })
    expect(await send(url)).toMatchObject({ is: 'failed' })
    expect(got).toHaveLength(3)
  })

  test('without a listener is reported', async () => {
    expect(await send('http://127.0.0.1:1/')).toEqual({ is: 'failed', why: 'connection refused' })
  })

  test('that hangs is given up when the time is over', async () => {
    const late = new AbortController()
    const { url } = await receiver(() => (request, response) => {
      late.abort()
      hanging(request, response)
    })
    expect(await send(url, late.signal)).toEqual({ is: 'failed', why: 'no answer within the time allowed' })
  })

  test('is given up at once by a transport that ignores the signal, and between two attempts', async () => {
    const late = new AbortController()
    const never = () => new Promise<never>(() => undefined)
    const sleeping = sendToWebhook(
      { url: 'https://hooks.example/', body: {} },
      { transport: () => Promise.resolve({ status: 500, headers: {}, body: '' }), sleep: never, signal: late.signal },
    )
    const hangs = sendToWebhook(
      { url: 'https://hooks.example/', body: {} },
      { transport: never, sleep: never, signal: late.signal },
    )
    late.abort()
    const failed = { is: 'failed', why: 'no answer within the time allowed' }
    expect(await Promise.all([sleeping, hangs])).toEqual([failed, failed])
  })
})
