import { createHash, randomBytes } from 'node:crypto'
import { areaName, areaUrl } from '../catalog/base-url.js'
import type { AreaKey } from './record.js'

/** The area in its canonical spelling, so that another spelling does not make a second area. */
export const areaOf = ({ url, area }: AreaKey): AreaKey => ({ url: areaUrl(url), area: areaName(area) })

/** SHA-256 of the parts; no two lists of parts have the same input. */
export const digestOf = (parts: readonly string[]): Buffer =>
  createHash('sha256').update(JSON.stringify(parts)).digest()

/** A name for a file: readable words, then a digest that no other parts have. */
export function fileName(words: string, parts: readonly string[]): string {
  const readable = words
    .replaceAll(/[^A-Za-z0-9.-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, 40)
  return `${readable === '' ? 'unnamed' : readable}-${digestOf(parts).toString('hex').slice(0, 16)}`
}

/** The same for an area: by its identifier, or by its URL if it has none. */
export function areaFileName(key: AreaKey): string {
  const { url, area } = areaOf(key)
  return fileName(area === '' ? url : area, [url, area])
}

/** The name of the file or folder of a run; its number comes first. Throws if the name of the run is not valid. */
export function numberedRun(number: number, run: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(run)) throw new Error(`"${run}" is no name of a run`)
  return `${sixDigits(number)}-${run}`
}

/** The number as a text that sorts correctly. */
export const sixDigits = (number: number): string => String(number).padStart(6, '0')

interface Numbered {
  readonly number: number
  readonly run: string
}

export const newestRunFirst = (a: Numbered, b: Numbered): number => b.number - a.number || (a.run < b.run ? 1 : -1)

/** A name for a new run that sorts by time: `20270101T000000Z-1a2b3c`. */
export function runName(started: number): string {
  const time = new Date(started).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `${time}-${randomBytes(3).toString('hex')}`
}
