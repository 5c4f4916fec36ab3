import { type Diagnostic, diagnosticOf } from '../../documents/diagnostics.js'
import type { AcceptedDocument, FieldDocument, PlanDocument } from '../../documents/plan.js'
import { digest } from '../../json/digest.js'
import type { ProblemCode } from '../../problems/codes.js'
import { type DriftCode, drifted } from '../../problems/drift.js'
import { counted } from '../../problems/suggest.js'
import { acceptedAs, acceptedRows } from '../accepted-words.js'
import { type DriftEntry, type DriftedField, driftedField, driftView } from '../drift-words.js'
import { lineOf } from './text.js'

/** One finding of a document, for formats that list problems. */
export interface ReportFinding extends Diagnostic {
  /** The subject of the finding. It stays the same if lines or texts change. */
  readonly about: string
  /** Given if somebody has accepted the finding. */
  readonly accepted?: Pick<AcceptedDocument, 'reason' | 'owner' | 'expires'>
}

/** Diagnostics have no object. Their subject is their file and their text. */
export const diagnosticFindings = (diagnostics: readonly Diagnostic[]): readonly ReportFinding[] =>
  diagnostics.map((each) => ({ ...each, about: JSON.stringify([each.file ?? '', each.message]) }))

/** Each drifted field, each created or deleted object, and what is accepted of them. */
export function driftFindings(drift: PlanDocument): readonly ReportFinding[] {
  const { groups } = driftView(drift)
  const rows = acceptedRows(drift)
  return [
    ...groups.flatMap(({ entries }) => entries.flatMap(entryFindings)),
    ...drift.accepted.map((each, index) => acceptedFinding(each, drift.base, rows[index]?.what ?? '')),
  ]
}

/** The findings of a plan: the reasons why apply would refuse it, and those of policies. A pending change is not a defect. */
export const planFindings = (plan: PlanDocument): readonly ReportFinding[] => [
  ...diagnosticFindings(plan.refused.filter(({ code }) => !ofPolicies.has(code))),
  ...policyFindings(plan),
]

/** The codes of refusals that are among the results of policies too. */
const ofPolicies: ReadonlySet<string> = new Set<ProblemCode>(['policy-violated', 'policy-failed'])

/** A waived finding counts as accepted. */
const policyFindings = ({ policies }: PlanDocument): readonly ReportFinding[] =>
  (policies?.results ?? []).map(({ policy, rule, address = 'the plan', level, message, outcome, source, waiver }) => ({
    // The rule in the report is the rule of the policy.
    code: `policy/${lineOf(policy)}/${rule}`,
    ...{
      severity: level,
      message: `${address}: ${outcome === 'failed' ? `no answer: ${message}` : message}`,
      ...source,
    },
    about: JSON.stringify([policy, rule, address]),
    ...(waiver && { accepted: { reason: waiver.reason, owner: waiver.owner, expires: waiver.until } }),
  }))

function entryFindings(entry: DriftEntry): readonly ReportFinding[] {
  const { address, happened, words, source } = entry
  if (entry.fields.length === 0) {
    return [{ ...diagnosticOf(drifted(codes[happened], address, words, source)), about: aboutOf(address, '') }]
  }
  return entry.fields.map((field) => ({
    ...diagnosticOf(drifted(driftCode(field), address, fieldText(driftedField(field)), field.source ?? source)),
    about: aboutOf(address, field.path),
  }))
}

function acceptedFinding(accepted: AcceptedDocument, base: PlanDocument['base'], what: string): ReportFinding {
  const { address, field, reason, owner, expires } = accepted
  const code = field ? driftCode(field) : codes[acceptedAs(accepted, base)]
  return {
    ...diagnosticOf(drifted(code, address, what, undefined)),
    about: aboutOf(address, field?.path ?? ''),
    accepted: { reason, owner, expires },
  }
}

const aboutOf = (address: string, path: string): string => JSON.stringify([address, path])

const codes: Readonly<Record<DriftEntry['happened'], DriftCode>> = {
  deleted: 'deleted-on-platform',
  created: 'created-on-platform',
  changed: 'changed-on-platform',
  conflict: 'conflict',
  remaining: 'remaining-on-platform',
  differs: 'differs-from-platform',
  missing: 'differs-from-platform',
  extra: 'differs-from-platform',
}

function driftCode({ verdict }: FieldDocument): DriftCode {
  if (verdict === 'conflict') return 'conflict'
  return verdict === 'drift' ? 'changed-on-platform' : 'differs-from-platform'
}

/** A field on one line. For a text of several lines, only the number of changed lines. */
function fieldText(field: DriftedField): string {
  if (field.is === 'line') return `${field.name}: ${field.words}`
  const changed = field.diffs.flatMap(({ lines }) => lines).filter(({ mark }) => mark !== ' ').length
  return `${field.name}: ${field.diffs.map(({ from }) => from).join(', ')}, ${counted(changed, 'line')}`
}

/**
 * Adds fingerprints. Findings with the same subject get different ones, because readers show only one finding per fingerprint.
 */
export function withFingerprints(
  findings: readonly ReportFinding[],
): readonly { readonly finding: ReportFinding; readonly fingerprint: string }[] {
  const counts = new Map<string, number>()
  return findings.map((finding) => {
    const print = digest(JSON.stringify([finding.code, finding.about]))
      .replace('sha256:', '')
      .slice(0, 32)
    const count = (counts.get(print) ?? 0) + 1
    counts.set(print, count)
    return { finding, fingerprint: `${print}:${count}` }
  })
}
