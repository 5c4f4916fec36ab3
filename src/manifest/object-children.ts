import { isNamedOpenly } from '../catalog/metadata-keys.js'
import { type ChildField, childField } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { emptyMandatoryList, missingName, wrongType } from '../problems/manifests.js'
import { itemsOf } from './field-value.js'
import { readMetadata } from './metadata.js'
import { type Entry, formWords, isNull, lacksIn, type Node, valueAt, wordsFor } from './node.js'
import { isMistypedField } from './object-checks.js'
import type { ObjectReading } from './reading.js'
import { placeOf } from './source.js'

/** Reads what a parent writes about its children. The children themselves are read when the parent is known. */
export function readChild(child: ChildField, entry: Entry, reading: ObjectReading): void {
  if (child.single) readSingleChild(child, entry, reading)
  else readChildList(child, entry, reading)
}

function readSingleChild(child: ChildField, entry: Entry, reading: ObjectReading): void {
  if (isNull(entry.value)) reading.removedChildren.push(child.field)
  else readChildObject(child, entry.value, reading)
}

/** The single children that the entries in `before` write and the entries in `after` remove with null. */
export const takenOut = (
  kind: Kind,
  before: readonly Entry[],
  after: readonly Entry[],
): readonly { readonly child: ChildField; readonly entry: Entry }[] =>
  before === after
    ? []
    : before.flatMap((entry) => {
        const child = isNull(entry.value) ? undefined : childField(kind, entry.key)
        const isTaken = child?.single && after.some(({ key, value }) => key === entry.key && isNull(value))
        return child && isTaken ? [{ child, entry }] : []
      })

function readChildList(child: ChildField, entry: Entry, reading: ObjectReading): void {
  const { text, scope, wholeLists, collector } = reading
  const at = `${text.kind.name}.${child.field}`
  const items = isNull(entry.value) ? [] : itemsOf(entry.value, at, scope)
  if (entry.value.is === 'map') collector.misses()
  // The platform keeps a fixed set of these children, so unwritten ones are left alone.
  if (!child.kind.fixedSet) wholeLists.push(child.field)
  const isEmptied = isNull(entry.value) || (entry.value.is === 'list' && items.length === 0)
  if (isEmptied && text.kind.atLeastOne.includes(child.field)) {
    scope.report(emptyMandatoryList(placeOf(entry.range), text.kind.name, child.field))
  }
  for (const item of items) readChildObject(child, item, reading)
}

function readChildObject(
  { kind, field }: ChildField,
  node: Node,
  { text, scope, collector, children }: ObjectReading,
): void {
  const entries = childEntries(kind, node)
  if (!entries) {
    collector.misses()
    const expected = isNamedOpenly(kind) ? `a name or a mapping of ${kind.name}` : `a mapping of ${kind.name}`
    if (node.is !== 'scalar' || node.from !== 'unresolved') {
      scope.report(
        wrongType(
          placeOf(node.range),
          `${text.kind.name}.${field}`,
          expected,
          isNamedOpenly(kind) ? wordsFor(node) : formWords(node),
        ),
      )
    }
    return
  }
  const written = node.is === 'map' ? valueAt(node, 'metadata') : undefined
  if (written) collector.lacks(lacksIn(written))
  const own = readMetadata(kind, written, 'inline', node.range, scope.report)
  const isOpen = own.extraFields === undefined && scope.extraFields === 'pass'
  const metadata = isOpen ? { ...own, extraFields: scope.extraFields } : own
  const isMeant = metadata.extraFields !== 'pass' && isMistypedField(kind, kind.naming ?? '', entries)
  if (isNamedOpenly(kind) && !isMeant && !entries.some((entry) => entry.key === kind.naming)) {
    scope.report(missingName(placeOf(node.range), kind.name, kind.naming ?? 'name'))
  }
  children.push({ kind, form: 'inline', metadata, entries, range: node.range })
}

/** The fields of an inline child; a single text is its name. */
function childEntries(kind: Kind, node: Node): readonly Entry[] | undefined {
  if (node.is === 'map') {
    const isMetadata = (entry: Entry) => entry.key === 'metadata'
    return node.entries.some(isMetadata) ? node.entries.filter((entry) => !isMetadata(entry)) : node.entries
  }
  if (node.is !== 'scalar' || typeof node.value !== 'string' || node.from === 'unresolved') return undefined
  return kind.naming !== undefined && isNamedOpenly(kind)
    ? [{ key: kind.naming, range: node.range, value: node }]
    : undefined
}
