import { expect, test } from 'vitest'
import type { Pages } from '../../src/stores/git/book.js'
import { readRuns } from '../../src/stores/git/journal.js'
import { runFolders } from '../../src/stores/git/layout.js'

/** The pages of a tree with so many runs, each with two checkpoints and an end. `looks`: how often its paths were asked for. */
function treeOf(count: number): { readonly pages: Pages; readonly looks: () => number } {
  const texts = new Map<string, string>([['project.json', '{}']])
  for (let number = 1; number <= count; number += 1) {
    const run = `r${number}`
    const key = { url: 'https://api.example.com', area: 'a', project: 'p' }
    const worker = { who: 'w', host: 'h', pid: 1 }
    const purpose = { is: 'apply' }
    const head = { run, key, worker, started: number, plan: '', manifests: '', purpose, changes: [] }
    const folder = `runs/${String(number).padStart(6, '0')}-${run}/`
    texts.set(`${folder}head.json`, JSON.stringify(head))
    texts.set(`${folder}000010.jsonl`, JSON.stringify({ is: 'ended', outcome: 'done', at: 3 }))
    texts.set(`${folder}000009.jsonl`, JSON.stringify({ is: 'settled', address: run, outcome: 'applied', at: 2 }))
  }
  let looks = 0
  const parsed = <Value>(text: string, is: (value: unknown) => value is Value): Value => {
    const value: unknown = JSON.parse(text)
    if (!is(value)) throw new Error(text)
    return value
  }
  const pages: Pages = {
    get paths() {
      looks += 1
      return [...texts.keys()]
    },
    read: (paths) => Promise.resolve(paths.map((path) => texts.get(path) ?? '')),
    lines: (_, text, is) => (text === '' ? [] : [parsed(text, is)]),
    line: (_, text, is) => parsed(text, is),
  }
  return { pages, looks: () => looks }
}

test('the files of each run are found without a search through the files of all runs', async () => {
  const { pages, looks } = treeOf(500)
  const records = await readRuns(pages, runFolders(pages.paths))
  expect(records.map(({ head }) => head.run).slice(0, 2)).toEqual(['r500', 'r499'])
  expect(records.map(({ entries }) => entries.map(({ is }) => is))).toEqual(
    Array.from({ length: 500 }, () => ['settled', 'ended']),
  )
  expect(looks()).toBe(1)
})
