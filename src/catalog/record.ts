/** The value with that name, unless it is inherited: objects from JSON inherit a `constructor`. */
export const ownValue = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** The same names with other values. */
export const mapValues = <From, To>(
  record: Readonly<Record<string, From>>,
  change: (name: string, value: From) => To,
): Record<string, To> => recordOf(Object.entries(record).map(([name, value]) => [name, change(name, value)]))

/**
 * The JavaScript engine needs half as much memory for objects that inherit from an empty object as for objects without a
 * prototype.
 */
const nothing: object = Object.freeze(Object.create(null))

/** A table that inherits nothing. Its keys come from manifests and live objects, so they may be `constructor` or `__proto__`. */
export function recordOf<Value>(entries: Iterable<readonly [string, Value]> = []): Record<string, Value> {
  const record: Record<string, Value> = Object.create(nothing)
  for (const [name, value] of entries) record[name] = value
  return record
}
