import { isMap, isScalar, isSeq } from 'yaml'
import type { Json } from '../../json/json.js'
import { inLinesOf, spliced } from './splice.js'
import { TextEditor } from './text-editor.js'
import { insideStyle, locationsIn, pairOf } from './yaml-locations.js'

/**
 * A text in which some entries of a list are removed, by their positions, and others are added at its end; everything else keeps
 * its bytes. The list is the value of a key of the first document, which may be empty; undefined if the key is missing or has
 * another value, or if the result would not be valid.
 */
export function editList(
  text: string,
  key: string,
  removed: ReadonlySet<number>,
  added: readonly Json[],
): string | undefined {
  const root = locationsIn(text).documents[0]?.contents
  const pair = isMap(root) ? pairOf(root, key) : undefined
  if (!isMap(root) || !pair) return undefined
  const editor = new TextEditor(text)
  const style = insideStyle('block', root)
  if (isSeq(pair.value)) editor.changeList(pair.value, pair, style, removed, added)
  else if (isScalar(pair.value) && pair.value.value === null) editor.replaceValue(pair, style, [...added])
  else return undefined
  const edited = spliced(text, inLinesOf(text, editor.finish()))
  // An alias may have lost the entry that has its anchor.
  return locationsIn(edited).documents.every(({ errors }) => errors.length === 0) ? edited : undefined
}
