import { isObject, type Json } from '../../json/json.js'
import { valueAtPointer, withValueAt } from '../../json/patch.js'

/** The written value, with the live values at these JSON Pointers within it, so that nothing changes there. */
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
