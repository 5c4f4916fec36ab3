import { nameMatcher } from '../files/glob.js'
import { hasLabel } from '../manifest/labels.js'
import { nothingChosen } from '../problems/fleet.js'
import { ProblemError } from '../problems/problem.js'
import type { FleetArea } from './fleet.js'

/** Which areas of a fleet are meant. */
export interface AreaChoice {
  /** Patterns of names, of which one must fit; empty: any name. */
  readonly select: readonly string[]
  /** `key=value` or `key`, all of which an area must have. */
  readonly labels: readonly string[]
}

/** The chosen areas in the order of the fleet. Throws a ProblemError if there is none, or if no name fits a pattern. */
export function chosenAreas<Area extends Pick<FleetArea, 'name' | 'labels'>>(
  areas: readonly Area[],
  { select, labels }: AreaChoice,
): readonly Area[] {
  const patterns = select.map((text) => ({ text, fits: nameMatcher(text) }))
  const chosen = areas.filter(
    (area) =>
      (patterns.length === 0 || patterns.some(({ fits }) => fits(area.name))) &&
      labels.every((label) => hasLabel(area.labels, label)),
  )
  const asOptions = (names: readonly string[]) => names.map((name) => `--select ${name}`)
  if (chosen.length === 0) {
    throw new ProblemError([nothingChosen([...asOptions(select), ...labels.map((label) => `-l ${label}`)])])
  }
  // A name with a slip in it would be left out without a word.
  const idle = patterns.filter(({ fits }) => !areas.some(({ name }) => fits(name)))
  if (idle.length > 0) throw new ProblemError(idle.map(({ text }) => nothingChosen(asOptions([text]))))
  return chosen
}
