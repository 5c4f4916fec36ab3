import type { noticeEvents } from '../catalog/project-schema.js'
import type { TargetDocument } from './target.js'

/**
 * What a webhook is told, as it is sent: `gatewright.notice/1`. It says which objects and fields are concerned, and never a
 * value: whoever may read a chat need not be one who may read the area.
 */
export interface NoticeDocument {
  readonly format: 'gatewright.notice/1'
  readonly event: (typeof noticeEvents)[number]
  /** `over`: of a recovery, what was told is no more. */
  readonly reason: 'first' | 'changed' | 'reminder' | 'over'
  /** Of a recovery: what is over. */
  readonly of?: 'drift' | 'error'
  /** What was run. */
  readonly command: 'drift' | 'apply'
  readonly target: TargetDocument
  /** ISO dates: when it was told first, and when this was found. */
  readonly since: string
  readonly at: string
  /** The page of the CI job that found it. */
  readonly job?: string
  /** Of a drift what has drifted, of an error the changes that are not done. */
  readonly findings: readonly NoticeFinding[]
  /** Of an error, why there is no result. */
  readonly problems: readonly { readonly code: string; readonly message: string }[]
  /** How many findings and problems there are beside these. */
  readonly more: number
}

export interface NoticeFinding {
  readonly address: string
  /**
   * Of a drift: `deleted`, `created`, `changed`, and where nobody knows which side has changed `missing`, `extra`, `differs`.
   * Of an error: the outcome of the change.
   */
  readonly what: string
  readonly fields?: readonly { readonly path: string; readonly verdict: string }[]
  readonly editor?: string
  /** When the object was changed last, as the platform says it. */
  readonly updated?: string
  readonly error?: string
}

/** What there is to tell, before it is cut to the size of a notice. */
export type NoticeContent = Pick<NoticeDocument, 'findings' | 'problems'>

/** Some receivers take no more than 40,000 characters. */
const largest = 30_000

const longestText = 300

/** A notice with as much of its content as is taken everywhere. */
export function noticeDocument(
  head: Omit<NoticeDocument, 'format' | 'findings' | 'problems' | 'more'>,
  { findings, problems }: NoticeContent,
): NoticeDocument {
  let left = largest
  const fits = (entry: object): boolean => {
    left -= JSON.stringify(entry).length
    return left >= 0
  }
  const keptProblems = problems.map((each) => ({ ...each, message: clipped(each.message) })).filter(fits)
  const keptFindings = findings.map(clippedFinding).filter(fits)
  const more = problems.length - keptProblems.length + findings.length - keptFindings.length
  return { format: 'gatewright.notice/1', ...head, findings: keptFindings, problems: keptProblems, more }
}

function clippedFinding({ address, what, fields, editor, updated, error }: NoticeFinding): NoticeFinding {
  return {
    address: clipped(address),
    what,
    ...(fields && { fields: fields.slice(0, 50).map(({ path, verdict }) => ({ path: clipped(path), verdict })) }),
    ...(editor !== undefined && { editor: clipped(editor) }),
    ...(updated !== undefined && { updated: clipped(updated) }),
    ...(error !== undefined && { error: clipped(error) }),
  }
}

/** Never between the halves of a character. */
const clipped = (text: string): string =>
  text.length <= longestText ? text : `${text.slice(0, longestText).replace(/[\ud800-\udbff]$/, '')}…`
