import { catalog } from '../catalog/catalog.js'
import { ancestors as ancestorKinds } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import { Collector } from './collector.js'
import { addressOfAncestors } from './gathering.js'
import { noMetadata } from './metadata.js'
import { entriesFrom } from './node.js'
import { readObject } from './object.js'
import type { Ancestor, Manifests } from './resource.js'
import type { Mark } from './source.js'

/** An object as a document of its own would write it, as values: nothing is escaped, and there are no placeholders. */
export interface ObjectValues {
  readonly kind: KindName
  /** The address under which the record of a run knows it. */
  readonly recordedAs: string
  /** undefined where the kind has no name, or a secret one. */
  readonly name: string | undefined
  readonly id: string | undefined
  readonly formerly: readonly string[]
  readonly ancestors: readonly Ancestor[]
  readonly fields: JsonObject
}

/** Manifests made of values, read and checked as those of files; messages name `from` in the place of a file. */
export function manifestsFromValues(objects: readonly ObjectValues[], from: string): Manifests {
  const mark: Mark = { source: { file: from, text: '', lines: 'none' }, start: 0, end: 0 }
  const collector = new Collector({})
  for (const object of [...objects].sort(byDepth)) readValues(object, mark, collector)
  const manifests = collector.manifests([])
  // Nobody wrote these values: remarks on how they are written help nobody.
  return { ...manifests, problems: manifests.problems.filter(({ severity }) => severity === 'error') }
}

const byDepth = (left: ObjectValues, right: ObjectValues): number =>
  ancestorKinds(catalog[left.kind]).length - ancestorKinds(catalog[right.kind]).length

function readValues(object: ObjectValues, mark: Mark, { gathering }: Collector): void {
  const { kind, name, id, formerly, fields, recordedAs } = object
  const ancestors = gathering.pinned(object.ancestors, () => mark)
  const named = name === undefined ? undefined : { text: name, mark }
  // What a manifest wrote that no table has was let through then.
  const metadata = { ...noMetadata, name: named, id, formerly, ancestors, extraFields: 'pass' } as const
  const entries = entriesFrom(fields, mark)
  const parents = { ancestors, parent: addressOfAncestors(ancestors), isInside: false, owner: undefined }
  readObject({ kind: catalog[kind], form: 'document', metadata, ...parents, entries, mark, recordedAs }, gathering)
}
