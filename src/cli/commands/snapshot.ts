import { resolve } from 'node:path'
import type { LiveObject } from '../../catalog/live.js'
import { readAll } from '../../client/full-read.js'
import { snapshotText } from '../../client/snapshot-text.js'
import { packageKeyMark } from '../../manifest/package-key-name.js'
import { badUsage, notAvailable, ProblemError } from '../../problem.js'
import { snapshotSummary } from '../../report/live-text.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import { readingLive, refuseLabels } from '../live-area.js'
import type { SnapshotOptions } from '../options.js'
import { fingerprintKeyOf } from '../settings.js'
import { writeWhole } from '../write-file.js'

/** `snapshot --out FILE`: the whole live area as a file that plans, drift and the embedded platform take. Sends only GET. */
export async function snapshotCommand(options: SnapshotOptions, io: Io): Promise<number> {
  refuseLabels(options)
  const { out, select } = options
  if (out === undefined) {
    throw new ProblemError([badUsage('snapshot needs --out', 'gatewright snapshot --out area.json')])
  }
  if (select.length > 0) throw new ProblemError([notAvailable('--select', 'a snapshot holds the whole area')])
  const { raw, snapshot, target } = await readingLive(options, io, readAll)
  const fingerprintKey = fingerprintKeyOf(io)
  const text = snapshotText(raw, (apikey) => packageKeyMark(apikey, fingerprintKey))
  // It tells how the area is protected: nobody else may read it.
  writeWhole(resolve(io.cwd, out), text, 'owner', out)
  const written = { file: out, target, objects: countByKind(snapshot.objects) }
  io.stdout.write(
    options.output === 'json'
      ? `${JSON.stringify({ format: 'gatewright.snapshot-report/1', ...written }, null, 2)}\n`
      : snapshotSummary(written).output,
  )
  return exit.done
}

/** How many objects of each kind there are. */
function countByKind(objects: readonly LiveObject[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  const count = (object: LiveObject): void => {
    counts[object.kind] = (counts[object.kind] ?? 0) + 1
    for (const child of object.children) count(child)
  }
  for (const object of objects) count(object)
  return counts
}
