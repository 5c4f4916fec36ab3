import type { DiffDocument } from '../../documents/diff.js'
import { groupBy } from '../../json/groups.js'
import {
  asChange,
  diffSummary,
  insideText,
  layerWords,
  limitedText,
  marks,
  sideOf,
  sideText,
  sideWords,
  type Topmost,
  topmost,
} from '../diff.js'
import { rootAddress } from '../plan-words.js'
import { html } from './markup.js'
import { entryList, fieldRow, type PageItem, page, table } from './page.js'

/** A comparison of two sides as an HTML page. Differences that a layer causes come first, each layer once. */
export function diffHtml(diff: DiffDocument): string {
  const layers = (diff.layers ?? []).map((layer) => {
    const { words, effect } = layerWords(layer)
    const side = sideOf(layer)
    return html`<li class="${tones[side]}"><code class="does">${marks[side]} ${words}</code> <span class="soft">${effect}</span></li>`
  })
  const groups = [...groupBy(topmost(diff.differences), ({ difference }) => rootAddress(difference.address))]
  return page({
    title: `Diff of ${diff.a} and ${diff.b}: ${diffSummary(diff)}`,
    facts: [
      ['a', sideText('a', diff)],
      ['b', sideText('b', diff)],
    ],
    body: [
      layers.length > 0 && html`<h2>Layers</h2><ul>${layers}</ul>`,
      (groups.length > 0 || layers.length === 0) &&
        entryList(
          'Objects',
          groups.map(([root, found]) => ({ root, entries: found.map(differenceItem) })),
          'Both are the same.',
        ),
    ],
  })
}

const tones = { a: 'delete', b: 'create', both: 'update' } as const

function differenceItem({ difference, inside }: Topmost): PageItem {
  const { address, addressInB, in: where, kind, fields, limited } = difference
  return {
    address,
    tone: tones[where],
    does: `${sideWords[where]}${insideText(inside)}`,
    badges: addressInB === undefined ? [] : [`in b: ${addressInB}`],
    place: limited && limitedText(limited),
    body:
      fields.length === 0 ? undefined : table(['Field', 'a', 'b'], fields.map(asChange).map(fieldRow('(not written)'))),
    isOpen: true,
    facets: { side: [sideWords[where]], kind: [kind] },
  }
}
