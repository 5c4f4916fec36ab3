import type { Ports } from '../ports/ports.js'

/**
 * Whether GATEWRIGHT_HOSTS names the host of a URL. It is a comma-separated list of `host[:port]`, in which `*.` means any
 * beginning. An entry without a port, or with the port `*`, means every port. An address in a file of the project does not permit
 * its host (A152).
 */
export function isNamedHost(url: string, { env }: Pick<Ports, 'env'>): boolean {
  const { hostname, port, protocol } = new URL(url)
  const name = withoutDot(hostname)
  const entries = (env.GATEWRIGHT_HOSTS ?? '').split(',').flatMap((text) => entryIn(text.trim()) ?? [])
  return entries.some(
    (entry) =>
      (entry.port === undefined || entry.port === (port || usualPorts[protocol])) &&
      (entry.name.startsWith('*.') ? name.endsWith(entry.name.slice(1)) : name === entry.name),
  )
}

const usualPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'postgres:': '5432' }

/** One entry, with its name as in URLs: in lower case and ASCII. A URL means its host. */
function entryIn(text: string): { readonly name: string; readonly port: string | undefined } | undefined {
  const [, host = '', port] = /^(?:[a-z]+:\/\/)?(\[[^\]]*\]|[^/:@[\]]+)(?::(\d+|\*))?(?:\/.*)?$/i.exec(text) ?? []
  try {
    return { name: withoutDot(new URL(`http://${host}`).hostname), port: port === '*' ? undefined : port }
  } catch {
    return undefined
  }
}

const withoutDot = (hostname: string): string => hostname.replace(/\.$/, '').toLowerCase()
