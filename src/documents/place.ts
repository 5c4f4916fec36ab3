import type { Place } from '../problems/problem.js'

/** Where something is written, as documents say it. */
export type PlaceDocument = Pick<Place, 'file' | 'line' | 'column'>

export const placeDocument = ({ file, line, column }: PlaceDocument): PlaceDocument => ({ file, line, column })
