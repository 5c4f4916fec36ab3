import { Document, isMap, isPair, isScalar, isSeq, visit } from 'yaml'
import type { JsonObject } from '../../src/json/json.js'

/**
 * A value as YAML in a random layout: blocks, brackets, quotes, comments, line ends, byte order mark. `next` gives numbers below
 * ten.
 */
export function laidOut(value: JsonObject, next: () => number): string {
  const document = new Document(value)
  visit(document, (_, node) => {
    if ((isMap(node) || isSeq(node)) && next() < 2) node.flow = true
    if (isScalar(node) && typeof node.value === 'string' && next() < 2) node.type = 'QUOTE_DOUBLE'
    if (isPair(node) && isScalar(node.key) && next() < 2) node.key.commentBefore = ` about ${next()}`
    if (isScalar(node) && next() < 1 && !String(node.value).includes('\n')) node.comment = ` behind ${next()}`
  })
  const text = (next() < 3 ? '\uFEFF' : '') + document.toString({ lineWidth: next() < 5 ? 0 : 40 })
  return next() < 5 ? text : text.replaceAll('\n', '\r\n')
}
