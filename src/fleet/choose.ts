import { nameMatcher } from '../files/glob.js'
import { hasLabel } from '../manifest/labels.js'
import { nothingChosen } from '../problems/fleet.js'
import { ProblemError } from '../problems/problem.js'
import type { FleetArea } from './fleet.js'

/** The selection of areas of a fleet. */
interface AreaChoice {
  /** Patterns of names: an area must match one of them. Empty: all names. */
  readonly select: readonly string[]
  /** `key=value` or `key`: an area must have all of them. */
  readonly labels: readonly string[]
}

/** The selected areas in the order of the fleet. Throws a ProblemError if there are none, or if a pattern matches no name. */
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
  // Otherwise a misspelled name would be ignored silently.
  const idle = patterns.filter(({ fits }) => !areas.some(({ name }) => fits(name)))
  if (idle.length > 0) throw new ProblemError(idle.map(({ text }) => nothingChosen(asOptions([text]))))
  return chosen
}
