import { expect, it } from 'vitest'
import { servePages } from '../../../src/fleet/serve/pages.js'

const app = { fetch: () => new Response('well') }

it('pages that cannot be served say so, whether the port is taken or none', async () => {
  const first = await servePages(app, { host: '127.0.0.1', port: 0 })
  const taken = Number(new URL(first.url).port)
  for (const port of [taken, 99_999]) {
    await expect(servePages(app, { host: '127.0.0.1', port })).rejects.toMatchObject({
      problems: [{ code: 'page-not-served', message: expect.stringContaining(`127.0.0.1:${port}`) }],
    })
  }
  await first.close()
})
