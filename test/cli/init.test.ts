import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { createPlatform } from '../../src/platform/server.js'
import { type World, worldIn } from '../kit/world.js'

/** An empty folder. */
function emptyWorld(): World {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-init-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const world = worldIn(dir, createPlatform({ autoApprove: true, idSeed: 'test' }))
  rmSync(join(dir, 'gatewright.yaml'))
  return world
}

const textIn = (world: World, file: string): string => readFileSync(join(world.dir, file), 'utf8')

const filesIn = (world: World): readonly string[] =>
  readdirSync(world.dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(world.dir.length + 1))
    .sort()

describe('init', () => {
  it('writes a project that validates, plans and applies to the embedded platform', async () => {
    const world = emptyWorld()
    const { exitCode, stdout } = await world.run(['init', '--name', 'shop'])
    expect(exitCode).toBe(0)
    expect(filesIn(world).filter((file) => !file.startsWith('schemas/'))).toEqual([
      '.github/workflows/gatewright-apply.yaml',
      '.github/workflows/gatewright-drift.yaml',
      '.github/workflows/gatewright-plan.yaml',
      '.gitignore',
      '.vscode/settings.json',
      'gatewright.yaml',
      'manifests/example.yaml',
    ])
    expect(stdout).toContain('gatewright validate')
    const validated = await world.run(['validate', '-o', 'json'])
    expect([validated.exitCode, validated.json().diagnostics]).toEqual([0, []])
    expect((await world.plan()).summary).toMatchObject({ create: 8 })
    expect((await world.apply()).exitCode).toBe(0)
    expect((await world.plan()).changes).toEqual([])
  })

  it('explains each file in a comment on its first line, schemas apart', async () => {
    const world = emptyWorld()
    await world.run(['init', '--ci', 'gitlab'])
    const files = filesIn(world).filter((file) => !file.startsWith('schemas/'))
    expect(files).toContain('.gitlab-ci.yml')
    for (const file of files) expect(textIn(world, file), file).toMatch(/^(#|\/\/) \S/)
  })

  it('points editors at schemas that are there, and that take the files', async () => {
    const world = emptyWorld()
    await world.run(['init', '--ci', 'none'])
    expect(textIn(world, 'manifests/example.yaml')).toContain('$schema=../schemas/gatewright.schema.json')
    expect(textIn(world, 'gatewright.yaml')).toContain('$schema=schemas/project.schema.json')
    expect(filesIn(world)).toEqual(
      expect.arrayContaining(['schemas/gatewright.schema.json', 'schemas/project.schema.json']),
    )
  })

  it('writes workflows that are YAML, and that take every credential from the secrets', async () => {
    const world = emptyWorld()
    await world.run(['init'])
    for (const job of ['plan', 'apply', 'drift']) {
      const workflow = parse(textIn(world, `.github/workflows/gatewright-${job}.yaml`))
      const steps: readonly { readonly run?: string; readonly env?: object }[] = workflow.jobs[job].steps
      const last = steps.at(-1)
      expect(last?.run).toMatch(new RegExp(`^npx --yes gatewright@\\d+\\.\\d+\\.\\d+ ${job}`))
      expect(last?.env).toMatchObject({ GATEWRIGHT_API_SECRET: '${{ secrets.GATEWRIGHT_API_SECRET }}' })
    }
  })

  it('never overwrites: what is there is kept and told, a .gitignore gets the lines that it lacks', async () => {
    const world = emptyWorld()
    mkdirSync(join(world.dir, '.vscode'))
    writeFileSync(join(world.dir, '.vscode/settings.json'), '{}')
    writeFileSync(join(world.dir, '.gitignore'), 'node_modules\n.env')
    world.write('manifests/own.yaml', 'apiVersion: gatewright/v1\nkind: Role\nmetadata: {name: Mine}\n')
    const { stdout } = await world.run(['init', '-o', 'json', '--ci', 'none'])
    const { files }: { files: readonly { path: string; action: string }[] } = JSON.parse(stdout)
    const actions = Object.fromEntries(files.map(({ path, action }) => [path, action]))
    expect(actions).toMatchObject({
      'gatewright.yaml': 'written',
      '.vscode/settings.json': 'kept',
      '.gitignore': 'added to',
      'manifests/example.yaml': 'kept',
    })
    expect(textIn(world, '.vscode/settings.json')).toBe('{}')
    expect(textIn(world, '.gitignore')).toMatch(/^node_modules\n\.env\n\n# .*\n\.gatewright\/\n/)
    expect(textIn(world, '.gitignore').match(/^\.env$/gm)).toHaveLength(1)
    const before = filesIn(world).map((file) => textIn(world, file))
    await world.run(['init', '--ci', 'none'])
    expect(filesIn(world).map((file) => textIn(world, file))).toEqual(before)
  })

  it('takes names, urls and areas as they are, whatever they hold', async () => {
    const world = emptyWorld()
    const name = 'yes: "x" # ${env:NOPE}'
    await world.run(['init', '--name', name, '--url', 'https://api.example.com/base', '--area', '1.0', '--ci', 'none'])
    const { metadata, spec } = parse(textIn(world, 'gatewright.yaml'))
    expect(metadata.name.replaceAll('$${', '${')).toBe(name)
    expect(spec.platform).toMatchObject({ url: 'https://api.example.com/base', area: '1.0' })
    expect((await world.run(['validate'])).exitCode).toBe(0)
  })

  it('asks on a terminal what the flags do not say, and asks again where it does not understand', async () => {
    const world = emptyWorld()
    const stdin = Object.assign(Readable.from(['shop\n', '\n', 'area-1\n', 'exampel\n', '\n', 'gitlab\n']), {
      isTTY: true,
    })
    let asked = ''
    const stderr = { isTTY: true, write: (text: string) => (asked += text) }
    const { exitCode } = await world.run(['init'], { stdin, stderr })
    expect(exitCode).toBe(0)
    expect(asked.match(/Start with/g)).toHaveLength(2)
    const { metadata, spec } = parse(textIn(world, 'gatewright.yaml'))
    expect([metadata.name, spec.platform.area, spec.platform.url]).toEqual(['shop', 'area-1', undefined])
    expect(filesIn(world)).toContain('.gitlab-ci.yml')
  })
})

describe('init --export', () => {
  it('starts with what the live area holds: a plan of it is empty', async () => {
    const seed = { roles: [{ id: 'r1', name: 'Partners' }], services: [{ id: 's1', name: 'Orders', version: '3' }] }
    const dir = mkdtempSync(join(tmpdir(), 'gatewright-init-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const world = worldIn(dir, createPlatform({ seed }))
    rmSync(join(dir, 'gatewright.yaml'))
    const { exitCode, stdout, stderr } = await world.run(['init', '--export', '-o', 'json'])
    expect(exitCode, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ format: 'gatewright.init/1', export: { format: 'gatewright.export/1' } })
    expect(filesIn(world)).toContain('manifests/services/orders.yaml')
    expect(filesIn(world)).not.toContain('manifests/example.yaml')
    expect((await world.plan()).changes).toEqual([])
  })

  it('writes nothing where the credentials for it are missing', async () => {
    const world = emptyWorld()
    const { exitCode, stderr } = await world.run(['init', '--export'], { env: {} })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('GATEWRIGHT_API_KEY')])
    expect(filesIn(world)).toEqual([])
  })
})
