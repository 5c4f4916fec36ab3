import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { here, inTurns, program, type Row, runNode, startPlatform } from './measure.js'
import { type AreaSize, objectsOf, writeManifests, writeProject } from './reference-area.js'

const concurrency = 8

/**
 * A plan without changes, compared with the minimal work of any program, and its memory. It is measured without records, and with
 * records of an apply. Also a plan of the same manifests for an area in which everything must be created.
 */
export async function noChangePlan(dir: string, size: AreaSize, times: number): Promise<readonly Row[]> {
  writeProject(dir, { concurrency })
  writeManifests(dir, size, 'nothing')
  const platform = await startPlatform({ size, keep: 'answers' })
  const empty = await startPlatform({ size: { ...size, services: 0 }, keep: 'answers' })
  try {
    const plan = [program, 'plan', '--quiet']
    const { env } = platform
    const planned = async (cwd: string): Promise<number> => {
      const { ms, stdout, stderr } = await runNode(plan, { cwd, env })
      if (!stdout.includes('nothing to do')) throw new Error(stdout + stderr)
      return ms
    }
    await planned(dir)
    const paths = (await platform.log()).filter(({ method }) => method === 'GET').map(({ path, query }) => path + query)
    const pathsFile = join(dir, 'paths.txt')
    writeFileSync(pathsFile, [...new Set(paths)].join('\n'))
    const floorArgs = [here('./floor.mjs'), 'manifests', platform.url, pathsFile, String(concurrency)]
    const recorded = `${dir}-recorded`
    cpSync(dir, recorded, { recursive: true })
    const applied = await runNode([program, 'apply', '--yes', '--quiet'], { cwd: recorded, env })
    if (applied.exitCode !== 0) throw new Error(applied.stdout + applied.stderr)
    const creating = async (): Promise<number> => {
      const { ms, stdout, stderr } = await runNode(plan, { cwd: dir, env: empty.env })
      if (!stdout.includes(`${objectsOf(size)} to create`)) {
        throw new Error(stdout.slice(-2000) + stderr)
      }
      return ms
    }
    const [floor = 0, unchanged = 0, withRecords = 0, creates = 0] = await inTurns(
      times,
      async () => (await runNode(floorArgs, { cwd: dir })).ms,
      () => planned(dir),
      () => planned(recorded),
      creating,
    )
    const peak = Math.max(
      ...(await peaksOf(plan, [
        { cwd: recorded, env },
        { cwd: dir, env },
      ])),
    )
    const objects = objectsOf(size).toLocaleString('en')
    const row = (name: string, figure: number, limit?: number): Row => ({
      name,
      floor: `start, pages, YAML: ${floor.toFixed(0)} ms`,
      figure: `${figure.toFixed(0)} ms`,
      ratio: figure / floor,
      limit,
    })
    return [
      row(`no-change plan of ${objects} objects`, unchanged, 1.7),
      row('the same with records of an apply', withRecords),
      {
        name: 'a plan that creates all of them',
        floor: `the no-change plan: ${unchanged.toFixed(0)} ms`,
        figure: `${creates.toFixed(0)} ms`,
        ratio: creates / unchanged,
        limit: 2.5,
      },
      {
        name: `its peak memory`,
        floor: 'allowed: 300 MB',
        figure: `${peak.toFixed(0)} MB`,
        ratio: peak / 300,
        limit: 1,
      },
    ]
  } finally {
    platform.stop()
    empty.stop()
  }
}

/** The peak memory of each run. The measurement takes time, so these runs are not timed. */
async function peaksOf(args: readonly string[], runs: readonly Where[]): Promise<readonly number[]> {
  const peaks: number[] = []
  for (const run of runs) peaks.push((await runNode(['--import', here('./peak.mjs'), ...args], run)).peakMb)
  return peaks
}

interface Where {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}
