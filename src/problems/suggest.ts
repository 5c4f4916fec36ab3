import { distance } from 'fastest-levenshtein'

/** "did you mean …", or the list of the known names, or undefined if there are none. */
export const choice = (suggestion: string | undefined, known: readonly string[] = []): string | undefined => {
  if (suggestion !== undefined) return `did you mean "${suggestion}"?`
  if (known.length === 0) return undefined
  return `known: ${known.length > longestChoice ? firstOf(known) : known.join(', ')}`
}

/** The fields of any kind are fewer. A project can have thousands of values, and each problem would list them all. */
const longestChoice = 100

/** More names than these are not listed one by one. */
export const mostNames = 10

/** The first ten names, and the number of the others. */
export const firstOf = (names: readonly string[]): string =>
  names.length <= mostNames
    ? names.join(', ')
    : `${names.slice(0, mostNames).join(', ')} and ${names.length - mostNames} more`

/** `1 more change`, `2 more changes`; `many` is for irregular plurals: `2 policies`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

export const didYouMean = (name: string, names: readonly string[]): string | undefined => choice(nearest(name, names))

/**
 * The name that a mistyped word probably means, or undefined if none is similar. If several names are equally similar, the first
 * one.
 */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  const written = bare(word)
  let best: { name: string; steps: number } | undefined
  for (const name of names) {
    const steps = stepsBetween(written, bare(name))
    if (!best || steps < best.steps || (steps === best.steps && name < best.name)) best = { name, steps }
  }
  return best && best.steps <= Math.max(1, Math.floor(written.length / 3)) ? best.name : undefined
}

/**
 * `nearest` for the names of a whole project: after many comparisons, there are no more suggestions. Thousands of unknown names
 * among thousands of known ones would take minutes. `names` is called only if they will be compared.
 */
export function limitedNearest(): (word: string, names: () => readonly string[]) => string | undefined {
  let compared = 0
  return (word, names) => {
    if (compared > mostCompared) return undefined
    const known = names()
    compared += known.length
    return nearest(word, known)
  }
}

const mostCompared = 200_000

/**
 * Whether one of the written words is a mistyped form of the name, or is listed in `mistaken`. The name then does not count as
 * missing.
 */
export const isMistyped = (
  name: string,
  words: readonly string[],
  names: readonly string[],
  mistaken: readonly string[] = [],
): boolean => words.some((word) => !names.includes(word) && (mistaken.includes(word) || nearest(word, names) === name))

/** The number of wrong letters. Two swapped neighbours count as one. */
function stepsBetween(written: string, name: string): number {
  const at = [...name].findIndex((letter, index) => letter !== written[index])
  const turned = `${written.slice(0, at)}${written[at + 1] ?? ''}${written[at] ?? ''}${written.slice(at + 2)}`
  return at !== -1 && turned === name ? 1 : distance(written, name)
}

/** The only name that begins with the word; undefined if there are none or several. */
export function onlyBeginning(word: string, names: readonly string[]): string | undefined {
  const written = bare(word)
  const found = names.filter((name) => written.length >= shortestBeginning && bare(name).startsWith(written))
  return found.length === 1 ? found[0] : undefined
}

const shortestBeginning = 3

/** snake_case, kebab-case and capitals are the most common mistakes, so they make no difference. */
const bare = (word: string): string => word.toLowerCase().replaceAll(/[_\- ]/g, '')
