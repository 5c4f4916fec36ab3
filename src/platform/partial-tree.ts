import { childFields } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { below } from './area.js'

/** A tree that is made as far as its first children. */
export interface PartialTree {
  readonly body: JsonObject
  /** The path of the first child that is not made; undefined where all are. */
  readonly failed: string | undefined
}

/** The body of a create without the nested children after the first ones, each counted before what lies in it. */
export function cutTree(kind: Kind, body: JsonObject, children: number): PartialTree {
  const walk: Walk = { remaining: children, failed: undefined }
  return { body: cut(walk, kind, body, ''), failed: walk.failed }
}

interface Walk {
  remaining: number
  failed: string | undefined
}

function cut(walk: Walk, kind: Kind, body: JsonObject, path: string): JsonObject {
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

/** The child, or nothing where the tree has broken off. */
function cutChild(walk: Walk, kind: Kind, child: Json, path: string): readonly Json[] {
  if (walk.failed !== undefined) return []
  if (walk.remaining === 0) {
    walk.failed = path
    return []
  }
  walk.remaining -= 1
  return [isObject(child) ? cut(walk, kind, child, path) : child]
}
