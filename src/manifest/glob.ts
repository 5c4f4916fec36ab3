/**
 * File patterns: `*` and `?` within one path segment, `**` over segments, `{a,b}` alternatives. Ours because Node 20 has
 * no glob of its own, and four signs do not warrant a dependency.
 */

export const isGlob = (path: string): boolean => /[*?{]/.test(path)

/** The longest folder at the front of a pattern that has no signs: where the search starts. */
export function globBase(pattern: string): string {
  const segments = pattern.split('/')
  const first = segments.findIndex(isGlob)
  return segments.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.')
}

/** A test of whole paths. */
export function globPattern(pattern: string): RegExp {
  let expression = ''
  let alternatives = 0
  for (let index = 0; index < pattern.length; index += 1) {
    const sign = pattern.charAt(index)
    if (pattern.startsWith('**/', index)) {
      expression += '(?:[^/]+/)*'
      index += 2
    } else if (pattern.startsWith('**', index)) {
      expression += '.*'
      index += 1
    } else if (sign === '*') expression += '[^/]*'
    else if (sign === '?') expression += '[^/]'
    else if (sign === '{') {
      expression += '(?:'
      alternatives += 1
    } else if (sign === '}' && alternatives > 0) {
      expression += ')'
      alternatives -= 1
    } else if (sign === ',' && alternatives > 0) expression += '|'
    else expression += sign.replace(/[\\^$.*+?()[\]{}|]/, '\\$&')
  }
  return new RegExp(`^${expression}${')'.repeat(alternatives)}$`)
}
