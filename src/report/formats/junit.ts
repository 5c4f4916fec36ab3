import type { Diagnostic, DiagnosticsDocument } from '../../documents/diagnostics.js'
import type { DiffDocument } from '../../documents/diff.js'
import type { FleetAreaDocument, FleetDocument } from '../../documents/fleet.js'
import type { ChangeDocument, PlanDocument } from '../../documents/plan.js'
import type { PolicyTestsDocument } from '../../documents/policy-tests.js'
import type { RunChange, RunDocument } from '../../documents/run.js'
import { groupBy } from '../../json/groups.js'
import { by } from '../../json/order.js'
import { acceptedRows } from '../accepted-words.js'
import { asChange, layerWords, sideWords } from '../diff.js'
import { type DriftEntry, driftErrors, driftedField, driftView } from '../drift-words.js'
import { actionOf, changesOf, changesTitle, stateWords } from '../fleet-run.js'
import { fieldDiff } from '../plan-markdown.js'
import { displayedFields, proofText, remarksOf } from '../plan-words.js'
import type { ReportContext, Writers } from './format.js'
import { lineOf, linesOf } from './text.js'

/**
 * JUnit reports: a suite for each kind, a case for each object. Readers show only the text inside a failure, so the text contains
 * everything, including the source position. The schema that Jenkins checks, and that Maven's surefire plugin writes, has no
 * other elements and attributes than these (A189).
 */
export const reports: Writers<'validation' | 'plan' | 'run' | 'drift' | 'diff' | 'policies' | 'fleet' | 'problems'> = {
  validation: problemCases,
  plan: planCases,
  run: runCases,
  drift: driftCases,
  diff: diffCases,
  fleet: fleetCases,
  policies: testCases,
  problems: problemCases,
}

interface Case {
  readonly suite: string
  readonly name: string
  readonly file?: string | undefined
  readonly line?: number | undefined
  /** The duration; undefined if it is not measured. */
  readonly seconds?: number
  readonly end:
    | { readonly is: 'passed' }
    | { readonly is: 'failed'; readonly type: string; readonly text: string }
    | { readonly is: 'skipped'; readonly text: string }
}

const passed = { is: 'passed' } as const

function problemCases({ diagnostics }: DiagnosticsDocument, context: ReportContext): string {
  return junit(
    diagnostics.map((each) => problemCase(each, context)),
    context,
  )
}

/** One case for each policy test, and one for each rule that no test violates. */
function testCases({ tests, diagnostics }: PolicyTestsDocument, context: ReportContext): string {
  const cases = tests.map(({ policy, name, holds, expect, found, messages, source }): Case => {
    const text = [`expects ${expect}, and the rules say ${found}`, ...messages].join('\n')
    return {
      ...{ suite: policy, name, file: context.pathOf(source.file), line: source.line },
      end: holds ? passed : { is: 'failed', type: 'policy-test-failed', text },
    }
  })
  const others = diagnostics.filter(({ code }) => code !== 'policy-test-failed')
  return junit([...cases, ...others.map((each) => problemCase(each, context))], context)
}

/** Only errors are failures. Warnings and notes are skipped cases with a text. */
function problemCase(diagnostic: Diagnostic, { command, pathOf }: ReportContext): Case {
  const { code, severity, message, hint, file, line } = diagnostic
  const text = [message, ...(hint === undefined ? [] : [hint])].join('\n')
  const end = severity === 'error' ? { is: 'failed' as const, type: code, text } : { is: 'skipped' as const, text }
  return { suite: command, name: `${code}: ${message}`, ...(file !== undefined && { file: pathOf(file), line }), end }
}

function planCases(plan: PlanDocument, context: ReportContext): string {
  const refused = plan.refused.map((each): Case => {
    const found = problemCase(each, context)
    return found.end.is === 'failed' ? { ...found, end: { ...found.end, type: 'denied' } } : found
  })
  const changes = plan.changes.map((change) => caseOf(change, context, changeEnd(change)))
  return junit([...refused, ...proofCases(plan, context), ...changes, ...acceptedCases(plan)], context)
}

