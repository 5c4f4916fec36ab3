import { importOpenApi } from '../../engine/import-openapi.js'
import { jsonText } from '../../json/json.js'
import { filesText } from '../../report/export.js'
import { problemsText } from '../../report/problems.js'
import { textForm } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { ImportOptions } from '../options.js'

/** `import openapi FILE --dir DIR`: an OpenAPI file as manifests. Never goes online. */
export async function importOpenApiCommand(options: ImportOptions, io: Io): Promise<number> {
  const { document, problems } = await importOpenApi(options, io)
  if (options.output === 'json') {
    io.stdout.write(jsonText(document))
    return exit.done
  }
  io.stderr.write(problemsText(problems, textForm(io.stderr, options, io)).output)
  const nothing = `Nothing to write: the manifests say what ${options.file} gives.\n`
  io.stdout.write(document.files.length === 0 ? nothing : filesText(document.files, document.diagnostics).output)
  return exit.done
}
