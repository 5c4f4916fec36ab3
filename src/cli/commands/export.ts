import { exportArea } from '../../engine/export.js'
import { exportByStages } from '../../engine/export-stages.js'
import { exportJson, exportText } from '../../report/export.js'
import { problemsText } from '../../report/problems.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { ExportOptions } from '../options.js'

/** `export --dir DIR`: the live area as manifests; what people wrote is edited in place. Sends only GET. */
export async function exportCommand(options: ExportOptions, io: Io): Promise<number> {
  const { document, problems } = await (options.stages === undefined ? exportArea : exportByStages)(options, io)
  if (options.output === 'json') {
    io.stdout.write(exportJson(document).output)
    return exit.done
  }
  io.stderr.write(
    problemsText(problems, { colours: coloursFor(io.stderr, options, io), columns: io.stderr.columns }).output,
  )
  io.stdout.write(exportText(document, (name) => io.env[name] !== undefined).output)
  return exit.done
}
