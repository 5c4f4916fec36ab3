import { importOpenApi } from '../../engine/import-openapi.js'
import { jsonText } from '../../json/json.js'
import { filesText } from '../../report/export.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { ImportOptions } from '../options.js'
import { showRemarks } from '../show.js'

/** `import openapi FILE --dir DIR`: writes the contents of an OpenAPI file as manifests. Never goes online. */
export async function importOpenApiCommand(options: ImportOptions, io: Io): Promise<number> {
  const { document, problems } = await importOpenApi(options, io)
  showRemarks(problems, options, io)
  const text = filesText(document.files, [], `the manifests say what ${options.file} gives`)
  io.stdout.write(options.output === 'json' ? jsonText(document) : text.output)
  return exit.done
}
