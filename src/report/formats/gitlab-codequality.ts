import { driftErrors } from '../drift-words.js'
import { diagnosticFindings, driftFindings, planFindings, type ReportFinding, withFingerprints } from './findings.js'
import type { ReportContext, Writers } from './format.js'
import { safeJson } from './json.js'
import { lineOf } from './text.js'

/** Code quality reports of GitLab. Accepted findings are left out. */
export const reports: Writers<'validation' | 'plan' | 'drift' | 'policies' | 'problems'> = {
  validation: ({ diagnostics }, context) => issues(diagnosticFindings(diagnostics), context),
  plan: (plan, context) => issues(planFindings(plan), context),
  drift: (drift, context) => issues([...diagnosticFindings(driftErrors(drift)), ...driftFindings(drift)], context),
  policies: ({ diagnostics }, context) => issues(diagnosticFindings(diagnostics), context),
  problems: ({ diagnostics }, context) => issues(diagnosticFindings(diagnostics), context),
}

const severities = { error: 'critical', warning: 'minor', note: 'info' } as const

const issues = (findings: readonly ReportFinding[], { pathOf, projectFile }: ReportContext): string =>
  safeJson(
    withFingerprints(findings.filter(({ accepted }) => !accepted)).map(({ finding, fingerprint }) => ({
      description: lineOf(finding.message),
      check_name: finding.code,
      fingerprint,
      severity: severities[finding.severity],
      location: { path: pathOf(finding.file ?? projectFile), lines: { begin: finding.line ?? 1 } },
    })),
  )
