import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { program } from '../kit/program.js'
import { basic, endpointBody } from '../platform/client.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatewright-command-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs `gatewright platform` and returns its output; `ready` after that many lines. */
function run(...args: readonly string[]) {
  const child = spawn(process.execPath, [program, 'platform', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
  })
  const lines: string[] = []
  const errors: string[] = []
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
  const ready = async (count: number) => {
    while (lines.length < count) await once(reader, 'line')
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, lines, errors, ready, ended }
}

describe('gatewright platform', () => {
  it('prints exactly one line of JSON, serves, and ends with 0 on SIGTERM', async () => {
    const seed = join(folder, 'seed.json')
    writeFileSync(seed, JSON.stringify({ services: [{ name: 'Seeded' }] }))
    const ways = ['--fault', 'names-lower', '--error-set', 'none', '--ignore-nested', 'Service.endpoints']
    const { child, lines, errors, ready, ended } = run('--port', '0', '--seed', seed, ...ways, '-o', 'json')
    await ready(1)
    const access = JSON.parse(lines[0] ?? '') as Record<string, string>
    expect(Object.keys(access)).toEqual(['url', 'area', 'apiKey', 'apiSecret', 'username', 'password'])
    const { username = '', password = '', area: scope = '' } = access
    const form = { grant_type: 'password', username, password, scope }
    const init = { method: 'POST', headers: { authorization: basic }, body: new URLSearchParams(form) }
    const { access_token: token } = (await (await fetch(`${access.url}/v3/token`, init)).json()) as {
      access_token: string
    }
    const headers = { authorization: `Bearer ${token}` }
    const services = await fetch(`${access.url}/v3/rest/services?fields=name`, { headers })
    expect(await services.json()).toEqual([{ name: 'Seeded' }])
    const made = await fetch(`${access.url}/v3/rest/services?fields=name,errorSets.id,endpoints.id`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Made', endpoints: [endpointBody('a')] }),
    })
    expect(await made.json()).toEqual([{ name: 'made', errorSets: [], endpoints: [] }])
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect([lines.length, errors.join('')]).toEqual([1, ''])
  })

  it('prints the variables to export', async () => {
    const { child, lines, ready, ended } = run('--port', '0', '--dialect', 'recorded', '--auto-approve')
    await ready(7)
    const names = lines.slice(1).map((line) => /^export (\w+)=\S+$/.exec(line)?.[1])
    const words = ['URL', 'AREA', 'API_KEY', 'API_SECRET', 'USERNAME', 'PASSWORD']
    expect(names).toEqual(words.map((word) => `GATEWRIGHT_${word}`))
    child.kill('SIGINT')
    expect(await ended).toBe(0)
  })

  it('reports why it cannot start, and ends with 1', async () => {
    const badFault = run('--port', '0', '--fault', 'nonsense')
    const badSeed = run('--port', '0', '--seed', join(folder, 'none.json'))
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const badPort = run('--port', String(port))
    expect([await badFault.ended, await badSeed.ended, await badPort.ended]).toEqual([1, 1, 1])
    taken.close()
    expect(badFault.errors.join('')).toContain("'nonsense' is not a fault")
    expect(badSeed.errors.join('')).toContain('none.json cannot be read: there is no such file')
    expect(badPort.errors.join('')).toContain(`another program listens at port ${port} already`)
  })
})
