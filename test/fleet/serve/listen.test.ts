import { expect, it } from 'vitest'
import { servePages } from '../../../src/fleet/serve/pages.js'

const app = { fetch: () => new Response('well') }

it('pages that cannot be served are reported, for a used and for an invalid port', async () => {
  const first = await servePages(app, { host: '127.0.0.1', port: 0 })
  const taken = Number(new URL(first.url).port)
  for (const port of [taken, 99_999]) {
    await expect(servePages(app, { host: '127.0.0.1', port })).rejects.toMatchObject({
      problems: [{ code: 'page-not-served', message: expect.stringContaining(`127.0.0.1:${port}`) }],
    })
  }
  await first.close()
})
