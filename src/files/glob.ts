/**
 * Patterns of file paths and of names. They are implemented here because Node 20 has no glob, and four special characters do not
 * justify a dependency. All ways through a pattern are followed at once, so no pattern makes matching slow.
 */

export const isGlob = (path: string): boolean => /[*?{]/.test(path)

/** The longest folder at the start of a pattern without special characters: the search starts there. */
export function globBase(pattern: string): string {
  const segments = pattern.split('/')
  const first = segments.findIndex(isGlob)
  return segments.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.')
}

/** Makes a test of whole paths: `*` and `?` match within one path segment, `**` across segments, `{a,b}` alternatives. */
export const pathMatcher = (pattern: string): ((path: string) => boolean) => matcherOf(pathStates(pattern))

/** Makes a test of whole names and addresses: `*` matches any text, `?` any character, and anything else itself. */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const [before = '', after, more] = pattern.split(/\*+/)
  if (more !== undefined || pattern.includes('?')) return matcherOf(nameStates(pattern))
  // Nearly all patterns are a name, or a name with one open part.
  if (after === undefined) return (name) => name === pattern
  const shortest = before.length + after.length
  return (name) => name.length >= shortest && name.startsWith(before) && name.endsWith(after)
}

/** One state of the machine for a pattern: it takes a character before the next state, or jumps. */
type State = { readonly takes: (character: string) => boolean } | { readonly jumps: readonly number[] }

const any = (): boolean => true
const inSegment = (character: string): boolean => character !== '/'
const just = (expected: string) => (character: string) => character === expected

function nameStates(pattern: string): readonly State[] {
  const states: State[] = []
  for (const sign of pattern.match(/\*+|./gsu) ?? []) {
    if (sign.startsWith('*')) repeat(any, states)
    else states.push({ takes: sign === '?' ? any : just(sign) })
  }
  return states
}

/** Any number of such characters. */
function repeat(takes: (character: string) => boolean, states: State[]): void {
  const start = states.length
  states.push({ jumps: [start + 1, start + 3] }, { takes }, { jumps: [start] })
}

/** Any number of whole segments, each with its slash. */
function repeatSegments(states: State[]): void {
  const start = states.length
  states.push({ jumps: [start + 1, start + 5] }, { takes: inSegment }, { jumps: [start + 1, start + 3] })
  states.push({ takes: just('/') }, { jumps: [start] })
}

/** Alternatives that are not yet closed. */
interface OpenGroup {
  readonly starts: number[]
  readonly ends: number[][]
}

function pathStates(pattern: string): readonly State[] {
  const states: State[] = []
  const open: OpenGroup[] = []
  const signs = pattern.match(/\*\*\/|\*+|./gsu) ?? []
  for (const sign of signs) {
    const innermost = open.at(-1)
    if (sign === '**/') repeatSegments(states)
    else if (sign === '*') repeat(inSegment, states)
    else if (sign.startsWith('**')) repeat(any, states)
    else if (sign === '?') states.push({ takes: inSegment })
    else if (sign === '{') open.push(alternatives(states))
    else if (sign === '}' && innermost) close(open, states)
    else if (sign === ',' && innermost) nextAlternative(innermost, states)
    else states.push({ takes: just(sign) })
  }
  while (open.length > 0) close(open, states)
  return states
}

function alternatives(states: State[]): OpenGroup {
  const starts = [states.length + 1]
  states.push({ jumps: starts })
  return { starts, ends: [] }
}

function nextAlternative({ starts, ends }: OpenGroup, states: State[]): void {
  const end: number[] = []
  ends.push(end)
  states.push({ jumps: end })
  starts.push(states.length)
}

function close(open: OpenGroup[], states: readonly State[]): void {
  for (const end of open.pop()?.ends ?? []) end.push(states.length)
}

const matcherOf = (states: readonly State[]) => {
  const start = reachable([0], states)
  return (text: string): boolean => {
    let current = start
    for (const character of text) {
      current = reachable(stepsFrom(current, character, states), states)
      if (current.size === 0) return false
    }
    return current.has(states.length)
  }
}

function stepsFrom(current: ReadonlySet<number>, character: string, states: readonly State[]): number[] {
  const next: number[] = []
  for (const index of current) {
    const state = states[index]
    if (state && 'takes' in state && state.takes(character)) next.push(index + 1)
  }
  return next
}

/** These states, and all states that their jumps lead to; the number behind the last state is the end of the pattern. */
function reachable(from: number[], states: readonly State[]): ReadonlySet<number> {
  const reached = new Set<number>()
  for (let index = from.pop(); index !== undefined; index = from.pop()) {
    if (reached.has(index)) continue
    reached.add(index)
    const state = states[index]
    if (state && 'jumps' in state) from.push(...state.jumps)
  }
  return reached
}
