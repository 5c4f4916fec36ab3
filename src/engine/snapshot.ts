import { resolve } from 'node:path'
import { writeWhole } from '../files/write-file.js'
import { countsOf } from '../json/groups.js'
import { withAllInside } from '../live/live-object.js'
import type { Ports } from '../ports/ports.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { badUsage, notAvailable } from '../problems/project.js'
import { showsSecret } from '../secrets/mask.js'
import { snapshotText } from '../snapshot/text.js'
import { readingLive, refuseLabels, wholeArea } from './live-area.js'
import type { ProjectRequest } from './requests.js'
import type { Target } from './settings.js'
import { keyMarks } from './snapshot-area.js'

/** The result of writing a snapshot file. */
interface WrittenSnapshot {
  readonly file: string
  readonly target: Target
  /** The number of objects of each kind. */
  readonly objects: Readonly<Record<string, number>>
  /** Why the records cannot be read. They know secrets that no manifest names any more. */
  readonly problems: readonly Problem[]
}

/** Writes the whole live area to a file, relative to `cwd`. Sends only GET. */
export async function snapshotArea(
  request: ProjectRequest,
  out: string | undefined,
  ports: Ports,
): Promise<WrittenSnapshot> {
  refuseLabels(request)
  if (out === undefined) {
    throw new ProblemError([badUsage('snapshot needs --out', 'gatewright snapshot --out area.json')])
  }
  if (request.select.length > 0) throw new ProblemError([notAvailable('--select', 'a snapshot holds the whole area')])
  const { raw, snapshot, target, recorded } = await readingLive(request, ports, wholeArea)
  const text = snapshotText(raw, {
    markOf: keyMarks(ports),
    isSecret: (value) => showsSecret(value, ports.mask),
  })
  // The file shows how the area is protected, so nobody else may read it.
  writeWhole(resolve(ports.cwd, out), text, 'owner', out)
  const objects = Object.fromEntries(countsOf(withAllInside(snapshot.objects).map(({ kind }) => kind)))
  return { file: out, target, objects, problems: recorded.problems }
}
