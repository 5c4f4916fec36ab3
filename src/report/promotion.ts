import { createTwoFilesPatch } from 'diff'
import type { Promoted, PromotionDocument } from '../documents/promotion.js'
import { printable, printableLines } from '../json/printable.js'
import { counted } from '../problems/suggest.js'
import type { Colours } from './colours.js'
import type { Report } from './problems.js'

/** A file before and after the change. */
interface ChangedFile {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** The copied values, the changes of the file, and whether the file is written. */
export function promotionText(
  { from, to, changes, own, files, diagnostics }: PromotionDocument,
  file: ChangedFile,
  colours: Colours,
): Report {
  const head = colours.bold(printable(`Promote ${from} to ${to}, in ${file.path}`))
  const lines = changes.map((change) => changeText(change, colours))
  const kept =
    own.length === 0 ? [] : [`Not copied, because every environment has its own: ${own.map(printable).join(', ')}.`]
  const diff = changes.length === 0 ? [] : [diffText(file, colours)]
  return {
    output: `${[head, lines.join('\n'), ...diff, [...kept, endText(changes, files.length, diagnostics.length)].join('\n')].filter(Boolean).join('\n\n')}\n`,
  }
}

function changeText({ is, name, before }: Promoted, { green, yellow }: Colours): string {
  return before === undefined ? green(`+ ${is} ${printable(name)}`) : yellow(`~ ${is} ${printable(name)}`)
}

function diffText({ path, before, after }: ChangedFile, { green, red, dim }: Colours): string {
  const lines = createTwoFilesPatch(path, path, before, after, '', '', { context: 2 }).trimEnd().split(/\r?\n/)
  const painted = lines.slice(lines.findIndex((line) => line.startsWith('---'))).map((line) => {
    const displayed = printableLines(line).trimEnd()
    if (line.startsWith('+') && !line.startsWith('+++')) return green(displayed)
    if (line.startsWith('-') && !line.startsWith('---')) return red(displayed)
    return dim(displayed)
  })
  return painted.join('\n')
}

function endText(changes: readonly Promoted[], written: number, left: number): string {
  if (changes.length === 0) {
    return left === 0 ? 'Nothing to copy.' : 'Nothing is copied: write the differences by hand.'
  }
  const count = counted(changes.length, 'change')
  return written > 0 ? `${count}, written.` : `${count}; --write writes ${changes.length === 1 ? 'it' : 'them'}.`
}
