import { by } from '../../json/order.js'
import { type ProblemCode, problemCodes } from '../../problems/codes.js'
import { severities } from '../../problems/problem.js'
import { driftErrors } from '../drift-words.js'
import { diagnosticFindings, driftFindings, planFindings, type ReportFinding, withFingerprints } from './findings.js'
import type { ReportContext, Writers } from './format.js'
import { safeJson } from './json.js'
import { lineOf, wellFormed } from './text.js'

/**
 * SARIF 2.1.0 for code scanning. A pending change is not a defect, so a plan has only the reasons for refusing it and the findings
 * of policies. If a drift fails, its errors are in a separate run (A186), so that earlier drift stays open and does not count as
 * fixed.
 */
export const reports: Writers<'validation' | 'plan' | 'drift' | 'policies' | 'problems'> = {
  validation: ({ diagnostics }, context) =>
    log([runOf(context.command, diagnosticFindings(diagnostics), { executionSuccessful: true }, context)]),
  plan: (plan, context) =>
    log([
      runOf(context.command, planFindings(plan), { executionSuccessful: true }, context),
      runOf(errors, [], { executionSuccessful: true }, context),
    ]),
  policies: ({ diagnostics }, context) =>
    log([runOf(context.command, diagnosticFindings(diagnostics), { executionSuccessful: true }, context)]),
  drift: (drift, context) =>
    log([
      runOf(context.command, driftFindings(drift), { executionSuccessful: true }, context),
      runOf(
        errors,
        diagnosticFindings(driftErrors(drift)),
        { executionSuccessful: driftErrors(drift).length === 0 },
        context,
      ),
    ]),
  problems: ({ diagnostics }, context) => {
    // Only the reports of these two commands have the category `errors`, so that a later report can close its errors.
    const category = ['plan', 'drift'].includes(context.command) ? errors : context.command
    return log([runOf(category, diagnosticFindings(diagnostics), { executionSuccessful: false }, context)])
  },
}

const errors = 'errors'

const log = (runs: readonly object[]): string =>
  safeJson({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs })

/** GitHub reads 25,000 results of a run. The most severe ones come first. */
const mostResults = 25_000

function runOf(
  category: string,
  findings: readonly ReportFinding[],
  invocation: { readonly executionSuccessful: boolean },
  context: ReportContext,
): object {
  const kept = [...findings].sort(by(({ severity }) => String(severities.indexOf(severity)))).slice(0, mostResults)
  const codes = [...new Set(kept.map(({ code }) => code))].sort()
  const names = [context.project, context.environment].flatMap((name) => (name ? [inId(name)] : []))
  return {
    tool: { driver: { name: 'gatewright', version: context.version, rules: codes.map(ruleOf) } },
    automationDetails: { id: ['gatewright', ...names, category, ''].join('/') },
    invocations: [{ ...invocation, startTimeUtc: isoDate(context.startedMs), endTimeUtc: isoDate(context.endedMs) }],
    columnKind: 'utf16CodeUnits',
    results: withFingerprints(kept).map(({ finding, fingerprint }) => ({
      ...{ ruleId: finding.code, ruleIndex: codes.indexOf(finding.code), level: finding.severity },
      message: { text: shortMessage(`${lineOf(finding.message)}${hintOf(finding)}`) },
      locations: [locationOf(finding, context)],
      // GitHub uses only a fingerprint with this name.
      partialFingerprints: { primaryLocationLineHash: fingerprint },
      ...(finding.accepted && { suppressions: [suppressionOf(finding.accepted)] }),
    })),
  }
}

/** A part of an id in which `/` is a separator. */
const inId = (name: string): string => wellFormed(name).replaceAll(/[^\p{L}\p{N}._-]/gu, '_')

const isoDate = (milliseconds: number): string => new Date(milliseconds).toISOString()

const isCode = (code: string): code is ProblemCode => Object.hasOwn(problemCodes, code)

function ruleOf(code: string): object {
  const [, policy] = /^policy\/(.*)\/\d+$/s.exec(code) ?? []
  const other = policy === undefined ? code : `The policy "${lineOf(policy)}" of this project.`
  const { means, remedy } = isCode(code) ? problemCodes[code] : { means: other, remedy: 'See the message.' }
  return {
    id: code,
    shortDescription: { text: means },
    fullDescription: { text: means },
    help: { text: remedy, markdown: remedy },
  }
}

const hintOf = ({ hint }: ReportFinding): string => (hint === undefined ? '' : ` (${lineOf(hint)})`)

/** GitHub shows only the first 1,000 characters. */
const shortMessage = (text: string): string => (text.length > 1000 ? `${[...text].slice(0, 500).join('')}…` : text)

function locationOf({ file, line, column }: ReportFinding, { pathOf, projectFile }: ReportContext): object {
  const uri = pathOf(file ?? projectFile)
    .split('/')
    .map((part) => encodeURIComponent(wellFormed(part)))
    .join('/')
  const region = { startLine: line ?? 1, ...(column !== undefined && { startColumn: column }) }
  return { physicalLocation: { artifactLocation: { uri }, region } }
}

const suppressionOf = ({ reason, owner, expires }: NonNullable<ReportFinding['accepted']>): object => ({
  kind: 'external',
  status: 'accepted',
  justification: lineOf(`${owner}, until ${expires}: ${reason}`),
})
