import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { restOf } from '../kit/rest.js'
import { canaries, storefront } from '../kit/storefront.js'
import { embedded, environment, type Make, type World, world as worldOf } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** Every report of the commands for an area with secrets, on two makes. */

/** The other make keeps only the name of a role. */
const declared = storefront.map(({ kind, metadata, spec }) => ({ kind, metadata, ...(kind !== 'Role' && { spec }) }))

const env = { ...environment, ...canaries }

const files = {
  markdown: 'r.md',
  html: 'r.html',
  junit: 'r.xml',
  sarif: 'r.sarif',
  'gitlab-codequality': 'quality.json',
  'gitlab-terraform': 'counts.json',
  prometheus: 'r.prom',
  json: 'r.json',
} as const

type Format = keyof typeof files

const formats = {
  plan: ['markdown', 'html', 'junit', 'gitlab-terraform', 'prometheus', 'json'],
  apply: ['markdown', 'html', 'junit', 'prometheus', 'json'],
  drift: ['markdown', 'html', 'junit', 'sarif', 'gitlab-codequality', 'prometheus', 'json'],
} as const satisfies Readonly<Record<string, readonly Format[]>>

/** Runs a command with all its reports; returns their texts, and the output for GitHub. */
async function reportsOf(world: World, command: keyof typeof formats, ...args: readonly string[]) {
  world.write('summary.md', '')
  const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(world.dir, 'summary.md') }
  const asked = formats[command].flatMap((format) => ['--report', `${format}=${files[format]}`])
  const run = await world.run([command, ...args, '--report', 'github', ...asked], { env: { ...env, ...github } })
  const read = (file: string) => readFileSync(join(world.dir, file), 'utf8')
  const texts = Object.fromEntries(formats[command].map((format) => [format, read(files[format])]))
  return { run, texts: { ...texts, summary: read('summary.md'), log: run.stderr } as Readonly<Record<string, string>> }
}

const secrets = Object.values(canaries)

function expectNoSecret(texts: Readonly<Record<string, string>>): void {
  const found = Object.entries(texts).flatMap(([name, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => [name, secret]),
  )
  expect(found).toEqual([])
}

describe.each([
  ['the embedded platform', () => embedded({}, { env })],
  ['another make', () => worldOf(createOtherMake({ defaultErrorSet: 'always' }), { env })],
])('on %s', (_, make) => {
  test('the reports have the drift, and contain no secret', async () => {
    const world = make()
    world.declare(...declared)
    const planned = await reportsOf(world, 'plan')
    expect(planned.run.exitCode, planned.run.stderr).toBe(0)
    expectNoSecret(planned.texts)
    const applied = await reportsOf(world, 'apply', '--yes')
    expect(applied.run.exitCode, applied.run.stderr).toBe(0)
    expectNoSecret(applied.texts)
    expect(JSON.parse(planned.texts['gitlab-terraform'] ?? '')).toMatchObject({
      create: JSON.parse(planned.texts.json ?? '').summary.create,
    })

    const rest = await restOf(world.make)
    const [orders] = (await rest.get('/services?limit=100')).filter(({ name }) => name === 'Orders API')
    await rest.put(`/services/${String(orders?.id)}`, { description: 'by hand ::error::x' })
    const { run, texts } = await reportsOf(world, 'drift')
    expect(run.exitCode).toBe(2)
    expectNoSecret(texts)
    for (const name of ['markdown', 'html', 'junit', 'sarif', 'gitlab-codequality', 'summary', 'log']) {
      expect([name, texts[name]]).toEqual([name, expect.stringContaining('by hand')])
    }
    const [found] = JSON.parse(texts.sarif ?? '').runs[0].results
    expect(found).toMatchObject({ ruleId: 'changed-on-platform', level: 'warning' })
    expect(texts.prometheus).toContain('{project="test",command="drift",verdict="changed"} 1\n')
    expect(texts.log).toMatch(/^::warning file=manifests\/[^:]*,title=changed-on-platform::Service\/Orders API: /m)
  })

  test("the reports of a refused apply contain no secret from the platform's answer", async () => {
    const world = worldOf(echoing(make().make), { env })
    world.declare(...declared)
    const { run, texts } = await reportsOf(world, 'apply', '--yes')
    expect(run.exitCode).toBe(3)
    expect(texts.junit).toContain('type="failed"')
    expect(texts.log).toMatch(/^::error .*title=change-failed::/m)
    expectNoSecret(texts)
  })
})

/** A make that refuses every write, and answers with the whole request. */
const echoing = (make: Make): Make => ({
  log: make.log,
  fetch: async (request) => {
    if (request.method === 'GET' || request.url.endsWith('/token')) return make.fetch(request)
    const body = await request.text()
    return Response.json({ errorCode: 400, errorMessage: body, errors: [{ message: body }] }, { status: 400 })
  },
})
