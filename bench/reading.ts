import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { here, inTurns, program, type Row, runNode, startPlatform } from './measure.js'
import { type AreaSize, objectsOf, writeManifests, writeProject } from './reference-area.js'

const concurrency = 8

/** A plan that finds nothing to do, against what any program would have to do for it; and its memory. */
export async function noChangePlan(dir: string, size: AreaSize, times: number): Promise<readonly Row[]> {
  writeProject(dir, { concurrency })
  writeManifests(dir, size, 'nothing')
  const platform = await startPlatform({ size, keep: 'answers' })
  try {
    const plan = ['--import', here('./peak.mjs'), program, 'plan', '--quiet']
    const first = await runNode(plan, { cwd: dir, env: platform.env })
    if (!first.stdout.includes('nothing to do')) throw new Error(first.stdout + first.stderr)
    const paths = (await platform.log()).filter(({ method }) => method === 'GET').map(({ path, query }) => path + query)
    writeFileSync(join(dir, 'paths.txt'), [...new Set(paths)].join('\n'))
    const floorArgs = [here('./floor.mjs'), 'manifests', platform.url, '../paths.txt', String(concurrency)]
    const peaks: number[] = []
    const [floor = 0, figure = 0] = await inTurns(
      times,
      async () => (await runNode(floorArgs.with(3, join(dir, 'paths.txt')), { cwd: dir })).ms,
      async () => {
        const { ms, peakMb } = await runNode(plan, { cwd: dir, env: platform.env })
        peaks.push(peakMb)
        return ms
      },
    )
    const peak = Math.max(...peaks)
    const objects = objectsOf(size).toLocaleString('en')
    return [
      {
        name: `no-change plan of ${objects} objects`,
        floor: `start, pages, YAML: ${floor.toFixed(0)} ms`,
        figure: `${figure.toFixed(0)} ms`,
        ratio: figure / floor,
        limit: 1.5,
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
  }
}
