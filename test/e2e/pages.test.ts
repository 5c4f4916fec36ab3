import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FleetAreaDocument, FleetDocument } from '../../src/documents/fleet.js'
import type { ChangeDocument } from '../../src/documents/plan.js'
import { fleetRunHtml } from '../../src/report/html/fleet-run.js'
import { planHtml } from '../../src/report/html/plan.js'
import { browserHere, openBrowser, openPage } from '../kit/browser.js'
import { documents, pagesOf } from '../report/html/documents.js'

/** The pages as a user sees them, in a real browser. */

if (browserHere() === undefined) process.stderr.write('No Chromium here: what the pages look like is NOT tested.\n')

const areaOf = (area: string, state: FleetAreaDocument['state']): FleetAreaDocument => ({
  ...{ area, state, project: 'shop', environment: area, labels: { ring: 'canary' }, key: null, exit: 0 },
  ...{ summary: { create: 1 }, requests: 2, startedAt: '2026-11-21T00:00:00.000Z', seconds: 1, changes: 'sha256:1' },
  ...{ diagnostics: [], files: {} },
})

const fleet: FleetDocument = {
  ...{ format: 'gatewright.fleet/1', fleet: 'brands', command: 'plan' },
  ...{ startedAt: '2026-11-21T00:00:00.000Z', seconds: 3, diagnostics: [] },
  summary: {
    ...{ areas: 3, changes: { create: 3 }, requests: 6 },
    states: {
      ...{ 'in-sync': 0, pending: 2, drift: 0, conflict: 0, applied: 0, incomplete: 0, stale: 0, refused: 1, error: 0 },
      ...{ interrupted: 0, 'not-started': 0 },
    },
  },
  areas: [areaOf('acme', 'pending'), areaOf('globex', 'pending'), areaOf('initech', 'refused')],
  same: [
    {
      ...{ digest: 'sha256:1', areas: ['acme', 'globex', 'initech'] },
      changes: [{ address: 'Role/R', kind: 'Role', action: 'create', fields: [] }],
    },
  ],
}

const pages: Readonly<Record<string, string>> = { ...pagesOf(documents), fleet: fleetRunHtml(fleet) }

