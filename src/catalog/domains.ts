/** Whether a text can be a host name, with or without a port. */
export const isHostName = (text: string): boolean => /^(?:\[[\da-f:.]+\]|[^/?#{}@\s:[\]]+)(?::\d+)?$/i.test(text)

/** The host name in a URL or another longer address, without a login; undefined if there is none. */
export function hostIn(address: string): string | undefined {
  const [, host = ''] = /^\s*(?:(?:[a-z][a-z0-9+.-]*:)?\/\/)?(?:[^/?#]*@)?([^/?#\s]*)/i.exec(address) ?? []
  return isHostName(host) ? host : undefined
}

/** "a.b.c:443" gives "a.b.c", "b.c" and "c". */
export function suffixesOf(host: string): readonly string[] {
  const labels = host.toLowerCase().replace(/:\d+$/, '').split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/** Whether a host name is equal to one of the domains, or ends in "." and one of them (A32). */
export function coveredBy(domains: Iterable<string>): (host: string) => boolean {
  const known = new Set([...domains].map((domain) => domain.toLowerCase()))
  return (host) => suffixesOf(host).some((suffix) => known.has(suffix))
}
