import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { environment, type Make, testClock, world } from '../kit/world.js'

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/environments.md'), 'utf8')

/** The platforms of the three environments on the page. */
function platforms(): Make {
  const areas = [...page.matchAll(/url: "https:\/\/([\w.]+)", area: ([\w-]+)/g)]
  const hosts = new Map(
    areas.map(([, host = '', area = '']) => [host, createPlatform({ ...testClock(), area, autoApprove: true })]),
  )
  return {
    log: [],
    fetch: (request) => {
      const platform = hosts.get(new URL(request.url).host)
      if (!platform) throw new Error(`nobody is at ${request.url}`)
      return platform.fetch(request)
    },
  }
}

/** The words of a command line, as a shell reads them. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

test('the commands of the page have the described results, in order', async () => {
  const { GATEWRIGHT_URL: _, GATEWRIGHT_AREA: __, ...credentials } = environment
  const { dir, run } = world(platforms(), {
    ...testClock(),
    env: { ...credentials, GATEWRIGHT_HOSTS: '*.example.com' },
  })
  rmSync(join(dir, 'gatewright.yaml'))
  const said = new Map<string, string>()
  for (const [block = '', kind, body = ''] of page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
    if (kind === 'yaml') writeFileSync(join(dir, 'gatewright.yaml'), body)
    for (const [, line = ''] of block.matchAll(/^\$ gatewright (.*)$/gm)) {
      const { exitCode, stdout, stderr } = await run(wordsOf(line))
      const expected = line.startsWith('diff') ? 2 : 0
      expect(exitCode, `${line}\n${stdout}\n${stderr}`).toBe(expected)
      said.set(line, stdout)
    }
  }
  expect(said.size).toBe(12)
  expect(said.get('validate')).toContain('dev, staging, prod')
  expect(said.get('diff -e dev -e staging')).toContain('value domain: dev.example.com → staging.example.com')
  expect(said.get('apply prod.plan.json -e prod --yes')).toContain('area 0000…0003 (shop, prod)')
  expect(said.get('explain "Service/Orders API" -e prod')).toContain('patches[0] of environment prod')
  expect(said.get('render "Service/Orders API" -e prod')).toContain('api.example.com')
  expect(said.get('drift -e prod')).toContain('in sync')
})
