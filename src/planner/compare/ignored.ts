import { isObject, type Json } from '../../json/json.js'
import { valueAtPointer, withValueAt } from '../../json/patch.js'

/** A value as it is written, but with the live one at each of these JSON Pointers within it: nobody changes what is there. */
export function leavingLive(written: Json, live: Json | undefined, paths: readonly string[]): Json {
  if (!isObject(written)) return written
  return paths.reduce<Json>((value, path) => {
    const there: Json | undefined = isObject(live) ? valueAtPointer(live, path) : undefined
    return withValueAt(value, path, there)
  }, written)
}

/** The paths inside one field, as pointers within its value. */
export const pathsInside = (paths: readonly string[], field: string): readonly string[] =>
  paths.filter((path) => path.startsWith(`${field}/`)).map((path) => path.slice(field.length))
