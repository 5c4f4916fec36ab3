/**
 * The URL of an area is parsed only here, for requests and for the names of locks and records. If one URL had two spellings,
 * there would be two locks, and two runs could write at the same time (A90).
 */

/** Why a text is no base URL: the parts that it must not have, and the URL without them, if it is a URL. */
interface UrlFault {
  readonly holds: readonly string[]
  readonly right: string | undefined
}

/** The document's {base_url} in canonical form, without a slash at the end; or the reason why the text is no base URL. */
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
 * The URL, or undefined. It does not use `URL.canParse`, because that of Node 20 rejects every name with an umlaut once it is
 * compiled.
 */
export function urlIn(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** A part of a URL with the characters that its % escapes stand for; as it is if one of them stands for none. */
export function unescapedUrl(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const interfacePath = /\/v3(\/(rest|token)(\/.*)?)?$/

/**
 * The name of an area for locks, records and guard rails: the base URL, with one canonical name for this machine and for each
 * IPv4 address, and without escapes of characters that need none (RFC 3986, 6.2.2.2).
 */
export function areaUrl(text: string): string {
  const read = baseUrl(text)
  if ('fault' in read) return text
  const url = new URL(read.url)
  url.hostname = ipv4Of(url.hostname) ?? url.hostname.replace(/\.$/, '')
  if (url.hostname === 'localhost' || url.hostname === '[::1]') url.hostname = '127.0.0.1'
  url.pathname = url.pathname.replaceAll(/%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi, decodeURIComponent)
  return url.href.replace(/\/+$/, '')
}

/** The IPv4 address in an IPv6 address as a URL contains it, such as 127.0.0.1 for `::ffff:127.0.0.1`. */
function ipv4Of(hostname: string): string | undefined {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? []
  if (high === undefined || low === undefined) return undefined
  return [high, low]
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join('.')
}

/** The name of a customer area for records. The case of a UUID makes no difference. */
export const areaName = (area: string): string =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(area) ? area.toLowerCase() : area
