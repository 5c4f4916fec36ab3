import { catalog } from '../../catalog/catalog.js'
import { referredKind } from '../../catalog/queries.js'
import { recordOf } from '../../catalog/record.js'
import type { Field } from '../../catalog/types.js'
import { overlaps } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import { implied } from '../../manifest/nest.js'
import type { Resource } from '../../manifest/resource.js'
import type { Fingerprint } from '../../secrets/fingerprint.js'
import { type BaseObject, isAssumed } from '../base/base-object.js'
import type { ReferenceScope } from '../references/scope.js'
import { changesIn, differencesOf } from './fields.js'
import { answeredAt, printOf } from './secret-values.js'

/** How the base is read: what it does not find any more is no problem of today's manifests. */
export interface BaseReading {
  readonly scope: ReferenceScope
  readonly fingerprint: Fingerprint
}

/** What was last applied of an object, held against what is live: when somebody asks, and once. */
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

  /** Whether live is another than the base at a JSON Pointer, somewhere above it, or below. */
  hasChanged(path: string): boolean {
    this.#changed ??= changedPaths(this.#resource, this)
    return this.#changed.some((each) => overlaps(each, path))
  }
}

/**
 * The values of an object that no manifest declares any more, and that somebody has edited since they were applied. What the
 * object refers to may have been deleted by a run, and secrets say nothing without the key of their fingerprints.
 */
export function editedSince(base: BaseObject, object: LiveObject, { scope }: BaseReading): readonly string[] {
  if ((base.id ?? object.id) !== object.id || base.perhaps || base.announced) return []
  const { fields: known } = catalog[object.kind]
  const isValue = (field: Field | undefined) => field !== undefined && referredKind(field) === undefined
  const fields = recordOf(Object.entries(base.fields).filter(([name]) => isValue(known[name])))
  const mark = { source: { file: '', text: '', lines: 'none' }, start: 0, end: 0 } as const
  const { address, kind } = base
  const resource = { ...implied({ address, kind, to: { name: object.key, id: object.id }, mark }), fields }
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
