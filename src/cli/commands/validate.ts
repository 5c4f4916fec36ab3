import { diagnosticsDocument } from '../../documents/diagnostics.js'
import { unlessInterrupted } from '../../engine/interrupted.js'
import { type Validation, validateProject } from '../../engine/validate.js'
import { hasErrors } from '../../problems/problem.js'
import { counted, mostNames } from '../../problems/suggest.js'
import { problemsJson, problemsMarkdown, problemsText, type Report } from '../../report/problems.js'
import { textForm } from '../colour.js'
import type { CommandEnd } from '../command-end.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { reportedProblems } from '../reports.js'

/** `validate`: reads all manifests and checks them offline. The problems are its result, so they go to stdout. */
export async function validateCommand(options: GlobalOptions, io: Io): Promise<CommandEnd> {
  const found = await validateProject(options, io)
  const { output } = reportOf(found, options, io)
  await unlessInterrupted(io)
  // The whole text is masked, because it contains lines of manifests.
  io.stdout.write(options.output === 'json' ? output : io.mask(output))
  const { document } = reportedProblems(found.problems, io)
  return { exitCode: hasErrors(found.problems) ? exit.failed : exit.done, reported: { is: 'validation', document } }
}

function reportOf(
  { problems, objects, files, environments, policies }: Validation,
  options: GlobalOptions,
  io: Io,
): Report {
  switch (options.output) {
    case 'json':
      return problemsJson(problems)
    case 'markdown':
      return problemsMarkdown(diagnosticsDocument(problems))
    case 'text': {
      const { output } = problemsText(problems, textForm(io.stdout, options, io))
      const within = environments.length === 0 ? '' : ` for ${environmentWords(environments)}`
      const ruled = policies === 0 ? '' : `; ${counted(policies, 'policy', 'policies')}`
      const sum = `${counted(objects.size, 'object')} in ${counted(files.size, 'file')}${within}${ruled}.`
      return { output: hasErrors(problems) ? output : `${output}OK: ${sum}\n` }
    }
  }
}

const environmentWords = (names: readonly string[]): string =>
  names.length > mostNames ? counted(names.length, 'environment') : names.join(', ')
