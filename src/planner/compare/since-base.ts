import { catalog } from '../../catalog/catalog.js'
import { referredKind } from '../../catalog/queries.js'
import { recordOf } from '../../catalog/record.js'
import type { Field } from '../../catalog/types.js'
import { overlaps } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import { implicitResource } from '../../manifest/nest.js'
import type { Resource } from '../../manifest/resource.js'
import type { Fingerprint } from '../../secrets/fingerprint.js'
import { type BaseObject, isAssumed } from '../base/base-object.js'
import type { ReferenceScope } from '../references/scope.js'
import { changesIn, differencesOf } from './fields.js'
import { answeredAt, printOf } from './secret-values.js'

/** How the base is read. If a name in the base leads nowhere any more, that is no problem of today's manifests. */
export interface BaseReading {
  readonly scope: ReferenceScope
  readonly fingerprint: Fingerprint
}

/** The last applied values of an object, compared with its live values. The comparison is made on demand, and once. */
export class SinceBase {
  readonly base: BaseObject
  readonly object: LiveObject
  readonly reading: BaseReading
  readonly #resource: Resource
  #changed: readonly string[] | undefined

  constructor(resource: Resource, base: BaseObject, object: LiveObject, reading: BaseReading) {
    this.#resource = resource
    this.base = base
    this.object = object
    this.reading = reading
  }

  /** Whether the live value differs from the base at a JSON Pointer, at one of its ancestors, or below it. */
  hasChanged(path: string): boolean {
    this.#changed ??= changedPaths(this.#resource, this)
    return this.#changed.some((each) => overlaps(each, path))
  }
}

/**
 * The values that somebody has edited since they were applied, in an object that no manifest declares any more. References are
 * not compared, because a run may have deleted their targets. Secrets are not compared either, because the base has only their
 * fingerprints.
 */
export function editedSince(base: BaseObject, object: LiveObject, { scope }: BaseReading): readonly string[] {
  if ((base.id ?? object.id) !== object.id || base.perhaps || base.announced) return []
  const { fields: known } = catalog[object.kind]
  const isValue = (field: Field | undefined) => field !== undefined && referredKind(field) === undefined
  const fields = recordOf(Object.entries(base.fields).filter(([name]) => isValue(known[name])))
  const range = { source: { file: '', text: '', lines: 'none' }, start: 0, end: 0 } as const
  const { address, kind } = base
  const resource = { ...implicitResource({ address, kind, to: { name: object.key, id: object.id }, range }), fields }
  const changes = changesIn(differencesOf(resource, object, scope))
  return changes.map(({ path }) => path).filter((path) => !isAssumed(base, path))
}

function changedPaths(resource: Resource, { base, object, reading }: SinceBase): readonly string[] {
  const then = { ...resource, fields: base.fields, additions: {}, withdrawals: {}, ignore: [], sensitive: [] }
  const secrets = Object.entries(base.fingerprints).filter(([key, print]) => {
    const answered = answeredAt(object, `/${key}`)
    if (answered === undefined) return false
    return answered === null || printOf(object.kind, `/${key}`, answered, reading.fingerprint) !== print
  })
  return [
    ...changesIn(differencesOf(then, object, reading.scope)).map(({ path }) => path),
    ...secrets.map(([name]) => `/${name}`),
  ]
}
