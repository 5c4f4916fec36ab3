import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Rest } from '../../scripts/rest.js'
import { undiciTransport } from '../../src/client/undici-transport.js'
import { type RunningPlatform, startPlatform } from '../../src/platform/listen.js'
import { exampleVariables } from '../kit/example-env.js'
import { gatewright, type Run } from './run.js'

/** The life of an area, told through the command line: the example against the embedded platform. */

// Records are written beside the project file: each run of the tests has a folder of its own.
const folder = mkdtempSync(join(tmpdir(), 'gatewright-area-'))
cpSync(join(import.meta.dirname, '../../examples/storefront'), folder, { recursive: true })

const secrets = exampleVariables(folder)

const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../schemas/plan-document.schema.json'), 'utf8'))
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema)

let platform: RunningPlatform
let rest: Rest
const runs: Run[] = []

beforeAll(async () => {
  platform = await startPlatform({ port: 0, autoApprove: true })
  rest = await Rest.connect(platform)
})

afterAll(async () => {
  await platform.close()
  rmSync(folder, { recursive: true, force: true })
})

async function run(...args: readonly string[]): Promise<Run> {
  const { url, area, apiKey, apiSecret, username, password } = platform
  const env = {
    ...secrets,
    GATEWRIGHT_ENV: 'staging',
    GATEWRIGHT_URL: url,
    GATEWRIGHT_AREA: area,
    GATEWRIGHT_API_KEY: apiKey,
    GATEWRIGHT_API_SECRET: apiSecret,
    GATEWRIGHT_USERNAME: username,
    GATEWRIGHT_PASSWORD: password,
  }
  const result = await gatewright([...args, '--quiet'], {
    cwd: folder,
    env,
    transport: () => Promise.resolve(undiciTransport()),
  })
  runs.push(result)
  return result
}

describe('an area, from empty to repaired', () => {
  it('plan shows everything as to be created, in the form of its schema', async () => {
    const { exitCode, stdout, stderr } = await run('plan', '-o', 'json', '--exit-code')
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: '' })
    const plan = JSON.parse(stdout)
    validate(plan)
    expect(validate.errors).toBeNull()
    expect(plan.target).toEqual({
      url: platform.url,
      area: platform.area,
      project: 'storefront',
      environment: 'staging',
    })
    expect(plan.summary.create).toBe(plan.changes.length)
  })

  it('plan is the same, byte for byte, when it is made again', async () => {
    const [first, second] = [await run('plan'), await run('plan')]
    expect(second).toEqual(first)
  })

  it('apply without a terminal and without --yes is refused, and changes nothing', async () => {
    const { exitCode, stderr } = await run('apply')
    expect(exitCode).toBe(5)
    expect(stderr).toContain('--yes')
    expect((await run('plan', '--exit-code')).exitCode).toBe(2)
  })

  it('apply makes it, and a second plan is empty', async () => {
    const { exitCode, stdout } = await run('apply', '--yes', '-o', 'json')
    const { format, summary } = JSON.parse(stdout)
    expect({ exitCode, format }).toEqual({ exitCode: 0, format: 'gatewright.run/1' })
    expect(summary).toMatchObject({ failed: 0, blocked: 0, notStarted: 0 })
    const again = await run('plan', '--exit-code')
    expect(again.exitCode).toBe(0)
    expect(again.stdout).toContain('nothing to do')
    expect((await run('drift')).exitCode).toBe(0)
  })

  it('drift names what was changed behind git’s back, and apply repairs it', async () => {
    const partner = await rest.find('/packages', 'Partner Access')
    const gold = await rest.find(`/packages/${partner}/plans`, 'Gold')
    await rest.put(`/packages/${partner}/plans/${gold}`, { rateLimitCeiling: 1000 })

    const { exitCode, stdout } = await run('drift', '-o', 'json')
    expect(exitCode).toBe(2)
    const drift = JSON.parse(stdout)
    validate(drift)
    expect(validate.errors).toBeNull()
    expect(drift.changes).toMatchObject([
      {
        address: 'Package/Partner Access/Plan/Gold',
        action: 'update',
        fields: [{ path: '/rateLimitCeiling', before: 1000, after: 10_000 }],
      },
    ])

    expect((await run('apply', '--yes')).exitCode).toBe(0)
    expect((await run('plan', '--exit-code')).exitCode).toBe(0)
  })

  it('no output held a secret', () => {
    for (const { stdout, stderr } of runs) {
      for (const [name, secret] of Object.entries(secrets)) {
        expect(stdout + stderr, name).not.toContain(secret)
      }
    }
  })
})

describe('without what it needs to reach the platform', () => {
  it('plan lists everything that is missing and how to give it, exit 1', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'gatewright-area-'))
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }))
    cpSync(join(folder, 'manifests/roles.yaml'), join(empty, 'roles.yaml'))
    const { exitCode, stderr } = await gatewright(['plan'], { cwd: empty, env: secrets })
    expect(exitCode).toBe(1)
    for (const name of ['GATEWRIGHT_URL', 'GATEWRIGHT_AREA', 'GATEWRIGHT_API_KEY', 'GATEWRIGHT_TOKEN']) {
      expect(stderr).toContain(name)
    }
  })
})
