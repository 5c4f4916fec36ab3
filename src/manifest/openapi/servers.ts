import { isHostName } from '../../catalog/domains.js'
import { pointerTo } from '../../json/pointer.js'
import { badServer, brokenOpenApi, serverVariable } from '../../problems/openapi.js'
import type { ReportProblem } from '../../problems/problem.js'
import { displayedText, type MapNode, type Node, nodeAt, valueAt } from '../node.js'
import { hide, type LocatedText, placeOf } from '../source.js'

/** The hosts and paths of the back end, each once. A url that is only a path gives no host. */
export interface Servers {
  readonly hosts: readonly LocatedText[]
  /** Without a slash at the end; '' if the servers give none. */
  readonly paths: readonly LocatedText[]
}

export const noServers: Servers = { hosts: [], paths: [] }

/** Reads the list `servers` of OpenAPI 3. */
export function readServers(node: Node, report: ReportProblem): Servers {
  if (node.is !== 'list') {
    report(brokenOpenApi(placeOf(node.range), 'servers is no list', 'write servers: [{url: https://HOST/PATH}]'))
    return noServers
  }
  const urls = node.items.flatMap((item) => (item.is === 'map' ? (readUrl(item, report) ?? []) : noUrl(item, report)))
  return {
    hosts: distinctTexts(urls.flatMap(({ host }) => host ?? [])),
    paths: distinctTexts(urls.map(({ path }) => path)),
  }
}

function noUrl({ range }: Node, report: ReportProblem): readonly [] {
  report(brokenOpenApi(placeOf(range), 'a server is a mapping with a url', 'write - url: https://HOST/PATH'))
  return []
}

/** Reads `host` and `basePath` of an OpenAPI 2 file. */
export function readHost(root: MapNode, report: ReportProblem): Servers {
  const text = (key: string): LocatedText | undefined => {
    const node = valueAt(root, key)
    if (!node) return undefined
    if (node.is === 'scalar' && typeof node.value === 'string') return { text: node.value, range: node.range }
    report(brokenOpenApi(placeOf(node.range), `${key} is no text`, 'put it in quotes'))
    return undefined
  }
  const host = text('host')
  const path = text('basePath')
  if (host && !isHostName(host.text)) report(badServer(placeOf(host.range), wordsForAddress(host, host.text)))
  return {
    hosts: host && isHostName(host.text) ? [host] : [],
    paths: path ? [{ ...path, text: withoutEnd(path.text) }] : [],
  }
}

/** The text before an "@" may be a login, which no message may show. */
function wordsForAddress({ text, range }: LocatedText, displayed: string): string {
  if (!text.includes('@')) return `"${displayed}"`
  hide(range)
  return 'an address with a login'
}

const withoutEnd = (path: string): string => path.replace(/\/+$/, '')

interface Url {
  readonly host: LocatedText | undefined
  readonly path: LocatedText
}

function readUrl(server: MapNode, report: ReportProblem): Url | undefined {
  const node = valueAt(server, 'url')
  if (node?.is !== 'scalar' || typeof node.value !== 'string') {
    noUrl(node ?? server, report)
    return undefined
  }
  const { range } = node
  const text = withDefaults(node.value, server, (name) => report(serverVariable(placeOf(range), name)))
  if (text === undefined) return undefined
  const [, , host, path = ''] = /^([a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)([^?#]*)$/i.exec(text) ?? []
  if (host !== undefined && isHostName(host))
    return { host: { text: host, range }, path: { text: withoutEnd(path), range } }
  if (host === undefined && /^\/[^?#]*$/.test(text)) return { host: undefined, path: { text: withoutEnd(text), range } }
  report(badServer(placeOf(range), wordsForAddress({ text, range }, displayedText(node))))
  return undefined
}

function withDefaults(url: string, server: MapNode, lacking: (name: string) => void): string | undefined {
  let isWhole = true
  const text = url.replaceAll(/\{([^{}]*)\}/g, (written, name: string) => {
    const fallback = nodeAt(server, pointerTo('variables', name, 'default'))
    if (fallback?.is === 'scalar' && fallback.value !== null) return String(fallback.value)
    isWhole = false
    lacking(name)
    return written
  })
  return isWhole ? text : undefined
}

function distinctTexts(texts: readonly LocatedText[]): readonly LocatedText[] {
  return [...new Map([...texts].reverse().map((each) => [each.text, each])).values()].reverse()
}
