import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import { createPlatform } from '../../src/platform/server.js'
import type { RunChild } from '../../src/ports/child.js'
import { gatewright } from '../cli/run.js'
import { environment, testClock } from '../kit/world.js'

/** One `$` line of a page, and its output below it. */
export interface Step {
  /** Counts from 1. */
  readonly line: number
  readonly command: string
  readonly shown: readonly string[]
}

/** A file that the reader of a page writes: ```` ```yaml manifests/orders.yaml ````. */
interface WrittenFile {
  readonly path: string
  readonly text: string
}

export type PagePart =
  | { readonly is: 'step'; readonly step: Step }
  | { readonly is: 'file'; readonly file: WrittenFile }

/** The `$` lines in the ```` ```console ```` blocks of a page and the files that its reader writes, in order. */
export function partsOf(page: string): readonly PagePart[] {
  const parts: PagePart[] = []
  const lines = page.split('\n')
  for (let start = 0; start < lines.length; start++) {
    const [, language = '', path] = /^```(\w+)(?: (\S+))?$/.exec(lines[start] ?? '') ?? []
    if (language === '') continue
    const length = lines.slice(start + 1).indexOf('```')
    const block = lines.slice(start + 1, start + 1 + length)
    if (language === 'console') parts.push(...stepsOf(block, start + 2))
    else if (path !== undefined) parts.push({ is: 'file', file: { path, text: `${block.join('\n')}\n` } })
    start += length + 1
  }
  return parts
}

function stepsOf(block: readonly string[], first: number): readonly PagePart[] {
  const starts = block.flatMap((line, index) => (line.startsWith('$ ') ? [index] : []))
  return starts.map((start, index) => ({
    is: 'step',
    step: {
      line: first + start,
      command: (block[start] ?? '').slice(2),
      shown: block
        .slice(start + 1, starts[index + 1] ?? block.length)
        .filter((line, at, all) => line !== '' || at < all.length - 1),
    },
  }))
}

/** Whether the text on a page matches the printed output: `…` is any text, and alone on a line any number of lines. */
export function isShown(shown: readonly string[], printed: readonly string[]): boolean {
  const [line, ...rest] = shown
  if (line === undefined) return printed.length === 0
  if (line.trim() === '…') return [...printed, ''].some((_, skipped) => isShown(rest, printed.slice(skipped)))
  const [first, ...others] = printed
  if (first === undefined) return false
  const pattern = calm(line)
    .split('…')
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('.*')}$`).test(calm(first)) && isShown(rest, others)
}

/** Omitted text makes columns narrower; a marker below a line stays in its position. */
const calm = (line: string): string => (/^ *\| +\^/.test(line) ? line : line.replaceAll(/(?<=\S) {2,}/g, ' '))

/** The session of a reader of one page: a folder, a terminal, and the embedded platform. */
export interface Session {
  readonly write: (file: WrittenFile) => void
  /** The lines that a command prints. */
  readonly run: (command: string) => Promise<readonly string[]>
  /** The exit code of the last command. */
  readonly exitCode: () => number
}

/** The programs that a page may run, in addition to gatewright. */
const shellCommands = ['cat', 'cp', 'git', 'ls', 'mkdir', 'mv', 'rm', 'sed']

export function sessionIn(folder: string): Session {
  const clock = testClock()
  const platform = createPlatform({ autoApprove: true, idSeed: 'docs', ...clock })
  // On a page about many areas, each host is a separate platform.
  const others = new Map<string, ReturnType<typeof createPlatform>>()
  const platformAt = (host: string) => {
    if (!host.endsWith('.example.com')) return platform
    const known = others.get(host) ?? createPlatform({ autoApprove: true, idSeed: host, ...clock })
    others.set(host, known)
    return known
  }
  const transport = fetchTransport((url, init) =>
    url.startsWith('https://chat.example/')
      ? Promise.resolve(new Response('ok'))
      : platformAt(new URL(url).host).fetch(new Request(url, init)),
  )
  const child: RunChild = async ({ args, env: variables }) => {
    const world = { env: variables, cwd: folder, ...clock, transport: () => Promise.resolve(transport) }
    const { exitCode, stdout, stderr } = await gatewright(args, world)
    return { is: 'exited', code: exitCode, stdout, stderr }
  }
  const env: Record<string, string> = { ...environment, GATEWRIGHT_URL: 'http://127.0.0.1:8080', GATEWRIGHT_WHO: 'you' }
  let last = 0
  const program = async (words: readonly string[], input: string): Promise<string> => {
    if (words[0] === 'platform') return platformAnswer(words)
    const stdin = Readable.from(input === '' ? [] : [input])
    const children = () => Promise.resolve(child)
    const world = {
      env,
      cwd: folder,
      ...clock,
      transport: () => Promise.resolve(transport),
      columns: 100,
      stdin,
      children,
    }
    const calm = words.some((word) => quietWords.has(word)) ? [] : ['--quiet']
    const { exitCode, stdout, stderr } = await gatewright([...words, ...calm], world)
    last = exitCode
    return stdout + stderr
  }
  const run = async (command: string): Promise<string> => {
    if (command === 'echo $?') return `${last}\n`
    last = 0
    const [line = '', from, target] = /^(.*?)(?: < (\S+))?(?: > (\S+))?$/.exec(command)?.slice(1) ?? []
    const words = wordsOf(line)
    const [name = '', ...rest] = words
    if (name === 'export') return exported(rest, env)
    if (name !== 'gatewright') return shell(name, command, folder)
    const output = await program(rest, from === undefined ? '' : readFileSync(join(folder, from), 'utf8'))
    if (target === undefined) return output
    writeFileSync(join(folder, target), output)
    return ''
  }
  return {
    write: ({ path, text }) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    },
    run: async (command) => linesOf(await run(command)),
    exitCode: () => last,
  }
}

/** With these words there is no progress to turn off. */
const quietWords = new Set(['schema', 'completion', '--help', '--version', '--quiet'])

const linesOf = (text: string): readonly string[] => {
  const lines = text.replaceAll(/[ \t]+$/gm, '').split('\n')
  while (lines.at(-1) === '') lines.pop()
  return lines
}

function shell(name: string, command: string, folder: string): string {
  if (!shellCommands.includes(name)) throw new Error(`pages may not run ${name}`)
  const identity = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'you'],
    [`GIT_${role}_EMAIL`, 'you@example.com'],
  ])
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('sh', ['-c', command], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env, ...Object.fromEntries(identity) },
  })
}

function exported(assignments: readonly string[], env: Record<string, string>): string {
  for (const assignment of assignments) {
    const [name = '', value = ''] = assignment.split('=', 2)
    env[name] = value
  }
  return ''
}

/** It runs until it is interrupted, which happens as soon as it listens; its port is a free one. */
async function platformAnswer(words: readonly string[]): Promise<string> {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 300)
  const { stdout } = await gatewright([...words, '--port', '0'], { signal: controller.signal })
  return stdout.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080')
}

/** As a shell splits a line: blanks, and quotes of both kinds. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'))
