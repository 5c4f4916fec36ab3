import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { attributeField, childFields, isWritable } from '../catalog/queries.js'
import { ownValue, recordOf } from '../catalog/record.js'
import type { Json, JsonObject } from '../json/json.js'
import { pointerTo } from '../json/pointer.js'
import type { LiveIndex } from '../live/live-index.js'
import type { LiveObject } from '../live/live-object.js'
import { isUntouched, liveFields } from '../live/object-form.js'
import { withoutValue } from '../manifest/secret-paths.js'
import type { Base } from '../planner/base/base-object.js'
import { fieldOfKey } from '../planner/compare/secret-values.js'
import type { Change, DeleteChange, ReplaceChange, UpdateChange } from '../planner/plan.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import { holdsSecret } from '../secrets/mask.js'
import type { Image } from '../stores/record.js'
import { imageWithoutSecrets } from './image.js'

/** What a change is compared with, and what hides secrets. */
interface Past {
  readonly live: LiveIndex
  readonly base: Base | undefined
  readonly fingerprint: Fingerprint
  readonly mask: (text: string) => string
}

/** The state before a change: the fields that an update changes, and all fields of an object that is deleted. */
export function beforeImage(change: Change, past: Past): Image | undefined {
  switch (change.action) {
    case 'update':
      return imageOfLive(change.live, Object.keys(change.values), secretPathsOf(change, past), past)
    case 'replace':
    case 'delete': {
      const image = imageOfLive(change.live, Object.keys(change.live.fields), secretPathsOf(change, past), past)
      return { ...image, fields: { ...image.fields, ...fixedSets(change, past) } }
    }
    case 'create':
    case 'blocked':
      return undefined
  }
}

/** The fields as a manifest would write them: references are names, which stay valid when ids change. */
function imageOfLive(
  object: LiveObject,
  names: readonly string[],
  sensitive: readonly string[],
  { live, fingerprint, mask }: Past,
): Image {
  const written = liveFields(object, live)
  const values = recordOf(names.map((name): [string, Json] => [name, ownValue(written, name) ?? null]))
  // Somebody may have written a secret into a field that is not secret.
  const open = sensitive.reduce(withoutValue, values)
  const holding = names.filter((name) => holdsSecret(open[name] ?? null, mask))
  const paths = [...sensitive, ...holding.map((name) => pointerTo(name))]
  return imageWithoutSecrets(object.kind, values, paths, fingerprint)
}

/** The fields that are secret by the manifest, or were secret when they were applied. */
function secretPathsOf(change: UpdateChange | ReplaceChange | DeleteChange, { base }: Past): readonly string[] {
  const applied = Object.keys(base?.objects.get(change.address)?.fingerprints ?? {}).map((key) => `/${key}`)
  return 'resource' in change ? [...change.resource.sensitive, ...applied] : applied
}

/**
 * Members of a fixed set have no changes of their own. Those that differ from the platform's defaults are kept with their parent,
 * and so are those that a run has written, because not every platform creates all members by itself.
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

/**
 * All fields that are not secret, in the words of a manifest. Empty fields are included, because the platform may fill them in a
 * new object.
 */
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