describe.skipIf(browserHere() === undefined)('in a browser', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-pages-'))
  let opens = 0
  let browser: Browser
  // A page of the browser costs a process: each page that the tests need is created once, and loads one file after another.
  const made = new Map<string, Promise<OpenPage>>()
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    rmSync(dir, { recursive: true })
  })

  interface OpenPage {
    readonly page: Page
    /** Everything that it has loaded. */
    readonly asked: string[]
    readonly complaints: string[]
  }

  async function newPage(options: BrowserContextOptions): Promise<OpenPage> {
    const page = await openPage(browser, options)
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    return { page, asked, complaints }
  }

  /** Opens a page from a file, in the browser's page with these options. */
  async function opened(html: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
    opens += 1
    const file = join(dir, `${opens}.html`)
    writeFileSync(file, html)
    const key = JSON.stringify(options)
    const opening = made.get(key) ?? newPage(options)
    made.set(key, opening)
    const open = await opening
    open.asked.length = 0
    open.complaints.length = 0
    await open.page.emulateMedia({ media: null, colorScheme: null })
    await open.page.goto(`file://${file}`)
    return open
  }

  const violations = (page: Page, rules: string) =>
    page.evaluate<string[]>(
      `axe.run(document, ${rules}).then((r) => r.violations.map((v) => v.id + " " + v.nodes[0].html))`,
    )

  test('spaces in names and values are displayed as they are', async () => {
    const [change] = documents.plan.changes
    const address = 'Role/two  spaces'
    const { page } = await opened(planHtml({ ...documents.plan, changes: change ? [{ ...change, address }] : [] }))
    expect(await page.locator('.entry code').first().innerText()).toBe(address)
  })

  test.each(Object.entries(pages))('%s has no fault that axe knows, in light and in dark', async (_name, html) => {
    const { page } = await opened(html, { bypassCSP: true })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.evaluate(axe.source)
    expect(await violations(page, '{}')).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    // Nothing else depends on the colours.
    expect(await violations(page, '{ runOnly: ["cat.color"] }')).toEqual([])
  })

  test.each(Object.entries(pages))(
    '%s loads nothing, its policy forbids nothing of its own, and nothing overflows at the width of a phone',
    async (_name, html) => {
      const { page, asked, complaints } = await opened(html)
      expect(asked).toHaveLength(1)
      expect(complaints).toEqual([])
      await page.setViewportSize({ width: 360, height: 700 })
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
      await page.setViewportSize({ width: 1280, height: 720 })
    },
  )

  const visible = (page: Page) => page.locator('.entry:visible').count()

  test('a plan can be searched and filtered with only the keyboard', async () => {
    const { page } = await opened(pages.plan ?? '')
    const all = await visible(page)
    await page.keyboard.press('/')
    await page.keyboard.type('gold delete')
    expect(await visible(page)).toBe(1)
    expect(await page.locator('output').textContent()).toBe(`1 of ${all}`)
    await page.keyboard.press('Escape')
    expect(await visible(page)).toBe(all)
    await page.keyboard.press('Tab')
    await page.keyboard.type('replace')
    expect(await visible(page)).toBe(1)
    // A change in the list of changes that need attention can be reached from there.
    const link = page.locator('.box a').first()
    const target = (await link.getAttribute('href')) ?? ''
    await link.focus()
    await page.keyboard.press('Enter')
    // The browser reports its new address a moment after the key.
    await expect.poll(() => page.evaluate<string>('location.hash')).toBe(target)
    expect(target).toMatch(/^#Service/)
  })

  test('a link to a filtered-out object displays it', async () => {
    const { page } = await opened(pages.plan ?? '')
    const all = await visible(page)
    await page.locator('select[name=action]').selectOption('create')
    const link = page.locator('.box a', { hasText: 'Package/Old/Plan/Gold' })
    await link.click()
    await expect.poll(() => page.evaluate<string>('location.hash')).toBe(await link.getAttribute('href'))
    await expect.poll(() => page.locator('.entry.delete').isVisible()).toBe(true)
    expect([await visible(page), await page.locator('select[name=action]').inputValue()]).toEqual([all, ''])
  })

  test('a link scrolls to an object below the toolbar, not behind it', async () => {
    const { page } = await opened(planHtml(large(500)), { viewport: { width: 700, height: 500 } })
    await page.locator('.box a').nth(2).click()
    await expect.poll(() => page.evaluate<string>('location.hash')).not.toBe('')
    const top = (selector: string) => page.locator(selector).first().boundingBox()
    const [tools, entry] = [await top('.tools'), await top('.entry:target')]
    expect(entry?.y ?? 0).toBeGreaterThanOrEqual((tools?.y ?? 0) + (tools?.height ?? 0))
  })

  test('every filter finds something, and so does the address of a child', async () => {
    for (const html of Object.values(pages)) {
      const { page } = await opened(html)
      for (const option of await page.locator('.tools option').all()) {
        const choice = option.locator('..')
        await choice.selectOption(await option.innerText())
        expect([await option.innerText(), await visible(page)]).not.toContain(0)
        await choice.selectOption('all')
      }
    }
    const { page } = await opened(pages.plan ?? '')
    for (const { address } of documents.plan.changes) {
      await page.locator('[type=search]').fill(address)
      expect([address, await visible(page)]).not.toContain(0)
    }
  })

  test('the areas of a fleet can be searched and filtered, and their common changes stay', async () => {
    const { page } = await opened(pages.fleet ?? '')
    const areas = page.locator('.group .entry:visible')
    expect([await areas.count(), await visible(page)]).toEqual([3, 4])
    await page.locator('select').selectOption('refused')
    expect([await areas.count(), await page.locator('output').textContent()]).toEqual([1, '1 of 3'])
    expect(await page.getByText('Role/R').isVisible()).toBe(true)
    await page.locator('select').selectOption('all')
    expect(await page.locator('output').textContent()).toBe('')
  })

  test('without a script, everything except the search is there, and can be opened', async () => {
    const { page } = await opened(planHtml(large(80)), { javaScriptEnabled: false })
    expect(await page.locator('.tools').isVisible()).toBe(false)
    expect(await visible(page)).toBe(80)
    const value = page.locator('.entry').nth(1).locator('td').last()
    expect(await value.isVisible()).toBe(false)
    await page.locator('.entry').nth(1).locator('summary').press('Enter')
    expect(await value.isVisible()).toBe(true)
  })

  test('on paper, everything is open, and there is no toolbar', async () => {
    const { page } = await opened(planHtml(large(80)))
    expect(await page.locator('.tools').isVisible()).toBe(true)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.tools').isVisible()).toBe(false)
    const box = await page.locator('.entry').nth(1).locator('td').last().boundingBox()
    expect(box?.height ?? 0).toBeGreaterThan(0)
  })

  test('a plan of 5,000 changes opens and can be searched', async () => {
    const { page } = await opened(planHtml(large(5_000)))
    await page.keyboard.press('/')
    // As if it was pasted: each key would search the whole plan.
    await page.keyboard.insertText('endpoint/e4999')
    expect(await visible(page)).toBe(1)
  })
})

/** A plan with this number of changes, one in a hundred a delete. */
function large(count: number) {
  const changes = Array.from({ length: count }, (_, index): ChangeDocument => {
    const address = `Service/S${index % 100}/Endpoint/e${index}`
    return {
      ...{ address, kind: 'Endpoint', action: index % 100 === 0 ? 'delete' : 'update' },
      fields: [{ path: '/requestPathAlias', before: '/old', after: '/new', sensitive: false, verdict: 'pending' }],
      dependsOn: index % 10 === 0 ? [`Service/S${(index + 1) % 100}`] : [],
      precondition: 'sha256:1',
      hazards: [],
    }
  })
  return { ...documents.plan, refused: [], diagnostics: [], unmanaged: [], changes }
}
