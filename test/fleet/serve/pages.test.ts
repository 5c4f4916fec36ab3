import { request as send } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AreaResult } from '../../../src/documents/fleet.js'
import type { ServeSettings } from '../../../src/fleet/fleet.js'
import { type Controls, decide, startRollout } from '../../../src/fleet/serve/controls.js'
import { fleetPages, type PagesSetup, type ServedPages, servePages } from '../../../src/fleet/serve/pages.js'
import { waveDigest } from '../../../src/fleet/serve/rollout-areas.js'
import { rolloutStatus } from '../../../src/fleet/serve/status.js'
import { type FleetStore, openFleetStore } from '../../../src/fleet/serve/store.js'
import { ProblemError } from '../../../src/problems/problem.js'
import { databaseFailed } from '../../../src/problems/records.js'
import { dropDatabase, freshDatabase, postgresServer } from '../../kit/postgres.js'
import { area, serveSettings } from '../areas.js'

/** The pages with a real database; their messages to the workflows are noted. */
describe.skipIf(postgresServer === undefined)('the pages of a fleet', () => {
  let url = ''
  let count = 0
  let store: FleetStore
  const told: unknown[] = []
  const served: ServedPages[] = []
  const hostile = '<img src=x onerror=alert(1)>'
  const fleet = {
    ...{ name: '', file: 'f', dir: '.', keys: {}, drift: undefined, rollout: undefined },
    ...{ records: '.', timeoutMs: 1_000, serve: serveSettings },
    areas: [area('acme', { labels: { ring: 'canary' } }), area('globex'), area(hostile)],
  }

  const result = (name: string, more: Partial<AreaResult> = {}): AreaResult => ({
    ...{ area: name, command: 'drift', exit: 2, state: 'drift', summary: { update: 1 }, requests: 7, seconds: 1.5 },
    ...{ startedAt: '2027-01-01T00:00:00.000Z', changes: 'sha256:1', document: null, diagnostics: [], files: {} },
    ...more,
  })

  beforeAll(async () => {
    url = await freshDatabase()
  })

  // Fleets in one database are independent: each test has its own.
  beforeEach(async () => {
    count += 1
    fleet.name = `brands-${count}`
    told.length = 0
    store = await openFleetStore(url, fleet.name)
    await store.record(result('acme'), { occasion: 'drift 1', worker: 'w', html: '<!doctype html>the report' })
    await store.record(result(hostile, { state: 'error' }), { occasion: hostile, worker: 'w', html: undefined })
    await waiting('r1')
  })

  afterEach(async () => {
    for (const each of served.splice(0)) await each.close()
    await store.close()
  })

  afterAll(() => dropDatabase(url))

  /** A rollout whose second wave waits for an approval. */
  async function waiting(rollout: string): Promise<void> {
    const wave = { bakeMs: 0, approve: true }
    const waves = [
      { ...wave, areas: ['acme'] },
      { ...wave, areas: ['globex', hostile] },
    ]
    await store.addRollout({ rollout, who: 'jane', waves, stop: { failures: 1, failedPercent: undefined } })
    for (const name of ['acme', 'globex', hostile]) {
      await store.setPlan(rollout, result(name, { command: 'plan', state: 'pending' }), `plan of ${name}`)
    }
    await store.setStatus(rollout, { status: 'waiting', wave: 1 })
  }

  const serve = { ...serveSettings, userHeader: 'x-user', trustedProxies: ['127.0.0.1'] }

  const toldWorkflows: Controls['workflows'] = {
    enqueue: (job) => Promise.resolve(told.push(job)).then(() => 'queued'),
    signal: (...signal) => Promise.resolve(told.push(signal)).then(() => undefined),
    list: () => Promise.resolve([]),
  }

  const app = async (more: Partial<PagesSetup> = {}) =>
    fleetPages({
      ...{ store, secret: await store.secret(), now: () => Date.parse('2027-01-01T01:00:00Z'), listensAt: 'here' },
      ...{ workflows: toldWorkflows, isWell: () => Promise.resolve(true), fleet: () => fleet, fault: () => null },
      ...more,
    })

  async function open(settings: Partial<ServeSettings> = {}, fault: string | null = null): Promise<string> {
    const own = { fleet: () => ({ ...fleet, serve: { ...serve, ...settings } }), fault: () => fault }
    const opened = await servePages(await app(own), { host: '127.0.0.1', port: 0 })
    served.push(opened)
    return opened.url
  }

  interface Answer {
    readonly status: number
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
    readonly body: string
  }

  /** fetch cannot send every header that an attacker can. */
  const ask = (
    at: string,
    { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Answer> =>
    new Promise((done, fail) => {
      const asked = send(at, { method, headers }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.on('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
      })
      asked.on('error', fail).end(body)
    })

  it('display areas and rollouts, with a strict content policy, and escape texts of others', async () => {
    const { status, headers, body } = await ask(await open())
    expect(status).toBe(200)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    )
    expect(headers['cache-control']).toBe('no-store')
    expect(body).toContain('acme')
    expect(body).toContain('60 min ago')
    expect(body).toContain('waits for an approval of wave 2')
    expect(body).not.toContain('<img')
    expect(body).not.toContain('<form method="post"')
  })

  it('filter by state and words without a script', async () => {
    const at = await open()
    expect((await ask(`${at}/?state=drift`)).body).toContain('1 of 3 areas')
    expect((await ask(`${at}/?search=ring%3Dcanary`)).body).toContain('1 of 3 areas')
    expect((await ask(`${at}/?search=none`)).body).toContain('No area is like that.')
  })

  it('report bad health while the database does not answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const asked = (await app({ isWell: () => new Promise(() => undefined) })).request('/healthz')
      await vi.advanceTimersByTimeAsync(5_000)
      expect((await asked).status).toBe(503)
    } finally {
      vi.useRealTimers()
    }
  })

  it('have a history, reports in a separate origin, metrics, health and JSON', async () => {
    const at = await open()
    const report = await ask(`${at}/areas/acme/report?occasion=drift%201`)
    expect(report.body).toBe('<!doctype html>the report')
    expect(report.headers['content-security-policy']).toMatch(/^sandbox /)
    expect(await ask(`${at}/areas/acme/report?occasion=rollout%20r0%20plan`)).toMatchObject({
      status: 404,
      body: expect.stringContaining('the newest of each command is kept'),
    })
    expect((await ask(`${at}/areas/nobody/report`)).status).toBe(404)
    expect((await ask(`${at}/areas/nobody`)).status).toBe(404)
    expect((await ask(`${at}/areas/${encodeURIComponent(hostile)}`)).body).not.toContain('<img')
    expect((await ask(`${at}/history`)).body).toContain('drift 1')
    expect((await ask(`${at}/healthz`)).body).toBe('well\n')
    const { body } = await ask(`${at}/metrics`)
    expect(body).toContain(`gatewright_fleet_areas{fleet="${fleet.name}",state="drift"} 1\n`)
    expect(body).toContain(`gatewright_fleet_area_age_seconds{fleet="${fleet.name}",area="acme"} 3600\n`)
    expect(body).toContain(`gatewright_fleet_rollouts_waiting{fleet="${fleet.name}"} 1\n`)
    const status = JSON.parse((await ask(`${at}/api/status`)).body)
    expect(status).toMatchObject({ format: 'gatewright.fleet-status/1', states: { drift: 1, error: 1, unknown: 1 } })
    expect(status.areas[1]).toMatchObject({ name: 'globex', state: null, checked: null })
  })

  it('report errors in the fleet file', async () => {
    const at = await open({}, 'line 3 <is> wrong')
    expect((await ask(at)).body).toContain('line 3 &lt;is&gt; wrong')
    expect((await ask(`${at}/metrics`)).body).toContain(`gatewright_fleet_file_valid{fleet="${fleet.name}"} 0\n`)
    const well = await open()
    expect((await ask(well)).body).not.toContain('has errors')
    expect((await ask(`${well}/metrics`)).body).toContain(`gatewright_fleet_file_valid{fleet="${fleet.name}"} 1\n`)
  })

  it('do not answer to another host name', async () => {
    const at = await open()
    expect((await ask(at, { headers: { host: 'evil.example' } })).status).toBe(421)
    const behind = await open({ origin: 'https://fleet.example.com' })
    expect((await ask(behind, { headers: { host: 'fleet.example.com' } })).status).toBe(200)
  })

  it('answer where they listen: at an address of the machine, or at a name of it', async () => {
    const at = await open()
    const hosts = ['10.0.0.7:8090', '[fd00::7]:8090', 'localhost', 'here:8090', 'HERE']
    for (const host of hosts) expect([host, (await ask(at, { headers: { host } })).status]).toEqual([host, 200])
    for (const host of ['10.0.0.7.evil.example', 'here.evil.example']) {
      expect([host, (await ask(at, { headers: { host } })).status]).toEqual([host, 421])
    }
  })

  /** A page as a user sees it: the cookie and the token of its forms. */
  async function signedIn(at: string, path: string, user = 'joe') {
    const { body, headers } = await ask(`${at}${path}`, { headers: { 'x-user': user } })
    const [set = ''] = [headers['set-cookie']].flat()
    expect(set).toMatch(/^gatewright-fleet=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Strict$/)
    const [, token = ''] = /name="token" value="([0-9a-f]{64})"/.exec(body) ?? []
    const [cookie = ''] = set.split(';')
    return { cookie, token, body }
  }

  const form = 'application/x-www-form-urlencoded'

  it('let a signed-in user approve the displayed plans, and record the name', async () => {
    const at = await open()
    const { cookie, token, body } = await signedIn(at, '/rollouts/r1')
    const [, digest = ''] = /name="digest" value="([^"]+)"/.exec(body) ?? []
    const shown = digest.replaceAll('&#58;', ':')
    expect(shown).toBe(waveDigest(1, await store.rolloutAreas('r1')))
    const post = (fields: Readonly<Record<string, string>>) =>
      ask(`${at}/rollouts/r1/approve`, {
        method: 'POST',
        headers: { 'x-user': 'joe', cookie, origin: at, 'content-type': form },
        body: new URLSearchParams({ token, wave: '2', ...fields }).toString(),
      })
    const outdated = await post({ digest: 'sha256:other' })
    expect([outdated.status, outdated.body]).toEqual([409, expect.stringContaining('are not those that were shown')])
    expect((await post({ digest: shown })).status).toBe(303)
    expect(told.at(-1)).toEqual([`${fleet.name} rollout r1`, 'decision', 'approve'])
    expect(await store.decisions('r1')).toMatchObject([
      { who: 'jane', decision: 'start' },
      { who: 'joe', decision: 'approve', wave: 1, digest: shown },
    ])
  })

  it('refuse a decision without a login, or from a form of another site', async () => {
    await waiting('r2')
    const own = await open()
    const { cookie, token } = await signedIn(own, '/rollouts/r2')
    const digest = waveDigest(1, await store.rolloutAreas('r2'))
    const good = { 'x-user': 'joe', cookie, origin: own, 'content-type': form }
    const body = new URLSearchParams({ token, wave: '2', digest }).toString()
    const without = (name: keyof typeof good) =>
      Object.fromEntries(Object.entries(good).filter(([each]) => each !== name))
    const noProxy = await open({ trustedProxies: [] })
    const noHeader = await open({ userHeader: undefined })
    const otherProxy = await open({ trustedProxies: ['10.0.0.1'] })
    const forged: readonly (readonly [string, Record<string, string>, string])[] = [
      [own, without('x-user'), body],
      [own, { ...without('x-user'), 'x-forwarded-user': 'joe', 'remote-user': 'joe' }, body],
      [own, { ...good, 'x-user': ' ' }, body],
      [own, { ...good, 'x-user': 'mallory, joe' }, body],
      [own, { ...good, 'x-user': 'jack' }, body],
      [own, without('cookie'), body],
      [own, { ...good, cookie: `gatewright-fleet=${'0'.repeat(32)}` }, body],
      [own, without('origin'), body],
      [own, { ...good, origin: 'https://evil.example' }, body],
      [own, { ...good, origin: 'null' }, body],
      [own, good, body.replace(token, '0'.repeat(64))],
      [own, good, body.replace(token, '')],
      [own, good, body.replace(token, 'ü'.repeat(64))],
      [own, { ...good, 'content-type': 'text/plain' }, body],
      [noProxy, { ...good, origin: noProxy }, body],
      [noHeader, { ...good, origin: noHeader }, body],
      [otherProxy, { ...good, origin: otherProxy, 'x-forwarded-for': '10.0.0.1' }, body],
    ]
    for (const decision of ['approve', 'pause', 'stop']) {
      for (const [at, headers, sent] of forged) {
        const { status } = await ask(`${at}/rollouts/r2/${decision}`, { method: 'POST', headers, body: sent })
        expect([status, JSON.stringify(headers)]).toEqual([403, JSON.stringify(headers)])
      }
    }
    expect((await ask(`${own}/rollouts`, { method: 'POST', headers: without('x-user'), body })).status).toBe(403)
    expect((await ask(`${own}/rollouts/r2/approve`, { headers: good })).status).toBe(404)
    expect(told).toEqual([])
    expect(await store.decisions('r2')).toHaveLength(1)
    expect((await store.rollouts('r2'))[0]).toMatchObject({ paused: false, stopped: false, status: 'waiting' })
  })

  it('put a rollout into its queue again with each decision, because its start may have been cut off', async () => {
    await waiting('cut')
    const controls = { fleet: { ...fleet, serve }, store, now: () => 0, workflows: toldWorkflows }
    await decide(controls, { rollout: 'cut', decision: 'stop', who: 'jane' })
    expect(told).toMatchObject([
      { workflow: 'rollout', id: `${fleet.name} rollout cut`, input: { rollout: 'cut' } },
      [`${fleet.name} rollout cut`, 'decision', 'stop'],
    ])
  })

  it('end a rollout with a failed workflow when somebody stops it, and accept no other decision about it', async () => {
    await waiting('broken')
    const failed = {
      id: `${fleet.name} rollout broken`,
      workflow: 'rollout',
      status: 'failed',
      worker: 'w',
      created: 0,
      ended: 1,
    }
    const workflows = { ...toldWorkflows, list: () => Promise.resolve([failed] as const) } as Controls['workflows']
    const controls = { fleet: { ...fleet, serve }, store, now: () => 0, workflows }
    const decided = (decision: 'approve' | 'stop') => decide(controls, { rollout: 'broken', decision, who: 'jane' })
    await expect(decided('approve')).rejects.toThrow('has failed, and no worker goes on with it')
    expect(await store.decisions('broken')).toHaveLength(1)
    await decided('stop')
    expect([told, await rolloutStatus(store, 'broken')]).toMatchObject([
      [],
      { status: 'stopped', ended: expect.any(String), notBegun: ['acme', 'globex', hostile] },
    ])
    await expect(decided('stop')).rejects.toThrow('has ended')
  })

  it('start no rollout of areas that no wave has, because it would be done at once', async () => {
    const place = { file: '', line: 1, column: 1 }
    const canaries = { labels: { ring: 'canary' }, percent: undefined, bakeMs: 0, approve: false, place }
    const rollout = { waves: [canaries], stop: { failures: undefined, failedPercent: undefined } }
    const controls = { fleet: { ...fleet, rollout }, store, now: () => 0, workflows: toldWorkflows }
    await expect(startRollout(controls, 'jane', ({ name }) => name === 'globex')).rejects.toThrow('globex')
    expect([told, await store.rollouts('19700101t000000z')]).toEqual([[], []])
    expect(await startRollout(controls, 'jane', () => true)).toBe('19700101t000000z')
  })

  it('report that the database is away, with advice', async () => {
    const away = new ProblemError([databaseFailed('fleet', 'postgres://here/fleet', 'it is away')])
    const failing = await app({ store: { ...store, areas: () => Promise.reject(away) } })
    const answer = await failing.request(
      'http://localhost/',
      { headers: { host: 'localhost' } },
      { incoming: { socket: {} } },
    )
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringMatching(/^the database of the fleet at .*: it is away\nhint: check .*\n$/),
    ])
  })

  it('report mistakes in a request', async () => {
    const url = await open()
    expect((await fetch(`${url}/areas/%00`)).status).toBe(404)
    expect((await fetch(`${url}/api/history?area=%00`)).status).toBe(200)
    const long = await fetch(`${url}/rollouts/r1/stop`, { method: 'POST', body: 'x'.repeat(20_000) })
    expect(long.status).toBe(413)
  })

  it('let a signed-in user start, pause, resume and stop', async () => {
    const at = await open()
    const { cookie, token } = await signedIn(at, '/')
    const post = (path: string) =>
      ask(`${at}${path}`, {
        method: 'POST',
        headers: { 'x-user': 'joe', cookie, origin: at, 'content-type': form },
        body: `token=${token}`,
      })
    const started = await post('/rollouts')
    expect([started.status, started.headers.location]).toEqual([303, '/rollouts/20270101t010000z'])
    expect(told).toMatchObject([{ workflow: 'rollout', input: { rollout: '20270101t010000z' } }])
    const path = '/rollouts/20270101t010000z'
    for (const decision of ['pause', 'resume', 'stop']) expect((await post(`${path}/${decision}`)).status).toBe(303)
    expect((await post(`${path}/approve`)).status).toBe(409)
    expect((await post(`${path}/other`)).status).toBe(404)
    const [row] = await store.rollouts('20270101t010000z')
    expect(row).toMatchObject({ who: 'joe', paused: false, stopped: true })
    const decided = (await store.decisions('20270101t010000z')).map(({ decision }) => decision)
    expect(decided).toEqual(['start', 'pause', 'resume', 'stop'])
  })
})
