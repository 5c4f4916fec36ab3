/** Templates with `{…}` in them, and what the paths of OpenAPI contain. */

const part = /\{([A-Za-z][\w.-]*)\}/g

/** The parts that a template names, each once. */
export const partsIn = (template: string): readonly string[] => [
  ...new Set([...template.matchAll(part)].map(([, name = '']) => name)),
]

/** The template with its parts filled in. An undefined part stays as it is: paths have parameters of their own. */
export const filled = (template: string, partNamed: (name: string) => string | undefined): string =>
  template.replaceAll(part, (written, name: string) => partNamed(name) ?? written)

/** A path whose parameters have no names: another name of a parameter is not another path. */
export const withoutParameters = (path: string): string => path.replaceAll(/\{[^{}]*\}/g, '{}')

/** The texts between the slashes of a path; none for a path that is only a slash. */
export const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')

const isStatic = (segment: string): boolean => !segment.includes('{')

/** The segments that are the same in every call. */
export const staticSegments = (path: string): readonly string[] => segmentsOf(path).filter(isStatic)

/** Their positions, from 1. */
export const staticPositions = (path: string): readonly number[] =>
  segmentsOf(path).flatMap((segment, index) => (isStatic(segment) ? [index + 1] : []))

/** The first segments that all paths have in common, as a path. A single path is returned as it is, and `/` as '' (A294). */
export function commonPath(paths: readonly string[]): string {
  const [first = '', ...others] = paths
  if (others.length === 0) return first === '/' ? '' : first
  const rest = others.map(segmentsOf)
  const segments = segmentsOf(first)
  const end = segments.findIndex((segment, index) => rest.some((other) => other[index] !== segment))
  return segments
    .slice(0, end === -1 ? undefined : end)
    .map((segment) => `/${segment}`)
    .join('')
}
