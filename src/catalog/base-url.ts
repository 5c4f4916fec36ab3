/**
 * The address of an area, read in one place: what requests are sent to, and what locks and records know the area by. Two
 * spellings of one address would be two locks, and two runs at once (A90).
 */

/** Why a text is no base URL: what it must not hold, and what it is without that, if it is a URL at all. */
export interface UrlFault {
  readonly holds: readonly string[]
  readonly right: string | undefined
}

/** The document's {base_url} in one spelling, without a slash at its end; or why the text is none. */
export function baseUrl(text: string): { readonly url: string } | { readonly fault: UrlFault } {
  const parsed = urlIn(text)
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) return { fault: { holds: [], right: undefined } }
  const path = parsed.pathname.replace(/\/+$/, '')
  const base = path.replace(interfacePath, '')
  const holds = [
    ...(parsed.username || parsed.password ? ['a login'] : []),
    ...(text.includes('?') ? ['a query'] : []),
    ...(text.includes('#') ? ['a fragment'] : []),
    ...(base === path ? [] : [`the path ${path.slice(base.length)} of the interface`]),
  ]
  const url = parsed.origin + base
  return holds.length === 0 ? { url } : { fault: { holds, right: url } }
}

/**
 * Undefined where a text is no URL. Not by `URL.canParse`: once it is compiled, that of Node 20 says no to every name with an
 * umlaut.
 */
export function urlIn(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

const interfacePath = /\/v3(\/(rest|token)(\/.*)?)?$/

/** What locks and records know an area by: the base URL, in which this machine and an IPv4 address have one name each. */
export function areaUrl(text: string): string {
  const read = baseUrl(text)
  if ('fault' in read) return text
  const url = new URL(read.url)
  url.hostname = ipv4Of(url.hostname) ?? url.hostname.replace(/\.$/, '')
  if (url.hostname === 'localhost' || url.hostname === '[::1]') url.hostname = '127.0.0.1'
  return url.href.replace(/\/+$/, '')
}

/** The IPv4 address that an IPv6 one stands for, such as 127.0.0.1 for `::ffff:127.0.0.1`, as a URL writes it. */
function ipv4Of(hostname: string): string | undefined {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? []
  if (high === undefined || low === undefined) return undefined
  return [high, low]
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join('.')
}

/** A customer area as records know it: the case of a UUID says nothing. */
export const areaName = (area: string): string =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(area) ? area.toLowerCase() : area
