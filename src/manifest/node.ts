import type { Json } from '../catalog/types.js'
import type { Mark } from './source.js'

/** YAML as manifests use it: aliases and merge keys are expanded, and every value knows where it stands. */

export type Node = MapNode | ListNode | ScalarNode

export interface MapNode {
  readonly is: 'map'
  readonly entries: readonly Entry[]
  readonly mark: Mark
}

/** One pair of a mapping; `mark` is that of the key. */
export interface Entry {
  readonly key: string
  readonly mark: Mark
  readonly value: Node
}

export interface ListNode {
  readonly is: 'list'
  readonly items: readonly Node[]
  readonly mark: Mark
}

export interface ScalarNode {
  readonly is: 'scalar'
  readonly value: string | number | boolean | null
  /** Where the value comes from: as written, from a placeholder, or from one that could not be resolved. */
  readonly from: 'text' | 'placeholder' | 'unresolved'
  readonly mark: Mark
}

/** The value of that key, or undefined. */
export const valueAt = (map: MapNode, key: string): Node | undefined =>
  map.entries.find((entry) => entry.key === key)?.value

export const isNull = (node: Node | undefined): boolean => node?.is === 'scalar' && node.value === null

/** What is written, in a few words for a message: `a list`, `the number 5`, `"text"`. */
export function wordsFor(node: Node): string {
  if (node.is === 'map') return 'a mapping'
  if (node.is === 'list') return 'a list'
  // A resolved value may be a secret: it is never shown.
  if (node.from !== 'text') return 'a placeholder with another value'
  if (node.value === null) return 'nothing'
  if (typeof node.value === 'string') return `"${shortened(node.value)}"`
  return typeof node.value === 'number' ? `the number ${node.value}` : String(node.value)
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 37)}…` : text)

/** The value without its positions. */
export function plain(node: Node): Json {
  switch (node.is) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(plain)
    case 'map':
      return Object.fromEntries(node.entries.map((entry) => [entry.key, plain(entry.value)]))
  }
}
