/** Labels of objects and areas. They are for selection, and are never sent. */
export type Labels = Readonly<Record<string, string>>

/** `desired`: `key` or `key=value`. */
export function hasLabel(labels: Labels, desired: string): boolean {
  const [key = '', ...value] = desired.split('=')
  return Object.hasOwn(labels, key) && (value.length === 0 || labels[key] === value.join('='))
}

/** Whether the labels include all desired ones. */
export const hasLabels = (labels: Labels, desired: Labels): boolean =>
  Object.entries(desired).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
