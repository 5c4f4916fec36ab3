import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Rest } from '../../scripts/rest.js'
import { undiciTransport } from '../../src/client/undici-transport.js'
import { type RunningPlatform, startPlatform } from '../../src/platform/listen.js'
import { exampleVariables } from '../kit/example-env.js'
import { temporaryFolder } from '../kit/folder.js'
import { gatewright, type Run } from './run.js'

/** The life of an area, by commands: the example on the embedded platform. */

const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../schemas/plan-document.schema.json'), 'utf8'))
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema)

interface Area {
  readonly platform: RunningPlatform
  readonly run: (...args: readonly string[]) => Promise<Run>
}

const example = join(import.meta.dirname, '../../examples/storefront')

/** The example with an empty area. No output may contain a secret. */
async function emptyArea(): Promise<Area> {
  const folder = temporaryFolder()
  cpSync(example, folder, { recursive: true })
  const secrets = exampleVariables(folder)
  const platform = await startPlatform({ port: 0, autoApprove: true })
  onTestFinished(() => platform.close())
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
  const run = async (...args: readonly string[]): Promise<Run> => {
    const transport = () => Promise.resolve(undiciTransport())
    const result = await gatewright([...args, '--quiet'], { cwd: folder, env, transport })
    for (const [name, secret] of Object.entries(secrets)) {
      expect(result.stdout + result.stderr, name).not.toContain(secret)
    }
    return result
  }
  return { platform, run }
}

async function appliedArea(): Promise<Area> {
  const area = await emptyArea()
  expect((await area.run('apply', '--yes')).exitCode).toBe(0)
  return area
}

describe('an area, from empty to corrected', () => {
  it('plan displays everything as creates, in the form of its schema', async () => {
    const { platform, run } = await emptyArea()
    const { exitCode, stdout, stderr } = await run('plan', '-o', 'json', '--exit-code')
    const codes = [...stderr.matchAll(/^(.*?): .* (\[.*\])$/gm)].map(([, severity, code]) => `${severity} ${code}`)
    expect(exitCode).toBe(2)
    expect(codes).toEqual(['note [target-overridden]', 'note [target-overridden]'])
    expect(stderr.trim().split('\n')).toHaveLength(2)
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

  it('plan has the same bytes when it is run again', async () => {
    const { run } = await emptyArea()
    const [first, second] = [await run('plan'), await run('plan')]
    expect(second).toEqual(first)
  })

  it('apply without a terminal and without --yes is refused, and changes nothing', async () => {
    const { run } = await emptyArea()
    const { exitCode, stderr } = await run('apply')
    expect(exitCode).toBe(5)
    expect(stderr).toContain('--yes')
    expect((await run('plan', '--exit-code')).exitCode).toBe(2)
  })

  it('apply creates the area, and a second plan is empty', async () => {
    const { run } = await emptyArea()
    const { exitCode, stdout } = await run('apply', '--yes', '-o', 'json')
    const { format, summary } = JSON.parse(stdout)
    expect({ exitCode, format }).toEqual({ exitCode: 0, format: 'gatewright.run/1' })
    expect(summary).toMatchObject({ failed: 0, blocked: 0, notStarted: 0 })
    const again = await run('plan', '--exit-code')
    expect(again.exitCode).toBe(0)
    expect(again.stdout).toContain('nothing to do')
    expect((await run('drift')).exitCode).toBe(0)
  })

  it('drift names a change on the platform, and apply corrects it', async () => {
    const { platform, run } = await appliedArea()
    const rest = await Rest.connect(platform)
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
})

describe('without the settings to connect to the area', () => {
  it('plan lists every missing setting with advice, exit 1', async () => {
    const empty = temporaryFolder()
    cpSync(join(example, 'manifests/roles.yaml'), join(empty, 'roles.yaml'))
    const { exitCode, stderr } = await gatewright(['plan'], { cwd: empty, env: exampleVariables(example) })
    expect(exitCode).toBe(1)
    for (const name of ['GATEWRIGHT_URL', 'GATEWRIGHT_AREA', 'GATEWRIGHT_API_KEY', 'GATEWRIGHT_TOKEN']) {
      expect(stderr).toContain(name)
    }
  })
})
