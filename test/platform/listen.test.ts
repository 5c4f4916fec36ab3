import { describe, expect, it } from 'vitest'
import { startPlatform } from '../../src/platform/listen.js'

describe('a platform that listens', () => {
  it.each([
    [undefined, '127.0.0.1'],
    ['localhost', 'localhost'],
    ['0.0.0.0', '127.0.0.1'],
  ])('at %s reports the address for local connections', async (host, name) => {
    const running = await startPlatform({ host })
    try {
      expect(new URL(running.url).hostname).toBe(name)
      expect((await fetch(`${running.url}/v3/rest/services`)).status).toBe(403)
    } finally {
      await running.close()
    }
  })
})
