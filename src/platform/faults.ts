/**
 * Faults on demand, for clients that must survive them. A rule is `KIND[:TARGET][:COUNT]`:
 *
 * - KIND: `reset-before` (the connection drops, nothing was done) · `reset-after` (it was done, then the connection drops) ·
 *   `status-503` (any status from 400, nothing was done) · `truncate` (the answer ends in its middle) · `html` (a page instead
 *   of JSON, nothing was done) · `slow-5000` (answers that many milliseconds later) · `expire-token` (all access tokens
 *   expire) · `over-qps` · `over-rate`
 * - TARGET: a method, a path below /v3/rest, or both: `POST`, `/services`, `POST /services/{serviceId}/endpoints`. A step in
 *   braces or `*` stands for any one step, a closing `/**` for everything below. Without a target: every call of the interface.
 *   `/v3/token` is the token endpoint.
 * - COUNT: `2` the first two such calls · `#2` only the second · `%2` every second. Without it: all of them.
 */
export type FaultKind =
  | { readonly is: 'reset-before' | 'reset-after' | 'truncate' | 'html' | 'expire-token' | 'over-qps' | 'over-rate' }
  | { readonly is: 'status'; readonly status: number }
  | { readonly is: 'slow'; readonly milliseconds: number }

interface FaultRule {
  readonly kind: FaultKind
  readonly matches: (method: string, path: string) => boolean
  readonly counts: (seen: number) => boolean
}

/** Tells for each call which faults it meets. */
export interface Faults {
  /** `path` as requested, without the part up to /v3/rest. */
  readonly meet: (method: string, path: string) => readonly FaultKind[]
}

/** Reads the rules; throws a RangeError that names one that is none. */
export function makeFaults(specs: readonly string[]): Faults {
  const rules = specs.map((spec) => ({ rule: parseRule(spec), seen: 0 }))
  return {
    meet: (method, path) =>
      rules.flatMap((each) => {
        if (!each.rule.matches(method, path)) return []
        each.seen += 1
        return each.rule.counts(each.seen) ? [each.rule.kind] : []
      }),
  }
}

const plainKinds = ['reset-before', 'reset-after', 'truncate', 'html', 'expire-token', 'over-qps', 'over-rate'] as const

function parseRule(spec: string): FaultRule {
  const [kindText = '', ...rest] = spec.split(':')
  const kind = parseKind(kindText)
  const count = rest.length > 0 && /^[#%]?\d+$/.test(rest.at(-1) ?? '') ? rest.pop() : undefined
  const matches = rest.length > 1 ? undefined : parseTarget(rest[0] ?? '')
  if (!kind || !matches) {
    const kinds = [...plainKinds, 'status-503', 'slow-5000'].join(', ')
    throw new RangeError(`'${spec}' is not a fault: KIND[:METHOD /path][:COUNT], with a KIND of ${kinds}`)
  }
  return { kind, matches, counts: parseCount(count) }
}

function parseKind(text: string): FaultKind | undefined {
  const plain = plainKinds.find((each) => each === text)
  if (plain) return { is: plain }
  const [, status] = /^status-([45]\d\d)$/.exec(text) ?? []
  if (status !== undefined) return { is: 'status', status: Number(status) }
  const [, milliseconds] = /^slow-(\d+)$/.exec(text) ?? []
  return milliseconds === undefined ? undefined : { is: 'slow', milliseconds: Number(milliseconds) }
}

function parseTarget(text: string): FaultRule['matches'] | undefined {
  const [, method = '', pattern = ''] = /^([A-Z]*) *(\/\S*)?$/.exec(text.trim()) ?? [undefined, undefined, undefined]
  if (text.trim() !== '' && method === '' && pattern === '') return undefined
  const path = pattern === '' ? undefined : patternOf(pattern)
  return (givenMethod, givenPath) =>
    (method === '' || method === givenMethod) && (path ? path.test(givenPath) : givenPath !== '/v3/token')
}

function patternOf(pattern: string): RegExp {
  const isOpen = pattern.endsWith('/**')
  const steps = (isOpen ? pattern.slice(0, -3) : pattern).split('/').map((step) => {
    const isAny = step === '*' || /^\{\w+\}$/.test(step)
    return isAny ? '[^/]+' : step.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${steps.join('/')}${isOpen ? '(/.*)?' : ''}$`)
}

function parseCount(text: string | undefined): FaultRule['counts'] {
  if (text === undefined) return () => true
  const number = Number(text.replace(/^[#%]/, ''))
  if (text.startsWith('#')) return (seen) => seen === number
  if (text.startsWith('%')) return (seen) => seen % number === 0
  return (seen) => seen <= number
}
