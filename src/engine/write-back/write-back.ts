import type { Texts } from '../../files/overlay.js'
import { indexLive } from '../../live/live-index.js'
import type { Variable, Variables } from '../../live/variables.js'
import { problemsInOrder } from '../../manifest/problems-in-order.js'
import { distinct, type Problem } from '../../problems/problem.js'
import type { WriteBackInput } from './input.js'
import { heldAgainstOthers } from './other-environments.js'
import { Renames } from './renames.js'
import { type NewFiles, Round } from './round.js'

export interface WrittenBack {
  /** What has to be written; nothing where everything says what is live. */
  readonly texts: Texts
  /** How many secrets of each field no manifest says, by kind and field: "Member.passwdNew". */
  readonly secretsLeftOut: ReadonlyMap<string, number>
  readonly problems: readonly Problem[]
}

// Objects that merge another one (`<<: *base`) get the members that it gets in an export of everything: they are looked at
// again. Each round settles one level of merges; without any, the second finds nothing left to do.
const rounds = 6

/** Brings what is live into the manifests, in memory. Throws a ProblemError where names do not say which object is meant. */
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
  return { texts, secretsLeftOut, problems: problemsInOrder(distinct([...lasting, ...current])) }
}
/** The values that the variables of an area stand for, so that manifests can be read without setting them. */
export function knownValues(variables: Variables): Readonly<Record<string, string>> {
  const all: Variable[] = [...variables.values()].flatMap((fields) => [...fields.values()])
  return Object.fromEntries(all.map(({ name, value }) => [name, value ?? 'unknown']))
}
