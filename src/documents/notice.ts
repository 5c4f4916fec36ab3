import type { noticeEvents } from '../catalog/project-schema.js'
import type { TargetDocument } from './target.js'

/**
 * The message to a webhook: `gatewright.notice/1`. It names objects and fields, but never contains a value: readers of a chat may
 * have no access to the area.
 */
export interface NoticeDocument {
  readonly format: 'gatewright.notice/1'
  readonly event: (typeof noticeEvents)[number]
  /** `over`: for a recovery, what was reported before is over. */
  readonly reason: 'first' | 'changed' | 'reminder' | 'over'
  /** Only for a recovery: what is over. */
  readonly of?: 'drift' | 'error'
  /** The command. */
  readonly command: 'drift' | 'apply'
  readonly target: TargetDocument
  /** ISO dates: when it was first reported, and when this was found. */
  readonly since: string
  readonly at: string
  /** The URL of the CI job that found it. */
  readonly job?: string
  /** For drift, what has drifted; for an error, the changes that were not done. */
  readonly findings: readonly NoticeFinding[]
  /** For an error, why there is no result. */
  readonly problems: readonly { readonly code: string; readonly message: string }[]
  /** The number of further findings and problems. */
  readonly more: number
}

export interface NoticeFinding {
  readonly address: string
  /**
   * For drift: `deleted`, `created`, `changed`, or, if nobody knows which side has changed, `missing`, `extra`, `differs`. For an
   * error: the outcome of the change.
   */
  readonly what: string
  readonly fields?: readonly { readonly path: string; readonly verdict: string }[]
  readonly editor?: string
  /** When the object was last changed, if the platform says so. */
  readonly updated?: string
  readonly error?: string
}

/** The contents before they are cut to the size of a notice. */
export type NoticeContent = Pick<NoticeDocument, 'findings' | 'problems'>

/** Some receivers accept at most 40,000 characters. */
const largest = 30_000

const longestText = 300

/** A notice with as much of its contents as all receivers accept. */
export function noticeDocument(
  head: Omit<NoticeDocument, 'format' | 'findings' | 'problems' | 'more'>,
  { findings, problems }: NoticeContent,
): NoticeDocument {
  let left = largest
  const fits = (entry: object): boolean => {
    left -= JSON.stringify(entry).length
    return left >= 0
  }
  const keptProblems = problems.map((each) => ({ ...each, message: shortEnough(each.message) })).filter(fits)
  const keptFindings = findings.map(clippedFinding).filter(fits)
  const more = problems.length - keptProblems.length + findings.length - keptFindings.length
  return { format: 'gatewright.notice/1', ...head, findings: keptFindings, problems: keptProblems, more }
}

function clippedFinding({ address, what, fields, editor, updated, error }: NoticeFinding): NoticeFinding {
  return {
    address: shortEnough(address),
    what,
    ...(fields && { fields: fields.slice(0, 50).map(({ path, verdict }) => ({ path: shortEnough(path), verdict })) }),
    ...(editor !== undefined && { editor: shortEnough(editor) }),
    ...(updated !== undefined && { updated: shortEnough(updated) }),
    ...(error !== undefined && { error: shortEnough(error) }),
  }
}

/** Never splits a surrogate pair. */
const shortEnough = (text: string): string =>
  text.length <= longestText ? text : `${text.slice(0, longestText).replace(/[\ud800-\udbff]$/, '')}…`
