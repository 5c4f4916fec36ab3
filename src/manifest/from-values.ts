import { catalog } from '../catalog/catalog.js'
import { ancestors as ancestorKinds } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import { errorsIn } from '../problems/problem.js'
import { addressOfAncestors } from './ancestors.js'
import { Collector } from './collector.js'
import { noMetadata } from './metadata.js'
import { entriesFrom } from './node.js'
import { readObject } from './object.js'
import type { Ancestor, Manifests } from './resource.js'
import type { SourceRange } from './source.js'

/** An object as values, with the content of a document of its own. Nothing is escaped, and there are no placeholders. */
export interface ObjectValues {
  readonly kind: KindName
  /** Its address in the record of a run. */
  readonly recordedAs: string
  /** undefined if the kind has no name, or a secret one. */
  readonly name: string | undefined
  readonly id: string | undefined
  readonly formerly: readonly string[]
  readonly ancestors: readonly Ancestor[]
  readonly fields: JsonObject
}

/** Makes manifests from values, read and checked like files. Messages name `from` instead of a file. */
export function manifestsFromValues(objects: readonly ObjectValues[], from: string): Manifests {
  const range: SourceRange = { source: { file: from, text: '', lines: 'none' }, start: 0, end: 0 }
  const collector = new Collector({})
  for (const object of [...objects].sort(byDepth)) readValues(object, range, collector)
  const manifests = collector.manifests([])
  // Nobody wrote these values, so warnings and notes about them help nobody.
  return { ...manifests, problems: errorsIn(manifests.problems) }
}

const byDepth = (left: ObjectValues, right: ObjectValues): number =>
  ancestorKinds(catalog[left.kind]).length - ancestorKinds(catalog[right.kind]).length

function readValues(object: ObjectValues, range: SourceRange, { objects }: Collector): void {
  const { kind, name, id, formerly, fields, recordedAs } = object
  const ancestors = objects.pinned(object.ancestors, () => range)
  const named = name === undefined ? undefined : { text: name, range }
  // The unknown fields were accepted when the manifest was applied.
  const metadata = { ...noMetadata, name: named, id, formerly, ancestors, extraFields: 'pass' } as const
  const entries = entriesFrom(fields, range)
  const parents = { ancestors, parent: addressOfAncestors(ancestors), isInside: false, owner: undefined }
  readObject({ kind: catalog[kind], form: 'document', metadata, ...parents, entries, range, recordedAs }, objects)
}
