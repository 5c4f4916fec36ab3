/** Texts with `{…}` in them, and what paths of OpenAPI say of names, methods and where these stand. */

const part = /\{([A-Za-z][\w.-]*)\}/g

/** The parts that a text asks for, each once. */
export const partsIn = (template: string): readonly string[] => [
  ...new Set([...template.matchAll(part)].map(([, name = '']) => name)),
]

/** The text with the parts in the place of their names; one that is undefined stays: paths have parameters of their own. */
export const filled = (template: string, partNamed: (name: string) => string | undefined): string =>
  template.replaceAll(part, (written, name: string) => partNamed(name) ?? written)

/** A path whose parameters have no names: renaming one renames nothing. */
export const withoutParameters = (path: string): string => path.replaceAll(/\{[^{}]*\}/g, '{}')

/** What stands between the slashes; nothing of a path that is only one. */
export const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')

const isStatic = (segment: string): boolean => !segment.includes('{')

/** The segments that are the same in every call. */
export const staticSegments = (path: string): readonly string[] => segmentsOf(path).filter(isStatic)

/** Where they stand, from 1. */
export const staticPositions = (path: string): readonly number[] =>
  segmentsOf(path).flatMap((segment, index) => (isStatic(segment) ? [index + 1] : []))

/** The segments with which all paths begin, as a path; one path is that path itself, and `/` is nothing (A294). */
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
