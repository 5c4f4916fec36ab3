import { kinds } from '../../src/catalog/queries.js'
import { documentFields } from '../catalog/document.js'
import type { Make } from './world.js'

/** Every name that the document's tables print, and the members that it shows nowhere but in its value objects. */
const known = new Set([
  'id',
  ...kinds
    .filter(({ origin }) => origin === 'document')
    .flatMap(({ name }) => documentFields(name).map((field) => field.name)),
])

/** A make that refuses to be asked for fields that the document does not have, as no recorded platform does. */
export function documentOnly(make: Make): Make {
  return {
    log: make.log,
    fetch: (request) => {
      const paths = new URL(request.url).searchParams.getAll('fields').flatMap((text) => text.split(','))
      const unknown = paths.find((path) => path.split('.').some((name) => !known.has(name)))
      if (request.method !== 'GET' || unknown === undefined) return make.fetch(request)
      const { pathname } = new URL(request.url)
      refusals.push(`${pathname} ${unknown}`)
      const errors = [{ property: 'fields', message: `there is no field ${unknown}` }]
      return Promise.resolve(Response.json([{ errorCode: 400, errorMessage: 'refused', errors }], { status: 400 }))
    },
  }
}

/** What was refused so far; whoever reads it empties it. */
const refusals: string[] = []

export const refusedSoFar = (): readonly string[] => refusals.splice(0)
