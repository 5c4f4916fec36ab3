import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { here, program, type Row, runNode, startPlatform } from './measure.js'
import { objectsOf, reference, writeManifests, writeProject } from './reference-area.js'

/** A rollback that creates all deleted services again: the processor time per object must not grow with their number. */
export async function rollingBack(dir: string, sizes: readonly [number, number]): Promise<readonly Row[]> {
  const [few, many] = sizes
  const small = await restored(join(dir, String(few)), few)
  const large = await restored(join(dir, String(many)), many)
  return [
    {
      name: `rollback that creates ${large.objects.toLocaleString('en')} objects again, CPU time`,
      floor: `the same per object as for ${small.objects.toLocaleString('en')}: ${small.cpuMs.toFixed(0)} ms`,
      figure: `${large.cpuMs.toFixed(0)} ms`,
      ratio: large.cpuMs / large.objects / (small.cpuMs / small.objects),
      limit: 1.3,
    },
  ]
}

async function restored(dir: string, services: number): Promise<{ readonly objects: number; readonly cpuMs: number }> {
  const size = { ...reference, services }
  writeProject(dir, { concurrency: 8 })
  writeManifests(dir, size, 'nothing')
  const platform = await startPlatform({ size, keep: 'nothing' })
  const run = async (...args: readonly string[]): Promise<number> => {
    const { cpuMs, exitCode, stdout, stderr } = await runNode(
      ['--import', here('./peak.mjs'), program, ...args, '--yes', '--quiet'],
      { cwd: dir, env: platform.env },
    )
    if (exitCode !== 0) throw new Error(stdout.slice(-2000) + stderr)
    return cpuMs
  }
  try {
    await run('apply')
    rmSync(join(dir, 'manifests'), { recursive: true })
    writeManifests(dir, { ...size, services: 1 }, 'nothing')
    await run('apply')
    const objects = objectsOf(size) - objectsOf({ ...size, services: 1 })
    return { objects, cpuMs: await run('rollback', 'latest') }
  } finally {
    platform.stop()
  }
}
