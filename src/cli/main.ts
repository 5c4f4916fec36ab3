import { readCommandLine } from './command-line.js'
import { exit } from './exit.js'
import type { World } from './io.js'
import { safeStream } from './safe-stream.js'

/** Runs the program once with the given arguments, and returns its exit code. Never throws. */
export async function main(args: readonly string[], world: World): Promise<number> {
  const line = readCommandLine(args, safeStream(world.stdout))
  if (line.is === 'printed' && (await world.stdout.delivered?.()) === undefined) return exit.done
  // Help and the version do not need the modules that run a command.
  const { runLine } = await import('./run-line.js')
  return await runLine(line, args, world)
}
