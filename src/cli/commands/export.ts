import { exportArea } from '../../engine/export.js'
import { exportByStages } from '../../engine/export-stages.js'
import { jsonText } from '../../json/json.js'
import { exportText } from '../../report/export.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { ExportOptions } from '../options.js'
import { showRemarks } from '../show.js'

/** `export --dir DIR`: writes the live area as manifests. Existing files are edited in place. Sends only GET. */
export async function exportCommand(options: ExportOptions, io: Io): Promise<number> {
  const { document, problems } = await (options.stages === undefined ? exportArea : exportByStages)(options, io)
  showRemarks(problems, options, io)
  const isSet = (name: string) => io.env[name] !== undefined
  io.stdout.write(options.output === 'json' ? jsonText(document) : exportText(document, isSet).output)
  return exit.done
}
