/** What people label objects and areas with, to choose by: nothing of it is ever sent. */
export type Labels = Readonly<Record<string, string>>

/** `desired`: `key` or `key=value`. */
export function hasLabel(labels: Labels, desired: string): boolean {
  const [key = '', ...value] = desired.split('=')
  return Object.hasOwn(labels, key) && (value.length === 0 || labels[key] === value.join('='))
}

/** Whether all of these are among them. */
export const hasLabels = (labels: Labels, desired: Labels): boolean =>
  Object.entries(desired).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
