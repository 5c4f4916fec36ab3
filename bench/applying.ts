import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../src/json/json.js'
import { type Ended, here, type LoggedCall, program, type Row, runNode, startPlatform } from './measure.js'
import { type AreaSize, objectsOf, writeManifests, writeProject } from './reference-area.js'

interface Applied {
  readonly ended: Ended
  /** The writes and all calls, in the order of their answers. */
  readonly writes: readonly LoggedCall[]
  readonly calls: readonly LoggedCall[]
}

async function applyTo(
  dir: string,
  size: AreaSize,
  project: JsonObject,
  options: { readonly latencyMs?: number; readonly qps?: number },
): Promise<Applied> {
  rmSync(dir, { recursive: true, force: true })
  writeProject(dir, project)
  writeManifests(dir, size, 'every description')
  const platform = await startPlatform({ size, keep: 'nothing', ...options })
  try {
    const ended = await runNode([program, 'apply', '--yes', '--quiet', '--prune', 'none', '--allow', 'TRAFFIC_STOP'], {
      cwd: dir,
      env: platform.env,
    })
    if (ended.exitCode !== 0) throw new Error(ended.stdout.slice(-2000) + ended.stderr.slice(-2000))
    const calls = (await platform.log()).filter(({ path }) => !path.endsWith('/token'))
    return { ended, calls, writes: calls.filter(({ method, status }) => method === 'PUT' && status < 300) }
  } finally {
    platform.stop()
  }
}

const spanOf = (calls: readonly LoggedCall[]): number => (calls.at(-1)?.at ?? 0) - (calls[0]?.at ?? 0)

/** Independent updates with a journal: as many as permitted must always be in flight. */
export async function updates(dir: string, size: AreaSize): Promise<readonly Row[]> {
  const concurrency = 50
  const latencyMs = 20
  const { writes } = await applyTo(dir, size, { concurrency }, { latencyMs })
  const count = objectsOf(size)
  if (writes.length !== count) throw new Error(`${writes.length} writes instead of ${count}`)
  const ideal = (count / concurrency) * latencyMs
  const span = spanOf(writes) + latencyMs
  const bare = await bareWrites(dir, writes, size, { concurrency, latencyMs })
  return [
    {
      name: 'the same beside a bare client that sends the same writes',
      floor: `bare client: ${(bare / 1000).toFixed(2)} s`,
      figure: `${(span / 1000).toFixed(2)} s`,
      ratio: span / bare,
      limit: undefined,
    },
    {
      name: `${count.toLocaleString('en')} updates, 20 ms each, 50 at once`,
      floor: `ideal: ${(ideal / 1000).toFixed(2)} s`,
      figure: `${(span / 1000).toFixed(2)} s`,
      ratio: span / ideal,
      limit: 1.25,
    },
  ]
}

/** The time of a minimal client for the same writes: the platform process and this machine have limits too. */
async function bareWrites(
  dir: string,
  writes: readonly LoggedCall[],
  size: AreaSize,
  { concurrency, latencyMs }: { readonly concurrency: number; readonly latencyMs: number },
): Promise<number> {
  const paths = join(dir, 'writes.txt')
  writeFileSync(paths, writes.map(({ path }) => path).join('\n'))
  const platform = await startPlatform({ size, keep: 'nothing', latencyMs })
  try {
    const { stdout } = await runNode([here('./floor-writes.mjs'), platform.url, paths, String(concurrency)])
    return Number(stdout)
  } finally {
    platform.stop()
  }
}

/** The used share of a limit of 20 calls per second: with the same limit in the project file, and without. */
export async function rates(dir: string, size: AreaSize): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [words, project, least] of [
    ['requestsPerSecond: 20', { requestsPerSecond: 20 }, 0.95],
    ['no cap', {}, 0.8],
  ] as const) {
    const { calls } = await applyTo(join(dir, words.replaceAll(/\W+/g, '-')), size, project, { qps: 20 })
    const kept = calls.filter(({ status }) => status < 300).length / (spanOf(calls) / 1000)
    const refused = calls.filter(({ status }) => status === 403).length / calls.length
    rows.push({
      name: `${objectsOf(size).toLocaleString('en')} updates at 20 calls a second, ${words}`,
      floor: `20.0 a second (at least ${(least * 20).toFixed(1)})`,
      figure: `${kept.toFixed(1)} a second, ${(refused * 100).toFixed(1)} % refused`,
      // The cost: the time in relation to the time that the limit requires.
      ratio: 20 / kept,
      limit: 1 / least,
    })
  }
  return rows
}
