import type { Diagnostic } from '../../documents/diagnostics.js'
import { printable } from '../../json/printable.js'
import { counted } from '../../problems/suggest.js'
import { diagnosticFindings, driftFindings } from './findings.js'
import type { ReportContext, Writers } from './format.js'
import { wellFormed } from './text.js'

/** Annotations of a job on GitHub, as commands in its log. */
export const reports: Writers<'validation' | 'plan' | 'run' | 'drift' | 'diff' | 'policies' | 'problems'> = {
  validation: ({ diagnostics }, context) => annotations(diagnostics, context),
  plan: ({ refused, diagnostics }, context) => annotations([...refused, ...diagnostics], context),
  run: ({ diagnostics }, context) => annotations(diagnostics, context),
  drift: (drift, context) =>
    annotations(
      [...driftFindings(drift).filter(({ accepted }) => !accepted), ...diagnosticFindings(drift.diagnostics)],
      context,
    ),
  // Differences have no position in a file.
  diff: () => '',
  policies: ({ diagnostics }, context) => annotations(diagnostics, context),
  problems: ({ diagnostics }, context) => annotations(diagnostics, context),
}

/** GitHub shows ten errors and ten warnings for each step and drops the others silently. The tenth says how many there are. */
const most = 9

const annotations = (diagnostics: readonly Diagnostic[], context: ReportContext): string =>
  (['error', 'warning'] as const)
    .flatMap((severity) => {
      const found = diagnostics.filter((each) => each.severity === severity)
      const more = found.length - most
      const rest = `and ${counted(more, `more ${severity}`)}: the summary of the job has them`
      return [
        ...found.slice(0, most).map((each) => annotation(each, context)),
        ...(more > 0 ? [`::${severity} title=gatewright ${context.command}::${rest}`] : []),
      ]
    })
    .map((line) => `${line}\n`)
    .join('')

function annotation({ severity, code, message, hint, file, line, column }: Diagnostic, context: ReportContext): string {
  const place =
    file === undefined
      ? []
      : [
          `file=${property(context.pathOf(file))}`,
          `line=${line ?? 1}`,
          ...(column === undefined ? [] : [`col=${column}`]),
        ]
  const words = [message, ...(hint === undefined ? [] : hint.split('\n'))].map(displayed).join('\n')
  return `::${severity} ${[...place, `title=${property(code)}`].join(',')}::${escaped(words)}`
}

const displayed = (text: string): string => printable(wellFormed(text))

/** Escapes the characters that would end a command or begin an escape sequence. */
const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const property = (text: string): string => escaped(displayed(text)).replaceAll(':', '%3A').replaceAll(',', '%2C')