/** The result of `plan --prove`: if the plan is not proved, the command fails. */
function proofCases({ proof }: PlanDocument, { command }: ReportContext): readonly Case[] {
  if (!proof) return []
  const end = proof.holds ? passed : { is: 'failed' as const, type: 'not-proved', text: proofText(proof) }
  return [{ suite: command, name: 'rehearsal', end }]
}

function changeEnd(change: ChangeDocument): Case['end'] {
  const isConflict = change.fields.some(({ verdict }) => verdict === 'conflict')
  if (change.action !== 'blocked' && !isConflict) return passed
  const action = change.action === 'blocked' ? `cannot ${change.wants ?? 'change'}` : change.action
  const text = [action, ...remarksOf(change), ...displayedFields(change).flatMap(fieldDiff)].join('\n')
  return { is: 'failed', type: isConflict ? 'conflict' : 'blocked', text }
}

/** An object with the position of its declaration in a manifest. */
interface CaseObject extends Pick<ChangeDocument, 'kind' | 'address'> {
  readonly source?: ChangeDocument['source'] | undefined
}

const caseOf = ({ kind, address, source }: CaseObject, { pathOf }: ReportContext, end: Case['end']): Case => ({
  ...{ suite: kind, name: address, end },
  ...(source && { file: pathOf(source.file), line: source.line }),
})

const acceptedCases = (plan: PlanDocument): readonly Case[] =>
  acceptedRows(plan).map(({ what, decision }, index): Case => {
    const { kind: suite = '', address: name = '' } = plan.accepted[index] ?? {}
    return { suite, name, end: { is: 'skipped', text: `${what}\naccepted ${decision}` } }
  })

function runCases(run: RunDocument, context: ReportContext): string {
  const changes = run.changes.map((each): Case => ({ suite: each.kind, name: each.address, end: runEnd(each) }))
  // The errors of single changes are in the cases of these changes.
  const others = run.diagnostics.filter(({ code, severity }) => severity === 'error' && !code.startsWith('change-'))
  return junit([...others.map((each) => problemCase(each, context)), ...changes], context)
}

function runEnd({ action, outcome, error }: RunChange): Case['end'] {
  const text = [action, ...(error === null ? [] : [error])].join(': ')
  switch (outcome) {
    case 'applied':
      return passed
    case 'failed':
    case 'blocked':
    case 'notKept':
      return { is: 'failed', type: outcome, text }
    case 'waiting':
    case 'notStarted':
      return { is: 'skipped', text: outcome === 'waiting' ? `${text} (waiting)` : `${text} (not started)` }
  }
}

function driftCases(drift: PlanDocument, context: ReportContext): string {
  const entries = driftView(drift).groups.flatMap((group) => group.entries)
  const found = entries.map((entry) => caseOf(entry, context, driftEnd(entry)))
  const errors = driftErrors(drift).map((each) => problemCase(each, context))
  return junit([...errors, ...found, ...acceptedCases(drift)], context)
}

function driftEnd({ happened, words, remarks, fields }: DriftEntry): Case['end'] {
  const lines = fields.map(driftedField).flatMap((field) => {
    if (field.is === 'line') return [`${field.name}: ${field.words}`]
    return field.diffs.flatMap(({ from, lines: diff }) => [
      `${field.name}: ${from}`,
      ...diff.map(({ mark, text }) => `  ${mark} ${text}`.trimEnd()),
    ])
  })
  return { is: 'failed', type: happened, text: [words, ...remarks, ...lines].join('\n') }
}

/** One case for each area, in the suite of its key. */
function fleetCases(fleet: FleetDocument, context: ReportContext): string {
  const { areas, same } = fleet
  const cases = areas.map((area): Case => {
    const found = same.find(({ digest }) => digest === area.changes)
    const changes = (found?.changes ?? []).map((change) => `${actionOf(change)} ${change.address}`)
    const words = [
      stateWords(area.state),
      changesOf(area).replace(/^(?=.)/, `${changesTitle(fleet)}: `),
      ...area.diagnostics.map(({ message }) => message),
      ...changes,
    ]
    const end = areaEnd(area, words.filter(Boolean).join('\n'))
    return { suite: area.key ?? area.project, name: area.area, seconds: area.seconds, end }
  })
  return junit(cases, context)
}

