import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RolloutDocument } from '../../src/documents/fleet-status.js'
import { openFleetStore } from '../../src/fleet/serve/store.js'
import { gatewright } from '../cli/run.js'
import { type Brands, brandName, brands } from '../kit/brands.js'
import { dropDatabase, freshDatabase, onServer, postgresServer } from '../kit/postgres.js'
import { program } from '../kit/program.js'

/** The installed `fleet serve`, with a real database; people decide with the real commands. */

const count = 5
const canary = brandName(0)

describe.skipIf(postgresServer === undefined)('a rollout on fleet serve', () => {
  let ground: Brands
  let database = ''
  const serving: ChildProcess[] = []

  beforeAll(async () => {
    database = await freshDatabase()
    ground = await brands({ count, platform: { latencyMs: 40 } })
    const areas = ground.fleet.areas.map(
      ({ name }) => `    - {name: ${name}, project: ${name}, labels: {ring: ${name === canary ? 'canary' : 'all'}}}`,
    )
    writeFileSync(
      join(ground.dir, 'gatewright.fleet.yaml'),
      `apiVersion: gatewright/v1\nkind: Fleet\nmetadata: {name: brands}\nspec:\n  areas:\n${areas.join('\n')}\n` +
        '  rollout: {waves: [{labels: {ring: canary}}, {approve: true}], stop: {failures: 1}}\n',
    )
    await serve()
  })

  afterAll(async () => {
    for (const each of serving) await ended(each, 'SIGKILL')
    await ground.close()
    await dropDatabase(database)
  })

  const env = () => ({ ...ground.env, GATEWRIGHT_FLEET_DATABASE: database })

  async function serve(): Promise<ChildProcess> {
    const child = spawn(process.execPath, [program, 'fleet', 'serve', '--no-pages', '--jobs', '1'], {
      cwd: ground.dir,
      env: env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    serving.push(child)
    await once(child.stdout, 'data')
    return child
  }

  async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }

  async function fleet(...words: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await gatewright(['fleet', ...words], {
      ...{ env: env(), cwd: ground.dir, now: Date.now },
    })
    expect([exitCode, stderr]).toEqual([0, ''])
    return stdout
  }

  const decided = async (...words: readonly string[]): Promise<RolloutDocument> =>
    JSON.parse(await fleet('rollout', ...words, '-o', 'json'))

  const shown = async (rollout: string): Promise<RolloutDocument | undefined> =>
    JSON.parse(await fleet('status', '-o', 'json')).rollouts.find((each: RolloutDocument) => each.rollout === rollout)

  /** Starts a rollout with this description, and approves its second wave: some of its areas are being applied. */
  async function inSecondWave(description: string): Promise<string> {
    ground.declare(description)
    const { rollout } = await decided('start')
    await expect.poll(async () => (await shown(rollout))?.awaits?.wave).toBe(2)
    expect((await shown(rollout))?.waves[0]?.states).toEqual({ applied: 1 })
    const { decisions } = await decided('approve')
    expect(decisions.at(-1)).toMatchObject({ decision: 'approve', wave: 2, digest: expect.stringMatching(/^sha256:/) })
    await expect.poll(() => statesOf(rollout)).toContain('applying')
    return rollout
  }

  /** Read from the database itself: a command takes longer than an area. */
  const statesOf = async (rollout: string): Promise<readonly string[]> => {
    const rows = await onServer(
      database,
      `select state from gatewright.fleet_rollout_areas where rollout = '${rollout}' and wave = 1 order by position`,
    )
    return (rows as readonly { readonly state: string }[]).map(({ state }) => state)
  }

  /** Successful changes of services, by area, in the log of its platform. */
  const changes = (): readonly number[] =>
    ground.platforms.map(
      ({ platform: { log } }) =>
        log.filter(
          ({ method, path, status }) => ['POST', 'PUT'].includes(method) && /\/services/.test(path) && status === 200,
        ).length,
    )

  test('reports an unknown area as unknown in its history', async () => {
    const asked = { env: env(), cwd: ground.dir, now: Date.now }
    const { exitCode, stderr } = await gatewright(['fleet', 'history', `${canary}x`], asked)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`the fleet has no area "${canary}x"`)])
    expect(stderr).toContain(`did you mean "${canary}"?`)
    expect(await fleet('history', canary)).toContain('No job has ended yet.')
  })

  test('can be paused, continues, and completes: each area is changed once', async () => {
    const rollout = await inSecondWave('first')
    expect((await decided('pause')).decisions.at(-1)).toMatchObject({ decision: 'pause' })
    // Running jobs end, and no other one starts.
    await expect.poll(async () => (await shown(rollout))?.status).toBe('paused')
    await expect.poll(() => statesOf(rollout)).not.toContain('applying')
    const paused = await statesOf(rollout)
    expect(paused).toContain('pending')
    await held(rollout)
    expect(await statesOf(rollout)).toEqual(paused)
    await decided('resume')
    await expect.poll(async () => (await shown(rollout))?.status).toBe('done')
    expect(changes()).toEqual(Array(count).fill(1))
    expect((await shown(rollout))?.decisions.map(({ decision }) => decision)).toEqual([
      ...['start', 'approve', 'pause', 'resume'],
    ])
  })

  /** Every job that was queued before a pause has been taken from its queue. */
  async function held(rollout: string): Promise<void> {
    const { openWorkflowClient } = await import('../../src/workflows/client.js')
    const client = await openWorkflowClient({ url: database, application: 'gatewright brands', format: 'fleet/1' })
    const left = async () => {
      const open = await client.list({ status: ['queued', 'running'], workflow: 'area' })
      return open.filter(({ id }) => id.includes(rollout)).length
    }
    await expect.poll(left).toBe(0)
    await client.close()
  }

  test('can be stopped: running jobs end, and it reports which areas were not applied', async () => {
    const before = changes()
    const rollout = await inSecondWave('second')
    await decided('stop')
    await expect.poll(async () => (await shown(rollout))?.status).toBe('stopped')
    const { notBegun = [], why, dropped } = (await shown(rollout)) ?? {}
    expect(notBegun.length).toBeGreaterThan(0)
    expect([why, dropped]).toEqual(['somebody stopped it', []])
    expect(await fleet('status')).toContain(`not applied: ${notBegun.join(', ')}`)
    const changed = changes().map((each, index) => each - (before[index] ?? 0))
    expect(changed).toEqual(changed.map((_, index) => (notBegun.includes(brandName(index)) ? 0 : 1)))
  })

  test('continues where it was when its worker is killed, and nothing is applied twice', async () => {
    const before = changes()
    const rollout = await inSecondWave('third')
    const [first] = serving
    if (!first) throw new Error('a worker')
    await serve()
    await ended(first, 'SIGKILL')
    await expect.poll(async () => (await shown(rollout))?.status).toBe('done')
    expect(await shown(rollout)).toMatchObject({ dropped: [], notBegun: [] })
    expect(changes().map((each, index) => each - (before[index] ?? 0))).toEqual(Array(count).fill(1))
    const store = await openFleetStore(database, 'brands')
    const jobs = await store.history({ limit: 1_000 })
    await store.close()
    const occasions = jobs.map(({ area, occasion }) => `${area} ${occasion}`)
    expect(new Set(occasions).size).toBe(occasions.length)
    // A worker that is asked to end completes its running jobs, and exits with 0.
    const [, second] = serving
    if (!second) throw new Error('another worker')
    await ended(second, 'SIGTERM')
    expect(second.exitCode).toBe(0)
  })

  test('is reported as waiting if no worker runs', async () => {
    for (const words of [['status'], ['rollout', 'start'], ['rollout', 'pause', '-o', 'json']]) {
      const asked = { env: env(), cwd: ground.dir, now: Date.now }
      const { exitCode, stderr } = await gatewright(['fleet', ...words], asked)
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining('no worker of fleet "brands" is at work')])
    }
    await serve()
    expect(await fleet('status')).toContain('paused')
  })

  test('is meant by a decision without a name, also while another one waits for it to end', async () => {
    const { rollout: queued } = await decided('start')
    expect(await fleet('status')).toContain(`Rollout ${queued}: queued`)
    const asked = { env: env(), cwd: ground.dir, now: Date.now }
    const decide = (word: string) => gatewright(['fleet', 'rollout', word, '-o', 'json'], asked)
    // Until a worker has taken the first one, nobody can say which one is meant.
    await expect.poll(async () => (await decide('pause')).exitCode, { timeout: 20_000 }).toBe(0)
    const { stdout } = await decide('stop')
    expect(JSON.parse(stdout)).toMatchObject({
      decisions: expect.arrayContaining([expect.objectContaining({ decision: 'stop' })]),
    })
    expect(JSON.parse(stdout)).not.toMatchObject({ rollout: queued })
  })
})
