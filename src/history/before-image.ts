import { catalog } from '../catalog/catalog.js'
import { childFields, isWritable } from '../catalog/queries.js'
import { ownValue, recordOf } from '../catalog/record.js'
import type { Json, JsonObject } from '../json/json.js'
import type { LiveIndex } from '../live/live-index.js'
import type { LiveObject } from '../live/live-object.js'
import { isUntouched, liveFields } from '../live/object-form.js'
import { noPrint } from '../planner/base/base-object.js'
import type { Change } from '../planner/plan.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import type { Image } from '../stores/record.js'

/** What stood before: the fields that an update changes, everything of what is deleted. */
export function beforeImage(change: Change, live: LiveIndex, fingerprint: Fingerprint): Image | undefined {
  switch (change.action) {
    case 'update':
      return imageOfLive(change.live, Object.keys(change.values), live, fingerprint)
    case 'replace':
    case 'delete': {
      const image = imageOfLive(change.live, Object.keys(change.live.fields), live, fingerprint)
      return { ...image, fields: { ...image.fields, ...fixedSets(change.live, live) } }
    }
    case 'create':
    case 'blocked':
      return undefined
  }
}

/** As a manifest would write it: references by their names, which outlive ids. */
function imageOfLive(object: LiveObject, names: readonly string[], live: LiveIndex, fingerprint: Fingerprint): Image {
  const written = liveFields(object, live)
  const fields = recordOf<Json>()
  const fingerprints = recordOf<string>()
  for (const name of names) {
    const value = ownValue(written, name) ?? null
    if (value === null || !catalog[object.kind].fields[name]?.secret) fields[name] = value
    else fingerprints[name] = fingerprint(value) ?? noPrint
  }
  return { fields, fingerprints }
}

/** Members of a fixed set are no changes of their own: those that are not as the platform makes them stand in their parent. */
function fixedSets(object: LiveObject, live: LiveIndex): JsonObject {
  return Object.fromEntries(
    childFields(catalog[object.kind])
      .filter((child) => child.kind.fixedSet)
      .flatMap((child): [string, Json][] => {
        const members = object.children.filter((each) => each.kind === child.kind.name && !isUntouched(each))
        return members.length === 0 ? [] : [[child.field, members.map((each) => memberOf(each, live))]]
      }),
  )
}

/** Everything that is not empty, in the words of a manifest. */
function memberOf(object: LiveObject, live: LiveIndex): JsonObject {
  const kind = catalog[object.kind]
  const values = Object.entries(liveFields(object, live)).filter(([name, value]) => {
    const field = kind.fields[name]
    return value !== null && field !== undefined && isWritable(field)
  })
  return { ...Object.fromEntries(values), ...(kind.naming === undefined ? {} : { [kind.naming]: object.key }) }
}
