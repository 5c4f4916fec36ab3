import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Listener, program } from '../../src/cli/command-line.js'
import { globalsOf } from '../../src/cli/run-line.js'

/**
 * Blocks of the language `sh` are not run: they have other programs, servers that keep running, and areas that no page has.
 * Each gatewright command line in them must be one that the program understands, and so must `gatewright …` in the text.
 */

const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.includes('reference/kinds'))
    .map((path) => join('docs', path)),
]

/** The command lines of a page, each with its line. */
function commandLines(text: string): readonly (readonly [number, string])[] {
  const found: [number, string][] = []
  let language: string | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence] = /^ *```(\w*)/.exec(line) ?? []
    if (fence !== undefined) {
      language = language === undefined ? fence : undefined
      continue
    }
    const written =
      language === undefined ? [...line.matchAll(/`((?:npx )?gatewright [^`]+)`/g)].map(([, each = '']) => each) : []
    const block = language === 'sh' ? line.replace(/^\$ /, '').split(' && ') : []
    for (const each of [...written, ...block]) {
      const [, rest] = /^(?:npx )?gatewright (.+)$/.exec(each.trim()) ?? []
      if (rest !== undefined) found.push([index + 1, rest])
    }
  }
  return found
}

/** The words of a line as a shell splits it, without its comment and its redirection. */
const wordsOf = (line: string): readonly string[] =>
  [...line.replace(/ +#.*$| +> .*$| +\\?\| .*$| &$/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )

/** Some global options are only valid for some commands. */
const checkGlobals: Listener['found'] = (row, invocation) => void globalsOf(row, invocation)

function faultOf(line: string): string | undefined {
  const complaints: string[] = []
  const silent = { out: () => undefined, error: (text: string) => complaints.push(text) }
  try {
    program(silent, { found: checkGlobals, stopped: () => undefined }).parse([...wordsOf(line)], { from: 'user' })
    return undefined
  } catch (error) {
    return /--help|--version/.test(line) ? undefined : complaints.join('') || String(error)
  }
}

it.each(pages)('%s has command lines that the program understands', (page) => {
  const lines = commandLines(readFileSync(join(root, page), 'utf8'))
  const faults = lines.map(([line, text]) => [line, text, faultOf(text)] as const)
  expect(faults.filter(([, , fault]) => fault !== undefined)).toEqual([])
})
