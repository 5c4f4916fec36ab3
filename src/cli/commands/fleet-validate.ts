import { diagnosticsDocument } from '../../documents/diagnostics.js'
import { readFleet } from '../../fleet/read-fleet.js'
import { validateAreas, validateFleet } from '../../fleet/validate-fleet.js'
import { hasErrors, type Problem } from '../../problems/problem.js'
import { counted } from '../../problems/suggest.js'
import { problemsJson, problemsMarkdown, problemsText } from '../../report/problems.js'
import { textForm } from '../colour.js'
import type { CommandEnd } from '../command-end.js'
import { exit } from '../exit.js'
import { fileOf } from '../fleet-of.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { reportedProblems } from '../reports.js'

/** `fleet validate`: checks the fleet, the projects of its areas, and how many calls per day drift needs. Never goes online. */
export async function fleetValidateCommand(options: GlobalOptions, io: Io): Promise<CommandEnd> {
  const { fleet, areas, problems } = readFleet(fileOf(options), io)
  const found = fleet && (await validateFleet(fleet, io))
  const all = [...problems, ...(found ? found.problems : await validateAreas(areas, io))]
  const sum = found ? `OK: ${counted(found.areas, 'area')} of ${counted(found.projects, 'project')}.\n` : ''
  // The whole text is masked, because it contains lines of manifests.
  io.stdout.write(options.output === 'json' ? problemsJson(all).output : io.mask(validationText(all, sum, options, io)))
  const { document } = reportedProblems(all, io)
  return { exitCode: hasErrors(all) ? exit.failed : exit.done, reported: { is: 'validation', document } }
}

function validationText(problems: readonly Problem[], sum: string, options: GlobalOptions, io: Io): string {
  if (options.output === 'markdown') return problemsMarkdown(diagnosticsDocument(problems)).output
  const { output } = problemsText(problems, textForm(io.stdout, options, io))
  return hasErrors(problems) ? output : `${output}${sum}`
}
