/** Writes to the last byte. A disk that fills up takes a part first, and fails only when it is asked for the rest. */
export function writeAll(bytes: Uint8Array, write: (rest: Uint8Array) => number): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(write(rest))
}
