import { catalog } from '../../catalog/catalog.js'
import { isHiddenAnswer } from '../../catalog/hidden-answer.js'
import { perKind, referredKind } from '../../catalog/queries.js'
import { canonical, sameValue } from '../../catalog/value.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import { differences } from '../compare/fields.js'
import { refersTo } from '../match/candidates.js'
import type { Matches } from '../match/match.js'
import { noRemovals } from '../references/scope.js'
import type { Acceptances } from '../safety/accept.js'

/** The addresses of resources with a difference in immutable fields, with these fields. Their children are replaced with them. */
export function findReplaced(world: Matches, accepted: Acceptances): ReadonlyMap<string, readonly string[]> {
  const replaced = new Map<string, readonly string[]>()
  for (const [address, object] of world.matched) {
    if (immutableFields(catalog[object.kind]).length === 0) continue
    const resource = world.resources.get(address)
    const found = resource ? immutableDifferences(resource, object, world) : []
    const names = resource && found.length > 0 ? notAccepted(found, resource, object, { world, accepted }) : found
    if (names.length > 0) replaced.set(address, names)
  }
  return replaced
}

/** The fields whose live values are not accepted. */
function notAccepted(
  names: readonly string[],
  resource: Resource,
  object: LiveObject,
  { world, accepted }: { readonly world: Matches; readonly accepted: Acceptances },
): readonly string[] {
  if (accepted.isEmpty) return names
  const { fields } = differences(resource, object, { names: world, removals: noRemovals })
  const open = fields.filter((field) => !accepted.ofField(resource.address, field)).map(({ path }) => path)
  return names.filter((name) => open.includes(`/${name}`))
}

function immutableDifferences(resource: Resource, object: LiveObject, world: Matches): readonly string[] {
  return immutableFields(catalog[resource.kind])
    .filter((field) => {
      const written = resource.fields[field.name]
      if (written === undefined || written === null) return false
      const answered = object.fields[field.name]
      if (field.secret && isHiddenAnswer(answered ?? null)) return false
      const kind = referredKind(field)
      if (kind) return answered !== undefined && !refersTo(answered, written, kind, world)
      return canonical(field.type, answered) !== undefined && !sameValue(field.type, written, answered, field.default)
    })
    .map((field) => field.name)
}

const immutableFields = perKind((kind) => Object.values(kind.fields).filter((field) => field.immutable))
