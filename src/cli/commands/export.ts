import { exportArea } from '../../engine/export.js'
import { exportByStages } from '../../engine/export-stages.js'
import { jsonText } from '../../json/json.js'
import { exportText } from '../../report/export.js'
import { problemsText } from '../../report/problems.js'
import { textForm } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { ExportOptions } from '../options.js'

/** `export --dir DIR`: the live area as manifests; what people wrote is edited in place. Sends only GET. */
export async function exportCommand(options: ExportOptions, io: Io): Promise<number> {
  const { document, problems } = await (options.stages === undefined ? exportArea : exportByStages)(options, io)
  if (options.output === 'json') {
    io.stdout.write(jsonText(document))
    return exit.done
  }
  io.stderr.write(problemsText(problems, textForm(io.stderr, options, io)).output)
  io.stdout.write(exportText(document, (name) => io.env[name] !== undefined).output)
  return exit.done
}
