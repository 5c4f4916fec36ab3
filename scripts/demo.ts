import { setMaxListeners } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { World } from '../src/cli/io.js'
import { main } from '../src/cli/main.js'
import { undiciTransport } from '../src/client/undici-transport.js'
import { type RunningPlatform, startPlatform } from '../src/platform/listen.js'
import { Rest } from './rest.js'

/**
 * A walk through the program against the embedded platform: validate, plan, apply, a change behind git's back, drift,
 * repair. Exits with 1 if any step does not end as it should.
 */

const example = new URL('../examples/storefront', import.meta.url)

/** A plan of a whole area is long: the beginning and the end of it show what it looks like. */
const shownLines = { first: 24, last: 6 }

const failures: string[] = []
const { signal } = new AbortController()
setMaxListeners(0, signal)
const folder = mkdtempSync(join(tmpdir(), 'gatewright-demo-'))
cpSync(example, folder, { recursive: true, filter: (path) => !path.includes('.gatewright') })
const platform = await startPlatform({ port: 0, autoApprove: true })
try {
  await walk(platform)
} finally {
  await platform.close()
  rmSync(folder, { recursive: true, force: true })
}
say(failures.length === 0 ? '\nEvery step ended as it should.' : `\n${failures.join('\n')}`)
process.exitCode = failures.length === 0 ? 0 : 1

async function walk(running: RunningPlatform): Promise<void> {
  heading('The manifests of a web shop, checked offline')
  await step(['validate'], 0)

  heading('What would change in an empty area')
  await step(['plan', '--exit-code', '--quiet'], 2)

  heading('Change it')
  await step(['apply', '--yes', '--quiet'], 0)

  heading('A second plan is empty')
  await step(['plan', '--exit-code', '--quiet'], 0)

  heading('Somebody changes an endpoint and a plan behind git’s back')
  await changeBehindGitsBack(running)

  heading('Drift names what they changed')
  const drift = await step(['drift', '--quiet'], 2)
  expectWords(drift, ['Endpoint/orders', 'connectionTimeoutForSystemDomainResponse', 'Plan/Gold', 'rateLimitCeiling'])

  heading('Repair it')
  await step(['apply', '--yes', '--quiet'], 0)
  await step(['plan', '--exit-code', '--quiet'], 0)
}

async function changeBehindGitsBack(running: RunningPlatform): Promise<void> {
  const rest = await Rest.connect(running)
  const orders = await rest.find('/services', 'Orders API')
  const endpoint = await rest.find(`/services/${orders}/endpoints`, 'orders')
  await put(rest, `/services/${orders}/endpoints/${endpoint}`, { connectionTimeoutForSystemDomainResponse: 5 })
  const partner = await rest.find('/packages', 'Partner Access')
  const gold = await rest.find(`/packages/${partner}/plans`, 'Gold')
  await put(rest, `/packages/${partner}/plans/${gold}`, { rateLimitCeiling: 1000 })
}

async function put(rest: Rest, path: string, body: Readonly<Record<string, unknown>>): Promise<void> {
  say(`PUT ${path} ${JSON.stringify(body)}`)
  await rest.put(path, body)
}

/** Runs one command line and shows it as a shell would; its text is given back. */
async function step(args: readonly string[], expected: number): Promise<string> {
  say(`$ gatewright ${args.join(' ')}`)
  let text = ''
  const stream = {
    write: (part: string) => {
      text += part
    },
  }
  const io: World = {
    stdout: stream,
    stderr: stream,
    stdin: Readable.from([]),
    env: environment(platform),
    cwd: folder,
    now: Date.now,
    sleep: async (milliseconds, until) => setTimeout(milliseconds, undefined, { signal: until }),
    signal,
    transport: () => Promise.resolve(undiciTransport()),
  }
  const exitCode = await main(args, io)
  say(shortened(text.trimEnd()))
  say(`[exit ${exitCode}]`)
  if (exitCode !== expected) failures.push(`gatewright ${args.join(' ')} ended with ${exitCode}, not ${expected}`)
  return text
}

function expectWords(text: string, words: readonly string[]): void {
  for (const word of words) if (!text.includes(word)) failures.push(`drift does not name ${word}`)
}

function environment({ url, area, apiKey, apiSecret, username, password }: RunningPlatform) {
  const lines = readFileSync(join(folder, 'example.env'), 'utf8').split('\n')
  const pairs = lines.flatMap((line) => (/^\w+=/.test(line) ? [line.split('=', 2)] : []))
  return {
    ...Object.fromEntries(pairs),
    GATEWRIGHT_URL: url,
    GATEWRIGHT_AREA: area,
    GATEWRIGHT_API_KEY: apiKey,
    GATEWRIGHT_API_SECRET: apiSecret,
    GATEWRIGHT_USERNAME: username,
    GATEWRIGHT_PASSWORD: password,
  }
}

function shortened(text: string): string {
  const lines = text.split('\n')
  const { first, last } = shownLines
  if (lines.length <= first + last + 1) return text
  const left = lines.length - first - last
  return [...lines.slice(0, first), `      … ${left} more lines …`, ...lines.slice(-last)].join('\n')
}

function heading(text: string): void {
  say(`\n# ${text}`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
