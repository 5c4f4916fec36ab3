import { setMaxListeners } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { World } from '../src/cli/io.js'
import { main } from '../src/cli/main.js'
import { undiciTransport } from '../src/client/undici-transport.js'
import { type RunningPlatform, startPlatform } from '../src/platform/listen.js'
import { exampleCopy, exampleVariables } from '../test/kit/example-env.js'
import { Rest } from './rest.js'
import { say } from './say.js'

/**
 * A demonstration of the program on embedded platforms: a web shop is applied to its staging area and then to production, and
 * then somebody changes production outside git. Exits with 1 if a step does not end as expected.
 */

/**
 * The output for a whole area is long, so only these numbers of lines at its beginning and its end are shown. The plan at the
 * beginning of apply was already shown.
 */
const displayedLines: Readonly<Record<string, readonly [first: number, last: number]>> = {
  plan: [7, 4],
  apply: [0, 2],
  explain: [13, 0],
}

/** An object that a patch of production changes. */
const patched = 'Service/Catalog API/Endpoint/product-feed'

const failures: string[] = []
const { signal } = new AbortController()
setMaxListeners(0, signal)
const folder = exampleCopy()
// Each environment has its own area.
const platforms = {
  staging: await startPlatform({ port: 0, autoApprove: true }),
  prod: await startPlatform({ port: 0, autoApprove: true }),
}
type Environment = keyof typeof platforms
try {
  for (const name of ['staging', 'prod'] as const) standIn(name, platforms[name])
  await walk()
} finally {
  await Promise.all([platforms.staging.close(), platforms.prod.close()])
  rmSync(folder, { recursive: true, force: true })
}
say(failures.length === 0 ? '\nEvery step ended as it should.' : `\n${failures.join('\n')}`)
process.exitCode = failures.length === 0 ? 0 : 1

/** Replaces the platform of an environment in the project file by the embedded one. */
function standIn(name: Environment, { url, area }: RunningPlatform): void {
  const file = join(folder, 'gatewright.yaml')
  const platform = `    ${name}:\n      platform: {url: "${url}", area: ${area}}`
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(new RegExp(`^    ${name}:\n      platform: .*$`, 'm'), platform))
}

async function walk(): Promise<void> {
  heading('The manifests of a web shop, checked offline for all its environments')
  await step('staging', ['validate'], 0)

  heading('What would change in the empty area of staging')
  await step('staging', ['plan', '-e', 'staging', '--exit-code', '--quiet'], 2)

  heading('Change it; a second plan is empty')
  await step('staging', ['apply', '-e', 'staging', '--yes', '--quiet'], 0)
  await step('staging', ['plan', '-e', 'staging', '--exit-code', '--quiet'], 0)

  heading('Promotion: the same commit in production. What is different there, and why')
  const differences = await step('staging', ['diff', '-e', 'staging', '-e', 'prod', '--quiet'], 2)
  expectWords(differences, ['value domain', 'patches[0] of environment prod'])
  const promotion = await step('staging', ['promote', 'staging', 'prod', '--write', '--quiet'], 0)
  expectWords(promotion, ['Service/Cart API'])
  await step('prod', ['apply', '-e', 'prod', '--yes', '--quiet'], 0)

  heading('Where a patch has the last word: a timeout of production')
  const layers = await step('staging', ['explain', patched, '-e', 'prod', '--quiet'], 0)
  expectWords(layers, ['patches[0] of environment prod', 'defaults of the project'])

  heading('Somebody changes an endpoint and a plan of production behind git’s back')
  await changeBehindGitsBack(platforms.prod)

  heading('Drift names what they changed')
  const drift = await step('prod', ['drift', '-e', 'prod', '--quiet'], 2)
  expectWords(drift, ['Endpoint/orders', 'connectionTimeoutForSystemDomainResponse', 'Plan/Gold', 'rateLimitCeiling'])

  heading('Repair it')
  await step('prod', ['apply', '-e', 'prod', '--yes', '--quiet'], 0)
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
  say(`PUT ${path.replaceAll(/[0-9a-z-]{20,}/g, (id) => `${id.slice(0, 6)}…`)}\n    ${JSON.stringify(body)}`)
  await rest.put(path, body)
}

/** Runs one command line, shows it like a shell, and returns its output. */
async function step(environment: Environment, args: readonly string[], expected: number): Promise<string> {
  say(`$ gatewright ${args.map((each) => (/[ ]/.test(each) ? `"${each}"` : each)).join(' ')}`)
  let text = ''
  const stream = {
    columns: process.stdout.columns ?? 80,
    write: (part: string) => {
      text += part
    },
  }
  const io: World = {
    stdout: stream,
    stderr: stream,
    stdin: Readable.from([]),
    env: variables(platforms[environment]),
    cwd: folder,
    now: Date.now,
    sleep: async (milliseconds, until) => setTimeout(milliseconds, undefined, { signal: until }),
    signal,
    transport: () => Promise.resolve(undiciTransport()),
  }
  const exitCode = await main(args, io)
  say(shortened(text.trimEnd(), args))
  say(`[exit ${exitCode}]`)
  if (exitCode !== expected) failures.push(`gatewright ${args.join(' ')} ended with ${exitCode}, not ${expected}`)
  return text
}

function expectWords(text: string, words: readonly string[]): void {
  for (const word of words) if (!text.includes(word)) failures.push(`an answer does not name ${word}`)
}

function variables({ url, apiKey, apiSecret, username, password }: RunningPlatform) {
  return {
    ...exampleVariables(folder),
    GATEWRIGHT_HOSTS: new URL(url).host,
    GATEWRIGHT_API_KEY: apiKey,
    GATEWRIGHT_API_SECRET: apiSecret,
    GATEWRIGHT_USERNAME: username,
    GATEWRIGHT_PASSWORD: password,
  }
}

function shortened(text: string, args: readonly string[]): string {
  const lines = text.split('\n')
  const [first, last] = displayedLines[args[0] ?? ''] ?? [20, 0]
  if (lines.length <= first + last + 12) return text
  const left = lines.length - first - last
  return [...lines.slice(0, first), `      … ${left} more lines …`, ...lines.slice(lines.length - last)].join('\n')
}

function heading(text: string): void {
  say(`\n# ${text}`)
}
