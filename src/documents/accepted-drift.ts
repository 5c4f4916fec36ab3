import { isDay } from '../catalog/value.js'
import { readBytes } from '../files/files.js'
import { readOrdinaryFile } from '../files/ordinary-file.js'
import { codeOf, reasonOf } from '../files/system-error.js'
import { type MapNode, type Node, nodeAt, plain, valueAt } from '../manifest/node.js'
import { placeOf, type SourceRange } from '../manifest/source.js'
import { readYaml } from '../manifest/yaml/read-yaml.js'
import type { Acceptance, Deviation, Seen } from '../planner/safety/acceptance.js'
import { hasErrors, ProblemError } from '../problems/problem.js'
import { acceptedDriftBroken } from '../problems/refusals.js'

/** The contents of a file of accepted drift: who accepts what, why, and until when. Values are plain text, except for secrets. */
export interface AcceptedText {
  readonly text: string
  readonly accepted: readonly Acceptance[]
}

/**
 * Reads the file; undefined if it does not exist. `displayed` is the path in messages. Throws a ProblemError if the file is
 * invalid or cannot be read.
 */
export function readAccepted(path: string, displayed: string): AcceptedText | undefined {
  const text = readAcceptedText(path, displayed)
  if (text === undefined) return undefined
  const source = { file: displayed, text }
  const { documents, problems } = readYaml(source)
  if (hasErrors(problems)) throw new ProblemError(problems)
  const [root, other] = documents
  if (other) throw broken(other.range, 'it is one document with one list "accepted", and another document follows')
  const list = root && nodeAt(root, '/accepted')
  if (list?.is === 'list') return { text, accepted: list.items.map(acceptanceIn) }
  // If a user removes the last entry, the key has no value.
  if (list?.is === 'scalar' && list.value === null) return { text, accepted: [] }
  throw broken(list?.range ?? root?.range ?? { source, start: 0, end: 0 }, 'it has no list "accepted"')
}

/** A text that is the same for acceptances of the same difference. The last acceptance in the file applies. */
export const acceptanceKey = ({ address, url = '', area = '', what }: Acceptance): string =>
  `${address} ${what.is === 'field' ? what.path : ''} ${area} ${url}`

function readAcceptedText(path: string, displayed: string): string | undefined {
  const unread = (reason: string, cause?: unknown) =>
    new ProblemError([acceptedDriftBroken(displayed, `it cannot be read: ${reason}`)], { cause })
  let bytes: Buffer
  try {
    bytes = readOrdinaryFile(path, { largest: 2 ** 26, pipes: 'refuse' })
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw unread(reasonOf(cause), cause)
  }
  const read = readBytes(() => bytes)
  if ('text' in read) return read.text
  throw unread(read.broken?.what ?? read.failure)
}

function acceptanceIn(entry: Node, index: number): Acceptance {
  const where = `accepted[${index}]`
  if (entry.is !== 'map') throw broken(entry.range, `${where} is not a mapping`)
  const read: EntryReader = { entry, where }
  const expires = textAt(read, 'expires')
  if (!isDay(expires)) {
    throw broken((valueAt(entry, 'expires') ?? entry).range, `${where}.expires is not a day such as 2027-01-31`)
  }
  return {
    address: textAt(read, 'address'),
    url: valueAt(entry, 'url') ? textAt(read, 'url') : undefined,
    area: valueAt(entry, 'area') ? textAt(read, 'area') : undefined,
    what: deviationIn(read),
    reason: textAt(read, 'reason'),
    owner: textAt(read, 'owner'),
    expires,
  }
}

interface EntryReader {
  readonly entry: MapNode
  /** The name of the entry in messages. */
  readonly where: string
}

function deviationIn(read: EntryReader): Deviation {
  if (valueAt(read.entry, 'path')) {
    return { is: 'field', path: textAt(read, 'path'), git: seenIn(read, 'git'), live: seenIn(read, 'live') }
  }
  const object = textAt(read, 'object', 'path, and no object')
  if (object === 'deleted') return { is: 'deleted' }
  if (object === 'created') return { is: 'created', id: valueAt(read.entry, 'id') ? textAt(read, 'id') : '' }
  throw broken(
    (valueAt(read.entry, 'object') ?? read.entry).range,
    `${read.where}.object is neither deleted nor created`,
  )
}

function seenIn(read: EntryReader, side: 'git' | 'live'): Seen {
  const value = valueAt(read.entry, side)
  if (value) return { is: 'value', value: plain(value) }
  return { is: 'fingerprint', fingerprint: textAt(read, `${side}Fingerprint`, side) }
}

/** The text of a required member. `missing`: the words of the message if there is none. */
function textAt({ entry, where }: EntryReader, name: string, missing = name): string {
  const node = valueAt(entry, name)
  const value = node?.is === 'scalar' ? node.value : undefined
  if (typeof value === 'string' && value !== '') return value
  throw broken((node ?? entry).range, `${where} has no ${missing}`)
}

const broken = (range: SourceRange, words: string): ProblemError =>
  new ProblemError([acceptedDriftBroken(placeOf(range), words)])
