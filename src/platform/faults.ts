import { literalPattern } from '../json/word-pattern.js'
import { concerns, type FaultKind, kindForms, parseKind } from './fault-kinds.js'

/**
 * A fault rule. Rules produce faults on demand, for tests of clients. The syntax is `KIND[:TARGET][:COUNT]`:
 *
 * - KIND: what happens, see docs/reference/platform.md.
 * - TARGET: a method, a path below /v3/rest, or both: `POST`, `/services`, `POST /services/{serviceId}/endpoints`. A step in
 *   braces or `*` matches any one step, a final `/**` matches everything below. Without a target, the rule is for every call of
 *   the interface to which the kind applies. `/v3/token` is the token endpoint.
 * - COUNT: `2` means the first two such calls, `#2` only the second, `%2` every second. Without a count: all of them.
 */
interface FaultRule {
  readonly kind: FaultKind
  readonly matches: (method: string, path: string) => boolean
  readonly counts: (seen: number) => boolean
}

/** Returns the faults for each call. */
export interface Faults {
  /** `path` is the requested path, without the part up to /v3/rest. */
  readonly meet: (method: string, path: string) => readonly FaultKind[]
  /** The kinds of all rules. */
  readonly kinds: readonly FaultKind[]
}

/** Parses the rules. Throws a RangeError that names an invalid one. */
export function makeFaults(specs: readonly string[]): Faults {
  const rules = specs.map((spec) => ({ rule: parseRule(spec), seen: 0 }))
  return {
    meet: (method, path) =>
      rules.flatMap((each) => {
        if (!concerns(each.rule.kind, method) || !each.rule.matches(method, path)) return []
        each.seen += 1
        return each.rule.counts(each.seen) ? [each.rule.kind] : []
      }),
    kinds: rules.map(({ rule }) => rule.kind),
  }
}

function parseRule(spec: string): FaultRule {
  const [kindText = '', ...rest] = spec.split(':')
  const kind = parseKind(kindText)
  const count = rest.length > 0 && /^[#%]?\d+$/.test(rest.at(-1) ?? '') ? rest.pop() : undefined
  const matches = rest.length > 1 ? undefined : parseTarget(rest[0] ?? '')
  if (!kind || !matches) {
    throw new RangeError(
      `'${spec}' is not a fault: KIND[:TARGET][:COUNT], a TARGET being a method, a path or both, with a KIND of ${kindForms}`,
    )
  }
  return { kind, matches, counts: parseCount(count) }
}

function parseTarget(text: string): FaultRule['matches'] | undefined {
  const found = /^(GET|HEAD|POST|PUT|DELETE)? *(\/\S*)?$/.exec(text.trim())
  if (!found) return undefined
  const [, method = '', pattern = ''] = found
  const path = pattern === '' ? undefined : patternOf(pattern)
  return (givenMethod, givenPath) =>
    (method === '' || method === givenMethod) && (path ? path.test(givenPath) : givenPath !== '/v3/token')
}

function patternOf(pattern: string): RegExp {
  const isOpen = pattern.endsWith('/**')
  const steps = (isOpen ? pattern.slice(0, -3) : pattern).split('/').map((step) => {
    const isAny = step === '*' || /^\{\w+\}$/.test(step)
    return isAny ? '[^/]+' : literalPattern(step)
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
