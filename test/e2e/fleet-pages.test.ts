import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FleetStatusDocument, JobDocument, RolloutDocument } from '../../src/documents/fleet-status.js'
import { fleetPolicy } from '../../src/report/html/fleet-page.js'
import { rolloutHtml } from '../../src/report/html/fleet-rollout.js'
import { fleetHistoryHtml, fleetStatusHtml } from '../../src/report/html/fleet-status.js'
import { browserHere, openBrowser, openPage } from '../kit/browser.js'
import { manyAreas } from '../kit/many-areas.js'

/** The pages of a fleet's server as a user sees them, in a real browser. */

if (browserHere() === undefined) process.stderr.write('No Chromium here: the pages of a fleet are NOT tested in it.\n')

const at = '2027-01-01T12:00:00.000Z'
const user = { name: 'joe', token: 't'.repeat(64) }

const rollout: RolloutDocument = {
  ...{ rollout: 'r1', who: 'jane', started: '2027-01-01T11:00:00.000Z', ended: null, status: 'waiting', why: null },
  waves: [
    { wave: 1, approve: false, bakeSeconds: 1_800, areas: ['acme'], states: { applied: 1 } },
    { wave: 2, approve: true, bakeSeconds: 0, areas: ['globex', 'initech'], states: { pending: 1, stale: 1 } },
  ],
  same: [{ digest: 'sha256:1', areas: ['acme', 'globex'], summary: { create: 1, update: 2, unchanged: 9 } }],
  dropped: [{ area: 'initech', state: 'stale', why: 'the area has changed since' }],
  waiting: [{ area: 'umbrella', why: 'no calls are left today' }],
  notBegun: ['hooli'],
  awaits: { wave: 2, digest: 'sha256:2' },
  decisions: [{ at, who: 'jane', decision: 'start', wave: null, digest: null }],
}

const status: FleetStatusDocument = {
  ...{
    format: 'gatewright.fleet-status/1',
    fleet: 'brands',
    at,
    fault: 'line 3 is wrong',
    states: { drift: 1, 'in-sync': 1, unknown: 1 },
  },
  areas: (['drift', 'in-sync', null] as const).map((state, index) => ({
    ...{ name: `brand <${index}>`, project: 'shop', environment: 'prod', labels: { ring: 'canary' }, key: null, state },
    ...{ since: at, checked: '2027-01-01T09:00:00.000Z', answered: at, editor: 'jdoe', report: `drift ${index}` },
    waits: state === 'drift' ? 'no calls are left today' : null,
    messages: [],
  })),
  rollouts: [rollout],
}

const job: JobDocument = {
  ...{ area: 'acme', occasion: 'drift 1', command: 'drift', state: 'drift', started: at, seconds: 1.5, requests: 7 },
  ...{ summary: { update: 1 }, editor: 'jdoe', worker: 'w', hasReport: true, messages: ['something to look at'] },
}

const pages: Readonly<Record<string, string>> = {
  '/': fleetStatusHtml(status, { search: '', state: '', page: 1 }, user),
  '/many': fleetStatusHtml(manyAreas(1_000), { search: '', state: '', page: 2 }, user),
  '/rollouts/r1': rolloutHtml('brands', rollout, at, user),
  '/history': fleetHistoryHtml(
    { format: 'gatewright.fleet-history/1', fleet: 'brands', jobs: [job] },
    undefined,
    undefined,
  ),
}

describe.skipIf(browserHere() === undefined)('the pages of a fleet in a browser', () => {
  const sent: string[] = []
  let browser: Browser
  let server: Server
  let url = ''

  beforeAll(async () => {
    server = createServer((request, answer) => {
      const path = (request.url ?? '').split('?')[0] ?? ''
      let body = ''
      request.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      request.on('end', () => {
        if (request.method === 'POST') sent.push(`${request.url} ${body}`)
        answer.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': fleetPolicy })
        answer.end(pages[path] ?? pages['/rollouts/r1'])
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
  })

  async function opened(path: string, options: BrowserContextOptions = {}) {
    const page = await openPage(browser, options)
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${url}${path}`)
    return { page, asked: asked.filter((each) => each !== '/favicon.ico'), complaints }
  }

  test.each(['light', 'dark'] as const)('have no fault with %s colours that axe knows', async (colorScheme) => {
    for (const path of Object.keys(pages)) {
      const { page } = await opened(path, {
        colorScheme,
        bypassCSP: true,
        viewport: { width: 360, height: 700 },
      })
      await page.evaluate(axe.source)
      const found = await page.evaluate<string[]>(
        'axe.run().then((r) => r.violations.map((v) => v.id + " " + v.nodes[0].html))',
      )
      expect([path, found]).toEqual([path, []])
      // Wide content scrolls by itself, and the page does not.
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await page.context().close()
    }
  })

  test('request only themselves, and their policy forbids nothing of their own', async () => {
    for (const path of Object.keys(pages)) {
      const { page, asked, complaints } = await opened(path)
      expect([asked, complaints]).toEqual([[path], []])
      await page.context().close()
    }
  })

  test('can be filtered and approved with only the keyboard, without a script', async () => {
    const { page } = await opened('/', { javaScriptEnabled: false })
    await page.getByLabel('Search').focus()
    await page.keyboard.type('brand')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=brand/)
    await page.getByRole('link', { name: 'r1' }).first().press('Enter')
    await page.waitForURL(/rollouts\/r1$/)
    await page.locator('details summary', { hasText: 'the same changes' }).press('Enter')
    expect(await page.getByRole('link', { name: 'Report of globex' }).isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Approve wave 2' }).press('Enter')
    await expect.poll(() => sent).toEqual([`/rollouts/r1/approve token=${user.token}&wave=2&digest=sha256%3A2`])
    await page.context().close()
  })
})
