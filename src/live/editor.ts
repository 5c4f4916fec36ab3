import { catalog } from '../catalog/catalog.js'
import { canonical } from '../catalog/value.js'
import { textOf } from '../json/json.js'
import type { LiveObject } from './live-object.js'
import { pathTo } from './names.js'

/** Who edited an object last: it says so itself, or what it lies in; undefined if nobody knows. */
export function editorOf(object: LiveObject): string | undefined {
  const path = pathTo(object)
  const telling = path.findLast((each) => toldBy(each) !== undefined)
  const timed = path.findLast(({ updated }) => updated !== undefined)
  // Recorded services do not show what happens to their endpoints: nobody knows who edited what is newer than its service.
  return telling && !isNewer(timed?.updated, telling.updated) ? toldBy(telling) : undefined
}

const toldBy = ({ kind, fields }: LiveObject): string | undefined => textOf(fields[catalog[kind].lastEdit?.by ?? ''])

function isNewer(...texts: readonly [string | undefined, string | undefined]): boolean {
  const [time, then] = texts.map((text) => canonical({ is: 'datetime' }, text))
  return typeof time === 'number' && typeof then === 'number' && time > then
}
