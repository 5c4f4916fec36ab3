import { childFields } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { below } from './area.js'

/** A tree of which only the first children are created. */
interface PartialTree {
  readonly body: JsonObject
  /** The path of the first child that is not created; undefined if all are. */
  readonly failed: string | undefined
}

/** The body of a create with only the first nested children. Each child counts before the children in it. */
export function cutTree(kind: Kind, body: JsonObject, children: number): PartialTree {
  const walk: TreeWalk = { remaining: children, failed: undefined }
  return { body: cut(walk, kind, body, ''), failed: walk.failed }
}

interface TreeWalk {
  remaining: number
  failed: string | undefined
}

function cut(walk: TreeWalk, kind: Kind, body: JsonObject, path: string): JsonObject {
  const kept: Record<string, Json> = { ...body }
  for (const { field, kind: held, single } of childFields(kind)) {
    const given = body[field]
    const at = below(path, field)
    if (single && isObject(given)) {
      const [child] = cutChild(walk, held, given, at)
      if (child === undefined) delete kept[field]
      else kept[field] = child
    } else if (Array.isArray(given)) {
      const entries: readonly Json[] = given
      kept[field] = entries.flatMap((entry, index) => cutChild(walk, held, entry, `${at}[${index}]`))
    }
  }
  return kept
}

/** The child, or nothing after the limit. */
function cutChild(walk: TreeWalk, kind: Kind, child: Json, path: string): readonly Json[] {
  if (walk.failed !== undefined) return []
  if (walk.remaining === 0) {
    walk.failed = path
    return []
  }
  walk.remaining -= 1
  return [isObject(child) ? cut(walk, kind, child, path) : child]
}
