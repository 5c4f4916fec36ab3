import { isMap, isScalar, isSeq } from 'yaml'
import type { Json } from '../../json/json.js'
import { inLinesOf, spliced } from './splice.js'
import { TextEditor } from './text-editor.js'
import { insideStyle, locationsIn, pairOf } from './yaml-locations.js'

/**
 * A text with entries of a list taken out, by their numbers, and others put behind them; everything else keeps its bytes. The
 * list is the value of a key of the first document, or nothing stands there; undefined where there is none.
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
  // What repeats an entry by its anchor may have lost it.
  return locationsIn(edited).documents.every(({ errors }) => errors.length === 0) ? edited : undefined
}
