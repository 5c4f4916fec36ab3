import jsonpatch from 'fast-json-patch'
import { isObject, type Json } from '../../json/json.js'

/** A value as it is written, but with the live one at each of these JSON Pointers within it: nobody changes what is there. */
export function leavingLive(written: Json, live: Json | undefined, paths: readonly string[]): Json {
  if (!isObject(written)) return written
  return paths.reduce<Json>((value, path) => {
    const there: Json | undefined = isObject(live) ? jsonpatch.getValueByPointer(live, path) : undefined
    return withValueAt(value, path, there)
  }, written)
}

/** The value with another one, or none, at a JSON Pointer; unchanged where the pointer leads nowhere. */
function withValueAt(value: Json, path: string, inner: Json | undefined): Json {
  const operation = inner === undefined ? { op: 'remove' as const, path } : { op: 'add' as const, path, value: inner }
  const copy: Json = jsonpatch.deepClone(value)
  const error = jsonpatch.validate([operation], copy)
  return error ? value : jsonpatch.applyPatch(copy, [operation]).newDocument
}

/** The paths inside one field, as pointers within its value. */
export const pathsInside = (paths: readonly string[], field: string): readonly string[] =>
  paths.filter((path) => path.startsWith(`${field}/`)).map((path) => path.slice(field.length))
