import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startPlatform } from '../../src/platform/listen.js'
import { gatewright } from '../cli/run.js'
import { program } from '../kit/program.js'
import { environment } from '../kit/world.js'

/** The published bundle: no module is missing that it omits or replaces. */

const work = mkdtempSync(join(tmpdir(), 'gatewright-built-'))

afterAll(() => rmSync(work, { recursive: true, force: true }))

function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
  })
  return { exitCode: status ?? -1, stdout, stderr }
}

/** The files that a file imports directly, and their imports. */
function loadedWith(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found
  found.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*"(\.\/[^"]+)"/g)
  for (const [, path = ''] of imports) loadedWith(join(dirname(file), path), found)
  return found
}

const bytesOf = (files: ReadonlySet<string>): number => [...files].reduce((sum, file) => sum + statSync(file).size, 0)

it('help and the version load little code: neither the code of commands, nor YAML or the catalogue', () => {
  const files = loadedWith(program)
  expect(files.size).toBeLessThan(6)
  expect(bytesOf(files)).toBeGreaterThan(50_000)
  expect(bytesOf(files)).toBeLessThan(130_000)
})

it('a plan loads few files, and none of the code that is loaded later', () => {
  const bundle = dirname(program)
  const [plan = ''] = readdirSync(bundle).filter((name) => /^plan-\w{8}\.js$/.test(name))
  const files = loadedWith(join(bundle, plan))
  expect(files.size).toBeLessThan(15)
  expect(bytesOf(files)).toBeGreaterThan(500_000)
  expect(bytesOf(files)).toBeLessThan(1_400_000)
  const text = [...files].map((file) => readFileSync(file, 'utf8')).join('')
  // Encryption, pages, and the platform.
  expect(['chacha20poly1305', 'prefers-color-scheme', 'RegExpRouter'].filter((later) => text.includes(later))).toEqual(
    [],
  )
})

/** Like `run`, while this process continues to answer the program's requests. */
async function runBeside(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH ?? '', ...env } })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (part: Buffer) => {
      written[name] += part.toString()
    })
  }
  const [exitCode] = await once(child, 'close')
  return { exitCode: Number(exitCode), ...written }
}

function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(work, name)
  mkdirSync(folder)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return folder
}

const service = 'apiVersion: gatewright/v1\nkind: Service\nmetadata: {name: Orders}\nspec: {description: Orders}\n'
const head = 'apiVersion: gatewright/v1\nkind: Project\n'

describe('the bundle checks project files like the source', () => {
  it.each([
    ['only its kind', head],
    ['everything', `${head}metadata: {name: x}\nspec: {prune: all, limits: {deletes: 3}, scope: {kinds: [Service]}}\n`],
    ['an unknown key', `${head}spec: {platfrom: {}}\n`],
    ['a wrong word', `${head}spec: {prune: some, scope: {kinds: [Servce]}}\n`],
    ['wrong types', `${head}spec: {limits: {deletes: many}, manifests: {a: 1}, platform: {concurrency: 0}}\n`],
    ['an empty name', `${head}metadata: {name: ""}\n`],
    ['no kind', 'apiVersion: gatewright/v1\nspec: {records: "s3://there"}\n'],
    ['another version', 'apiVersion: gatewright/v9\nkind: Projct\nspec: []\n'],
  ])('with %s', async (what, project) => {
    const folder = folderWith(`project ${what}`, { 'gatewright.yaml': project, 'orders.yaml': service })
    const source = await gatewright(['validate', '--no-color'], { cwd: folder })
    expect(run(['validate', '--no-color'], folder)).toEqual(source)
    expect(source.stdout + source.stderr).not.toBe('')
  })
})

describe('the bundle', () => {
  it('connects to the platform, directly and through a proxy, and changes an area to the manifests', async () => {
    const platform = await startPlatform()
    const through: string[] = []
    const proxy = createServer((request, response) => {
      through.push(`${request.method} ${request.url}`)
      response.writeHead(502).end('no way through')
    })
    proxy.on('connect', (request, socket) => {
      through.push(`CONNECT ${request.url}`)
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    try {
      const folder = folderWith('online', { 'gatewright.yaml': head, 'orders.yaml': service })
      const env = { ...environment, GATEWRIGHT_URL: platform.url }
      expect((await runBeside(['plan', '--quiet', '--out', 'plan.json'], folder, env)).stdout).toContain('1 to create')
      const applied = await runBeside(['apply', 'plan.json', '--yes', '--quiet'], folder, env)
      expect(applied).toMatchObject({
        exitCode: 0,
        stderr: expect.stringMatching(/^warning: it is not known what was last/),
      })
      expect(applied.stderr).toMatch(/\n1 warning\n$/)
      expect((await runBeside(['plan', '--quiet'], folder, env)).stdout).toContain('nothing to do')
      const address = proxy.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const proxied = await runBeside(['plan', '--quiet'], folder, {
        ...env,
        GATEWRIGHT_URL: 'http://platform.example',
        HTTP_PROXY: `http://127.0.0.1:${port}`,
      })
      expect(proxied.exitCode).toBe(1)
      expect(through[0]).toContain('platform.example')
      const met = through.length
      // Requests to this machine, or to an exception, do not use the proxy.
      const direct = { ...env, HTTP_PROXY: `http://127.0.0.1:${port}` }
      expect((await runBeside(['plan', '--quiet'], folder, direct)).stdout).toContain('nothing to do')
      expect(through).toHaveLength(met)
    } finally {
      await platform.close()
      proxy.close()
    }
  })

  it('starts an embedded platform', async () => {
    const child = spawn(process.execPath, [program, 'platform', '--port', '0', '-o', 'json'], { cwd: work })
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const { url } = JSON.parse(line.toString()) as { readonly url: string }
      const folder = folderWith('beside', { 'gatewright.yaml': head, 'orders.yaml': service })
      expect(run(['plan', '--quiet'], folder, { ...environment, GATEWRIGHT_URL: url }).stdout).toContain('1 to create')
    } finally {
      child.kill()
    }
  })
})
