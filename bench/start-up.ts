import { inTurns, program, type Row, runNode } from './measure.js'

/** How long it takes until the program can say its name. */
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
