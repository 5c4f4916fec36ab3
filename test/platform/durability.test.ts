import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startPlatform } from '../../src/platform/listen.js'
import { createPlatform } from '../../src/platform/server.js'
import { program } from '../kit/program.js'
import { area, basic, connect, connectTo, endpointBody } from './client.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatewright-platform-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a platform with a file', () => {
  it('has everything that it answered with 2xx after kill -9', async () => {
    const file = join(folder, 'area.db')
    const child = spawn(
      process.execPath,
      [program, 'platform', '--port', '0', '--data', file, '--auto-approve', '-o', 'json'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    const acknowledged = await createUntilKilled(url, () => child.kill('SIGKILL'))
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    expect(acknowledged.length).toBeGreaterThanOrEqual(40)

    const platform = createPlatform({ data: file })
    const { get } = await connectTo(platform)
    const { list } = await get('/services?limit=9999&fields=id,endpoints.methods.name,errorSets.errorMessages.id')
    const ids = new Set(list.map(({ id }) => String(id)))
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([])
    // An unanswered object is there completely or not at all.
    for (const { endpoints, errorSets } of list) {
      expect(endpoints).toEqual([{ methods: [{ name: 'm' }] }])
      expect((errorSets as [{ errorMessages: unknown }])[0].errorMessages).toHaveLength(23)
    }
    platform.close()
  })

  it('starts again with the same objects, in the same order, and continues', async () => {
    const file = join(folder, 'area.db')
    const options = { data: file, idSeed: 'same', seed: { services: [{ id: 's1', name: 'Seeded' }] } }
    const first = await connect(options)
    const made = await first.post('/services', { name: 'A', endpoints: [endpointBody('a')] })
    await first.del('/services/s1')
    const roles = await first.get('/roles')
    await first.put(`/roles/${roles.id}`, { name: 'All' })
    const query = `/services/${made.id}?fields=id,name,created,updated,endpoints.id,errorSets.id`
    const before = (await first.get(query)).text
    first.platform.close()

    const second = await connect(options)
    expect((await second.get(query)).text).toBe(before)
    // The seed is only for a new file, and its ids are not used twice.
    expect((await second.get('/services')).list.map(({ name }) => name)).toEqual(['A'])
    expect((await second.get('/roles')).list.map(({ name }) => name)).toEqual(['All'])
    expect((await second.post('/services', { name: 'B' })).id).not.toBe(made.id)
    second.platform.close()
  })

  it('locks its file as long as it runs, and nobody else can read it', async () => {
    const file = join(folder, 'area.db')
    const other = join(folder, 'link.db')
    writeFileSync(file, '', { mode: 0o644 })
    symlinkSync(file, other)
    const first = await connect({ data: file })
    await first.post('/services', { name: 'A' })
    expect(() => createPlatform({ data: file })).toThrow(`${file} is in use by another platform`)
    expect(() => createPlatform({ data: other })).toThrow('is in use by another platform')
    const files = readdirSync(folder).filter((name) => name !== 'link.db')
    expect(files).toContain('area.db-wal')
    expect(files.map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual(files.map(() => 0o600))
    first.platform.close()
    const second = await connect({ data: file })
    expect((await second.get('/services')).list).toHaveLength(1)
    second.platform.close()
  })

  it('releases its file if it cannot start', async () => {
    const file = join(folder, 'area.db')
    const wrong = { services: [{ name: 'A', qpsLimitOverall: 'many' }] }
    expect(() => createPlatform({ data: file, seed: wrong })).toThrow('The seed cannot be loaded')
    const taken = await startPlatform()
    await expect(startPlatform({ data: file, port: Number(new URL(taken.url).port) })).rejects.toThrow('EADDRINUSE')
    await taken.close()
    createPlatform({ data: file }).close()
    writeFileSync(
      join(folder, 'text'),
      'this is no database, and it is long enough to have a header of its own'.repeat(9),
    )
    expect(() => createPlatform({ data: join(folder, 'text') })).toThrow('not a database')
    expect(() => createPlatform({ data: join(folder, 'text') })).toThrow('not a database')
  })

  it('keeps nothing of a request that it refused', async () => {
    const file = join(folder, 'area.db')
    const first = await connect({ data: file })
    const body = { name: 'A', endpoints: [endpointBody('a'), { name: 'b' }] }
    expect((await first.post('/services', body)).status).toBe(400)
    first.platform.close()
    const second = await connect({ data: file })
    expect((await second.get('/services')).body).toEqual([])
    second.platform.close()
  })
})

/** Creates services, eight at a time, kills the platform in the middle, and returns the ids that were answered. */
async function createUntilKilled(url: string, kill: () => void): Promise<readonly string[]> {
  const form = { grant_type: 'password', username: 'local-user', password: 'local-password', scope: area }
  const init = { method: 'POST', headers: { authorization: basic }, body: new URLSearchParams(form) }
  const { access_token: token } = (await (await fetch(`${url}/v3/token`, init)).json()) as { access_token: string }
  const acknowledged: string[] = []
  const create = async (name: string) => {
    const body = JSON.stringify({ name, endpoints: [endpointBody(name, { methods: [{ name: 'm' }] })] })
    const response = await fetch(`${url}/v3/rest/services`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
    })
    const [made] = (await response.json()) as [{ id: string }]
    acknowledged.push(made.id)
    if (acknowledged.length === 40) kill()
  }
  const worker = async (lane: number) => {
    for (let count = 0; count < 50; count++) await create(`s-${lane}-${count}`)
  }
  await Promise.allSettled(Array.from({ length: 8 }, (_, lane) => worker(lane)))
  return acknowledged
}
