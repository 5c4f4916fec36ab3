import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { main } from '../src/cli/main.js'
import { fetchTransport } from '../src/client/fetch-transport.js'
import { createPlatform, type Platform } from '../src/platform/server.js'
import { exampleCopy, exampleVariables } from '../test/kit/example-env.js'

/**
 * The picture in the README: the terminal output of `gatewright plan` for the example after three edits in git and one on the
 * platform. `npm run picture` writes it; a test compares it with the output of the program.
 */

export const pictureFile = fileURLToPath(new URL('../docs/plan.svg', import.meta.url))

const role =
  '---\napiVersion: gatewright/v1\nkind: Role\nmetadata: {name: Auditors}\nspec: {description: Read what is sold}\n'
const started = Date.parse('2026-11-20T09:00:00Z')

/** The picture as SVG. */
export async function pictureOfPlan(): Promise<string> {
  const [folder, elsewhere] = [exampleCopy(), exampleCopy()]
  const platform = createPlatform({ autoApprove: true, idSeed: 'picture', now: () => started })
  try {
    await run(['apply', '-e', 'dev', '--yes', '--quiet'], folder, platform)
    // Somebody with other records changes the area.
    edit(elsewhere, 'manifests/services/orders.yaml', 'DomainResponse: 30', 'DomainResponse: 5')
    await run(['apply', '-e', 'dev', '--yes', '--quiet'], elsewhere, platform)
    edit(folder, 'gatewright.yaml', 'default: 10000,', 'default: 20000,')
    appendFileSync(join(folder, 'manifests/roles.yaml'), role)
    edit(folder, 'manifests/services/orders.yaml', 'qpsLimitOverall: 500', 'qpsLimitOverall: 800')
    const displayed = await run(['plan', '-e', 'dev', '--quiet', '--color', 'always'], folder, platform)
    return svgOf(`$ gatewright plan -e dev\n${displayed.replace(/(run \d{8}T\d{6}Z)-[0-9a-f]+/, '$1-4b4c2d')}`)
  } finally {
    for (const each of [folder, elsewhere]) rmSync(each, { recursive: true, force: true })
  }
}

async function run(args: readonly string[], cwd: string, platform: Platform): Promise<string> {
  let stdout = ''
  let stderr = ''
  const exitCode = await main(args, {
    stdout: { columns: 92, write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    stdin: Readable.from([]),
    env: variables(cwd),
    cwd,
    now: () => started,
    sleep: () => Promise.resolve(),
    signal: new AbortController().signal,
    transport: () => Promise.resolve(fetchTransport((url, init) => platform.fetch(new Request(url, init)))),
  })
  if (exitCode !== 0) throw new Error(`gatewright ${args.join(' ')} ended with ${exitCode}: ${stderr}${stdout}`)
  return stdout
}

function variables(folder: string): Readonly<Record<string, string>> {
  return {
    ...exampleVariables(folder),
    GATEWRIGHT_URL: 'https://api.storefront.example',
    GATEWRIGHT_AREA: '00000000-0000-4000-8000-00000000a4ea',
    GATEWRIGHT_API_KEY: 'local-key',
    GATEWRIGHT_API_SECRET: 'local-secret',
    GATEWRIGHT_USERNAME: 'local-user',
    GATEWRIGHT_PASSWORD: 'local-password',
  }
}

function edit(folder: string, file: string, from: string, to: string): void {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`)
  writeFileSync(path, text.replace(from, to))
}

/** The size of a character and of a line in points. */
const size = { wide: 8.4, high: 20, margin: 18 }

/** Converts terminal output with colours to a picture. Its colours are the same on light and dark pages. */
function svgOf(text: string): string {
  const lines = text.trimEnd().split('\n').map(spansOf)
  const columns = Math.max(...lines.map((spans) => spans.reduce((sum, span) => sum + [...span.text].length, 0)))
  const width = Math.ceil(columns * size.wide) + 2 * size.margin
  const height = lines.length * size.high + 2 * size.margin
  const rows = lines.flatMap((spans, index) => {
    const parts = spans.map(({ text: words, tone }) =>
      tone === '' ? escaped(words) : `<tspan class="${tone}">${escaped(words)}</tspan>`,
    )
    return spans.length === 0
      ? []
      : [
          `<text x="${size.margin}" y="${size.margin + index * size.high + 15}" xml:space="preserve">${parts.join('')}</text>`,
        ]
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="What gatewright plan shows">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;fill:#d8dee9;white-space:pre}
.bold{font-weight:700;fill:#fff}.dim{fill:#98a2b3}.red{fill:#ff8a80}.green{fill:#7fd695}.yellow{fill:#f2cc6b}.magenta{fill:#d9a8f2}.cyan{fill:#7fd4e8}
</style>
<rect width="100%" height="100%" rx="10" fill="#171b22"/>
${rows.join('\n')}
</svg>
`
}

interface Span {
  readonly text: string
  readonly tone: string
}

const tones: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  35: 'magenta',
  36: 'cyan',
}

function spansOf(line: string): readonly Span[] {
  const spans: Span[] = []
  let tone = ''
  for (const [index, part] of line.split('\u001b[').entries()) {
    const [code = '', number = ''] = index === 0 ? [] : (/^(\d+)m/.exec(part) ?? [])
    if (code !== '') tone = tones[number] ?? ''
    const text = part.slice(code.length)
    if (text !== '') spans.push({ text, tone })
  }
  return spans
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(pictureFile, await pictureOfPlan())
