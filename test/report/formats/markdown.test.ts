import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasNoCommand, isPrintable } from '../../../src/json/printable.js'
import type { Reported } from '../../../src/report/formats/format.js'
import { type ReportContext, reportText } from '../../../src/report/formats/format.js'
import { markerOf, reports } from '../../../src/report/formats/markdown.js'
import { context, drawnContext, drawnOf, everyDocument, hostileText } from './drawn.js'

const written = (told: Reported, given: ReportContext): string => reportText(reports, told, given) ?? ''

/** The lines that are read as Markdown: code blocks are removed, and must have ended. */
function outsideBlocks(text: string): readonly string[] {
  let fence = ''
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const [, opening = ''] = /^(`{3,})diff$/.exec(line) ?? []
    if (fence === '' && opening === '') lines.push(line)
    else if (fence === '') fence = opening
    else if (line === fence) fence = ''
    // Only a longer run of backticks would end the block as well.
    else expect(line).not.toMatch(new RegExp(`^ {0,3}\`{${fence.length},}[ \t]*$`))
  }
  expect(fence).toBe('')
  return lines
}

/** A line without its code spans: from a run of backticks to the next one with the same length. */
const withoutCode = (line: string): string => line.replaceAll(/(?<![`\\])(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '')

const ownTags = /<(?:details(?: open)?|\/details|summary|\/summary|code|\/code|br)>/g

function expectValid(text: string): void {
  const [marker = '', ...rest] = outsideBlocks(text)
  expect(marker).toMatch(/^<!-- gatewright [^<>\n]* -->$/)
  expect(marker.slice(4, -3)).not.toContain('--')
  const bare = rest.map(withoutCode)
  const tags = bare.flatMap((line) => line.match(ownTags) ?? [])
  const count = (tag: RegExp) => tags.filter((each) => tag.test(each)).length
  expect([count(/^<details/), count(/^<summary/)]).toEqual([count(/^<.details/), count(/^<.summary/)])
  // A line that begins with an HTML block is not read as Markdown, and code has no links.
  const words = bare.map((line) => line.replace(/<code>[^<>]*<.code>/, '').replaceAll(ownTags, ''))
  expect(words.filter((line) => /[<>]/.test(line.replace(/^> /, '')))).toEqual([])
  // No text of others is a link, an image, a mention, or a reference.
  expect(words.filter((line) => /(?<!\\)\]\(|(?<!\\)!\[|@\w|(?<![\\&])#\d|:\/\/|www\./i.test(line))).toEqual([])
  expect([isPrintable(text), hasNoCommand(text)]).toEqual([true, true])
}

describe('Markdown', () => {
  test('of any document is valid and within any size limit, and is the same for the same input, whatever names contain', () => {
    fc.assert(
      fc.property(
        drawnOf(...everyDocument),
        drawnContext,
        fc.integer({ min: 2000, max: 9000 }),
        (told, given, budget) => {
          const text = written(told, { ...given, budget })
          expect(text.length).toBeLessThanOrEqual(budget)
          expectValid(text)
          expect(written(told, { ...given, budget })).toBe(text)
        },
      ),
      { numRuns: Number(process.env.LAW_RUNS ?? 300) },
    )
  })

  test('begins with the line by which a workflow finds its comment', () => {
    const of = (project: string | undefined, environment: string | undefined) =>
      markerOf({ ...context, command: 'plan', project, environment })
    expect(of('shop', 'prod')).toBe('<!-- gatewright plan shop/prod -->')
    expect(of('shop', undefined)).toBe('<!-- gatewright plan shop -->')
    expect(of(undefined, undefined)).toBe('<!-- gatewright plan -->')
    expect(of('a --> b', '<c>')).toBe('<!-- gatewright plan a _-_ b/_c_ -->')
    expect(
      new Set(['shop 🚀', 'shop 🛒', 'shop 👍🏽', 'shop 👍🏿', 'shop 🇫🇷', 'shop 🇩🇪'].map((name) => of(name, name)))
        .size,
    ).toBe(6)
    fc.assert(fc.property(hostileText, (name) => [...of(name, name)].length < 200))
  })
})
