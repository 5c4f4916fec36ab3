import { createHash } from 'node:crypto'
import { readOrdinaryFile } from '../files/ordinary-file.js'
import { codeOf, reasonOf } from '../files/system-error.js'
import { writeWhole } from '../files/write-file.js'
import { type Node, valueAt } from '../manifest/node.js'
import { type Mark, placeOf } from '../manifest/source.js'
import { documentText } from '../manifest/write/yaml-text.js'
import { readYaml } from '../manifest/yaml/read-yaml.js'
import type { Acceptance, DriftFinding, ValueDigest } from '../planner/safety/accept.js'
import { hasErrors, ProblemError } from '../problems/problem.js'
import { acceptedDriftBroken } from '../problems/refusals.js'
import type { Fingerprint } from '../secrets/fingerprint.js'

/** Known drift in a file beside the project file: who accepts what, why, and until when. */
export const acceptedFile = 'gatewright.accepted.yaml'

/** Reads what is accepted; a file that is not there accepts nothing. Throws a ProblemError if it is broken or cannot be read. */
export function readAccepted(path: string, shown: string): readonly Acceptance[] {
  const text = textOf(path, shown)
  if (text === undefined) return []
  const source = { file: shown, text }
  const { documents, problems } = readYaml(source)
  if (hasErrors(problems)) throw new ProblemError(problems)
  const [root] = documents
  const list = root?.is === 'map' ? valueAt(root, 'accepted') : undefined
  if (list?.is === 'list') return list.items.map(acceptanceIn)
  throw broken(list?.mark ?? root?.mark ?? { source, start: 0, end: 0 }, 'it has no list "accepted"')
}

/** Writes what is accepted, in the order of the addresses. */
export function writeAccepted(path: string, shown: string, accepted: readonly Acceptance[]): void {
  const key = ({ address, path: field }: Acceptance) => `${address} ${field}`
  const entries = [...accepted].sort((left, right) => (key(left) < key(right) ? -1 : 1))
  const head = '# Drift that is known and accepted: another value, or the day after "expires", findings again.\n'
  writeWhole(path, head + documentText({ accepted: entries.map((entry) => ({ ...entry })) }), 'as before', shown)
}

/** Digests of what is seen on the live side; of secrets keyed ones. */
export const valueDigest =
  (fingerprint: Fingerprint): ValueDigest =>
  ({ seen, sensitive }: DriftFinding) =>
    sensitive
      ? fingerprint(seen)
      : `sha256:${createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, 32)}`

function textOf(path: string, shown: string): string | undefined {
  try {
    return readOrdinaryFile(path, { largest: 2 ** 26, pipes: 'refuse' }).toString()
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw new ProblemError([acceptedDriftBroken(shown, `it cannot be read: ${reasonOf(cause)}`)], { cause })
  }
}

function acceptanceIn(entry: Node, index: number): Acceptance {
  const written = (name: string) => (entry.is === 'map' ? valueAt(entry, name) : undefined)
  const word = (name: string): string => {
    const node = written(name)
    const value = node?.is === 'scalar' ? node.value : undefined
    if (typeof value === 'string' && (value !== '' || name === 'path')) return value
    throw broken((node ?? entry).mark, `accepted[${index}] has no ${name}`)
  }
  const expires = word('expires')
  if (!isDay(expires)) {
    throw broken((written('expires') ?? entry).mark, `accepted[${index}].expires is not a day such as 2027-01-31`)
  }
  const [address, path, value, reason, owner] = [
    word('address'),
    word('path'),
    word('value'),
    word('reason'),
    word('owner'),
  ]
  return { address, path, value, reason, owner, expires }
}

const broken = (mark: Mark, words: string): ProblemError =>
  new ProblemError([acceptedDriftBroken(placeOf(mark), words)])

/** Whether a text is a day: `2027-01-31`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
