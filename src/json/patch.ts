import jsonpatch from 'fast-json-patch'
import { isList, isObject, type Json, type JsonObject } from './json.js'
import { keysOf } from './pointer.js'

/** One operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly from?: string
  readonly value?: Json
}

/** The result of a patch, or the first operation that is not possible: its index, and the path that is the reason. */
type Patched =
  | { readonly value: JsonObject }
  | { readonly index: number; readonly path: string; readonly fault: PatchFault }

type PatchFault = 'no such path' | 'test failed' | 'no such operation'

/** Applies the operations in their order; the object itself does not change. */
export function patched(object: JsonObject, operations: readonly PatchOperation[]): Patched {
  let value: JsonObject = jsonpatch.deepClone(object)
  for (const [index, operation] of operations.entries()) {
    const { from, path } = operation
    // The library takes inherited properties for fields, and throws its own errors for some of their names.
    if (from !== undefined && !leadsThrough(value, keysOf(from))) return { index, path: from, fault: 'no such path' }
    if (!leadsThrough(value, keysOf(needed(operation)))) return { index, path, fault: 'no such path' }
    try {
      value = jsonpatch.applyOperation(value, operation as jsonpatch.Operation, true, true).newDocument
    } catch (cause) {
      return { index, path, fault: faultOf(cause) }
    }
  }
  return { value }
}

/** The path that must exist. Other operations may create its last key, except a name that the library refuses. */
const needed = ({ op, path }: PatchOperation): string =>
  op === 'remove' || op === 'replace' || path.endsWith('/__proto__') ? path : path.slice(0, path.lastIndexOf('/'))

/** Whether every key in the path exists. */
function leadsThrough(value: Json | undefined, keys: readonly string[]): boolean {
  const [first, ...others] = keys
  if (first === undefined) return true
  if (first === '__proto__' || !(isObject(value) || isList(value)) || !Object.hasOwn(value, first)) return false
  return leadsThrough(isList(value) ? value[Number(first)] : value[first], others)
}

function faultOf(cause: unknown): PatchFault {
  if (!(cause instanceof jsonpatch.JsonPatchError)) throw cause
  if (cause.name === 'TEST_OPERATION_FAILED') return 'test failed'
  return /PATH|INDEX|FROM|BOUNDS/.test(cause.name) ? 'no such path' : 'no such operation'
}

/** The value at a JSON Pointer, or undefined if there is none. */
export const valueAtPointer = (value: Json, pointer: string): Json | undefined =>
  // The library throws if there is none.
  leadsThrough(value, keysOf(pointer)) ? jsonpatch.getValueByPointer(value, pointer) : undefined

/** A value in which the one at a JSON Pointer is replaced, or removed; unchanged if the pointer leads nowhere. */
export function withValueAt(value: Json, path: string, inner: Json | undefined): Json {
  const operation = inner === undefined ? { op: 'remove' as const, path } : { op: 'add' as const, path, value: inner }
  const copy: Json = jsonpatch.deepClone(value)
  const error = jsonpatch.validate([operation], copy)
  return error ? value : jsonpatch.applyPatch(copy, [operation]).newDocument
}
