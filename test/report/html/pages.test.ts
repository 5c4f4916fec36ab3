import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/json/json.js'
import { driftHtml } from '../../../src/report/html/drift.js'
import { fieldName, mostEntries } from '../../../src/report/html/page.js'
import { planHtml } from '../../../src/report/html/plan.js'
import { runHtml } from '../../../src/report/html/run.js'
import { type Documents, documents, pagesOf } from './documents.js'

/** No name from elsewhere becomes a part of the page, and only our own style and script have an effect in it. */

const hostile = `"'><img src=x onerror=alert(1)></code></script><script>alert(2)</script><a href="javascript:alert(3)">&lt;\u202e`

/** Adds a text to every text of the documents that would break out of any context. */
function poisoned(value: Json, key: string, poison = hostile): Json {
  if (typeof value === 'string') return fixed.has(key) ? value : `${value}${poison}`
  if (Array.isArray(value)) return value.map((each: Json) => poisoned(each, key, poison))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, poisoned(each ?? null, name, poison)]))
}

/** Words of the program itself, from its own lists. */
const fixed = new Set(['format', 'action', 'wants', 'severity', 'verdict', 'outcome', 'purpose', 'side', 'in', 'is'])

const tag = /<(\/?)([a-z0-9]+)((?: [a-zA-Z-]+="[^"<>]*"| hidden| open)*)\/?>/g

const known = new Set(
  'html head meta title body a header h1 h2 h3 dl dt dd main section ul ol li b br wbr code span details summary div table thead tbody tr th td pre ins del p time footer label input select option button output figure figcaption svg defs marker path g rect text'.split(
    ' ',
  ),
)

/** The page without the style, the script and the tags that we write: the rest is text. */
function textOf(page: string): string {
  const bare = page
    .replace('<!doctype html>', '')
    .replace(/<style>[^<]*<\/style>/, '')
    .replace(/<script>[\s\S]*<\/script>\n<\/body>/, '</body>')
  return bare.replaceAll(tag, (whole, _end, name: string, attributes: string) =>
    known.has(name) && isHarmless(attributes) ? '' : whole,
  )
}

/** Attributes that run nothing and load nothing; links stay within the page. */
function isHarmless(attributes: string): boolean {
  const names = attributes.replaceAll(/"[^"]*"/g, '').split(' ')
  return names.every((name) => !/^(?:on\w+|src|style|srcdoc|action)=/.test(name)) && !/ href="(?!#)/.test(attributes)
}

const pages = pagesOf(documents)

describe.each(Object.keys(pages))('the page of %s', (name) => {
  test('contains names of others only as text', () => {
    const page = pagesOf(poisoned(documents as unknown as Json, '') as unknown as Documents)[name] ?? ''
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(textOf(page)).not.toMatch(/[<>\u202e]/)
  })

  test('allows its own style and script by their digests, and nothing else', () => {
    const page = pages[name] ?? ''
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll('&#39;', "'")
    const hashOf = (element: string) => {
      const text = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(page)?.[1] ?? ''
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    }
    expect(policy).toBe(
      `default-src 'none'; style-src ${hashOf('style')}; script-src ${hashOf('script')}; base-uri 'none'; form-action 'none'`,
    )
    expect(page).not.toMatch(/https?:\/\/(?!api\.example)/)
  })

  test('is the same for the same document', () => {
    expect(pagesOf(documents)[name]).toBe(pages[name])
  })
})

test('a plan displays the refusal before the changes, and the changes that need attention before the rest', () => {
  const page = pages.plan ?? ''
  const order = ['Apply would refuse this plan', 'Look at these first', '<h2>Changes</h2>'].map((words) =>
    page.indexOf(words),
  )
  expect(Math.min(...order)).toBeGreaterThan(0)
  expect([...order].sort((one, other) => one - other)).toEqual(order)
})

test('notes are not called problems: the heading counts them like the text output', () => {
  expect(pages.diagnostics).toContain('<h1>gatewright drift shop/prod: 1 error, 1 note</h1>')
})

test('the history says that its times are UTC', () => {
  expect(pages.history?.replaceAll(/<\/?time[^>]*>/g, '')).toContain('<b>05:24:55–05:25:55 UTC</b>')
})

test('no page contains a secret', () => {
  for (const page of Object.values(pages)) expect(page).not.toContain('s3cret')
})

test('a drift does not describe the effects of an apply', () => {
  expect(pages.plan).toContain('How the platform offers it')
  expect(pages.drift).not.toContain('How the platform offers it')
})

test('in the picture of a plan every name fits into its box', () => {
  const { plan = '' } = pagesOf(poisoned(documents as unknown as Json, '', '\u0007\u0007') as unknown as Documents)
  const boxes = [...plan.matchAll(/<rect [^>]*width="(\d+)"[^>]*><text[^>]*>([^<]*)</g)]
  expect(boxes.length).toBeGreaterThan(0)
  for (const [, width, title = ''] of boxes) {
    const shown = title.replaceAll(/&[#\w]+;/g, '?')
    expect([shown, Number(width)]).toEqual([shown, Math.max(Number(width), Math.ceil(shown.length * 7.3))])
  }
})

test.each([
  ['/description', 'description'],
  ['/qpsLimitOverall', 'qps<wbr>Limit<wbr>Overall'],
  ['/cors/maxAge', 'cors<wbr>.max<wbr>Age'],
])('the name of the field %s breaks only between its words', (path, text) => {
  expect(fieldName(path).markup).toBe(`<code>${text}</code>`)
})

test('a page lists only as many objects as a browser can show, the serious ones first', () => {
  const [sample] = documents.plan.changes
  if (!sample) throw new Error('the sample has no change')
  const change = (action: 'create' | 'delete', index: number) => ({
    ...sample,
    ...{ address: `Role/${action} ${index}`, kind: 'Role', action, hazards: [], fields: [] },
  })
  const changes = Array.from({ length: mostEntries + 40 }, (_, index) =>
    change(index < mostEntries ? 'create' : 'delete', index),
  )
  const unmanaged = changes.map(({ address }) => ({ address, kind: 'Role', id: 'r' }))
  const page = planHtml({ ...documents.plan, changes, unmanaged })
  expect(page.match(/class="entry /g)).toHaveLength(mostEntries)
  expect(page.match(/class="entry delete"/g)).toHaveLength(40)
  expect(page).toContain('<p>40 more are not on this page; --report json has all of them</p>')
  expect(page).toContain('<li>40 more are not on this page; --report json has all of them</li>')
})

test('the page of a run leaves out changes that were made, not those that failed', () => {
  const [sample] = documents.run.changes
  if (!sample) throw new Error('the sample has no change')
  const changes = Array.from({ length: mostEntries + 40 }, (_, index) => ({
    ...sample,
    ...{
      address: `Role/${String(index).padStart(6, '0')}`,
      kind: 'Role',
      outcome: index < mostEntries ? ('applied' as const) : ('failed' as const),
    },
  }))
  const page = runHtml({ ...documents.run, changes })
  expect(page.match(/class="entry /g)).toHaveLength(mostEntries)
  expect(page.match(/class="entry delete"/g)).toHaveLength(40)
})

test('the page of drift leaves out objects that somebody created, not conflicts', () => {
  const [sample] = documents.drift.changes
  if (!sample) throw new Error('the sample has no change')
  const changes = Array.from({ length: mostEntries + 40 }, (_, index) => ({
    ...sample,
    ...{ address: `Role/${String(index).padStart(6, '0')}`, kind: 'Role', hazards: [] },
    ...(index < mostEntries
      ? { action: 'delete', side: 'live', fields: [] }
      : {
          action: 'update',
          side: 'both',
          fields: [{ path: '/description', before: 'a', after: 'b', verdict: 'conflict' }],
        }),
  })) as unknown as Documents['drift']['changes']
  const page = driftHtml({ ...documents.drift, changes })
  expect(page.match(/class="entry replace"/g)).toHaveLength(40)
})
