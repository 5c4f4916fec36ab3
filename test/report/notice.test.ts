import { describe, expect, test } from 'vitest'
import { type NoticeContent, noticeDocument } from '../../src/documents/notice.js'
import { noticeText } from '../../src/report/notice.js'

const head = {
  ...({ event: 'drift', reason: 'first', command: 'drift' } as const),
  target: { url: 'https://api.example.com', area: 'a1', project: 'shop', environment: 'prod' },
  ...{ since: '2027-01-01T00:00:00.000Z', at: '2027-01-02T00:00:00.000Z' },
}

const found = (...addresses: readonly string[]): NoticeContent => ({
  findings: addresses.map((address) => ({ address, what: 'deleted' })),
  problems: [],
})

describe('the text for a chat', () => {
  test('says where, what, and who', () => {
    const content: NoticeContent = {
      findings: [
        {
          ...{ address: 'Service/Orders API', what: 'changed', editor: 'jdoe' },
          fields: [{ path: '/cors/maxAge', verdict: 'conflict' }],
        },
        { address: 'Role/R', what: 'deleted' },
      ],
      problems: [],
    }
    expect(noticeText(noticeDocument({ ...head, job: 'https://ci.example/1' }, content)).text.split('\n')).toEqual([
      '*Drift* of https://api.example.com, area a1 (shop, prod): 2 objects',
      '• `Service/Orders API` changed on the platform: cors.maxAge (conflict) (by jdoe)',
      '• `Role/R` deleted on the platform',
      'https://ci.example/1',
    ])
  })

  test('has the reason of a failure, and at its end what works again', () => {
    const problems = [{ code: 'missing-settings', message: 'no <url> & no area' }]
    const failed = noticeDocument(
      { ...head, event: 'error', reason: 'reminder', command: 'apply' },
      { findings: [], problems },
    )
    expect(noticeText(failed).text).toBe(
      '*gatewright apply failed* for https://api.example.com, area a1 (shop, prod), still the same (first reported 2027-01-01T00:00:00.000Z)\n• no &lt;url&gt; &amp; no area [missing-settings]',
    )
    const over = noticeDocument({ ...head, event: 'recovery', reason: 'over', of: 'error' }, found())
    expect(noticeText(over).text).toMatch(/^\*gatewright drift works again\* for .* first reported 2027-01-01/)
  })

  test('mentions nobody: the marks of chats are escaped, and a mail address stays', () => {
    const content: NoticeContent = {
      findings: [
        { address: 'Service/@here', what: 'changed', editor: '@channel', error: '400 @all: ask jdoe@example.com' },
      ],
      problems: [{ code: 'refused', message: '@everyone, <!here>' }],
    }
    const { text } = noticeText(noticeDocument(head, content))
    expect(text).not.toMatch(/@(?:here|channel|all|everyone)|<!/)
    expect(text).toContain('ask jdoe@example.com')
  })

  test('has at most 3,000 characters, and counts the omitted parts', () => {
    const names = Array.from({ length: 5000 }, (_, index) => `Service/${'x'.repeat(50)}${index}`)
    const { text } = noticeText(noticeDocument(head, found(...names)))
    expect(text.length).toBeLessThanOrEqual(3000)
    const shown = text.split('\n').filter((line) => line.startsWith('•')).length
    expect(text).toContain(`… and ${5000 - shown} more`)
    expect(text).toContain(': 5000 objects')
  })
})

describe('the document', () => {
  test('has at most 40,000 characters, whatever it contains', () => {
    const fields = Array.from({ length: 500 }, (_, index) => ({
      path: `/${'p'.repeat(400)}${index}`,
      verdict: 'drift',
    }))
    const findings = Array.from({ length: 3000 }, () => ({
      address: 'S'.repeat(9000),
      what: 'changed',
      fields,
      error: 'e'.repeat(900),
    }))
    const problems = Array.from({ length: 300 }, () => ({ code: 'x', message: '\u{1f600}'.repeat(900) }))
    const document = noticeDocument(head, { findings, problems })
    expect(JSON.stringify(document).length).toBeLessThan(40_000)
    expect(document.more).toBe(3300 - document.findings.length - document.problems.length)
    expect(document.problems[0]?.message).not.toMatch(/[\ud800-\udbff]…/)
  })
})
