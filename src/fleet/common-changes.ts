import { escapeName, parseAddress, unescapeName } from '../catalog/address.js'
import type { AreaDocument, AreaResult, CommonChange, SameChanges } from '../documents/fleet.js'
import type { RunDocument } from '../documents/run.js'
import { digest } from '../json/digest.js'
import { groupBy } from '../json/groups.js'
import { isObject, type Json, parseJson, textsIn } from '../json/json.js'
import { canonicalText } from '../json/order.js'
import { anyWordOf } from '../json/word-pattern.js'
import type { OwnNames } from './own-names.js'

/** The digest of the changes of a plan or drift (`AreaResult.changes`). Null without changes, and for a run. */
export function changesDigest(document: AreaDocument, area: OwnNames): string | null {
  const changes = commonChanges(document, area)
  return changes.length === 0 ? null : digest(canonicalText(asJson(changes), 'as written'))
}

/**
 * The parts of the changes that other areas may have too: without ids, positions and editors, and with placeholders for the
 * area's own names.
 */
function commonChanges(document: AreaDocument, area: OwnNames): readonly CommonChange[] {
  if (document.format === 'gatewright.run/1') return []
  const common = document.changes.map(
    ({ address, kind, action, wants, side, fields }): CommonChange => ({
      ...{ address, kind, action },
      ...(wants !== undefined && { wants }),
      ...(side !== undefined && { side }),
      fields: fields.map(({ path, before, after, sensitive, verdict }) => ({
        path,
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
        sensitive,
        verdict,
      })),
    }),
  )
  return withoutOwnNames([...common, ...extrasIn(document)], area)
}

/** Only for drift: children that are missing in the written list of their parent. Apply leaves them, and drift reports them. */
function extrasIn({ format, unmanaged, accepted, base }: Exclude<AreaDocument, RunDocument>): readonly CommonChange[] {
  if (format !== 'gatewright.drift/1') return []
  const known = new Set(accepted.flatMap(({ address, object }) => (object === 'created' ? [address] : [])))
  const added = base === null ? 'unknown' : 'live'
  return unmanaged.flatMap(({ address, inList, applied }) =>
    inList && !known.has(address)
      ? [
          {
            address,
            kind: parseAddress(address)?.kind ?? '',
            action: 'unmanaged',
            side: applied ? 'manifest' : added,
            fields: [],
          },
        ]
      : [],
  )
}

/** Groups of areas with the same changes, the largest group first. `ownNames`: the own names of an area, by its name. */
export function sameChanges(
  results: readonly AreaResult[],
  ownNames: (area: string) => OwnNames | undefined,
): readonly SameChanges[] {
  const found = results.filter(({ changes }) => changes !== null)
  return [...groupBy(found, ({ changes }) => changes ?? '')]
    .flatMap(([same, [first, ...others]]) => {
      const own = first && ownNames(first.area)
      if (!first?.document || !own) return []
      const names = [first, ...others].map((each) => each.area)
      return [{ digest: same, areas: names, changes: commonChanges(first.document, own) }]
    })
    .sort((left, right) => right.areas.length - left.areas.length)
}

/** A single letter has too many other meanings; names of regions have two letters. */
const shortest = 2

/** The changes with placeholders for the area's name, identifier and values, if these are whole words in a text. */
function withoutOwnNames(changes: readonly CommonChange[], { name, area, values }: OwnNames): readonly CommonChange[] {
  const own = new Map<string, string>()
  const add = (text: string, placeholder: string): void => {
    if (text.length >= shortest && !own.has(text)) own.set(text, placeholder)
  }
  for (const [value, written] of Object.entries(values)) {
    for (const text of textsIn(written)) add(text, `\${value:${value}}`)
  }
  add(area ?? '', '${area}')
  add(name, '${name}')
  if (own.size === 0) return changes
  const longestFirst = [...own.keys()].sort((left, right) => right.length - left.length)
  const pattern = anyWordOf(longestFirst)
  const replaced = (text: string) => text.replaceAll(pattern, (found) => own.get(found) ?? found)
  return changes.map((change) => ({
    ...change,
    address: change.address
      .split('/')
      .map((part) => escapeName(replaced(unescapeName(part))))
      .join('/'),
    fields: change.fields.map(({ before, after, ...field }) => ({
      ...field,
      ...(before !== undefined && { before: inTexts(before, replaced) }),
      ...(after !== undefined && { after: inTexts(after, replaced) }),
    })),
  }))
}

/** A value in which every text is replaced. */
function inTexts(value: Json, replaced: (text: string) => string): Json {
  if (typeof value === 'string') return replaced(value)
  if (Array.isArray(value)) return value.map((each) => inTexts(each, replaced))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inTexts(inner, replaced)]))
}

const asJson = (value: unknown): Json => parseJson(JSON.stringify(value)) ?? null
