import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { attributeField, childFields, isWritable } from '../catalog/queries.js'
import { ownValue, recordOf } from '../catalog/record.js'
import type { Json, JsonObject } from '../json/json.js'
import { pointerTo } from '../json/pointer.js'
import type { LiveIndex } from '../live/live-index.js'
import type { LiveObject } from '../live/live-object.js'
import { isUntouched, liveFields } from '../live/object-form.js'
import { without } from '../manifest/secret-paths.js'
import type { Base } from '../planner/base/base-object.js'
import { fieldOfKey } from '../planner/compare/secret-values.js'
import type { Change, DeleteChange, ReplaceChange, UpdateChange } from '../planner/plan.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import { holdsSecret } from '../secrets/mask.js'
import type { Image } from '../stores/record.js'
import { withoutSecrets } from './image.js'

/** What a change is held against, and what hides secrets. */
export interface Past {
  readonly live: LiveIndex
  readonly base: Base | undefined
  readonly fingerprint: Fingerprint
  readonly mask: (text: string) => string
}

/** What stood before: the fields that an update changes, everything of what is deleted. */
export function beforeImage(change: Change, past: Past): Image | undefined {
  switch (change.action) {
    case 'update':
      return imageOfLive(change.live, Object.keys(change.values), secretsOf(change, past), past)
    case 'replace':
    case 'delete': {
      const image = imageOfLive(change.live, Object.keys(change.live.fields), secretsOf(change, past), past)
      return { ...image, fields: { ...image.fields, ...fixedSets(change, past) } }
    }
    case 'create':
    case 'blocked':
      return undefined
  }
}

/** As a manifest would write it: references by their names, which outlive ids. */
function imageOfLive(
  object: LiveObject,
  names: readonly string[],
  sensitive: readonly string[],
  { live, fingerprint, mask }: Past,
): Image {
  const written = liveFields(object, live)
  const values = recordOf(names.map((name): [string, Json] => [name, ownValue(written, name) ?? null]))
  // Somebody may have put a secret where none belongs.
  const open = sensitive.reduce(without, values)
  const holding = names.filter((name) => holdsSecret(open[name] ?? null, mask))
  const paths = [...sensitive, ...holding.map((name) => pointerTo(name))]
  return withoutSecrets(object.kind, values, paths, fingerprint)
}

/** What is secret by its manifest, or was when it was applied. */
function secretsOf(change: UpdateChange | ReplaceChange | DeleteChange, { base }: Past): readonly string[] {
  const applied = Object.keys(base?.objects.get(change.address)?.fingerprints ?? {}).map((key) => `/${key}`)
  return 'resource' in change ? [...change.resource.sensitive, ...applied] : applied
}

/**
 * Members of a fixed set are no changes of their own: those that are not as the platform makes them stand in their parent. So
 * do those that a run has written: not every platform makes all of them by itself.
 */
function fixedSets({ live: object, address }: ReplaceChange | DeleteChange, past: Past): JsonObject {
  const isApplied = ({ kind, key }: LiveObject): boolean =>
    past.base?.objects.has(addressOf(catalog[kind], key, address)) ?? false
  return Object.fromEntries(
    childFields(catalog[object.kind])
      .filter((child) => child.kind.fixedSet)
      .flatMap((child): [string, Json][] => {
        const members = object.children.filter(
          (each) => each.kind === child.kind.name && (!isUntouched(each) || isApplied(each)),
        )
        return members.length === 0 ? [] : [[child.field, members.map((each) => memberOf(each, address, past))]]
      }),
  )
}

/** Everything that is no secret, in the words of a manifest; what is empty too, where the platform fills a new one in. */
function memberOf(object: LiveObject, parent: string, { live, base, mask }: Past): JsonObject {
  const kind = catalog[object.kind]
  const applied = base?.objects.get(addressOf(kind, object.key, parent))?.fingerprints ?? {}
  const secrets = new Set(Object.keys(applied).map(fieldOfKey))
  const values = Object.entries(liveFields(object, live)).filter(([name, value]) => {
    const field = kind.fields[name] ?? attributeField(kind, name)
    if (field === undefined || !isWritable(field)) return false
    return !secrets.has(name) && !holdsSecret(value, mask)
  })
  return { ...Object.fromEntries(values), ...(kind.naming === undefined ? {} : { [kind.naming]: object.key }) }
}
