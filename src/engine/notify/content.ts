import type { NoticeContent, NoticeFinding } from '../../documents/notice.js'
import type { PlanDocument } from '../../documents/plan.js'
import type { RunDocument } from '../../documents/run.js'
import { digest } from '../../json/digest.js'
import { groupBy } from '../../json/groups.js'
import { outerPaths } from '../../json/pointer.js'
import type { DriftFinding } from '../../planner/safety/accept.js'
import { errorsIn, type Problem } from '../../problems/problem.js'

/** The drift, with one entry for each object. Objects inside a deleted or an additional object are part of its entry. */
export function driftContent(findings: readonly DriftFinding[], drift: PlanDocument): NoticeContent {
  const changes = new Map(drift.changes.map((change) => [change.address, change]))
  const whole = new Set(findings.flatMap(({ address, what }) => (what.is === 'field' ? [] : [address])))
  const seen = findings.filter(({ address }) => !outerPaths(address).some((each) => whole.has(each)))
  const isKnown = drift.base !== null
  const remaining = new Set(drift.unmanaged.flatMap(({ address, applied }) => (applied ? [address] : [])))
  return {
    findings: [...groupBy(seen, ({ address }) => address)].map(([address, own]): NoticeFinding => {
      const fields = own.flatMap(({ what }) =>
        what.is === 'field' ? [{ path: what.field.path, verdict: what.field.verdict }] : [],
      )
      const { editor, updated } = changes.get(address) ?? {}
      return {
        address,
        what: remaining.has(address) ? 'remaining' : whatHappened(own, isKnown),
        ...(fields.length > 0 && { fields }),
        ...(editor !== undefined && { editor }),
        ...(updated !== undefined && { updated }),
      }
    }),
    problems: [],
  }
}

function whatHappened([first]: readonly DriftFinding[], isKnown: boolean): string {
  switch (first?.what.is) {
    case 'deleted':
      return isKnown ? 'deleted' : 'missing'
    case 'created':
      return isKnown ? 'created' : 'extra'
    default:
      return isKnown ? 'changed' : 'differs'
  }
}

/** The changes that a run has not made, and the errors that ended it. */
export const runContent = ({ changes }: RunDocument, failures: readonly Problem[]): NoticeContent => ({
  findings: changes
    .filter(({ outcome }) => outcome !== 'applied')
    .map(({ address, outcome, error }) => ({ address, what: outcome, ...(error !== null && { error }) })),
  problems: problemContent(failures).problems,
})

export const problemContent = (problems: readonly Problem[]): NoticeContent => ({
  findings: [],
  problems: errorsIn(problems).map(({ code, message }) => ({ code, message })),
})

/** The digest of objects, fields and codes. Values, editors and texts are not part of it (A252). */
export const contentDigest = ({ findings, problems }: NoticeContent): string =>
  digest(
    JSON.stringify([
      ...findings
        .map(({ address, what, fields = [] }) => [
          address,
          what,
          ...fields.map(({ path, verdict }) => `${path} ${verdict}`),
        ])
        .map((parts) => JSON.stringify(parts))
        .sort(),
      ...new Set(problems.map(({ code }) => code).sort()),
    ]),
  )
