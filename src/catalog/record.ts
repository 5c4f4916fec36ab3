/** The value of that name, unless it is only inherited: what JSON gives inherits a `constructor`. */
export const ownValue = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** The same names with other values. */
export const mapValues = <From, To>(
  record: Readonly<Record<string, From>>,
  change: (name: string, value: From) => To,
): Record<string, To> => recordOf(Object.entries(record).map(([name, value]) => [name, change(name, value)]))

/** The engine keeps what inherits from an object, even an empty one, in half of the memory of what has no prototype. */
const nothing: object = Object.freeze(Object.create(null))

/**
 * A table that inherits nothing: what is looked up in it may be called `constructor`, and what is put into it may be called
 * `__proto__`, since such names come from manifests and from live objects.
 */
export function recordOf<Value>(entries: Iterable<readonly [string, Value]> = []): Record<string, Value> {
  const record: Record<string, Value> = Object.create(nothing)
  for (const [name, value] of entries) record[name] = value
  return record
}
