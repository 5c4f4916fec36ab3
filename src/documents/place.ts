import type { Place } from '../problems/problem.js'

/** A source position, as in all documents. */
export type PlaceDocument = Pick<Place, 'file' | 'line' | 'column'>

export const placeDocument = ({ file, line, column }: PlaceDocument): PlaceDocument => ({ file, line, column })
