import type { AcceptedDocument, LapsedNote, PlanDocument } from '../documents/plan.js'
import { printable } from '../json/printable.js'
import { type Happened, happenedWords } from './happened-words.js'
import { memberText, sidesOf } from './value-text.js'

/**
 * Accepted drift as text, for all reports. Each entry has its address, the difference and the decision: `description: git one →
 * live two`, `until 2027-01-31, ops: a reason`.
 */
export const acceptedRows = ({ accepted, base }: Pick<PlanDocument, 'accepted' | 'base'>): readonly DecidedRow[] =>
  accepted.map((each) => ({
    address: printable(each.address),
    what: whatOf(each, base),
    decision: printable(`until ${each.expires}, ${each.owner}: ${each.reason}`),
  }))

/** Something that somebody has decided to accept. */
export interface DecidedRow {
  readonly address: string
  readonly what: string
  readonly decision: string
}

/** What has happened to an object that is accepted as a whole. Without a base, nobody knows which side has changed. */
export function acceptedAs({ object, applied }: AcceptedDocument, base: PlanDocument['base']): Happened {
  if (applied) return 'remaining'
  if (object === 'deleted') return base === null ? 'missing' : 'deleted'
  return base === null ? 'extra' : 'created'
}

function whatOf(accepted: AcceptedDocument, base: PlanDocument['base']): string {
  const { field } = accepted
  if (!field) return happenedWords[acceptedAs(accepted, base)]
  const { git, live } = sidesOf(field)
  return `${memberText(field.path)}: git ${shortened(git)} → live ${shortened(live)}`
}

/** The beginning of a value that is too long for the line. */
export const shortened = (text: string): string => (text.length > 40 ? `${[...text].slice(0, 39).join('')}…` : text)

/** The text for an acceptance that is no longer valid: `cors.maxAge: its acceptance expired on 2027-01-31 (ops: a reason)`. */
export function lapsedText({ path, reason, owner, expires, why }: LapsedNote): string {
  const what = path === undefined ? '' : `${memberText(path)}: `
  const words = why === 'expired' ? `its acceptance expired on ${expires}` : 'other values were accepted, not these'
  return `${what}${words} (${owner}: ${reason})`
}
