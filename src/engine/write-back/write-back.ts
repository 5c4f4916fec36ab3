import type { Texts } from '../../files/overlay.js'
import { indexLive } from '../../live/live-index.js'
import type { Variable, Variables } from '../../live/variables.js'
import { problemsInOrder } from '../../manifest/problems-in-order.js'
import { distinctProblems, type Problem } from '../../problems/problem.js'
import type { WriteBackInput } from './input.js'
import { heldAgainstOthers } from './other-environments.js'
import { Renames } from './renames.js'
import { type NewFiles, Round } from './round.js'

interface WrittenBack {
  /** The texts to write. Empty if the manifests equal the live area. */
  readonly texts: Texts
  /** The number of secrets that no manifest has, by kind and field: "Member.passwdNew". */
  readonly secretsLeftOut: ReadonlyMap<string, number>
  readonly problems: readonly Problem[]
}

// The maximum number of rounds. If objects merge another one (`<<: *base`), they get the same new members in an export of
// everything, so they are compared again. Each round finishes one level of merges. Without merges, the second round finds no
// differences.
const rounds = 6

/** Writes the live values into the manifests, in memory. Throws a ProblemError if a name is ambiguous. */
export function writeBack(input: WriteBackInput): WrittenBack {
  const texts = new Map<string, string | undefined>()
  const lasting: Problem[] = []
  let current: readonly Problem[] = []
  let secretsLeftOut: ReadonlyMap<string, number> = new Map()
  let renames = new Renames()
  let files: NewFiles = 'with new files'
  const known = input.layers && new Set(input.read(texts).resources.map(({ address }) => address))
  const { fullness, vocabulary, isSecret, wasSecret } = input
  const live = indexLive(input.snapshot)
  const variables = input.secrets === 'left out' ? new Map() : input.variables
  for (let round = 0; round < rounds; round += 1) {
    const problems: Problem[] = []
    const report = (problem: Problem) => {
      problems.push(problem)
    }
    const session = new Round(
      input,
      { live, variables, fullness, vocabulary, isSecret, report, ...(wasSecret && { wasSecret }) },
      texts,
      renames,
      known,
    )
    const changed = session.run(round === 0 ? 'names first' : 'everything', files)
    lasting.push(...session.lasting)
    renames = session.renames
    current = problems
    secretsLeftOut = session.secretsLeftOut()
    if (session.saw === 'names') continue
    files = 'without'
    if (!changed) break
  }
  if (input.layers && texts.size > 0) lasting.push(...heldAgainstOthers(input.layers, input.read, texts))
  return { texts, secretsLeftOut, problems: problemsInOrder(distinctProblems([...lasting, ...current])) }
}
/** The values of an area's variables, so that manifests can be read without setting the variables. */
export function knownValues(variables: Variables): Readonly<Record<string, string>> {
  const all: Variable[] = [...variables.values()].flatMap((fields) => [...fields.values()])
  return Object.fromEntries(all.map(({ name, value }) => [name, value ?? 'unknown']))
}
