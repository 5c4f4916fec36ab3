import { join } from 'node:path'
import { here, median, program, type Row, runNode, startPlatform } from './measure.js'
import { objectsOf, reference, writeManifests, writeProject } from './reference-area.js'

/**
 * Plans that create larger and larger areas: processor time and memory must grow in proportion to the number of objects, or
 * slower.
 */
export async function creating(dir: string, services: readonly number[], times: number): Promise<readonly Row[]> {
  const platform = await startPlatform({ size: { ...reference, services: 0 }, keep: 'answers' })
  try {
    const measured: Measured[] = []
    for (const each of services) measured.push(await planned(join(dir, String(each)), each, times, platform.env))
    const [first] = measured
    return measured.map(({ objects, cpuMs, peakMb }) => {
      const share = first && objects > first.objects ? (cpuMs * first.objects) / (first.cpuMs * objects) : undefined
      return {
        name: `planning ${objects.toLocaleString('en')} creates, CPU time`,
        floor: first && share !== undefined ? `the same per object as for ${first.objects.toLocaleString('en')}` : '',
        figure: `${cpuMs.toFixed(0)} ms, ${peakMb.toFixed(0)} MB at most`,
        ratio: share,
        limit: share === undefined ? undefined : 1.3,
      }
    })
  } finally {
    platform.stop()
  }
}

interface Measured {
  readonly objects: number
  readonly cpuMs: number
  readonly peakMb: number
}

async function planned(
  dir: string,
  services: number,
  times: number,
  env: Readonly<Record<string, string>>,
): Promise<Measured> {
  const size = { ...reference, services }
  const objects = objectsOf(size)
  writeProject(dir, {})
  writeManifests(dir, size, 'nothing')
  const runs = []
  for (let time = 0; time < times; time += 1) {
    const ended = await runNode(['--import', here('./peak.mjs'), program, 'plan', '--quiet'], { cwd: dir, env })
    if (!ended.stdout.includes(`${objects} to create`)) throw new Error(ended.stdout.slice(-2000) + ended.stderr)
    runs.push(ended)
  }
  const [cpuMs, peakMb] = [median(runs.map((run) => run.cpuMs)), Math.max(...runs.map((run) => run.peakMb))]
  return { objects, cpuMs, peakMb }
}
