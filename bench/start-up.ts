import { here, inTurns, program, type Row, runNode, startPlatform } from './measure.js'
import { type AreaSize, objectsOf, writeManifests, writeProject } from './reference-area.js'

/** The time until the program can print its version. */
export async function startUp(times: number): Promise<readonly Row[]> {
  const run = (args: readonly string[]) => async () => (await runNode(args)).ms
  const [floor = 0, version = 0, help = 0] = await inTurns(
    times,
    run(['-e', '0']),
    run([program, '--version']),
    run([program, '--help']),
  )
  const row = (name: string, ms: number): Row => ({
    name,
    floor: `node -e 0: ${floor.toFixed(0)} ms`,
    figure: `${ms.toFixed(0)} ms`,
    ratio: ms / floor,
    limit: 1.5,
  })
  return [row('start-up of --version', version), row('start-up of --help', help)]
}

/** The processor time for a plan of a small area. Nearly all of it is for loading code and running it for the first time. */
export async function smallPlan(dir: string, size: AreaSize, times: number): Promise<readonly Row[]> {
  writeProject(dir, { concurrency: 8 })
  writeManifests(dir, size, 'nothing')
  const platform = await startPlatform({ size, keep: 'answers' })
  const counting = ['--import', here('./peak.mjs')]
  try {
    const [floor = 0, plan = 0] = await inTurns(
      times,
      async () => (await runNode([...counting, '-e', '0'], { cwd: dir, env: {} })).cpuMs,
      async () => {
        const { cpuMs, stdout, stderr } = await runNode([...counting, program, 'plan'], { cwd: dir, env: platform.env })
        if (!stdout.includes('nothing to do')) throw new Error(stdout + stderr)
        return cpuMs
      },
    )
    return [
      {
        name: `plan of ${objectsOf(size)} objects, CPU time`,
        floor: `node -e 0: ${floor.toFixed(0)} ms`,
        figure: `${plan.toFixed(0)} ms`,
        ratio: plan / floor,
        limit: undefined,
      },
    ]
  } finally {
    platform.stop()
  }
}