function areaEnd({ state }: FleetAreaDocument, text: string): Case['end'] {
  switch (state) {
    case 'in-sync':
    case 'pending':
    case 'applied':
      return passed
    case 'not-started':
    case 'interrupted':
      return { is: 'skipped', text }
    case 'drift':
    case 'conflict':
    case 'incomplete':
    case 'stale':
    case 'refused':
    case 'error':
      return { is: 'failed', type: state, text }
  }
}

function diffCases({ differences, layers = [] }: DiffDocument, context: ReportContext): string {
  const objects = differences.map(({ kind, address, in: where, fields }): Case => {
    const text = [sideWords[where], ...fields.map(asChange).flatMap(fieldDiff)].join('\n')
    return { suite: kind, name: address, end: { is: 'failed', type: 'difference', text } }
  })
  const ofLayers = layers.map((layer): Case => {
    const { is, name, a, b } = layer
    const { file, line } = a ?? b ?? {}
    const { words: what, effect } = layerWords(layer)
    const text = `${what}\n${effect}`
    return {
      ...{ suite: is, name },
      ...(file !== undefined && { file: context.pathOf(file), line }),
      end: { is: 'failed', type: 'difference', text },
    }
  })
  return junit([...objects, ...ofLayers], context)
}

/** If there is nothing to report, the file has one passed case: some readers treat a file without cases as broken. */
function junit(found: readonly Case[], context: ReportContext): string {
  const cases = found.length > 0 ? found : [{ suite: context.command, name: 'nothing to report', end: passed } as const]
  const seconds = ((context.endedMs - context.startedMs) / 1000).toFixed(3)
  const names = ['gatewright', context.command, context.project, context.environment].filter(Boolean).join(' ')
  const suites = [...groupBy(cases, ({ suite }) => suite)].sort(by(([suite]) => suite))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: names, time: seconds, ...caseCounts(cases) })}>`,
    ...suites.flatMap(([suite, own]) => [
      `  <testsuite${attributes({ name: suite, ...caseCounts(own), skipped: countOf(own, 'skipped'), time: timeOf(own), timestamp: startOf(context) })}>`,
      ...own.map(caseText),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

const caseCounts = (cases: readonly Case[]): Readonly<Record<string, string>> => ({
  ...{ tests: String(cases.length), failures: countOf(cases, 'failed'), errors: '0' },
})

const countOf = (cases: readonly Case[], is: Case['end']['is']): string =>
  String(cases.filter(({ end }) => end.is === is).length)

const timeOf = (cases: readonly Case[]): string => cases.reduce((sum, { seconds = 0 }) => sum + seconds, 0).toFixed(3)

/** The time has no zone: the common schema of JUnit does not permit one. */
const startOf = ({ startedMs }: ReportContext): string => new Date(startedMs).toISOString().slice(0, 19)

function caseText(each: Case): string {
  const { suite, name, file, line, end } = each
  const open = `    <testcase${attributes({ classname: suite, name, time: timeOf([each]) })}`
  const place = file === undefined ? '' : `\n${file}${line === undefined ? '' : `:${line}`}`
  switch (end.is) {
    case 'passed':
      return `${open}/>`
    case 'skipped':
      return `${open}><skipped${attributes({ message: firstLine(end.text) })}>${text(end.text + place)}</skipped></testcase>`
    case 'failed': {
      const message = attributes({ message: firstLine(end.text), type: end.type })
      return `${open}><failure${message}>${text(end.text + place)}</failure></testcase>`
    }
  }
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

const attributes = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${marked(lineOf(value))}"`)
    .join('')

const text = (words: string): string => marked(linesOf(words))

const marked = (text: string): string => text.replaceAll(/[&<>"'\ufffe\uffff]/g, (sign) => entities[sign] ?? '\ufffd')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
