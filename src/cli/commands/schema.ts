import { allSchemas, type DocumentKind, documentKinds, schemaFile, schemaOf } from '../../catalog/json-schema.js'
import { unlessInterrupted } from '../../engine/interrupted.js'
import { jsonText } from '../../json/json.js'
import { ProblemError } from '../../problems/problem.js'
import { unknownKind } from '../../problems/project.js'
import { nearest } from '../../problems/suggest.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/** `schema [KIND]`: the JSON Schema of one kind, or one schema that contains those of all kinds. */
export async function schemaCommand(
  options: GlobalOptions & { readonly kind: string | undefined },
  io: Io,
): Promise<number> {
  const schema = options.kind === undefined ? bundle() : schemaOf(documentKindOf(options.kind))
  await unlessInterrupted(io)
  io.stdout.write(jsonText(schema))
  return exit.done
}

function documentKindOf(word: string): DocumentKind {
  const kind = documentKinds.find((each) => each.toLowerCase() === word.toLowerCase())
  if (kind) return kind
  throw new ProblemError([unknownKind(word, nearest(word, documentKinds), documentKinds)])
}

/** A complete schema for all documents: each `$ref` is the `$id` of one of its `$defs`. */
function bundle(): Readonly<Record<string, unknown>> {
  const schemas = allSchemas()
  const $defs = Object.fromEntries(documentKinds.map((kind) => [kind, schemas[schemaFile(kind)]]))
  return { ...schemas['gatewright.schema.json'], $defs }
}
