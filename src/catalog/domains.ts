/** "a.b.c:443" gives "a.b.c", "b.c" and "c". */
export function suffixesOf(host: string): readonly string[] {
  const labels = host.toLowerCase().replace(/:\d+$/, '').split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/** Whether a host name equals one of some domains or ends in "." and one (A32). */
export function coveredBy(domains: Iterable<string>): (host: string) => boolean {
  const known = new Set([...domains].map((domain) => domain.toLowerCase()))
  return (host) => suffixesOf(host).some((suffix) => known.has(suffix))
}
