import { snapshotArea } from '../../engine/snapshot.js'
import { jsonText } from '../../json/json.js'
import { snapshotSummary } from '../../report/snapshot.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { SnapshotOptions } from '../options.js'
import { showProblems } from '../show.js'

/** `snapshot --out FILE`: writes the whole live area to a file for plan, drift and the embedded platform. Sends only GET. */
export async function snapshotCommand(options: SnapshotOptions, io: Io): Promise<number> {
  const { problems, ...written } = await snapshotArea(options, options.out, io)
  showProblems(problems, { ...options, output: 'text' }, io)
  io.stdout.write(
    options.output === 'json'
      ? jsonText({ format: 'gatewright.snapshot-report/1', ...written })
      : snapshotSummary(written, io.stdout).output,
  )
  return exit.done
}
