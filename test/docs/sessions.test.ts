import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../kit/folder.js'
import { isShown, type PagePart, partsOf, type Step, sessionIn } from './session.js'

/**
 * Every `$` line of the pages is run, with one session per page, and must print the text on the page. `WRITE_DOCS=1` writes the
 * printed output into the pages, except output that matches already: then shorten it by hand.
 */

const docs = join(import.meta.dirname, '../../docs')
/** A separate test runs it with three areas. */
const runElsewhere = join('how-to', 'environments.md')
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.md') && path !== runElsewhere,
)
const textOf = (page: string): string => readFileSync(join(docs, page), 'utf8')
const stepsIn = (parts: readonly PagePart[]): readonly Step[] =>
  parts.flatMap((part) => (part.is === 'step' ? [part.step] : []))

const withSteps = pages.filter((page) => stepsIn(partsOf(textOf(page))).length > 0).sort()

it.each(pages)('all $ lines of docs/%s are run', (page) => {
  const text = textOf(page)
  expect(text.match(/^\$ .*/gm) ?? []).toEqual(stepsIn(partsOf(text)).map(({ command }) => `$ ${command}`))
})

it.each(withSteps)('docs/%s has the printed output', async (page) => {
  const temporary = temporaryFolder()
  const folder = join(temporary, 'shop')
  mkdirSync(folder)
  const session = sessionIn(folder)
  const printed: { readonly step: Step; readonly lines: readonly string[] }[] = []
  let failed: Step | undefined
  for (const part of partsOf(textOf(page))) {
    if (part.is === 'file') {
      session.write(part.file)
      continue
    }
    const { step } = part
    // A reader would not expect that a command fails, unless the page says so.
    if (failed && step.command !== 'echo $?') throw new Error(`line ${failed.line} fails: ${failed.command}`)
    const lines = await session.run(step.command)
    failed = session.exitCode() === 0 || step.command === 'echo $?' ? undefined : step
    printed.push({ step, lines })
  }
  if (process.env.WRITE_DOCS === '1') return writePage(page, printed)
  for (const { step, lines } of printed) {
    if (!isShown(step.shown, lines)) expect(step.shown, `line ${step.line}: ${step.command}`).toEqual(lines)
  }
})

function writePage(page: string, printed: readonly { readonly step: Step; readonly lines: readonly string[] }[]): void {
  const text = textOf(page).split('\n')
  for (const { step, lines } of printed.toReversed()) {
    if (!isShown(step.shown, lines)) text.splice(step.line, step.shown.length, ...lines.map(withoutRun))
  }
  writeFileSync(join(docs, page), text.join('\n'))
}

/** Parts that differ from run to run, or from machine to machine. */
const withoutRun = (line: string): string =>
  line
    .replaceAll(/(?<=\b\d{8}T\d{6}Z-)[0-9a-f]{6}/g, '…     ')
    .replaceAll(/(?<=sha256:)[0-9a-f]+/g, '…')
    .replaceAll(/(?<=\byou@)\S+( \(process .*\))?/g, '…')
    .trimEnd()
