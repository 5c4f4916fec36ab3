import { parseDatetime } from '../catalog/value.js'

/** The document's datetime: <YYYY-MM-DD>T<hh:mm:ss.mmm>+0000, in UTC. */
export function formatDatetime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '+0000')
}

/** Milliseconds since 1970, rounded down to whole seconds: later reads show no fractions. */
export const wholeSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000) * 1000

/** The short form that recorded applications use: 2017-12-12T14:06:45Z. */
export const formatShort = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')

/** A written datetime in the document's form, or undefined if it is no datetime. */
export function normalDatetime(text: string): string | undefined {
  const milliseconds = parseDatetime(text)
  return milliseconds === undefined ? undefined : formatDatetime(milliseconds)
}
