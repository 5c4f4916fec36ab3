import { catalog } from '../catalog/catalog.js'
import { canonical } from '../catalog/value.js'
import { textOf } from '../json/json.js'
import type { LiveObject } from './live-object.js'
import { pathTo } from './names.js'

/** Who edited an object last, from the object or its nearest parent that says so; undefined if this is not known. */
export function editorOf(object: LiveObject): string | undefined {
  const path = pathTo(object)
  const telling = path.findLast((each) => reportedBy(each) !== undefined)
  const timed = path.findLast(({ updated }) => updated !== undefined)
  // Recorded services do not show changes of their endpoints: if an endpoint is newer than its service, its editor is unknown.
  return telling && !isNewer(timed?.updated, telling.updated) ? reportedBy(telling) : undefined
}

const reportedBy = ({ kind, fields }: LiveObject): string | undefined =>
  textOf(fields[catalog[kind].lastEdit?.by ?? ''])

function isNewer(...texts: readonly [string | undefined, string | undefined]): boolean {
  const [time, then] = texts.map((text) => canonical({ is: 'datetime' }, text))
  return typeof time === 'number' && typeof then === 'number' && time > then
}
