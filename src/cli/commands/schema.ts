import { allSchemas, type DocumentKind, documentKinds, schemaFile, schemaOf } from '../../catalog/json-schema.js'
import { unlessInterrupted } from '../../engine/interrupted.js'
import { jsonText } from '../../json/json.js'
import { ProblemError } from '../../problems/problem.js'
import { unknownKind } from '../../problems/project.js'
import { nearest } from '../../problems/suggest.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

/** `schema [KIND]`: one kind's JSON Schema, or one that takes every kind and holds all the others in it. */
export async function schemaCommand(
  options: GlobalOptions & { readonly kind: string | undefined },
  io: Io,
): Promise<number> {
  const schema = options.kind === undefined ? bundle() : schemaOf(kindOf(options.kind))
  await unlessInterrupted(io)
  io.stdout.write(jsonText(schema))
  return exit.done
}

function kindOf(word: string): DocumentKind {
  const kind = documentKinds.find((each) => each.toLowerCase() === word.toLowerCase())
  if (kind) return kind
  throw new ProblemError([unknownKind(word, nearest(word, documentKinds), documentKinds)])
}

/** The schema of any document, complete in itself: each `$ref` is the `$id` of one of its `$defs`. */
function bundle(): Readonly<Record<string, unknown>> {
  const schemas = allSchemas()
  const $defs = Object.fromEntries(documentKinds.map((kind) => [kind, schemas[schemaFile(kind)]]))
  return { ...schemas['gatewright.schema.json'], $defs }
}
