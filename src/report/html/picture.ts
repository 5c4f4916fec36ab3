import { graphlib, layout } from '@dagrejs/dagre'
import stringWidth from 'fast-string-width'
import type { ChangeDocument } from '../../documents/plan.js'
import { groupBy } from '../../json/groups.js'
import { by } from '../../json/order.js'
import { printable } from '../../json/printable.js'
import { counted } from '../../problems/suggest.js'
import { rootAddress } from '../plan-words.js'
import { type Content, html, type Markup, raw } from './markup.js'

/** If there are more objects, only root objects are drawn; if there are too many of these, nothing is drawn. */
const mostObjects = 40
const mostRoots = 200

interface PictureNode {
  readonly id: string
  readonly title: string
  readonly words: string
  readonly tone: string
}

interface Edge {
  readonly from: string
  readonly to: string
}

/**
 * The changes and their dependencies as a picture. The dependencies of children on their parents are left out. If there are too
 * many objects, only root objects are drawn. Nothing is drawn if there are no dependencies or still too many objects.
 */
export function picture(changes: readonly ChangeDocument[]): Content {
  const each = edgesOf(changes, (address) => address)
  const isSmall = nodesOf(each).length <= mostObjects
  const edges = isSmall ? each : edgesOf(changes, rootAddress)
  const nodes = nodesOf(edges).map(isSmall ? objectNode(changes) : rootNode(changes))
  if (edges.length === 0 || nodes.length > mostRoots) return undefined
  const { drawing, width, height } = draw(nodes, edges)
  return html`<details${isSmall && raw(' open')}><summary>What needs what</summary><figure><div class="wide" role="region" aria-label="Picture of the changes" tabindex="0">
<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true"><defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
${drawing}</svg></div><figcaption>An arrow leads from what is done first to what needs it.</figcaption></figure></details>`
}

/** The dependencies between objects, or between their root objects. */
function edgesOf(changes: readonly ChangeDocument[], standIn: (address: string) => string): readonly Edge[] {
  const edges = new Map<string, Edge>()
  for (const { address, dependsOn } of changes) {
    for (const needed of dependsOn) {
      const edge = { from: standIn(needed), to: standIn(address) }
      if (isInside(edge.to, edge.from) || isInside(edge.from, edge.to)) continue
      edges.set(`${edge.from}\n${edge.to}`, edge)
    }
  }
  return [...edges].sort(by(([key]) => key)).map(([, edge]) => edge)
}

const isInside = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`)

const nodesOf = (edges: readonly Edge[]): readonly string[] =>
  [...new Set(edges.flatMap(({ from, to }) => [from, to]))].sort()

function objectNode(changes: readonly ChangeDocument[]): (address: string) => PictureNode {
  const changed = new Map(changes.map((change) => [change.address, change]))
  return (address) => {
    const change = changed.get(address)
    const kind = change?.kind ?? address.split('/').at(-2) ?? ''
    const words = change ? `${change.action} ${kind}` : kind
    return { id: address, title: lastNames(address), words, tone: change?.action ?? '' }
  }
}

function rootNode(changes: readonly ChangeDocument[]): (address: string) => PictureNode {
  const all = groupBy(changes, ({ address }) => rootAddress(address))
  return (address) => {
    const own = all.get(address) ?? []
    const [action = '', ...others] = new Set(own.map((change) => change.action))
    const words = `${address.split('/')[0] ?? ''}, ${counted(own.length, 'change')}`
    return { id: address, title: lastNames(address), words, tone: others.length === 0 ? action : '' }
  }
}

/** The last two names in an address: an object's name alone may occur under many parents. */
function lastNames(address: string): string {
  const names = address.split('/').filter((_, index) => index % 2 === 1)
  return names.slice(-2).map(decoded).map(printable).map(short).join(' › ')
}

const decoded = (name: string): string => name.replaceAll('%2F', '/').replaceAll('%25', '%')

const short = (text: string): string => {
  const characters = [...text]
  return characters.length > 22 ? `${characters.slice(0, 21).join('')}…` : text
}

/** The width of one character in points, for the fonts of the style. */
const wide = { title: 7.3, words: 6.1 }

interface Drawing {
  readonly drawing: Content
  readonly width: number
  readonly height: number
}

function draw(nodes: readonly PictureNode[], edges: readonly Edge[]): Drawing {
  const graph = new graphlib.Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 12, ranksep: 46, marginx: 12, marginy: 12 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, title, words } of nodes) {
    const width = Math.max(stringWidth(title) * wide.title, stringWidth(words) * wide.words) + 20
    graph.setNode(id, { width, height: 40 })
  }
  for (const { from, to } of edges) graph.setEdge(from, to)
  layout(graph)
  const boxes = nodes.map((node) => box(node, graph.node(node.id)))
  const lines = [...graph.edges()].sort(by(({ v, w }) => `${v}\n${w}`)).map((edge) => line(graph.edge(edge).points))
  const { width = 0, height = 0 } = graph.graph()
  return { drawing: [lines, boxes], width: Math.ceil(width), height: Math.ceil(height) }
}

interface Point {
  readonly x: number
  readonly y: number
}

function box(
  { title, words, tone }: PictureNode,
  at: Point & { readonly width: number; readonly height: number },
): Markup {
  const [x, y] = [rounded(at.x - at.width / 2), rounded(at.y - at.height / 2)]
  return html`<g class="${tone}"><rect x="${x}" y="${y}" width="${rounded(at.width)}" height="${at.height}" rx="6"/><text x="${x + 10}" y="${y + 17}">${title}</text><text class="kind" x="${x + 10}" y="${y + 32}">${words}</text></g>
`
}

const line = (points: readonly Point[]): Markup =>
  html`<path marker-end="url(#tip)" d="${points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`).join('')}"/>
`

const rounded = (value: number): number => Math.round(value)
