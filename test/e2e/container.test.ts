import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneFileOptions } from '../../scripts/bundle.js'
import { startPlatform } from '../../src/platform/listen.js'

/** The program in one file, and its container; no image is built, only its file is checked. */

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'gatewright-one-file-'))
const program = join(folder, 'gatewright.mjs')

beforeAll(() => build({ ...oneFileOptions, entryPoints: [join(root, 'src/bin.ts')], outfile: program }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the program in one file', () => {
  it('needs no other files', async () => {
    const cwd = join(folder, 'empty')
    mkdirSync(cwd)
    const platform = await startPlatform({ autoApprove: true, idSeed: 'one file' })
    const env = {
      PATH: process.env.PATH,
      GATEWRIGHT_URL: platform.url,
      GATEWRIGHT_AREA: platform.area,
      GATEWRIGHT_API_KEY: platform.apiKey,
      GATEWRIGHT_API_SECRET: platform.apiSecret,
      GATEWRIGHT_USERNAME: platform.username,
      GATEWRIGHT_PASSWORD: platform.password,
    }
    const run = async (...args: readonly string[]): Promise<string> => {
      const ended = await promisify(execFile)(process.execPath, [program, ...args], { cwd, env }).catch(
        (error: { readonly stdout: string; readonly stderr: string }) => error,
      )
      return ended.stdout + ended.stderr
    }
    try {
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
      expect(await run('--version')).toBe(`${version}\n`)
      await run('init', '--yes', '--name', 'shop', '--ci', 'github')
      expect(readFileSync(join(cwd, 'package.json'), 'utf8')).toContain(`"gatewright": "${version}"`)
      expect(existsSync(join(cwd, '.github/workflows/gatewright-plan.yaml'))).toBe(true)
      expect(readdirSync(join(cwd, 'schemas'))).toContain('gatewright.schema.json')
      // The image without git has no other program either.
      Object.assign(env, { PATH: '', GATEWRIGHT_RECORDS: 'file:.gatewright' })
      await run('plan', '--out', 'shop.plan.json')
      expect(await run('apply', 'shop.plan.json', '--yes')).toContain('8 applied')
      Object.assign(env, { GATEWRIGHT_RECORDS: 'postgres://127.0.0.1:1/shop' })
      expect(await run('history')).toContain('database-failed')
      // With this seed, the platform ends at once, after it has opened its file.
      writeFileSync(join(cwd, 'seed.json'), '{"services": [{"name": []}]}')
      const kept = await run('platform', '--data', 'area.db', '--port', '0', '--seed', 'seed.json')
      expect(kept).toContain(isBuiltin('node:sqlite') ? 'correct the seed' : 'npm install libsql')
    } finally {
      await platform.close()
    }
  })
})

interface Instruction {
  readonly name: string
  readonly rest: string
}

/** The instructions of the file, each on one line. */
function instructionsIn(text: string): readonly Instruction[] {
  const lines = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\s*\\\n\s*/g, ' ')
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.slice(0, line.indexOf(' ')), rest: line.slice(line.indexOf(' ') + 1).trim() }))
}

interface Stage {
  readonly image: string
  readonly name: string
  readonly instructions: readonly Instruction[]
}

function stagesIn(instructions: readonly Instruction[]): readonly Stage[] {
  return instructions.flatMap(({ name, rest }, index) => {
    if (name !== 'FROM') return []
    const [image = '', , stage = ''] = rest.split(' ')
    const behind = instructions.slice(index + 1)
    const end = behind.findIndex((each) => each.name === 'FROM')
    return [{ image, name: stage, instructions: end === -1 ? behind : behind.slice(0, end) }]
  })
}

describe('the container file', () => {
  const instructions = instructionsIn(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  const stages = stagesIn(instructions)
  const published = stages.filter(({ name }) => name !== 'build')
  const all = (stage: Stage, name: string) =>
    stage.instructions.filter((each) => each.name === name).map(({ rest }) => rest)

  it('builds on images whose tags give their content, and the last one has no shell', () => {
    expect(stages.map(({ name }) => name)).toEqual(['build', 'git', 'gatewright'])
    for (const { image } of stages) expect(image).toMatch(/^[\w./-]+:(?!latest$)[\w.-]+$/)
    expect(stages.at(-1)?.image).toMatch(/^gcr\.io\/distroless\/nodejs24-debian\d+:nonroot$/)
    const ofNode = stages.filter(({ image }) => image.startsWith('node:'))
    for (const { image } of ofNode) expect(image).toMatch(/^node:24\.\d+\.\d+-/)
  })

  it('runs as a numbered user that is not root, and starts the program without a shell', () => {
    for (const stage of published) {
      expect(all(stage, 'USER'), stage.name).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)])
      const [entry = '[]', ...others] = all(stage, 'ENTRYPOINT')
      expect(others).toEqual([])
      expect(JSON.parse(entry)).toEqual([expect.stringMatching(/node$/), '/opt/gatewright/gatewright.mjs'])
      expect(all(stage, 'CMD').map((each) => JSON.parse(each))).toEqual([['--help']])
      expect(all(stage, 'WORKDIR')).toEqual(['/work'])
      // The program is copied before the user changes, so that it belongs to root.
      const names = stage.instructions.map(({ name }) => name)
      expect(names.lastIndexOf('COPY')).toBeLessThan(names.indexOf('USER'))
    }
  })

  it('copies only files that the build creates', () => {
    const script = readFileSync(join(root, 'scripts/single-file.ts'), 'utf8')
    for (const stage of published) {
      const [copied = '', ...others] = all(stage, 'COPY')
      expect(others).toEqual([])
      expect(copied).toBe('--from=build /src/build/gatewright.mjs /src/build/LICENSES.txt /opt/gatewright/')
      for (const [, file = ''] of copied.matchAll(/build\/([\w.]+)/g)) expect(script).toContain(`'${file}'`)
    }
    expect(stages.slice(0, 1).flatMap((stage) => all(stage, 'RUN'))).toEqual([
      'npm ci --ignore-scripts',
      'npm run single-file',
    ])
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.env', '.gatewright', 'node_modules']))
    // Files that the build reads are not copied.
    for (const needed of ['src', 'scripts', 'schemas', 'starter']) expect(ignored).not.toContain(needed)
  })

  it('has no secret and no download, and keeps no package lists', () => {
    expect(instructions.filter(({ name }) => ['ADD', 'ARG', 'ENV'].includes(name))).toEqual([])
    const runs = instructions.filter(({ name }) => name === 'RUN').map(({ rest }) => rest)
    for (const each of runs) {
      expect(each).not.toMatch(/\b(sudo|curl|wget|ssh-keygen)\b|--mount=type=secret/)
      if (!each.includes('apt-get install')) continue
      expect(each).toMatch(/^apt-get update && apt-get install --yes --no-install-recommends /)
      expect(each).toMatch(/ && rm -rf \/var\/lib\/apt\/lists\/\*$/)
    }
  })
})
