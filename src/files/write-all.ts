/** Writes all bytes. A disk that fills up accepts a part first, and fails only for the rest. */
export function writeAll(bytes: Uint8Array, write: (rest: Uint8Array) => number): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(write(rest))
}
