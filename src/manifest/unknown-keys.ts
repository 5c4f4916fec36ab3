import { documentKeys } from '../catalog/metadata-keys.js'
import { misplacedField, unknownDocumentKey, unknownField, unknownMetadata } from '../problems/manifests.js'
import type { ReportProblem } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import { keyWords, type MapNode, type Node } from './node.js'
import { placeOf } from './source.js'

/**
 * Reports an error for every unknown key of a mapping; `owner`: the mapping in words; `belongs`: where a key belongs, as the end
 * of "write it in", if anywhere.
 */
export function reportUnknownKeys(
  map: MapNode,
  owner: string,
  known: readonly string[],
  report: ReportProblem,
  belongs: (key: string) => string | undefined = () => undefined,
): void {
  for (const { key, range } of map.entries) {
    if (known.includes(key)) continue
    const place = belongs(key)
    report(
      place === undefined
        ? unknownField(placeOf(range), owner, keyWords(key), nearest(key, known), known)
        : misplacedField(placeOf(range), owner, keyWords(key), place),
    )
  }
}

/** The same for the keys of a whole document; `belongs`: where a key belongs, if anywhere. */
export function reportUnknownDocumentKeys(
  root: MapNode,
  report: ReportProblem,
  belongs: (key: string) => 'metadata' | 'spec' | undefined = () => undefined,
): void {
  for (const { key, range } of root.entries) {
    if (!documentKeys.includes(key)) {
      report(unknownDocumentKey(placeOf(range), keyWords(key), nearest(key, documentKeys), belongs(key)))
    }
  }
}

/** The same for the keys of `metadata`, which may be missing or not a mapping. */
export function reportUnknownMetadata(node: Node | undefined, known: readonly string[], report: ReportProblem): void {
  for (const { key, range } of node?.is === 'map' ? node.entries : []) {
    if (!known.includes(key)) report(unknownMetadata(placeOf(range), keyWords(key), nearest(key, known), known))
  }
}
