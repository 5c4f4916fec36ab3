import { importOpenApi } from '../../engine/import-openapi.js'
import { exportJson, filesText } from '../../report/export.js'
import { problemsText } from '../../report/problems.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { ImportOptions } from '../options.js'

/** `import openapi FILE --dir DIR`: an OpenAPI file as manifests. Never goes online. */
export function importOpenApiCommand(options: ImportOptions, io: Io): number {
  const { document, problems } = importOpenApi(options, io)
  if (options.output === 'json') {
    io.stdout.write(exportJson(document).output)
    return exit.done
  }
  io.stderr.write(problemsText(problems, { colours: coloursFor(io.stderr, options, io) }).output)
  const nothing = `Nothing to write: the manifests say what ${options.file} gives.\n`
  io.stdout.write(document.files.length === 0 ? nothing : filesText(document.files, document.diagnostics).output)
  return exit.done
}
