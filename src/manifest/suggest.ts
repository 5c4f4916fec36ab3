import { distance } from 'fastest-levenshtein'

/** The candidate that a mistyped word most likely means, or undefined if none is near. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = bare(word)
  let best: { candidate: string; steps: number } | undefined
  for (const candidate of candidates) {
    const steps = distance(wanted, bare(candidate))
    if (!best || steps < best.steps || (steps === best.steps && candidate < best.candidate)) best = { candidate, steps }
  }
  return best && best.steps <= Math.max(1, Math.floor(wanted.length / 3)) ? best.candidate : undefined
}

/** snake_case, kebab-case and capitals are the commonest mistakes: they count for nothing. */
const bare = (word: string): string => word.toLowerCase().replaceAll(/[_\- ]/g, '')
